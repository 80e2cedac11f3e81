# SPDX-License-Identifier: BSD-3-Clause
#
# How a job goes on after a failure: the half of FTMPI::Launcher::Job that says when it is begun again, where its
# ranks go, and what was a failure at all. Pure, as that is.
#
# The happy path: a rank was killed. Every agent that has ranks is told to begin again (RESTART_ALL);
# when all have answered, and places that are new are bound, the ranks are told to run in the next
# epoch. Other courses: a host is lost before that, and its ranks get another place in the same epoch;
# the program makes no checkpoints, or restarts brought nothing new several times in a row, or no host
# is left: the job ends with the failure. While a failure waits for the news whether the program makes
# checkpoints at all, the phase stays `running`, with {pending}.
package FTMPI::Launcher::Recovery;

use strict;
use warnings;

use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::Sentences ();

# All timers of mending, in seconds: how long a broken connection waits for the news that explains it; a
# failure for a rank's word whether the program makes checkpoints; agents have to answer the order to
# begin again; a fenced rank has to be gone; the news that all run again waits for that of the line.
use constant {
	EXPLAIN_TIME => 2,
	PROGRAM_TIME => 5,
	ANSWER_TIME  => 30,
	FENCE_TIME   => 3,
	TELL_TIME    => 1,
};

# ---- lost connections, lost hosts ----

# Most often the other end has died, and the news of that is on its way.
sub _lost
{
	my ($self, $rank, $peer, $reason) = @_;
	return $self->_broken($rank, "it has no peer $peer") if $peer >= @{ $self->{ranks} };
	push @{ $self->{lost} }, { rank => $rank, peer => $peer, reason => $reason };
	return [ timer => 'explain', EXPLAIN_TIME, $self->{epoch} ];
}

# Nothing explained the oldest one in time. It does no harm when one of the two is through with MPI.
sub _unexplained
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $lost = shift @{ $self->{lost} } // return;
	my ($rank, $peer) = @$lost{qw(rank peer)};
	return if grep { $self->{ranks}[$_]{state} =~ /^(?:finalized|done)$/ } $rank, $peer;
	my ($one, $other) = map { $self->_who($_) } $rank, $peer;
	return $self->_failure(
		class  => 'lost',
		status => 1,
		text   => "connection between $one and $other broke: $lost->{reason}",
		tail   => '; the job is ended.');
}

# A host all of whose ranks have ended is not missed. uncounted: its loss is none of the restarts in a row.
sub _host_lost
{
	my ($self, $host, $sentence, undef, $uncounted) = @_;
	my @ranks = $self->{crew}->ranks($host);
	my @live = grep { !$self->{ranks}[$_]{gone} } @ranks;
	$self->{crew}->lost($host, $self->{now});
	$self->_bury(@ranks);
	return ([ log => $sentence ], [ drop => $host ]) if !@live;
	return (
		[ drop => $host ],
		$self->_failure(
			class => 'host', status => 1, text => $sentence, tail => '; the job is ended.', uncounted => $uncounted),
		$self->_nobody_left);
}

# It cannot run the program. At the first start that is the user's to mend; one that came later is done
# without, which is no failure of the job. But when no other host is left it is tried again: from the
# second time on that counts, or it would go on for ever.
sub _unfit
{
	my ($self, $host, $sentence) = @_;
	return $self->_host_lost($host, $sentence, 1, !$self->{unfit}{$host}++) if $self->{epoch};
	$self->_bury($self->{crew}->ranks($host));
	return $self->_fail(1, $sentence);
}

# The same of one rank, whose end will be told.
sub _cannot_run
{
	my ($self, $host, $sentence) = @_;
	return $self->{epoch} ? $self->_unfit($host, $sentence) : $self->_fail(1, $sentence);
}

# ---- ranks that show no life ----

sub _suspect
{
	my ($self, $observer, $rank, $ms) = @_;
	return $self->_broken($observer, "it has no peer $rank") if $rank >= @{ $self->{ranks} };
	my @log = [ log => $self->_who($observer) . ": no sign of rank $rank for $ms ms" ];
	my $state = $self->{ranks}[$rank]{state};
	return @log if $self->{debug} || $self->_is_settled($rank) || $state eq 'finalized';
	my $verdict = $self->{verdict};
	$verdict->suspect($observer, $rank, $ms, $self->{now});
	my @asked = $self->_examinations;
	my @judged = $self->{crew}->home($observer) == $self->{crew}->home($rank) ? $self->_judgement : ();
	return (@log, @asked, @judged, $self->{judging} ? () : $self->_judge_later);
}

# As long as somebody is suspected. There is one such timer at a time, whoever is heard meanwhile.
sub _judge_later
{
	my ($self) = @_;
	my $verdict = $self->{verdict};
	$self->{judging} = $self->{phase} eq 'running' && $verdict->is_open or return;
	return [ timer => 'judge', $verdict->gather_time, $self->{epoch} ];
}

sub _heard
{
	my ($self, $observer, $rank) = @_;
	$self->{verdict}->heard($observer, $rank) if $self->{verdict};
	return;
}

sub _leaves { my ($self, $rank) = @_; $self->{verdict}->leaves($rank) if $self->{verdict}; return }

# Whose agents are to look at them.
sub _examinations
{
	my ($self) = @_;
	my $verdict = $self->{verdict};
	return map { [ examine => $_, $verdict->look_time ] } $verdict->to_ask($self->{now});
}

# What an agent saw of a rank. load: its machine's, in words. One that is starved is excused, or judged when that
# is due: hundreds of such words may come at a time, and none of them makes anybody's case clearer.
sub _condition
{
	my ($self, $rank, $word, $load) = @_;
	$self->{verdict}->told($rank, $word, $self->{now});
	my @log = [ log => $self->_who($rank) . ": $word" ];
	return (@log, $self->_judgement) if $word ne 'starved';
	return @log if !$self->{verdict}->is_worth_telling($rank, $self->{now});
	return (@log, $self->_excused($self->{crew}->home($rank), $self->_who($rank), $load));
}

# An agent was late itself by so many ms.
sub _strained
{
	my ($self, $host, $ms, $load) = @_;
	return [ log => 'the agent on ' . $self->{crew}->name($host) . " is late by $ms ms ($load)" ];
}

# An agent is silent, and not lost for that.
sub _bears
{
	my ($self, $host, $load) = @_;
	return $self->_excused($host, 'the agent on ' . $self->{crew}->name($host), $load);
}

# Told once of each host.
sub _excused
{
	my ($self, $host, $who, $load) = @_;
	return if $self->{debug} || $self->{excused}{$host}++;
	return [ say => FTMPI::Launcher::Sentences::starved($who, $load, $self->{verdict}{starved}) . '.' ];
}

# It is not there any more, or about to go.
sub _is_settled
{
	my ($self, $rank) = @_;
	my $entry = $self->{ranks}[$rank];
	return $entry->{gone} || defined $entry->{judged};
}

# The agent beside it sees that it is stopped, wherever it is: nobody else's word is needed. That is
# told again and again, so what cannot be decided yet is left for the next time.
sub _stopped
{
	my ($self, $rank, $ms) = @_;
	return if $self->{debug} || $self->{pending} || $self->_is_settled($rank);
	my $known = $self->{on} eq 'none' || $self->{from_start} || defined $self->{uses};
	return if !$known && $ms < 1000 * PROGRAM_TIME;
	return $self->_condemn('fence', $rank, $ms);
}

# A word from beside it settles the matter at once: no cable leads there, and the host is not silent.
sub _judgement
{
	my ($self) = @_;
	return if $self->{pending};
	my $judgement = $self->{verdict}->judge($self->{now}, sub { $self->{crew}->home($_[0]) },
		@$self{qw(silent lenient)});
	return $judgement ? $self->_condemn(@$judgement) : ();
}

sub _judge
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->{judging} = 0;
	return if $self->{pending};
	my @actions = ($self->_judgement, $self->_examinations);
	return (@actions, $self->_judge_later);
}

# What is not mended by a restart is not made worse here: who was stopped may go on.
sub _condemn
{
	my ($self, $name, @data) = @_;
	my $crew = $self->{crew};
	my $text = FTMPI::Launcher::Sentences::judged($crew, $name, @data);
	if (!$self->can_restart) {
		$self->{verdict}->clear;
		(my $once = $text) =~ s/[0-9]+ ms//;
		return if $self->{noticed}{$once}++;
		return [ say => "$text; the job is not ended for that." ];
	}
	if ($name eq 'fence') {
		my ($rank, $ms, $word) = @data;
		$self->{verdict}->forget($rank);
		@{ $self->{ranks}[$rank] }{qw(silent judged word)} = ($ms, $self->{now}, $word);
		return ([ log => $text ], [ fence => $rank ],
			[ timer => 'fenced', FENCE_TIME, $self->{epoch}, $rank ]);
	}
	my @hosts = $name eq 'host' ? @{ $data[0] } : ();
	my @aside;
	@aside = grep { defined } $crew->dispensable(@{ $data[0] }) if $name eq 'link';
	$crew->lost($_, $self->{now}) for @hosts, @aside;
	$self->_bury($crew->ranks($_)) for @hosts, @aside;
	return ((map { [ drop => $_ ] } @hosts), (map { [ dismiss => $_ ] } @aside),
		$self->_failure(
			class => $name eq 'host' ? 'host' : 'lost', status => 1, text => $text,
			tail => '; the job is ended.'));
}

# It is fenced, and a debugger holds it.
sub _traced
{
	my ($self, $rank, $tracer) = @_;
	$self->{ranks}[$rank]{tracer} = $tracer;
	return;
}

# A rank that was fenced is still there: even SIGKILL does not reach it.
sub _not_gone
{
	my ($self, $epoch, $rank) = @_;
	my $entry = $self->{ranks}[$rank];
	return if $epoch != $self->{epoch} || $entry->{gone};
	return [ timer => 'fenced', FENCE_TIME, $epoch, $rank ]
		if $self->{now} - $entry->{judged} < $self->{lenient}->($self->{crew}->home($rank));
	return $self->_failure(
		class  => 'hung',
		status => 1,
		text   => FTMPI::Launcher::Sentences::ended($self->_who($rank), 'cannot be killed', @$entry{qw(silent word tracer)}),
		rank   => $rank);
}

# ---- restarts ----

# class, status, text; tail: how the sentence ends if the job does; words: its last on standard error;
# uncounted: see _host_lost().
# Only the first of several is dealt with: a restart mends all.
sub _failure
{
	my ($self, %failure) = @_;
	return if $self->{pending};
	$failure{at} = defined $failure{rank} ? $self->{ranks}[ $failure{rank} ]{judged} : undef;
	$failure{at} //= $self->{now};
	$failure{tail} //= '; ';
	return $self->_give_up(\%failure, $failure{tail}) if !FTMPI::Launcher::Failure::is_mended($self->{on}, $failure{class});
	return $self->_decide(\%failure) if $self->{from_start} || defined $self->{uses};
	$self->{pending} = \%failure;
	return [ timer => 'undecided', PROGRAM_TIME, $self->{epoch} ];
}

sub _give_up
{
	my ($self, $failure, $tail) = @_;
	return $self->_fail($failure->{status}, $failure->{text} . $tail);
}

# No rank has said whether it makes checkpoints: it is no MPI program, or hangs before MPI_Init.
sub _undecided
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $pending = delete $self->{pending} // return;
	return $self->_decide($pending);
}

sub _decide
{
	my ($self, $failure) = @_;
	my $max = $self->{max};
	if (!$self->can_restart) {
		return $self->_give_up($failure, defined $self->{uses} ? FTMPI::Launcher::Sentences::NO_CHECKPOINTS : $failure->{tail});
	}
	return $self->_give_up($failure, FTMPI::Launcher::Sentences::INPUT_LOST) if $self->{input_lost};
	$self->{row}++ if !$failure->{uncounted};
	return $self->_give_up($failure, FTMPI::Launcher::Sentences::last_words($failure->{words}) . FTMPI::Launcher::Sentences::too_often($max))
		if $self->{row} > $max;
	return $self->_restart($failure);
}

# Rank 0 was given more input than is kept for a restart.
sub input_lost { $_[0]{input_lost} = 1; return }

sub _from
{
	my ($self) = @_;
	return FTMPI::Launcher::Sentences::from($self->{line}, $self->{restoring});
}

sub _restart
{
	my ($self, $failure) = @_;
	my $crew = $self->{crew};
	$self->{phase} = 'recovering';
	$self->{back} //= $failure->{at};
	$self->{epoch}++;
	$self->_reset;
	my @again = $crew->restart($self->{epoch});
	my ($moved, @actions) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Launcher::Sentences::NO_HOST);
	my $what = FTMPI::Launcher::Sentences::restart(@$self{qw(row max)}, $self->_from);
	return (
		[ say => $failure->{text} . FTMPI::Launcher::Sentences::last_words($failure->{words}) . "$moved; $what." ],
		@again,
		@actions,
		$crew->probe($self->{now}, $self->{epoch}),
		[ timer => 'answer', ANSWER_TIME, $self->{epoch} ],
		$self->_advance);
}

# Places for ranks whose host has failed: words, and actions; or nothing when there is none.
sub _rehouse
{
	my ($self) = @_;
	my ($actions, $moved) = $self->{crew}->rehouse($self->{epoch}) or return;
	return (FTMPI::Launcher::Sentences::moved($self->{crew}, $moved), @$actions);
}

# Before all run again: its ranks get another place in the same epoch.
sub _host_lost_again
{
	my ($self, $host, $sentence) = @_;
	my $missed = $self->{crew}->ranks($host);
	$self->{crew}->lost($host, $self->{now});
	return ([ log => $sentence ], [ drop => $host ]) if !$missed;
	my ($moved, @actions) = $self->_rehouse
		or return ([ drop => $host ], $self->_fail(1, $sentence . FTMPI::Launcher::Sentences::NO_HOST));
	return ([ say => "$sentence$moved." ], [ drop => $host ], @actions, $self->_advance);
}

sub _no_answer
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my ($host) = grep { $self->{crew}->state($_) eq 'well' } $self->{crew}->late;
	my @again = [ timer => 'answer', ANSWER_TIME, $epoch ];
	return @again if !defined $host;
	return (
		$self->_host_lost_again($host, FTMPI::Launcher::Sentences::no_answer($self->{crew}->name($host), ANSWER_TIME)),
		@again);
}

# ---- what ranks tell of checkpoints ----

# Whether the program makes checkpoints: one rank that says so is enough, in any epoch.
sub _program
{
	my ($self, $rank, $uses) = @_;
	$self->{uses} ||= $uses;
	return $self->{pending} ? $self->_decide(delete $self->{pending}) : ();
}

# A new recovery line: what fails from now on is not the same failure again.
sub _line
{
	my ($self, $number) = @_;
	@$self{qw(uses line row)} = (1, $number, 0);
	return [ log => "line $number is committed" ];
}

# One that was committed before the failure that is being mended.
sub _late_line
{
	my ($self, $number) = @_;
	my @actions = $self->_line($number);
	$self->{row} = 1;
	return @actions;
}

sub _restored
{
	my ($self, $number, $session) = @_;
	@$self{qw(uses came_back)} = (1, 1);
	$self->{restored} = { line => $number, session => $session };
	return ([ log => "line $number of session $session is restored" ],
		defined $self->{back} && !$self->{unborn} ? $self->_all_are_back : ());
}

# All ranks have called MPI_Init again. Which line they go on from is told by rank 0, most often at
# once.
sub _all_are_back
{
	my ($self) = @_;
	return [ timer => 'tell', TELL_TIME, $self->{epoch} ]
		if !$self->{restored} && $self->_from ne FTMPI::Launcher::Sentences::BEGINNING;
	return $self->_tell($self->{epoch});
}

sub _tell
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $back = delete $self->{back} // return;
	return [ say => FTMPI::Launcher::Sentences::all_run($self->{crew}->size, $self->{now} - $back, $self->{restored}) ];
}

1;

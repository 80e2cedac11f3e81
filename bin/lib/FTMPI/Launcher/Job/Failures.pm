# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Job, which an ordinary start does without (FTMPI::Later): what has failed, and what comes of it: ranks that ended,
# lost hosts and connections, restarts, ranks that move.
package FTMPI::Launcher::Job;

use strict;
use warnings;

use FTMPI::Launcher::Job       ();
use FTMPI::Control             ();
use FTMPI::Launcher::Sentences ();

# How often each rank has begun again alone, by rank.
sub incarnations { return $_[0]{ranks}->incarnations }

# Whether this rank may go on from a checkpoint of its own when it begins again alone.
sub may_have_checkpoint { my ($self, $rank) = @_; return $self->{recovery}->is_alone && $self->{saving}->may_have($rank) }

# Some rank of this host has not come as far as MPI_Init yet.
sub is_starting
{
	my ($self, $host) = @_;
	return scalar grep { $self->{ranks}->state($_) eq 'started' } $self->{hosts}->ranks($host);
}

# ---- the start, and the start after a failure ----

sub _unfit_at_first
{
	my ($self, $host, $sentence, $was_here) = @_;
	return $self->_fail(1, $sentence . ($was_here ? '; the job is ended.' : ''));
}

sub _restarting_all
{
	my ($self, $host, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->{hosts}->restarting($host);
	return $self->_advance;
}

# ---- what ranks tell ----

# It, or what it has started, has loaded the library of another MPI. That may mean nothing.
sub _foreign
{
	my ($self, $rank, $long, $library) = @_;
	my ($note, $is_for_user) = $self->{outcome}->foreign($self->{hosts}->who($rank), $long, $library) or return;
	return [ ($is_for_user ? 'say' : 'log') => $note ];
}

sub _never_came
{
	my ($self, $rank) = @_;
	return if $self->{recovery}->is_undecided;
	return $self->_fail(1, $self->{hosts}->who($rank)
		. ' exited with status 0 without calling MPI_Init,'
			. ' while others wait for it; ');
}

# The call that failed is named, but for MPI_Abort itself. A restore that failed will fail again; where all
# ranks have found nothing to go on from, the one that ends first is not to blame.
sub _aborted
{
	my ($self, $rank, $code, $call) = @_;
	return $self->_failure(class => 'final', status => 1, text => FTMPI::Launcher::Sentences::NO_LINE_FITS, tail => '.', rank => $rank)
		if $call eq FTMPI::Control::NO_LINE;
	my $what = length $call ? "stopped on an error in $call" : "called MPI_Abort with code $code";
	my $tail = $self->{ranks}->living > 1 ? '; the other ranks are ended.' : '.';
	return $self->_failure(
		class  => $call =~ /^FTMPI_/ ? 'final' : 'error',
		status => $code & 0xff || 1,
		text   => $self->{hosts}->who($rank) . " $what",
		tail   => $tail,
		rank   => $rank);
}

sub _broken
{
	my ($self, $rank, $text) = @_;
	return if $self->{recovery}->is_undecided;
	return $self->_fail(1,
		$self->{hosts}->who($rank) . " broke the rules of its control connection ($text); ");
}

# ---- an end from which -restore goes on ----

sub _tell
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->_note_back;
	my $sentence = $self->{recovery}->all_run($self->{hosts}->size, $self->{now}) // return;
	return [ say => $sentence ];
}

sub _note_back
{
	my ($self) = @_;
	my $since = $self->{recovery}->since // return;
	$self->{notes}->add('back', epoch => $self->{epoch}, seconds => $self->{now} - $since);
	return;
}

# ---- lost connections, ranks that show no life ----

sub _lost
{
	my ($self, $rank, $peer, $reason) = @_;
	return $self->_broken($rank, "it has no peer $peer") if $peer >= $self->{ranks}->size;
	return $self->{lost}->tell($rank, $peer, $reason);
}

sub _unexplained
{
	my ($self, $epoch) = @_;
	my %failure = $self->{lost}->explain($epoch);
	return %failure ? $self->_failure(%failure) : ();
}

sub _suspect
{
	my ($self, $observer, $rank, $ms) = @_;
	return $self->_broken($observer, "it has no peer $rank") if $rank >= $self->{ranks}->size;
	return $self->_of_suspects('suspect', $observer, $rank, $ms);
}

# ---- lost hosts ----

# A host all of whose ranks have ended is not missed. uncounted: its loss is none of the restarts in a row.
sub _host_lost
{
	my ($self, $host, $sentence, undef, $uncounted) = @_;
	my $is_missed = grep { !$self->{ranks}->is_gone($_) } $self->{hosts}->ranks($host);
	if (!$is_missed) {
		$self->{hosts}->lost($host, $self->{now});
		return ([ log => $sentence ], [ drop => $host ]);
	}
	return (
		$self->_failure(
			class => 'host', status => 1, text => $sentence, tail => '; the job is ended.', uncounted => $uncounted,
			drop  => [$host]),
		$self->_nobody_left);
}

# It cannot run the program. At the first start that is the user's to mend; one that came later is done
# without, which is no failure of the job. But when no other host is left it is tried again: from the
# second time on that counts, or it would go on for ever.
sub _unfit
{
	my ($self, $host, $sentence) = @_;
	my @new = grep { $self->{moving}->is_under_way($_) } $self->{hosts}->ranks($host);
	return $self->_refused($host, $sentence, @new) if @new && @new < $self->{hosts}->ranks($host);
	return [ log => $sentence ] if $self->{hosts}->is_full($host);
	return $self->_host_lost($host, $sentence, 1, !$self->{unfit}{$host}++) if $self->_came_later($host);
	$self->{ranks}->bury($self->{hosts}->ranks($host));
	return $self->_fail(1, $sentence);
}

# The same of one rank, whose end will be told.
sub _cannot_run
{
	my ($self, $host, $sentence) = @_;
	return $self->_came_later($host) ? $self->_unfit($host, $sentence) : $self->_fail(1, $sentence);
}

# It was not asked for when the job began.
sub _came_later
{
	my ($self, $host) = @_;
	my @ranks = $self->{hosts}->ranks($host);
	return $self->{epoch} || !@ranks || grep { $self->{ranks}->has_come_back($_) } @ranks;
}

# ---- failures and restarts ----

# A failure (see FTMPI::Launcher::Recovery), and rank: of which it is, if it is one's; drop, dismiss: hosts
# that are lost by it, to be done without whatever is decided.
sub _failure
{
	my ($self, %failure) = @_;
	my ($hosts, @aside) = ($self->{hosts});
	push @aside, map { [ drop    => $_ ] } @{ delete $failure{drop}    // [] };
	push @aside, map { [ dismiss => $_ ] } @{ delete $failure{dismiss} // [] };
	for my $host (map { $_->[1] } @aside) {
		$hosts->lost($host, $self->{now});
		$self->{ranks}->bury($hosts->ranks($host));
		push @{ $failure{ranks} }, $hosts->ranks($host);
	}
	$failure{counted} = [ grep { !$self->{moving}->is_under_way($_) } @{ $failure{ranks} // [] } ];
	my $rank = $failure{rank};
	$failure{at} = defined $rank ? $self->{suspects}->fenced_at($rank) // $self->{now} : $self->{now};
	return (@aside, $self->_carry_out($self->{recovery}->failed(\%failure)));
}

# No rank has said whether it makes checkpoints.
sub _undecided
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	return $self->_carry_out($self->{recovery}->decide);
}

# decision: restart of all ranks, rerun of the one, move of those of a host, end of the job.
sub _note_failure
{
	my ($self, $failure, $decision) = @_;
	my $rank  = $failure->{rank};
	my @ranks = defined $rank ? $rank : @{ $failure->{ranks} // [] };
	$self->{notes}->add('failure', class => $failure->{class}, why => $failure->{text}, decision => $decision, ranks => \@ranks);
	$self->{notes}->add('restart', epoch => $self->{epoch}, kind => $decision eq 'restart' ? 'all' : $decision) if $decision ne 'end';
	return;
}

# The rank that failed, alone; the job runs on.
sub _rerun
{
	my ($self, $failure) = @_;
	my ($rank, $recovery) = ($failure->{rank}, $self->{recovery});
	$self->_note_failure($failure, 'rerun');
	$recovery->begins($failure);
	$self->{suspects}->begins_again($rank);
	my $incarnation = $self->{ranks}->begins_again($rank);
	return ([ say => $recovery->sentence_alone($failure) ], [ rerun => $rank, $incarnation ], $self->{saving}->begins_again($rank));
}

# The ranks of hosts that are lost; the job runs on.
sub _move
{
	my ($self, $failure) = @_;
	my ($hosts, $recovery, $moving) = @$self{qw(hosts recovery moving)};
	$self->{moves}++ if @{ $failure->{counted} };
	$self->_note_failure($failure, 'move');
	$recovery->begins($failure);
	my ($moved, @starts) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Launcher::Sentences::NO_HOST);
	$moving->begin(@{ $failure->{ranks} });
	return (
		[ say => $recovery->sentence_moved($failure, $moved) ],
		(map { $self->{saving}->begins_again($_) } @{ $failure->{ranks} }),
		@starts,
		$hosts->probe($self->{now}, $self->_round),
		$self->_await_answers,
		$moving->advance);
}

# A host has ranks, and cannot take these in addition.
sub _refused
{
	my ($self, $host, $sentence, @ranks) = @_;
	$self->{hosts}->refuses($host, @ranks);
	my ($moved, @starts) = $self->_rehouse or return $self->_fail(1, $sentence . FTMPI::Launcher::Sentences::NO_HOST);
	return ([ say => "$sentence$moved." ], @starts, $self->_await_answers, $self->{moving}->advance);
}

# Those that are asked now, and no earlier ones.
sub _await_answers { my ($self) = @_; return [ timer => 'answer', ANSWER_TIME, $self->{epoch}, ++$self->{asked} ] }

# An agent has not bound the sockets of ranks that it is to take.
sub _not_taken
{
	my ($self, undef, $asked) = @_;
	return if !defined $asked || $asked != $self->{asked};
	my $host = $self->{moving}->silent_host // return;
	return $self->_host_lost($host, FTMPI::Launcher::Sentences::not_bound($self->{hosts}->name($host), ANSWER_TIME));
}

sub _give_up
{
	my ($self, $failure, $ending) = @_;
	$self->_note_failure($failure, 'end');
	$self->{outcome}->tell_line if $self->{recovery}->is_off;
	return $self->_fail($failure->{status}, $failure->{text} . $ending);
}

sub _restart
{
	my ($self, $failure) = @_;
	my ($hosts, $recovery) = @$self{qw(hosts recovery)};
	$self->{phase} = 'recovering';
	$self->{epoch}++;
	$self->_note_failure($failure, 'restart');
	$recovery->begins($failure);
	$self->_reset;
	my @orders = $hosts->restart($self->{epoch});
	my ($moved, @starts) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Launcher::Sentences::NO_HOST);
	return (
		[ say => $recovery->sentence($failure, $moved) ],
		@orders,
		@starts,
		$hosts->probe($self->{now}, $self->{epoch}),
		[ timer => 'answer', ANSWER_TIME, $self->{epoch} ],
		$self->_advance);
}

# Places for ranks whose host has failed: words, and actions; or nothing when there is none.
sub _rehouse
{
	my ($self) = @_;
	my ($actions, $moved) = $self->{hosts}->rehouse($self->_round) or return;
	return (FTMPI::Launcher::Sentences::moved($self->{hosts}, $moved), @$actions);
}

# Of what is tried anew: a host that has failed is not tried twice in one.
sub _round { my ($self) = @_; return $self->{epoch} + $self->{moves} }

# Before all run again: its ranks get another place in the same epoch.
sub _host_lost_again
{
	my ($self, $host, $sentence) = @_;
	my $hosts  = $self->{hosts};
	my $missed = $hosts->ranks($host);
	$hosts->lost($host, $self->{now});
	return ([ log => $sentence ], [ drop => $host ]) if !$missed;
	my ($moved, @starts) = $self->_rehouse
		or return ([ drop => $host ], $self->_fail(1, $sentence . FTMPI::Launcher::Sentences::NO_HOST));
	return ([ say => "$sentence$moved." ], [ drop => $host ], @starts, $self->_advance);
}

sub _no_answer
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $hosts = $self->{hosts};
	my ($host) = grep { $hosts->state($_) eq 'well' } $hosts->late;
	my @again = [ timer => 'answer', ANSWER_TIME, $epoch ];
	return @again if !defined $host;
	return (
		$self->_host_lost_again($host, FTMPI::Launcher::Sentences::no_answer($hosts->name($host), ANSWER_TIME)),
		@again);
}

1;

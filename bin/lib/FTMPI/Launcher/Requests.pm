# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher, which an ordinary start does without (FTMPI::Later): what the user, a terminal or a batch system wants of a job that
# runs.
package FTMPI::Launcher;

use strict;
use warnings;

use FTMPI::Launcher            ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Loop                ();
use FTMPI::Net                 ();

# ---- what happens ----

sub _observe
{
	my ($self) = @_;
	my $plan = $self->{plan};
	return if $self->{observer} || $self->{unobserved};
	# hours into the job it may not be there any more, or be another version's
	if (!eval { require FTMPI::Launcher::Observer; 1 }) {
		$self->{unobserved} = 1;
		$self->_log("the job has no run record: $@");
		return;
	}
	mkdir $self->{workdir}->folder, 0700 if $plan->{record};
	$self->{observer} = FTMPI::Launcher::Observer->new(
		loop     => $self->{loop},
		size     => $plan->{size},
		folder   => $self->{workdir}->folder,
		began    => [ @$self{qw(began now)} ],
		pid      => $$,
		host     => FTMPI::Net::hostname(),
		progress => $plan->{progress},
		say      => $plan->{verbosity} ? sub { $self->_say(@_) } : undef,
		log      => sub { $self->_log(@_) },
		auto     => $plan->{auto},
		on_interval => sub { $self->_event('interval', @_) },
		waits    => sub { $self->{streams}->queued },
		put      => sub { $self->{streams}->put_line(@_) },
		put_at_once => sub { $self->{streams}->put_line_at_once(@_) });
	return;
}

# The session has a folder now, maybe.
sub _has_folder
{
	my ($self) = @_;
	return if !-d $self->{workdir}->folder;
	$self->_observe;
	$self->_tell_notes;
	$self->{observer}->begin_record if $self->{observer};
	return;
}

# Failures that the user wants to practise.
sub _make_injector
{
	my ($self) = @_;
	my $plan = $self->{plan};
	require FTMPI::Launcher::Injection;
	require FTMPI::Launcher::Injector;
	$self->{injector} = FTMPI::Launcher::Injector->new(
		loop      => $self->{loop},
		injection => FTMPI::Launcher::Injection->new(%{ $plan->{injection} }, size => $plan->{size}),
		hosts     => sub { $self->{job}->hosts },
		phase     => sub { $self->{job}->phase },
		agent     => sub { $self->{fleet}->agent($_[0]) },
		workdir   => $self->{workdir},
		say       => sub { $self->_say(@_) },
		note      => sub { $self->_note(@_) });
	return;
}

# ---- output ----

# Also the last words of a job that has ended may find nobody.
sub _output_gone
{
	my ($self, $stream, $error, $file) = @_;
	return if $stream != 1 && !defined $file;
	my $what = $file // 'standard output';
	if ($self->{over}) {
		$self->_say("cannot write to $what: $error") if $error ne '';
		$self->{status} ||= $error eq '' ? 128 + 13 : 1;
		return;
	}
	$self->_event('output_gone', $error, $what);
	return;
}

# ---- signals ----

# A signal while the last output waits for its reader, or agents leave: no more waiting. A job whose output is lost has not ended well.
sub _signal
{
	my ($self, $name) = @_;
	my $plan = $self->{plan};
	if ($self->{over}) {
		$self->_abandon;
		$self->{streams}->write_at_once;
		if (my $lost = $self->{streams}->queued) {
			$self->{status} ||= FTMPI::Launcher::Job::signal_status($name);
			$self->{streams}->put_line_at_once("ftmpirun: SIG$name came before $lost bytes of output were written; they are lost.\n");
		}
		$self->{loop}->stop;
		return;
	}
	if ($name eq 'TERM' && $plan->{saves_at_term} && !$self->{saving_at_term}++) {
		$self->_event('stop_wanted', 'SIGTERM came', TERM_TIME, 128 + 15, 'SIGTERM');
		return;
	}
	$self->_event('signal', $name);
	return;
}

# -time-limit: in time for a line and the end.
sub _watch_limit
{
	my ($self) = @_;
	my $limit = $self->{plan}{time_limit};
	my $left  = $self->{now} + $limit - FTMPI::Loop::now();
	my $need  = List::Util::max(List::Util::min(LIMIT_LEAST, LIMIT_PART * $limit), LIMIT_LINES * $self->{notes}->longest_line);
	if ($left <= $need) {
		$self->_event('stop_wanted', "the time limit of $limit s (-time-limit) is near", $left > 0.2 ? 0.8 * $left : 0.1, 124, '-time-limit');
		return;
	}
	$self->{loop}->after(List::Util::min($left - $need, LIMIT_TURN), sub { $self->_watch_limit });
	return;
}

# Ctrl-Z: the ranks, which have no terminal, are stopped by their agents; then we are. What follows
# the kill is done when somebody lets us go on.
sub _suspend
{
	my ($self) = @_;
	my $loop = $self->{loop};
	my $late = 0;
	$self->{fleet}->tell_all('SUSPEND', 1);
	$self->{observer}->suspended if $self->{observer};
	my $timer = $loop->after(SUSPEND_TIME, sub { $late = 1 });
	$loop->turn while !$late && ($self->{fleet}->is_telling || $self->{streams}->queued);
	$loop->cancel($timer);
	kill 'STOP', $$;
	$loop->forgive;
	$self->{observer}->resumed if $self->{observer};
	$self->{fleet}->tell_all('SUSPEND', 0);
	$self->_event('resumed');
	return;
}

# SIGUSR2: a line, or checkpoints of all ranks, are to be made. A program that makes lines itself is told that one is due.
sub _wanted
{
	my ($self) = @_;
	my $plan = $self->{plan};
	return $self->_event('stop_wanted', 'SIGUSR2 came (-stop-after-ckpt)', List::Util::max(STOP_TIME, LIMIT_LINES * $self->{notes}->longest_line), 128 + 12, 'SIGUSR2') if $plan->{stop_after};
	return $self->_event('line_wanted', 'SIGUSR2') if $plan->{image} || $plan->{asks_program};
	$self->_say($plan->{alone} ? FTMPI::Launcher::Sentences::NO_IMAGES_ALONE : FTMPI::Launcher::Sentences::NO_IMAGES);
	return;
}

# SIGUSR1: what ranks wait for, in their own words.
sub _dump
{
	my ($self) = @_;
	my $job = $self->{job};
	if (!$self->{plan}{dump}) {
		$self->_say('SIGUSR1 has no effect: ranks print their queues when the job is started with -dump.');
	} elsif ($job->phase ne 'running') {
		$self->_say('SIGUSR1 has no effect now: no ranks run.');
	} else {
		$self->_log('the ranks are told to print their queues');
		$self->{fleet}->tell_all('DUMP_ALL', $job->epoch);
	}
	return;
}

# ---- the end ----

# No more waiting for those that leave.
sub _abandon
{
	my ($self) = @_;
	$self->{fleet}->abandon;
	$self->{keeper}->abandon if $self->{keeper};
	return;
}

1;

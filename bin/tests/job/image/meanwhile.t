# SPDX-License-Identifier: BSD-3-Clause
#
# The program goes on while images are written, under every protocol: a process that writes stands still, and messages go
# round meanwhile; the line is committed when it goes on. A rank that dies then costs this line alone. MPI_Finalize, and
# under blocking FTMPI_Perform_Checkpoint, wait for the line.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet wait_gone wait_until patience);

use constant { RANKS => 3, SECONDS => 60 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

# LONG: no process that writes is ended for that.
use constant LONG => 1000;

# Each process that writes for this rank (1), of those in the first epoch, stops as it begins.
sub start
{
	my ($coord, $patience, $rank) = @_;
	$rank //= 1;
	my $dir = File::Temp->newdir('ftmpi-meanwhile-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->start(
		[ ftmpirun(), '-vv', '-n', RANKS, qw(-image -keep 9 -coord), $coord, '-image-patience', $patience, '-workdir', "$dir/work", program('meanwhile'),
			"$dir", "$dir/work" ],
		env => { FTMPI_FAULT => "image-write:$rank:0:1:stop" });
	$job->wait_for(out => qr/^meanwhile: begins 0$/m);
	return { dir => $dir, job => $job };
}

sub lines { my ($self) = @_; return scalar(() = glob "$self->{dir}/work/*/line-*.manifest") }

# The process that writes for a rank and stands still.
sub writer
{
	my ($self) = @_;
	my ($found) = grep { FTMPI::Test::Process::slurp("/proc/$_/stat") =~ /.*\) T /s } $self->{job}->pids;
	return $found;
}

# Rank 0, which has said that it is going to call, sleeps: it does so nowhere before.
sub waits_in_call
{
	my ($job) = @_;
	my ($pid) = $job->err =~ /^ftmpirun: rank 0 on \S+ is process (\d+)$/m or return 0;
	return FTMPI::Test::Process::slurp("/proc/$pid/stat") =~ /.*\) S /s;
}

# Asks for a line until one is begun, and its writer is held. Returns that. The line before is there a moment before its
# ranks have heard that it is committed.
sub line_held
{
	my ($self) = @_;
	my $job    = $self->{job};
	my $until  = time + patience(SECONDS);
	while (time < $until) {
		my ($seen, $writer) = (length $job->err);
		$job->signal('USR2');
		wait_until(SECONDS, sub { $job->take(time); ($writer = writer($self)) || substr($job->err, $seen) =~ /SIGUSR2 has no effect now|no recovery line is made now/ });
		return $writer if $writer;
	}
	return;
}

sub command { my ($self, $name) = @_; write_file("$self->{dir}/$name", ''); return }

sub is_done { my ($self, $what) = @_; return $self->{job}->wait_for(out => qr/^meanwhile: $what$/m) }

sub ends_well
{
	my ($self, $name) = @_;
	command($self, 'over');
	$self->{job}->finish;
	$self->{job}->is_status(0, "$name: the end");
	$self->{job}->out_like(qr/^meanwhile: right$/m, "$name: ... is right");
	$self->{job}->none_left($name);
	return;
}

for my $coord (qw(blocking eventlog)) {
	subtest "the program goes on, $coord" => sub {
		my $self = start($coord, LONG);
		my $job  = $self->{job};
		my $writer = line_held($self);
		ok($writer, 'a line is begun, and not written');
		command($self, 'round-1');
		ok(is_done($self, 'round 1'), 'messages go round');
		is(lines($self), 0, 'there is no line yet');
		ok(writer($self), 'as it is not written');
		kill 'CONT', $writer;
		ok($job->wait_for(err => qr/^ftmpirun: the recovery line that SIGUSR2 asked for is committed\.$/m), 'then it is committed');
		is(lines($self), 1, '... is there');
		command($self, 'round-2');
		ok(is_done($self, 'round 2'), 'messages go round');
		ends_well($self, $coord);
	};

	subtest "MPI_Finalize waits, $coord" => sub {
		my $self = start($coord, LONG);
		my $writer = line_held($self);
		ok($writer, 'a line is begun, and not written');
		command($self, 'over');
		ok(is_done($self, 'ends 0'), 'the program comes to MPI_Finalize');
		kill 'CONT', $writer;
		ends_well($self, $coord);
		is(lines($self), 1, 'the line is committed');
	};
}

# Event Logging wants a program that does the same again; files that are there by then are something else.
subtest 'a rank dies meanwhile, blocking' => sub {
	my $self = start('blocking', LONG);
	my $job  = $self->{job};
	my $writer = line_held($self);
	kill 'CONT', $writer;
	ok($job->wait_for(err => qr/asked for is committed\.$/m), 'a line is committed');
	command($self, 'round-1');
	ok(is_done($self, 'round 1'), 'messages go round');
	$writer = line_held($self);
	ok($writer, 'another line is begun, and not written');
	command($self, 'round-2');
	ok(is_done($self, 'round 2'), 'messages go round');
	my ($victim) = $job->err =~ /^ftmpirun: rank 2 on \S+ is process (\d+)/m;
	kill 'KILL', $victim;
	ok($job->wait_for(err => qr/^ftmpirun: line 1 of session \S+ is restored/m), 'a rank dies: the ranks go back to the first line');
	is(join(' ', wait_gone(time + patience(SECONDS), $writer)), '', 'the process that wrote is ended');
	ok($job->wait_for(out => qr/(?:^meanwhile: round 1\n.*){2}^meanwhile: round 2\n/ms), 'messages go round as before');
	ends_well($self, 'a death');
};

# Its line is told from one by time that is written when it is called.
subtest 'the call waits, blocking' => sub {
	my $self = start('blocking', LONG);
	my $job  = $self->{job};
	command($self, 'call-1');
	ok(wait_until(SECONDS, sub { writer($self) }), 'the program makes a line, which is not written');
	kill 'CONT', writer($self);
	ok(is_done($self, 'call 1: checkpointed, 1 lines'), 'its call is over when it is committed');
	my $writer = line_held($self);
	ok($writer, 'a line is asked for, and not written');
	command($self, 'call-2');
	kill 'CONT', $writer;
	ok(wait_until(SECONDS, sub { my $other = writer($self); $other && $other != $writer }), 'the program makes another');
	is(lines($self), 2, '... when that is committed');
	kill 'CONT', writer($self);
	ok(is_done($self, 'call 2: checkpointed, 3 lines'), 'its call is over');
	ok($job->wait_for(err => qr/asked for is committed\.$/m), 'both are committed');
	ends_well($self, 'calls');
};

# Ranks that are held would wait for the call, and the call for them.
subtest 'a line is asked for while ranks come to the call, blocking' => sub {
	my $self = start('blocking', LONG);
	my $job  = $self->{job};
	command($self, 'late-1');
	ok(is_done($self, 'calls 1') && wait_until(SECONDS, sub { waits_in_call($job) }), 'rank 0 is in the call, the others are not');
	$job->signal('USR2');
	ok($job->wait_for(err => qr/^ftmpirun: no recovery line is made now: rank 0 on \S+: the program makes a line itself\.$/m), 'it is refused');
	command($self, 'come-1');
	ok(wait_until(SECONDS, sub { writer($self) }), 'the others come, and the line is made');
	kill 'CONT', writer($self);
	ok(is_done($self, 'call 1: checkpointed, 1 lines'), '... and committed');
	ends_well($self, 'late');
};

# It is made when rank 0 can have a part of it.
subtest 'a line is asked for while rank 0 writes, eventlog' => sub {
	my $self = start('eventlog', LONG, 0);
	my $job  = $self->{job};
	command($self, 'call-1');
	ok(wait_until(SECONDS, sub { writer($self) }), 'the program makes a line, which is not written');
	my $writer = writer($self);
	$job->signal('USR2');
	ok(wait_until(SECONDS, sub { $job->take(time); scalar(() = glob "$self->{dir}/work/*/line-00000002.*") }), 'others make the next')
		or diag $job->err;
	kill 'CONT', $writer;
	ok(wait_until(SECONDS, sub { my $other = writer($self); $other && $other != $writer }), 'rank 0 makes its part when the first is written');
	kill 'CONT', writer($self);
	ok($job->wait_for(err => qr/asked for is committed\.$/m), '... and it is committed');
	is(lines($self), 2, 'both are');
	ends_well($self, 'rank 0 writes');
};

# The launcher asks for another when the patience is over. Six times that it may stand still.
subtest 'it takes longer than the patience, blocking' => sub {
	my $wait = int patience(3);
	my $self = start('blocking', $wait);
	my $job  = $self->{job};
	my $writer = line_held($self);
	ok($writer, 'a line is begun, and not written');
	ok($job->wait_for(err => qr/^ftmpirun: rank 0 has not said within $wait s whether/m), 'the launcher waits no longer');
	$job->signal('USR2');
	ok($job->wait_for(err => qr/^ftmpirun: no recovery line is made now: rank 0 on \S+: \N*of the line before is not written yet\.$/m),
		'another is refused');
	command($self, 'round-1');
	ok(is_done($self, 'round 1'), 'messages go round');
	kill 'CONT', $writer;
	ok(wait_until(SECONDS, sub { lines($self) == 1 }), 'the line is committed');
	kill 'CONT', line_held($self);
	ok(wait_until(SECONDS, sub { lines($self) == 2 }), 'and another');
	ends_well($self, 'late');
};

done_testing();

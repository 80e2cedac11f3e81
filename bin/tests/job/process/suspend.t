# SPDX-License-Identifier: BSD-3-Clause
#
# A rank, the agent, ftmpirun, or the whole job (by Ctrl-Z at ftmpirun) is stopped and continued: the job goes
# on afterwards and its answer is right. A stopped job can be ended, too.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(process_name wait_until);

use constant RANKS => 3;

my $scratch = File::Temp->newdir;
my $files   = 0;

# A job that adds up sums until $job->{file} is there.
sub running
{
	my ($name, @option) = @_;
	my $file = "$scratch/file" . ++$files;
	my $job  = FTMPI::Test::Job->start([ ftmpirun(), '-n', RANKS, @option, program('load'), 'until',
			'-file', $file ]);
	$job->{file} = $file;
	$job->wait_for(out => qr/^load: under way$/m) or BAIL_OUT("$name: the job does not start");
	return $job;
}

sub ends_well
{
	my ($job, $name) = @_;
	open(my $out, '>', $job->{file}) or die "$job->{file}: $!\n";
	close($out);
	$job->finish->well(qr/^load: right, until, 3 ranks$/m, $name);
	return;
}

sub ranks_of
{
	my ($job) = @_;
	my $program = program('load');
	return grep { process_name($_) =~ /^\d+ \(\Q$program\E / } $job->pids;
}

sub state_of
{
	my ($pid) = @_;
	open(my $in, '<', "/proc/$pid/stat") or return '-';
	my ($state) = <$in> =~ /^.*\) (\S)/s;
	return $state;
}

# Wait until all of these processes are stopped, or none is.
sub all_stopped
{
	my ($stopped, $name, @pids) = @_;
	my @left;
	wait_until(60, sub { !(@left = grep { (state_of($_) eq 'T') != $stopped } @pids) });
	return ok(!@left, "$name: " . ($stopped ? 'stopped' : 'going on'))
		|| diag(join "\n", map { process_name($_) . ': ' . state_of($_) } @pids);
}

# Stop and continue some of its processes.
sub stop_and_go
{
	my ($name, $choose) = @_;
	my $job  = running($name);
	my @pids = $choose->($job);
	cmp_ok(scalar @pids, '>', 0, "$name: found") or diag($job->saw);
	kill 'STOP', @pids;
	all_stopped(1, $name, @pids);
	kill 'CONT', @pids;
	ends_well($job, $name);
	return;
}

stop_and_go('one rank', sub { (ranks_of($_[0]))[1] });
stop_and_go('two ranks', sub { (ranks_of($_[0]))[0, 2] });
stop_and_go('ftmpirun', sub { $_[0]->pid });
stop_and_go('the agent', sub { my ($job) = @_; grep { process_name($_) =~ /agent on/ } $job->pids });

# Ctrl-Z, twice in a row, and fg; also where the ranks are on hosts that ssh leads to.
my $ssh = "$scratch/ssh";
open(my $out, '>', $ssh) or die "$ssh: $!\n";
print $out "#!/bin/sh\nshift\nexec sh -c \"\$*\"\n";
close($out);
chmod 0755, $ssh;

for my $case ([ 'Ctrl-Z' ], [ 'Ctrl-Z on hosts', '-ssh', $ssh, '-host', 'one,two,three' ]) {
	my ($name, @option) = @$case;
	my $job   = running($name, @option);
	my @ranks = ranks_of($job);
	is(scalar @ranks, RANKS, "$name: all ranks are found") or diag($job->saw);
	for my $time ($name, "$name once more") {
		$job->signal('TSTP');
		all_stopped(1, $time, $job->pid, @ranks);
		$job->signal('CONT');
		all_stopped(0, $time, $job->pid, @ranks);
	}
	ends_well($job, $name);
}

# A job that is stopped is ended: by SIGTERM when it goes on, by SIGKILL at once.
for my $end ([ 'TERM', 143 ], [ 'KILL', 137 ]) {
	my ($signal, $status) = @$end;
	my $name = "SIG$signal to a suspended job";
	my $job  = running($name);
	$job->signal('TSTP');
	all_stopped(1, $name, $job->pid, ranks_of($job));
	$job->signal($signal);
	$job->signal('CONT');
	$job->finish;
	$job->is_status($status, $name);
	$job->none_left($name);
}

done_testing();

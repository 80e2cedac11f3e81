#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A launcher that gets no processor is not taken for a silent one by an agent on its host. It runs, and its deputy does, only when
# no other thread wants their processor (SCHED_IDLE), and others always do.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use FTMPI::Test::Process qw(must_run run_quiet);
use LauncherTest;

use constant BUSY => 48;

for my $tool (qw(chrt taskset)) {
	my ($status) = run_quiet($tool, '--version');
	plan skip_all => "there is no $tool here" if $status;
}
my ($core) = must_run('taskset', '-p', '-c', $$) =~ /: (\d+)/;

# Other processes of our session: those of another one might be another group to the kernel.
sub busy
{
	my ($pid) = fork // die "fork: $!";
	return $pid if $pid;
	exec 'taskset', '-c', $core, $^X, '-e', 'alarm 120; 1 while 1';
}

my $go  = scratch() . '/go';
my $job = begin([ $FTMPIRUN, '-n', 2, '-bind', 'none', '-restart-on', 'none', $^X, $RANK, qw(init facts), "await:$go", 'finalize' ]);
wait_for($job, 'out', qr/^epoch=.*^epoch=/ms);
my @deputies;
ok(eventually(sub { @deputies = map { /^(\d+): \(ftmpi-deputy\)/ } left_over() }, sub { join "\n", left_over() }), 'ftmpirun has a deputy');
my @starved = ($job->{pid}, @deputies);
for (@starved) {
	must_run('taskset', '-p', '-c', $core, $_);
	must_run(qw(chrt --idle --pid 0), $_);
}
my @busy  = map { busy() } 1 .. BUSY;
my $clock = AgentTest->new(silence => 8000);
is(($clock->finish)[0], 1, 'time goes by');
kill 'KILL', @busy;
waitpid $_, 0 for @busy;
text_file('go', '');
wait_end($job);
is("$job->{status} $job->{err}", '0 ', 'the agent waits for a launcher that gets no processor');
nobody_left();

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The agent of this machine that is started before the job is known: it is taken, or it leaves.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib", "$FindBin::RealBin/../lib";
use Test::More;

use LauncherTest;

my ($jobs, $early) = (0, qr/\(ftmpi-agent\).*agent on this machine/);

# A job whose ranks wait for an end that we give: which agents it has.
sub agents
{
	my (@command) = @_;
	my $go  = scratch() . '/go' . ++$jobs;
	my $job = begin([ @command, $RANK, 'init', 'say:ready', "await:$go", 'finalize' ]);
	wait_for($job, 'out', qr/ready/);
	my @agents = grep { /\(ftmpi-agent\)/ } left_over();
	open my $file, '>', $go or die "$go: $!\n";
	wait_end($job);
	is($job->{status}, 0, 'the job ends well') or diag $job->{err};
	nobody_left();
	return @agents;
}

my @agents = agents($FTMPIRUN, qw(-n 2));
is(scalar @agents, 1, 'a job has one agent here');
like($agents[0], $early, '... the one that was there before');

@agents = agents('sh', '-c', 'ulimit -S -n 105 && exec "$@"', 'sh', $FTMPIRUN, qw(-n 2));
is(scalar @agents, 1, 'a job that needs more descriptors than the limit has one agent');
unlike($agents[0], $early, '... whose limit is higher');

@agents = agents('sh', '-c', 'exec "$@" <&-', 'sh', $FTMPIRUN, qw(-n 2));
is(scalar @agents, 1, 'one whose caller has closed standard input has one agent');

@agents = agents($FTMPIRUN, '-ssh', fake_ssh(), (qw(-n 2 -host), 'a,b'));
is(scalar(grep { !/agent on [ab]/ } @agents), 0, 'one that has no ranks here has no agent here') or diag "@agents";

mkdir my $odd = scratch() . '/odd folder' or die "mkdir: $!\n";
symlink $FTMPIRUN, "$odd/run" or die "symlink: $!\n";

@agents = agents('sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $odd, './run', qw(-n 2));
like($agents[0], $early, 'a link leads to the modules, too');
for my $words ([qw(-n 0 true)], [qw(-n 2 -no-such-option true)], [qw(-h -v)]) {
	ftmpirun($words);
	nobody_left("@$words: nobody is left of it");
}

done_testing;

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

# Signals to the process group before it has a session of its own: its modules wait for that.
my $slow = scratch() . '/slow';
my ($there, $on) = map { scratch() . "/$_" } qw(there on);
is(system('cp', '-r', "$FindBin::RealBin/../../lib", $FTMPIRUN, (mkdir($slow), $slow)[1]), 0, 'another ftmpirun');
my $module = "$slow/lib/FTMPI/Agent.pm";
open my $in, '<', $module or die "$module: $!\n";
my $text = do { local $/; <$in> };
$text =~ s{^use warnings;\n}{use warnings;\nBEGIN { open my \$out, '>', '$there'; select undef, undef, undef, 0.01 until -e '$on' }\n}m or die "$module: no place\n";
open my $out, '>', $module or die "$module: $!\n";
print $out $text;
close $out or die "$module: $!\n";
my $job = begin([ "$slow/ftmpirun", qw(-vv -n 2), $^X, $RANK, qw(init say:ready finalize) ]);
ok(eventually(sub { -e $there }, sub { 'its agent does not begin' }), '... whose agent has no session yet');
wait_for($job, 'err', qr/^ftmpirun: session /m);    # it is taken by then
kill $_, -$job->{pid} for qw(USR1 USR2);
open my $go, '>', $on or die "$on: $!\n";
wait_end($job);
is($job->{status}, 0, '... outlives signals that ask something of ftmpirun') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: $_ has no effect/m, "... which has taken up $_") for qw(SIGUSR1 SIGUSR2);
nobody_left();

# Bits of SigIgn in /proc/PID/status.
my %bit = (USR1 => 1 << 9, USR2 => 1 << 11);
my $kept = ftmpirun([ qw(-n 1 grep SigIgn /proc/self/status) ]);
is(hex(($kept->{out} =~ /(\w+)$/)[0]) & ($bit{USR1} | $bit{USR2}), 0, 'ranks ignore neither') or diag "$kept->{out}$kept->{err}";
$kept = wait_end(begin([ 'sh', '-c', q(trap '' USR1; exec "$@"), 'sh', $FTMPIRUN, qw(-n 1 grep SigIgn /proc/self/status) ]));
is(hex(($kept->{out} =~ /(\w+)$/)[0]) & ($bit{USR1} | $bit{USR2}), $bit{USR1}, '... but what the caller ignores') or diag "$kept->{out}$kept->{err}";

done_testing;

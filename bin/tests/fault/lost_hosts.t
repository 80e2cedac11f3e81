# SPDX-License-Identifier: BSD-3-Clause
#
# Hosts that are lost in every way, and jobs that go on on other hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Copy ();
use Test::More;

use FTMPI::Test::Cluster  ();
use FTMPI::Test::Fault    ();
use FTMPI::Test::Job      qw(program);
use FTMPI::Test::Process  qw(patience must_run process_name wait_gone);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

use constant REST_SECONDS => 30;

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my $cut = 0;
my ($node1, $node2, $node3, $node4) = $cluster->hosts;

# Two ranks a host; node3 is spare; ftmpirun on node4.
my $spare    = $cluster->machine_file(map { "node$_ slots=2" } 1 .. 3);
my $no_spare = $cluster->machine_file(map { "node$_ slots=2" } 1 .. 2);

# While a host is cut off, its sshd cannot know that nobody is there any more.
sub at_rest
{
	my ($name) = @_;
	my $until = time + patience(REST_SECONDS);
	my @left;
	while (@left = grep { !$cut || comm($_) !~ /^sshd/ } $cluster->strangers) {
		last if wait_gone($until, @left);
	}
	my @names = map { process_name($_) } @left;
	return is(scalar @left, 0, "$name: no host has anything left") || diag(join ', ', @names);
}

# Its link is cut in this way, a method of FTMPI::Test::Host, and healed in that.
sub cut_off { my ($how) = @_; $node2->$how; $cut = 1; return }

sub healed
{
	my ($how) = @_;
	$node2->$how;
	$cut = 0;
	return at_rest("$how again");
}

# In the first two runs nobody goes beyond step 125.
sub start
{
	my ($machines, %option) = @_;
	return FTMPI::Test::Fault->start(program => 'mail',
		args => [qw(-bytes 200000 -ckpt 20 -trace -hold 125 -holds 2)], %option,
		run    => ['-ssh', $cluster->ssh, '-machinefile', $machines, @{$option{run} // []}],
		inside => sub { $node4->inside(@_) },
		rest   => \&at_rest);
}

# Ranks by the host they are on now.
sub ranks_on
{
	my ($fault, $host) = @_;
	my %ranks = $fault->ranks;
	return sort grep { defined } @ranks{$host->pids};
}

# All wait in the second run.
sub held_again
{
	my ($fault) = @_;
	for my $rank (0 .. 3) {
		$fault->wait_for(out => qr/(?:^rank $rank waits.*){2}/ms) or return 0;
	}
	return 1;
}

# Struck in its first run, it runs again with ranks 2 and 3 on the host `to`; from there to the end.
sub goes_on
{
	my ($fault, $name, $to) = @_;
	held_again($fault) or return;
	my @there = ranks_on($fault, $to);
	is("@there", '2 3', "$name: ranks 2 and 3 are on " . $to->name) or diag($fault->job->saw)
		if $to != $node1;
	$fault->kill_ranks(0);
	$fault->survived($name, restarts => [2, 5]);
	return;
}

# What is on the host with this in its command line.
sub those
{
	my ($host, $pattern) = @_;
	my @found = grep { process_name($_) =~ $pattern || comm($_) =~ $pattern } $host->strangers;
	ok(@found, "there is $pattern on " . $host->name);
	return @found;
}

sub comm { return FTMPI::Test::Process::slurp("/proc/$_[0]/comm") }

sub strike
{
	my ($name, $machines, $to, $do, %option) = @_;
	my $fault = start($machines, %option);
	$fault->all_held or return;
	$do->($fault);
	goes_on($fault, $name, $to);
	$option{after}->() if $option{after};
	return;
}

{
	my $fault = start($spare, args => [qw(-bytes 200000 -ckpt 20 -trace -hold 125)]);
	$fault->all_held;
	$fault->kill_ranks(2, 3);
	$fault->survived('both ranks of a host', restarts => [1, 3]);
}
strike('an agent is killed', $spare, $node3, sub { kill 'KILL', those($node2, qr/^ftmpi-agent$/m) });
{
	my $other = FTMPI::Test::Fault::directory() . '/other';
	File::Copy::copy(program('mail'), $other) or die "$other: $!";
	chmod 0755, $other or die "$other: $!";
	strike('an agent is killed, of a job of two programs', $spare, $node3,
		sub { kill 'KILL', those($node2, qr/^ftmpi-agent$/m) }, parts => [ [ 2, $other ] ]);
}
strike('an agent is stopped', $spare, $node3, sub { kill 'STOP', those($node2, qr/^ftmpi-agent$/m) });
strike('an agent is killed, no spare', $no_spare, $node1,
	sub { kill 'KILL', those($node2, qr/^ftmpi-agent$/m) });
strike('an ssh is killed', $spare, $node3, sub { kill 'KILL', those($node4, qr/ssh .* node2 /) });
strike('all processes of a host', $spare, $node3, sub { $node2->kill_all; cut_off('cut') });
$node2->start;
healed('heal');
strike('a host is cut off', $spare, $node3, sub { cut_off('cut') });
healed('heal');
strike('a host is cut off, no spare', $no_spare, $node1, sub { cut_off('cut') });
healed('heal');
strike('what a host sends is lost', $spare, $node3, sub { cut_off('mute') });
healed('full_speed');
strike('what is sent to a host is lost', $spare, $node3, sub { cut_off('deafen') });
healed('full_speed');

# The same where nobody waits for a line.
my @eventlog = (coord => 'eventlog');
{
	my $fault = start($spare, args => [qw(-bytes 200000 -ckpt 20 -trace -hold 125)], @eventlog);
	$fault->all_held;
	$fault->kill_ranks(2, 3);
	$fault->survived('eventlog: both ranks of a host', restarts => [1, 3]);
}
strike('eventlog: an agent is killed', $spare, $node3, sub { kill 'KILL', those($node2, qr/^ftmpi-agent$/m) },
	@eventlog);
strike('eventlog: a host is cut off', $spare, $node3, sub { cut_off('cut') }, @eventlog);
healed('heal');

# Nobody but the two hosts notices: ftmpirun reaches both.
{
	my @cut = (['ip', '-n', $node1->netns, 'route', 'add', 'blackhole', $node2->address],
		['ip', '-n', $node2->netns, 'route', 'add', 'blackhole', $node1->address]);
	my $fault = start($spare);
	$fault->all_held;
	must_run(@$_) for @cut;
	held_again($fault);
	$fault->kill_ranks(0);
	$fault->survived('the link between two hosts', restarts => [2, 5]);
	$_->[4] = 'del' for @cut;
	must_run(@$_) for @cut;
}

# The old processes of a host that was cut off are stopped, and go on when everything is over: they
# must do no harm, and not stay.
{
	my $fault = start($spare);
	$fault->all_held;
	my %pids = $fault->pids;
	kill 'STOP', @pids{2, 3};
	$node2->cut;
	held_again($fault);
	$node2->heal;
	kill 'CONT', @pids{2, 3};
	$fault->kill_ranks(0);
	$fault->survived('old processes that come back', restarts => [2, 5]);
}

# No host is left but that of ftmpirun.
{
	my $one = $cluster->machine_file('node2 slots=4');
	my $fault = start($one);
	$fault->all_held;
	cut_off('cut');
	$fault->gave_up('the only host', 1, qr/^ftmpirun: .*node2/m);
	healed('heal');
}

done_testing();

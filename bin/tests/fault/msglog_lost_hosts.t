# SPDX-License-Identifier: BSD-3-Clause
#
# Hosts that are lost under message logging: their ranks begin again alone on other hosts, and the others stay.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Cluster ();
use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(ftmpirun program sanitized);
use FTMPI::Test::Process qw(patience wait_gone);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

use constant REST_SECONDS => 30;

# Ranks on the first three, two each, where no other number is given; node4 is spare; ftmpirun on node5.
my $cluster = FTMPI::Test::Cluster->new(hosts => 5);
my @cut;

sub machines { return $cluster->machine_file(map { "node$_ slots=2" } 1 .. $_[0]) }

# The sshd of a host that is cut off cannot know that nobody is there any more.
sub at_rest
{
	my ($name) = @_;
	my $until = time + patience(REST_SECONDS);
	my @left;
	while (@left = grep { !@cut || FTMPI::Test::Process::slurp("/proc/$_/comm") !~ /^sshd/ } $cluster->strangers) {
		last if wait_gone($until, @left);
	}
	return is(scalar @left, 0, "$name: no host has anything left");
}

sub cut  { push @cut, @_; $_->cut for @_; return }
sub heal { $_->heal for splice @cut; return at_rest('the network is there again') }

sub start
{
	my ($machines, %option) = @_;
	return FTMPI::Test::Choices->start(ranks => 6, rounds => sanitized('choices') ? 60 : 120, %option,
		run    => [ '-ssh', $cluster->ssh, '-machinefile', $machines, @{ $option{run} // [] } ],
		inside => sub { $cluster->host(5)->inside(@_) },
		rest   => \&at_rest);
}

# Strikes at a round; the ranks of the second host go on elsewhere, and the processes of the others stay.
sub moves
{
	my ($name, $machines, $to, $strike, %option) = @_;
	my $fault = start($machines, %option);
	$fault->wait_for(out => qr/^round 20$/m);
	my %before = $fault->pids;
	$strike->($fault);
	$fault->wait_for(err => qr/^ftmpirun: .*node2.*; $to, and begin again alone \(restart 1 of 1000\)\.$/m);
	my %after = $fault->pids;
	is_deeply([ @after{ 0, 1, 4, 5 } ], [ @before{ 0, 1, 4, 5 } ], "$name: the processes of the others are the same");
	$fault->open_gate;
	$fault->survived($name, $option{restarts} // 1);
	return;
}

sub agents { return grep { FTMPI::Test::Process::slurp("/proc/$_/comm") =~ /^ftmpi-agent$/ } $_[0]->strangers }

# Ranks are killed at random, wherever they are, and hosts are lost meanwhile: at so many kills in these ways. Where there are
# fewer rounds the kills are nearer to each other.
sub at_random
{
	my ($name, $seed, $machines, %at) = @_;
	my ($fault, $killed) = (start($machines), 0);
	my $kills = $fault->kill_for_a_while($seed, sanitized('choices') ? 10 : 60, sub {
		my $strike = delete $at{ $killed++ };
		$strike->($fault) if $strike;
		return kill 'KILL', $_[0];
	}, sub { !%at });
	is(join(' ', keys %at), '', "$name: all of that happened");
	$fault->survived("$name, $kills kills", [ 2, 2 * $kills + 12 ]);
	return;
}

my ($node1, $node2, $node3, $node4) = $cluster->hosts;
moves('a host is cut off', machines(4), qr/ranks 2-3 go to node4/, sub { cut($node2) });
heal();
moves('an agent is killed, no spare', machines(3), qr/rank 2 goes to node1; rank 3 goes to node3/, sub { kill 'KILL', agents($node2) });
at_random('a host, and the one that took its ranks', 3, machines(4),
	3 => sub { cut($node2) },
	6 => sub { kill 'KILL', agents($node4) });
heal();
at_random('ranks of a host go to two, and come together again', 5, machines(3),
	2 => sub { kill 'KILL', agents($node2) },
	5 => sub { kill 'KILL', agents($node1) });
# The only host that has ranks is lost, its agent with it: all begin again on the other one.
sub all_move
{
	my ($name, $from, $ranks) = @_;
	my $fault = start($cluster->machine_file("$from slots=$ranks", "node4 slots=$ranks"), ranks => $ranks);
	$fault->wait_for(out => qr/^round 20$/m);
	kill 'KILL', agents($cluster->host($from =~ s/^node//r));
	$fault->open_gate;
	$fault->survived($name, 1);
	return;
}
all_move('all ranks are beside ftmpirun and its keeper, and go elsewhere', 'node5', 2);
all_move('all ranks were on one host, and speak otherwise on the next', 'node1', 5);
# ftmpirun is killed, and the same command goes on with other hosts, and other numbers of ranks there.
{
	my ($work, @jobs) = (File::Temp->newdir);
	for my $slots ([ 4, 2 ], [ 1, 2 ], [ 2, 4 ]) {
		my $machines = $cluster->machine_file("node1 slots=$slots->[0]", "node2 slots=$slots->[1]", 'node3 slots=4');
		push @jobs, my $job = FTMPI::Test::Job->start([ $cluster->host(5)->inside(ftmpirun(), qw(-vv -coord msglog -ckpt-interval 0.1 -n 4 -workdir), "$work",
			'-ssh', $cluster->ssh, '-machinefile', $machines, @jobs ? '-restore' : (), program('choices'), qw(300 -save -prefix 20 -gate), "$work.gate") ]);
		$job->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) for 0 .. 3;
		write_file("$work.gate", '') if @jobs == 3;
		$job->signal('KILL') if @jobs < 3;
		$job->finish;
		at_rest('-restore on hosts ' . join ' and ', @$slots);
	}
	unlink "$work.gate";
	$jobs[-1]->is_status(0, '-restore elsewhere goes on to the end');
	$jobs[-1]->out_like(qr/^choices: right, \d+ messages$/m, '... with the right answer');
	is(join(' ', glob "$work/*"), '', '... and nothing is left');
}
at_random('two hosts at once, of which one has rank 0', 4, machines(4), 3 => sub { kill 'KILL', agents($node1), agents($node3) });

done_testing();

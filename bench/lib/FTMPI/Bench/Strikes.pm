# SPDX-License-Identifier: BSD-3-Clause
#
# Faults, one after the other, in jobs that come back from each of them: how long until each is noticed,
# and until all ranks run again. The program is struck.c.
package FTMPI::Bench::Strikes;

use strict;
use warnings;

use FTMPI::Bench::Peers ();
use FTMPI::Bench::Trial ();
use FTMPI::Bench::Watch ();

# A fault comes at any moment of a period of heartbeats: up to so many seconds after all run.
use constant { PAUSE => 0.3, HOSTS => 12, RANKS_A_HOST => 2, RESTARTS => 1_000_000 };

# peer: ours; exe, dir (for work directories), limit, fault, ranks, bytes, count; options: more of
# ftmpirun's, if any. Returns a list of FTMPI::Bench::Trial; dies with a sentence.
sub on_this_host
{
	my (%arg) = @_;
	my $signal = { killed => 'KILL', stopped => 'STOP' }->{ $arg{fault} };
	return _job(%arg, run => [ '-n', $arg{ranks} ], strike => sub {
		my ($pid) = @_;
		my $at = FTMPI::Bench::Watch::now();
		kill $signal, $pid->{ int rand $arg{ranks} };
		return $at;
	});
}

# The same with hosts that fall silent. Each takes a spare, so that a job can bear a few of them only.
sub silent_hosts
{
	my (%arg) = @_;
	my $cluster = FTMPI::Test::Cluster->new(hosts => HOSTS);
	my @trials = eval {
		my @got;
		push @got, _on_cluster($cluster, %arg, count => $arg{count} - @got) while @got < $arg{count};
		@got;
	};
	my $why = $@;
	FTMPI::Bench::Watch::stop();
	$cluster->remove;
	die $why if !@trials;
	return @trials;
}

# ftmpirun is on the last host, which has no ranks.
sub _on_cluster
{
	my ($cluster, %arg) = @_;
	my @hosts   = $cluster->hosts;
	my $outside = pop @hosts;
	my $used    = int(($arg{ranks} + RANKS_A_HOST - 1) / RANKS_A_HOST);
	my $most    = @hosts - $used;
	my $file    = $cluster->machine_file(map { $_->name . ' slots=' . RANKS_A_HOST } @hosts);
	my @trials  = _job(%arg,
		count  => $arg{count} < $most ? $arg{count} : $most,
		inside => sub { $outside->inside(@_) },
		run    => [ '-ssh', $cluster->ssh, '-machinefile', $file, '-n', $arg{ranks} ],
		strike => sub {
			my ($pid) = @_;
			my $victim = $pid->{ int rand $arg{ranks} };
			my ($host) = grep { my $host = $_; grep { $_ == $victim } $host->pids } @hosts;
			die "process $victim is on none of the hosts\n" if !$host;
			my $at = FTMPI::Bench::Watch::now();
			$host->cut;
			return $at;
		});
	$_->heal for @hosts;
	return @trials;
}

# strike: a function from { rank => process } that strikes, and says when it began to.
sub _job
{
	my (%arg) = @_;
	my $peer = $arg{peer};
	my @run = ($peer->{run}[0], '-vv', '-max-restarts', RESTARTS, @{ $arg{options} // [] }, '-workdir', $arg{dir}, @{ $arg{run} },
		$arg{exe}, $arg{bytes});
	my $watch = FTMPI::Bench::Watch->new(
		command => [ ($arg{inside} // sub { @_ })->(@run) ],
		env     => FTMPI::Bench::Peers::environment($peer),
		dir     => $arg{dir},
		limit   => $arg{limit},
	);
	my $last = FTMPI::Bench::Trial->new(fault => '', ranks => $arg{ranks});
	_follow($watch, $last, 'the start of a job that is to be struck');
	my @trials;
	for my $number (1 .. $arg{count}) {
		select undef, undef, undef, rand PAUSE;
		my %pid = $last->pids;
		$last = FTMPI::Bench::Trial->new(fault => $arg{fault}, ranks => $arg{ranks},
			life => $last->life + 1, at => $arg{strike}->(\%pid));
		_follow($watch, $last, "$arg{fault}, number $number");
		push @trials, $last;
	}
	$watch->stop;
	return @trials;
}

# Until all ranks run.
sub _follow
{
	my ($watch, $trial, $what) = @_;
	$watch->follow($what, sub { $trial->see(@_) }, sub { $trial->is_done });
	return;
}

1;

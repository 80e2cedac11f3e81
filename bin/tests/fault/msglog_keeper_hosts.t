# SPDX-License-Identifier: BSD-3-Clause
#
# The keeper of a job under message logging on a host of its own (-keeper-hosts): it is killed, its host is cut off for a while,
# its launcher is gone, and another ftmpirun goes on with a keeper elsewhere.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Cluster ();
use FTMPI::Test::Job     qw(ftmpirun program sanitized);
use FTMPI::Test::Process ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

# Ranks on the first two; the keeper on node3, ftmpirun on node4.
my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my $machines = $cluster->machine_file(map { "node$_ slots=2" } 1, 2);

sub keepers { my ($node) = @_; return grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $cluster->host($node)->pids }

sub start
{
	my (%option) = @_;
	return FTMPI::Test::Choices->start(ranks => 4, rounds => sanitized('choices') ? 60 : 120, %option,
		run    => [ '-vv', '-ssh', $cluster->ssh, '-machinefile', $machines, '-keeper-hosts', 'node3', @{ $option{run} // [] } ],
		inside => sub { $cluster->host(4)->inside(@_) },
		rest   => sub { return $cluster->at_rest($_[0]) });
}

sub its_keeper_is_killed
{
	my $fault = start();
	my $keepers = 0;
	my $kills = $fault->kill_for_a_while(4, 25, sub {
		my @keepers = keepers(3);
		$keepers += kill 'KILL', @keepers;
		return @keepers + (rand() < 0.5 ? kill 'KILL', $_[0] : 0);
	});
	cmp_ok($keepers, '>', 0, "$keepers keepers are killed on node3");
	is(join(' ', map { keepers($_) } 1, 2, 4), '', '... and there is none on another host');
	$fault->survived('the keeper and ranks are killed', [ 0, $kills ]);
	return;
}

# Its keeper learns of that as if the launcher had ended. No rank has come to it, so it has nothing yet.
sub ssh_is_killed
{
	my $fault = start();
	$fault->wait_for(err => qr/^ftmpirun: the keeper is on node3, and listens at/m);
	my @ssh = grep { FTMPI::Test::Process::slurp("/proc/$_/comm") =~ /^ssh$/ && FTMPI::Test::Process::slurp("/proc/$_/cmdline") =~ /ftmpi-keeper/ } $fault->job->pids;
	is(scalar @ssh, 1, 'ssh is there');
	kill 'KILL', @ssh;
	$fault->wait_for(err => qr/(?:^ftmpirun: the keeper is on node3, and listens at.*?){2}/ms);
	$fault->open_gate;
	$fault->survived('ssh is killed', 0);
	return;
}

# Ranks wait for it, and none of them is taken for lost.
sub its_host_is_cut_off
{
	my $fault = start();
	$fault->wait_for(out => qr/^round 20$/m);
	my %ranks = $fault->pids;
	$cluster->host(3)->cut;
	$fault->wait_for(err => qr/^ftmpirun: the keeper on node3 does not answer for 5 s; what depends on it is held up\.$/m);
	$cluster->host(3)->heal;
	$fault->wait_for(err => qr/^ftmpirun: the keeper answers again\.$/m);
	is_deeply({ $fault->pids }, \%ranks, 'the ranks are the same processes');
	$fault->open_gate;
	$fault->survived('the host of the keeper is cut off for a while', 0);
	return;
}

sub another_launcher
{
	my $fault = start(run => [qw(-ckpt-interval 0.1)], args => [qw(-save -tell -prefix 5)]);
	$fault->wait_for(out => qr/^round 30$/m);
	ok(scalar(keepers(3)), 'there is a keeper on node3');
	kill 'KILL', $fault->job->pid;
	$fault->job->finish;
	$cluster->at_rest('ftmpirun is killed');
	my @files = grep { /^keeper-/ } $fault->files;
	ok(scalar @files, '... whose keeper leaves its files');
	my @job = grep { $_ ne '-vv' } @{ $fault->{run} };
	s/\Anode3\z/node2/ for @job;
	$fault->open_gate;
	my $job = FTMPI::Test::Job->run([ $cluster->host(4)->inside(ftmpirun(), '-vv', @job, qw(-coord msglog -restore -workdir), $fault->workdir, '-n', 4,
		program('choices'), @{ $fault->{args} }) ]);
	$job->is_status(0, 'another one goes on');
	$job->out_like(qr/^choices: right, \d+ messages$/m, '... and comes to the end');
	$job->err_like(qr/^ftmpirun: the keeper is on node2, and listens at \S+$/m, '... with a keeper elsewhere');
	is(join(' ', $fault->files), '', '... and nothing is left in the work directory');
	$fault->clear('another launcher');
	return;
}

its_keeper_is_killed();
ssh_is_killed();
its_host_is_cut_off();
another_launcher();
done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpirun in jobs of a real Slurm: three nodes, which are network namespaces, with a slurmd each.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(must_run);
use FTMPI::Test::Slurm   ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not // FTMPI::Test::Slurm->why_not)) {
	plan skip_all => $reason;
}

delete @ENV{ grep { /^(?:SLURM|SRUN|SBATCH|PMI|PBS|LSB|FTMPI_SSH)/ } keys %ENV };

my $cluster = FTMPI::Test::Cluster->new(hosts => 3);
my $slurm   = FTMPI::Test::Slurm->new($cluster);
my $run     = ftmpirun();
my ($pi, $mail) = map { program($_) } qw(pi mail);

# A lost host is noticed by silence, which the load of the machine excuses for so long.
my @patience = (qw(-timeout-heartbeat 2000 -starved-limit 10));

# In the first so many runs nobody goes beyond step 125.
sub mail { my ($holds, @options) = @_; return join ' ', $run, @patience, @options, $mail, qw(-bytes 20000 -ckpt 20 -sure -trace -hold 125 -holds), $holds }

sub workdir { my ($name) = @_; return '-workdir ' . $cluster->dir . "/$name" }

# The rank's processes, by node.
sub ranks_on
{
	my ($n) = @_;
	return grep { FTMPI::Test::Process::slurp("/proc/$_/comm") eq "mail\n" } $cluster->host($n)->pids;
}

sub held { my ($job, $rank, $times) = @_; return $slurm->wait_output($job, qr/(?:^rank $rank waits.*){$times}/ms) }

subtest 'ranks are where the allocation has slots' => sub {
	my $job = $slurm->batch(qw(-N2 -n4 -w node[1-2]), <<"END");
$run sh -c 'echo "\$FTMPI_RANK \$(hostname) \${SLURM_PROCID-none}"' | sort
$run $pi || exit
srun -n 2 $pi
END
	is($slurm->wait_state($job, qr/^(?:COMPLETED|FAILED)/), 'FAILED 1:0', 'srun has started two processes, each a job of one');
	my $output = $slurm->output($job);
	like($output, qr/^0 node1 none\n1 node1 none\n2 node2 none\n3 node2 none\n/, 'two ranks on each of two nodes') or diag($output);
	like($output, qr/^pi: right, .* 4 ranks,/m, 'they find each other');
	like($output, qr/^ftmpi: MPI_Init: srun has started several processes \(SLURM_STEP_NUM_TASKS=2\), and each would be a job of one: start the program with ftmpirun in place of srun,/m,
		'... and say what to do');
	$slurm->at_rest('a job that has ended', 1 .. 3);
};

subtest 'a rank is killed, then its node is lost' => sub {
	my $job = $slurm->batch(qw(-N3 --ntasks-per-node=2 --no-kill), 'exec ' . mail(2, '-n 4', workdir('lost')) . "\n");
	held($job, $_, 1) or return fail('all wait') for 0 .. 3;
	my ($rank) = ranks_on(2);
	kill 'KILL', $rank // 0;
	held($job, $_, 2) or return fail('all wait again') for 0 .. 3;
	like($slurm->output($job), qr/^ftmpirun: rank [23] on node2 was killed by signal 9 \(Killed\); restart 1 of 3 from line \d+\.$/m, 'a rank is killed');
	is(scalar(my @two = ranks_on(2)), 2, '... and comes back');
	is(scalar(my @none = ranks_on(3)), 0, 'a node without ranks is a spare');
	$slurm->lose_node(2);
	ok($slurm->wait_output($job, qr/^ftmpirun: .*host node2.*; ranks 2-3 go to node3; restart 2 of 3 from line \d+\.$/m), 'a node is lost');
	must_run($slurm->on(1, qw(scontrol update nodename=node2 state=down reason=lost)));
	like($slurm->wait_state($job, qr/^COMPLET/), qr/^COMPLET/, 'the job goes on without it, also when Slurm knows that');
	like($slurm->output($job), qr/^mail: right, /m, '... to the right answer');
	like($slurm->output($job), qr/^ftmpirun: all 4 ranks run again,/m, '... as ftmpirun says');
	$slurm->at_rest('a job that has lost a node', 1, 3);
	diag($slurm->output($job)) if !Test::More->builder->is_passing;
	$cluster->host(2)->heal;
	$slurm->start_node(2);
	must_run($slurm->on(1, qw(scontrol update nodename=node2 state=resume)));
	$slurm->wait_nodes('idle', 1 .. 3);
};

subtest 'a job that Slurm puts into its queue again goes on from the last line' => sub {
	my $job = $slurm->batch(qw(-N2 -n4 --no-kill --requeue), 'exec ' . mail(1, '-restore=auto', workdir('requeued')) . "\n");
	held($job, $_, 1) or return fail('all wait') for 0 .. 3;
	like($slurm->output($job), qr/^ftmpirun: -restore=auto: there is no recovery line in .*: the job begins at its beginning\.$/m, 'there is no line at first');
	must_run($slurm->on(1, 'scontrol', 'requeue', $job));
	held($job, $_, 2) or return fail('all wait again') for 0 .. 3;
	my $output = $slurm->output($job);
	my ($line) = $output =~ /^ftmpirun: SIGTERM came; the job is ended\.\nftmpirun: -restore goes on from line (\d+) of session/m;
	ok($line, 'the first run is ended') or diag($output);
	like($output, qr/^ftmpirun: -restore: going on from line $line of session [\d-]+[0-9a-f]+, .*^restored after round 120$/ms, '... and the second goes on from its last line') or diag($output);
	must_run($slurm->on(1, 'scancel', $job));
	like($slurm->wait_state($job, qr/^CANCELLED/), qr/^CANCELLED/, 'scancel');
	$slurm->at_rest('scancel', 1 .. 3);
};

subtest 'an interrupt' => sub {
	my $job = $slurm->batch(qw(-N2 -n4), "exec $run sh -c 'echo ready; exec sleep 1000'\n");
	$slurm->wait_output($job, qr/(?:ready\n){4}/) or return fail('all run');
	must_run($slurm->on(1, qw(scancel --batch --signal=INT), $job));
	is($slurm->wait_state($job, qr/^FAILED/), 'FAILED 130:0', 'the status of ftmpirun is that of the job');
	like($slurm->output($job), qr/^ftmpirun: SIGINT came; the job is ended\.$/m, '... and a sentence says why');
	$slurm->at_rest('an interrupt', 1 .. 3);
};

$cluster->remove;
is_deeply([ FTMPI::Test::Cluster::remains($$) ], [], 'nothing is left of Slurm');

done_testing();

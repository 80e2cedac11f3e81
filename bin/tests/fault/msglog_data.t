# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging with checkpoints of data, which the program makes by calls: a rank that is killed runs what it did before
# its FTMPI_Restore again, and goes on alone from its own latest checkpoint.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(ftmpirun program);

FTMPI::Test::Fault::alone();

my $goes_on = qr/^ftmpirun: rank \d+ goes on from its checkpoint \d+/m;

sub start
{
	my (%option) = @_;
	return FTMPI::Test::Choices->start(%option,
		args => [ qw(-save -prefix), $option{prefix} // 5, @{ $option{args} // [] } ],
		run  => [ qw(-vv -ckpt-interval 0.1), @{ $option{run} // [] } ]);
}

sub count { my ($fault, $pattern) = @_; my $n = () = $fault->job->err =~ /$pattern/g; return $n }

# survived asks that each line was printed once.
sub at_random
{
	for my $seed (1 .. 4) {
		my $fault = start(ranks => 1 + $seed, prefix => 3 * ($seed - 1), args => $seed % 2 ? [] : [qw(-longest 300000)], run => $seed == 3 ? ['-verify-replay'] : []);
		my $kills = $fault->kill_for_a_while($seed, 30, sub { kill 'KILL', $_[0] });
		$fault->survived("seed $seed, $kills kills", [ 1, $kills ]);
	}
	return;
}

# All run their prefixes at once, and go on from checkpoints, each from its own.
sub all_at_once
{
	my $fault = start();
	$fault->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) for 0 .. 3;
	$fault->kill_ranks(0 .. 3);
	ok($fault->job->wait_for(err => $goes_on, 4), 'all go on');
	$fault->kill_ranks(1 .. 3);
	$fault->open_gate;
	$fault->survived('all at once', 7);
	cmp_ok(count($fault, $goes_on), '>=', 7, 'each goes on from a checkpoint');
	return;
}

# The keeper may have forgotten what checkpoints cover.
sub with_keeper
{
	my $fault = start();
	my $kills = $fault->kill_for_a_while(7, 60, sub { $fault->kill_with_keeper(@_); return 1 });
	$fault->survived("$kills kills of ranks, and of the keeper", [ 1, $kills ]);
	return;
}

# One process after the other of rank 2 is killed at the next point: before it has a checkpoint, as it makes one, and as it comes back.
sub at_points
{
	my @making  = qw(data-restore-point alone-covered alone-begin alone-written alone-made alone-taken);
	my @loading = qw(alone-claimed restore-found log-given log-said data-prefix-over data-restore-stood data-restored);
	my @points  = (@making, @loading);
	my $faults  = join ',', map { "$points[$_]:2:$_:*:kill" } 0 .. $#points;
	my $fault   = start(env => {FTMPI_FAULT => $faults});
	my $last    = 1 + @points;
	$fault->wait_for(err => qr/^ftmpirun: the keeper: rank 2, incarnation $last, has come$/m);
	$fault->open_gate;
	$fault->survived("killed at @points", scalar @points);
	return;
}

sub kill_all_ranks
{
	my ($job) = @_;
	return kill 'KILL', grep { (readlink("/proc/$_/exe") // '') =~ m{/choices\z} } $job->pids;
}

# ftmpirun is killed, and the same command goes on with -restore, also over TCP; so it does when the job has failed.
sub restored
{
	my $work = File::Temp->newdir;
	my @with = (ftmpirun(), qw(-vv -coord msglog -ckpt-interval 0.1 -workdir), "$work");
	my @job  = (qw(-n 4), program('choices'), qw(300 -save -prefix 5 -gate), "$work.gate");
	my %more = (first => [], killed => [qw(-restore -transport tcp)], failed => [qw(-restore -max-restarts 0)]);
	for my $how ('first', 'killed', 'failed') {
		my $job = FTMPI::Test::Job->start([ @with, @{ $more{$how} }, @job ]);
		$job->wait_for(err => qr/^ftmpirun: rank $_ goes on from its checkpoint [1-9]/m) for $how eq 'first' ? () : 0 .. 3;
		$job->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) for 0 .. 3;
		if ($how eq 'failed') { kill_all_ranks($job) } else { $job->signal('KILL') }
		$job->finish;
		$job->none_left($how);
	}
	write_file("$work.gate", '');
	my $job = FTMPI::Test::Job->start([ @with, '-restore', @job ])->finish;
	unlink "$work.gate";
	$job->is_status(0, '-restore goes on from checkpoints of data');
	$job->out_like(qr/^choices: right, \d+ messages$/m, '... with the right answer');
	is(join(' ', glob "$work/*"), '', '... and nothing is left');
	return;
}

# A rank that comes back does not say again that it has saved, so what it prints is not what it had printed there: nothing is lost.
sub tells
{
	my $fault = start(args => ['-tell']);
	my $kills = $fault->kill_for_a_while(2, 60, sub { kill 'KILL', $_[0] });
	$fault->job->finish;
	$fault->job->is_status(0, "ranks that say that they have saved, $kills kills");
	my %printed;
	$printed{$_}++ for $fault->job->out =~ /^round (\d+)$/mg;
	is(join(' ', grep { ($printed{$_} // 0) < $fault->{ranks} } 0 .. $fault->{rounds} - 1), '', '... have printed each round');
	unlike($fault->job->out, qr/^(?!round \d+$|saved$|choices: right, \d+ messages$)/m, '... in whole lines');
	$fault->clear('ranks that say that they have saved');
	return;
}

# All uses of MPI that a checkpoint can find open, and communicators that are made on the way. It has no gate: nobody is killed in its second half.
sub mixed
{
	for my $seed (1, 2) {
		my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => 'msglog', ranks => 2 + $seed, run => [ qw(-vv -max-restarts 1000 -ckpt-interval 0.2) ],
			args => [ '-seed', $seed, qw(-steps 80 -max 100000 -trace -ckpt 2 -skew 3 -alone -made 8 -across) ]);
		my $kills = $fault->kill_at_random($seed, apart => 30, kill => sub { $fault->job->out =~ /^round 40$/m ? 0 : kill 'KILL', $_[0] });
		$fault->survived("mixed, seed $seed, $kills kills", restarts => [ 0, $kills ], lines => 0);
	}
	return;
}

# Each receive has again what it had.
sub posted_again
{
	for my $case ([ 'prefix' => 1 ], [ 'slow' => 2, FTMPI_FAULT => 'restore-found:1:1:1:1000ms' ], [ 'later' => 2 ], [ 'truncated' => 1 ]) {
		my ($what, $kills, %env) = @$case;
		my $marks = File::Temp->newdir;
		my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog -n 3 -workdir), "$marks", program('posted_again'), $what, "$marks/mark" ], env => \%env);
		$job->is_status(0, "$what: a rank goes on from a checkpoint with open receives");
		$job->out_like(qr/^posted_again: right$/m, '... and they have what they had');
		my $again = () = $job->err =~ /it begins again alone/g;
		is($again, $kills, '... after each of its ends');
	}
	return;
}

# Much may be open; in two cases the second checkpoint cannot be written.
sub open_alone
{
	for my $case ([ 'send', 1 ], [ 'sent', 1, FTMPI_FAULT => 'ckpt-flush:0:0:2:EIO' ], [ 'over', 1, FTMPI_FAULT => 'ckpt-flush:0:0:2:EIO' ],
		[ 'self', 1 ], [ 'sum', 1 ], [ 'found', 1 ], [ 'two', 2 ], [ 'comms', 1 ], [ 'rest', 2 ], [ 'copy', 1 ], [ 'order', 1 ], [ 'got', 1 ]) {
		my ($what, $kills, %env) = @$case;
		my $marks = File::Temp->newdir;
		my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog -n 3 -workdir), "$marks", program('open_alone'), $what, "$marks/mark" ], env => \%env);
		$job->is_status(0, "$what: a rank goes on from a checkpoint");
		$job->out_like(qr/^open_alone: right$/m, '... and has what was open') or diag($job->err);
		my $again = () = $job->err =~ /it begins again alone/g;
		is($again, $kills, '... after it was killed');
	}
	return;
}

# What a checkpoint cannot hold is said, once; and a restore point with a receive that may get anything.
sub refused
{
	for my $case (
		[ 'cancelled'  => qr/a receive was cancelled and is not completed: wait for it before/ ],
		[ 'freed'      => qr/the program has freed a communicator of which a receive or an operation is open/ ],
		[ 'graph'      => qr/the program has a distributed graph that it made after FTMPI_Restore/ ],
		[ 'partitioned' => qr/the program has made a partitioned request after FTMPI_Restore/ ],
		[ 'no-restore' => qr/FTMPI_Restore was not called: call it after MPI_Init, also in the first run/ ],
		[ 'any-source' => qr/this rank will have no checkpoints: a receive is posted and has no message yet/ ]) {
		my ($what, $why) = @$case;
		my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog -n 2), program('unsaved'), $what ]);
		$job->is_status(0, "$what: the program goes on");
		$job->out_like(qr/^unsaved: right$/m, '... and gets FTMPI_CKPTERROR');
		my $said = () = $job->err =~ /$why/g;
		is($said, 2, '... each rank says once why') or diag($job->err);
	}
	return;
}

at_random();
all_at_once();
with_keeper();
at_points();
restored();
tells();
mixed();
posted_again();
open_alone();
refused();
done_testing();

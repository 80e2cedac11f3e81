# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging with images: a rank that is killed goes on alone from its own latest checkpoint, which nobody else
# took part in.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp qw(tempdir);
use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(ftmpirun program);

FTMPI::Test::Fault::alone();

my $goes_on = qr/^ftmpirun: rank \d+ goes on from its checkpoint \d+/m;

sub start
{
	my (%option) = @_;
	return FTMPI::Test::Choices->start(%option,
		run => [ qw(-vv -image -ckpt-interval 0.1), @{ $option{run} // [] } ]);
}

sub count { my ($fault, $pattern) = @_; my $n = () = $fault->job->err =~ /$pattern/g; return $n }

# What a rank has printed before its checkpoint is printed once, and what it prints again after it, too: survived asks.
sub at_random
{
	for my $seed (1 .. 4) {
		my $fault = start(ranks => 1 + $seed, args => $seed % 2 ? [] : [qw(-longest 300000)], run => $seed == 3 ? ['-verify-replay'] : $seed == 4 ? [qw(-log-limit 1M -ckpt-order adaptive)] : []);
		my $kills = $fault->kill_for_a_while($seed, 30, sub { kill 'KILL', $_[0] });
		$fault->survived("seed $seed, $kills kills", [ 1, $kills ]);
	}
	return;
}

# All go on from checkpoints, each from its own.
sub all_at_once
{
	my $fault = start();
	$fault->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) for 0 .. 3;
	$fault->kill_ranks(0 .. 3);
	$fault->open_gate;
	$fault->survived('all at once', 4);
	is(count($fault, $goes_on), 4, 'each goes on from a checkpoint');
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

# One process after the other of rank 2 is killed at the next point. The first has a checkpoint when it is.
sub at_points
{
	my @making  = qw(alone-covered alone-begin alone-written alone-made alone-taken);
	my @loading = qw(restore-found alone-claimed image-cut image-load log-given log-said image-woken);
	my @points  = (@making, @loading);
	my $faults  = join ',', map { "$points[$_]:2:$_:*:kill" } 0 .. $#points;
	my $fault   = start(env => {FTMPI_FAULT => $faults});
	my $last = 1 + @points;
	$fault->wait_for(err => qr/^ftmpirun: the keeper: rank 2, incarnation $last, has come$/m);
	$fault->open_gate;
	$fault->survived("killed at @points", scalar @points);
	is(count($fault, $goes_on), @points - 3, 'it goes on from checkpoints, but where it was killed before it said so');
	return;
}

# What writes the images of a rank dies: it has no checkpoint, and goes on.
sub without_writer
{
	my $fault = start(env => {FTMPI_FAULT => 'image-write:1:0:1:kill'});
	$fault->wait_for(err => qr/^rank 1 on \S+: checkpoint \d+ is not made: .*of its \d+ sections were written/m);
	$fault->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank 2 is committed$/m);
	$fault->open_gate;
	$fault->survived('the writer of an image is killed', 0);
	unlike($fault->job->err, qr/checkpoint \d+ of rank 1 is committed/, '... which is no checkpoint');
	return;
}

# What the program writes to a file that its ranks share stays when one of them goes back.
sub shared_file
{
	my $work = tempdir(CLEANUP => 1);
	my @lines = map { "line $_" } 1 .. 3;
	my $program = program('choices');
	my $job = FTMPI::Test::Job->start([ ftmpirun(), qw(-vv -coord msglog -image -ckpt-interval 0.2 -max-restarts 1000 -workdir), $work, qw(-n 2),
		'/bin/sh', '-c', "exec 7>>'$work/log'; exec '$program' 500 -gate '$work/gate'" ]);
	$job->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) for 0, 1;
	open my $log, '>>', "$work/log" or die "$work/log: $!\n";
	print $log "$_\n" for @lines;
	close $log or die "$work/log: $!\n";
	kill 'KILL', grep { (readlink("/proc/$_/exe") // '') =~ m{/choices\z} } $job->pids;
	$job->wait_for(err => qr/$goes_on(?s:.*)$goes_on/);
	write_file("$work/gate", '');
	$job->finish;
	$job->is_status(0, 'a file that another process has written to');
	is(read_file("$work/log"), join('', map { "$_\n" } @lines), '... has all of that');
	return;
}

at_random();
all_at_once();
with_keeper();
at_points();
without_writer();
shared_file();
done_testing();

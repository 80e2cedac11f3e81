#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs of several programs (-n 2 ./a : -n 3 ./b): what each part has for itself, also after a restart and
# from a line.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Copy ();
use Test::More;

use FTMPI::Test::Alone ();
use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(ftmpirun program);

FTMPI::Test::Fault::alone();

my $scratch = FTMPI::Test::Fault::directory() . '/parts';
mkdir $scratch or die "$scratch: $!";

# A program of another build under another name.
sub another
{
	my ($name, $new) = @_;
	File::Copy::copy(program($name), "$scratch/$new") or die "$new: $!";
	open my $out, '>>', "$scratch/$new" or die "$new: $!";
	print $out "\0";
	close $out or die "$new: $!";
	chmod 0755, "$scratch/$new" or die "$new: $!";
	return "$scratch/$new";
}

sub run
{
	my (@words) = @_;
	return FTMPI::Test::Job->run([ftmpirun(), @words], dir => "$scratch");
}

# ---- what each part is ----

another('mpmd', 'b');
mkdir "$scratch/there" or die "there: $!";
my @parts = (parts => [ [ 2, another('pi', 'other') ] ]);
FTMPI::Test::Alone::remember();
my $job = run(qw(-genv PARTS_C 3 -env PARTS_A 1 -n 2), program('mpmd'), qw(one : -n 3 -wdir there -x PARTS_B=2 ../b two : -np 1 ./b));
$job->is_status(0, 'three parts');
my @said = map { s/ in \S+\/([^\/]+),/ in $1,/r } sort split /\n/, $job->out;
is_deeply(\@said, [ (map { "$_ of 6: part 0, maxprocs 2, one, in parts, A=1 B=- C=3" } 0, 1),
	(map { "$_ of 6: part 1, maxprocs 3, two, in there, A=- B=2 C=3" } 2 .. 4), '5 of 6: part 2, maxprocs 1, -, in parts, A=- B=- C=3' ],
	'... each with what is its own') or diag($job->saw);
like(run(qw(-n 1 --), program('mpmd'), ':')->out, qr/^0 of 1: part 0, maxprocs 1, :, /, 'behind -- a colon is the program\'s own');
for my $case ([ [qw(./none)], 1, qr/cannot run \.\/none: No such file/ ], [ [qw(-wdir none ./b)], 1, qr/cannot enter the working directory \S+\/none: No such/ ]) {
	my ($words, $status, $why) = @$case;
	$job = run('-n', 1, program('mpmd'), ':', '-n', 1, @$words);
	$job->is_status($status, "a part that cannot be run: @$words");
	$job->err_like(qr/\Aftmpirun: \N*$why\N*\n\z/, '... is said');
}

# ---- restarts ----

my $fault = FTMPI::Test::Fault->start(program => 'pi', args => [qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25 -holds 2)], @parts);
$fault->all_held;
$fault->kill_ranks(3);
$fault->job->wait_for(out => qr/(?:^rank 3 waits.*){2}/ms);
$fault->job->wait_for(out => qr/^restored after round 20$/m);
$fault->job->signal('KILL');
$fault->job->finish;
$fault->clear('a rank of the second part, and ftmpirun', keep => 1);
$fault->job->out_like(qr/^restored after round 20$/m, '... they go on from a line');
my $next = FTMPI::Test::Fault->start(program => 'pi', args => [qw(400000 -every 10000 -ckpt 10 -sure -trace)], @parts,
	workdir => $fault->workdir, run => ['-restore']);
$next->survived('-restore of a job of parts', restarts => 0, keep => 1);
$next->job->out_like(qr/^restored after round 20$/m, '... from the line');
$job = run('-workdir', $fault->workdir, qw(-n 1), program('pi'), qw(400000 -every 10000 : -n 3), program('pi'), qw(400000 -every 10000 -restore));
isnt($job->status, 0, 'other parts cannot go on from it');
$job->err_like(qr/was made by another build of the program \(other; this is pi\)/, '... each rank is of its own program');
$fault->clear('a job of parts');

done_testing();

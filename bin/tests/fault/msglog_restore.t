# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging with images when ftmpirun itself is gone: -restore lets each rank go on from its own latest checkpoint.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::File  qw(write_file);
use FTMPI::Test::Job   qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_until);

FTMPI::Test::Fault::alone();

use constant RANKS => 4;

my $work = File::Temp->newdir;
my $gate = "$work.gate";
my @with = (qw(-vv -coord msglog -image -ckpt-interval 0.1 -max-restarts 1000 -workdir), "$work");
my @job  = (program('choices'), 500, '-trace', '-gate', $gate);

# Those of one session. A process that goes on from an image has the environment that the image had, which is that of the first.
my @jobs;

sub start
{
	my (@more) = @_;
	@jobs = () if !grep { /restore/ } @more;
	push @jobs, my $job = FTMPI::Test::Job->start([ ftmpirun(), @with, @more, '-n', RANKS, @job ]);
	return $job;
}

sub victims { return grep { (readlink("/proc/$_/exe") // '') =~ m{/(?:choices|ftmpi-keeper)\z} } map { $_->pids } @jobs }

sub none_left
{
	my ($name) = @_;
	$_->none_left("$name, ftmpirun $_->{pid}") for @jobs > 1 ? @jobs[ 0, -1 ] : @jobs;
	return;
}

sub refused
{
	my ($name, $why, @command) = @_;
	my $job = FTMPI::Test::Job->run([ ftmpirun(), @command ]);
	$job->is_status($name eq 'a line' ? 2 : 1, "$name is refused");
	$job->err_like(qr/^ftmpirun: $why/m, '... with its reason');
	return;
}

# All ranks have checkpoints.
sub has_checkpoints
{
	my ($job) = @_;
	return !grep { !$job->wait_for(err => qr/^ftmpirun: checkpoint \d+ of rank $_ is committed$/m) } 0 .. RANKS - 1;
}

# It goes on, and comes to its end; nothing is left of it.
sub finishes
{
	my ($name, @restore) = @_;
	write_file($gate, '');
	my $job = start(@restore)->finish;
	unlink $gate;
	$job->is_status(0, $name);
	$job->out_like(qr/^choices: right, \d+ messages$/m, $name);
	none_left($name);
	is(join(' ', glob "$work/*"), '', "$name: nothing is left");
	return $job;
}

sub killed
{
	my ($job, $name) = @_;
	$job->signal('KILL');
	$job->finish;
	none_left($name);
	return;
}

# ftmpirun is killed when all have checkpoints, as it starts them again, as they have gone on, and when they have made more.
sub again_and_again
{
	my $first = start();
	ok(has_checkpoints($first), 'all ranks have checkpoints');
	refused('-restore while the job runs', '-restore: the job of session \S+ still runs here', @with, '-restore', '-n', RANKS, @job);
	killed($first, 'ftmpirun is killed');
	my %seen;
	for my $moment ([ qr/^ftmpirun: rank 2 on \S+ is process/m, 1 ], [ qr/^ftmpirun: the keeper: rank 1, incarnation \d+, has come$/m, 1 ],
		[ qr/^ftmpirun: rank \d goes on from its checkpoint \d+$/m, 3 ], [ qr/is committed$/m, 2 ], [ qr/is committed$/m, 6 ]) {
		my $job = start('-restore');
		ok($job->wait_for(err => @$moment), "@$moment come");
		killed($job, "ftmpirun is killed as @$moment have come");
		$seen{$_} = 1 for $job->err =~ /^ftmpirun: session (\S+):/mg;
	}
	is(scalar keys %seen, 1, 'they go on in one session');
	my $last = finishes('killed again and again', '-restore');
	$last->err_like(qr/^ftmpirun: -restore: in session @{[ keys %seen ]}, last begun [-0-9]+ [:0-9]+, each rank from its latest checkpoint \(4 ranks of 4 have one\)\.$/m, '... with a sentence');
	my $went_on = () = $last->err =~ /^ftmpirun: rank \d goes on from its checkpoint [1-9]\d*$/mg;
	is($went_on, RANKS, '... each from its own');
	return;
}

# Ranks and the keeper are killed in a job that goes on, too.
sub with_failures
{
	my $first = start();
	ok(has_checkpoints($first), 'all ranks have checkpoints');
	killed($first, 'ftmpirun is killed');
	my $second = start('-restore');
	ok(has_checkpoints($second), 'all ranks have checkpoints of the second job');
	cmp_ok(scalar(kill 'KILL', victims()), '>=', RANKS + 1, 'ranks and the keeper are killed, and what writes for them');
	ok($second->wait_for(err => qr/goes on from its checkpoint/, 2 * RANKS), 'all go on again');
	write_file($gate, '');
	$second->finish;
	unlink $gate;
	$second->is_status(0, 'all ranks and the keeper are killed in a job that goes on');
	$second->out_like(qr/^choices: right, \d+ messages$/m, '...');
	is(join(' ', glob "$work/*"), '', '... nothing is left');
	return;
}

# A job that was ended, or failed, says from where it can go on.
sub ended
{
	my $first = start();
	ok(has_checkpoints($first), 'all ranks have checkpoints');
	$first->signal('TERM');
	$first->finish;
	$first->is_status(143, 'a job that is ended');
	$first->err_like(qr/^ftmpirun: -restore goes on from the ranks' checkpoints \(session \S+\)\.$/m, '... says so');
	none_left('a job that is ended');
	my ($session) = $first->err =~ /\(session (\S+)\)/;
	refused('another command', "-restore: session $session is of another command: -n 4 \\S+/choices 500 ", @with, '-restore', '-n', RANKS, $job[0], 400);
	refused('another number of ranks', "-restore: session $session is of 4 ranks, not of 3", @with, "-restore=$session", '-n', 3, @job);
	refused('a session that is not there', '-restore: there are no checkpoints that ranks made alone \(-coord msglog\) of session 20200101-000000-01234567 in ',
		@with, '-restore=20200101-000000-01234567', '-n', RANKS, @job);
	refused('a line', '-restore=SESSION:LINE has no meaning with -coord msglog', @with, "-restore=$session:1", '-n', RANKS, @job);
	my $failed = start("-restore=$session", qw(-restart-on none));
	ok(has_checkpoints($failed), 'all ranks have checkpoints again');
	kill 'KILL', (victims())[0];
	$failed->finish;
	$failed->is_status(137, 'a job that fails');
	$failed->err_like(qr/^ftmpirun: -restore goes on from the ranks' checkpoints/m, '... where restarts are off');
	rename "$work/keeper-$session", "$work/elsewhere";
	refused('a session whose log of outcomes is gone', "-restore: session $session cannot go on: \\S+/keeper-$session is gone", @with, '-restore', '-n', RANKS, @job);
	rename "$work/elsewhere", "$work/keeper-$session";
	finishes('a job that was ended, and failed', '-restore=auto');
	@jobs = ();
	finishes('a job that begins, as there is nothing to go on from', '-restore=auto');
	return;
}

# Without a checkpoint there is nothing to go on from, and nothing is left.
sub too_early
{
	for my $moment (qr/^ftmpirun: the keeper is process/m, qr/^ftmpirun: the keeper: rank 3, incarnation 1, has come$/m) {
		@jobs = (my $job = FTMPI::Test::Job->start([ ftmpirun(), qw(-vv -coord msglog -image -ckpt-interval 60 -workdir), "$work", '-n', RANKS, @job ]));
		$job->wait_for(err => $moment);
		killed($job, "ftmpirun is killed early: $moment");
		my @left;
		wait_until(20, sub { @left = glob "$work/*"; return !@left });
		is("@left", '', '... nothing is left');
	}
	refused('-restore', '-restore: there are no checkpoints that ranks made alone \(-coord msglog\) in ', @with, '-restore', '-n', RANKS, @job);
	return;
}

again_and_again();
with_failures();
ended();
too_early();
done_testing();

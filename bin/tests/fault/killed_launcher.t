# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpirun itself dies: the ranks follow, and the same command with -restore goes on; and -restore
# by itself.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_until);

FTMPI::Test::Fault::alone();

sub start
{
	my ($program, $args, %option) = @_;
	return FTMPI::Test::Fault->start(program => $program, args => [@$args, qw(-ckpt 10 -sure -trace)], %option);
}

for my $case (['pi', [qw(400000 -every 10000)], 25, 20], ['mail', [qw(-bytes 200000)], 55, 50]) {
	my ($program, $args, $hold, $line) = @$case;
	my $first = start($program, [@$args, '-hold', $hold]);
	$first->all_held;
	my $early = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, '-restore', '-workdir', $first->workdir, program($program), @$args]);
	$early->is_status(1, "$program: -restore while the job runs is refused");
	$early->err_like(qr/^ftmpirun: -restore: the job of session \S+ still runs here \(its ftmpirun is process @{[$first->job->{pid}]}\)/m, '... with its process');
	$first->job->signal('KILL');
	$first->job->finish;
	$first->clear("$program, ftmpirun killed", keep => 1);
	my @manifests = $first->manifests;
	ok(@manifests, "$program: lines are there when ftmpirun was killed");
	$first->lines_whole("$program, ftmpirun killed");
	my $second = start($program, $args, workdir => $first->workdir, run => ['-restore']);
	$second->survived("$program -restore", restarts => 0, keep => 1);
	my ($session) = $manifests[0] =~ m{^([^/]+)/};
	$second->job->err_like(qr/^ftmpirun: -restore: going on from line @{[$line \/ 10]} of session $session, committed [-\d]+ [:\d]+ \(\d+ seconds? ago\)\.$/m,
		"$program -restore says which line it goes on from");
	$second->job->out_like(qr/^restored after round $line\nround @{[$line + 1]}$/m, "$program -restore");
	# the newest line is now one of the second job, at its end or before it
	my $third = start($program, $args, workdir => $first->workdir, run => ['-restore'],
		env => {FTMPI_FAULT => 'restore-end:2:0:1:kill'});
	$third->survived("$program -restore of a restored job, with a failure", restarts => 1);
}

# While a rank writes its file of the second line.
{
	my $fault = start('pi', [qw(400000 -every 10000)],
		run => [qw(-timeout-heartbeat 20000)], env => {FTMPI_FAULT => 'ckpt-flush:2:0:2:stop'});
	my @half;
	wait_until(60, sub { @half = grep { /line-00000002.*rank-00002\.ckpt\.tmp\z/ } $fault->files });
	is(scalar @half, 1, 'a file is half written') or diag($fault->job->saw);
	$fault->job->signal('KILL');
	$fault->job->finish;
	$fault->clear('... ftmpirun killed', keep => 1);
	is(scalar($fault->manifests), 1, '... ftmpirun killed: the line before it counts');
	$fault->lines_whole('... ftmpirun killed');
	$fault->clear('... and its work directory goes');
}

# -restore as the last word of the other spelling; if there is a line; a program that asks for none.
{
	my $fault = start('pi', [qw(400000 -every 10000)], run => ['-restore=auto']);
	$fault->survived('-restore=auto without a line', restarts => 0, keep => 1);
	$fault->job->err_like(qr/^ftmpirun: -restore=auto: there is no recovery line in \S+: the job begins at its beginning\.$/m, '... says so');
	my @command = (ftmpirun(), '-n', 4, '-workdir', $fault->workdir, program('pi'), 400000, qw(-every 10000 -trace));
	for my $word (qw(-restore -restore=auto)) {
		my $job = FTMPI::Test::Job->run([@command, $word]);
		is(FTMPI::Test::Fault::answer($job->out), $fault->undisturbed, "-n N PROG ARGS $word") or diag($job->saw);
		$job->out_like(qr/^restored after round 40$/m, '... goes on from the line');
	}
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, '-restore', '-workdir', $fault->workdir, program('pingpong'), '-h']);
	$job->err_like(qr/^ftmpirun: -restore: the program has not asked for its recovery line \(FTMPI_Restore\)/m, 'a program that asks for no line');
	$fault->clear('-restore as the last word');
}

# A run that forgot -restore is told at its beginning; the short one does not hide the long one.
{
	my $long = start('pi', [qw(400000 -every 10000), '-hold', 25]);
	$long->all_held;
	$long->job->signal('KILL');
	$long->job->finish;
	$long->clear('a long run', keep => 1);
	my ($session) = ($long->manifests)[0] =~ m{^([^/]+)/};
	my $short = start('pi', [qw(400000 -every 10000), '-hold', 25], workdir => $long->workdir);
	$short->all_held;
	$short->job->err_like(qr/^ftmpirun: note: the job begins at its beginning; -restore would go on from line 2 of session $session,/m,
		'a run that begins again is told of the one before');
	$short->job->signal('KILL');
	$short->job->finish;
	$short->clear('a run after it', keep => 1);
	my ($late) = map { (split m{/})[0] } grep { !/^$session/ } $short->manifests;
	unlink glob $long->workdir . "/$late/line-00000002.manifest";
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, '-workdir', $long->workdir, program('pi'), 400000, qw(-every 10000), "-restore=$late"]);
	$job->err_like(qr/going on from line 1 of session $late,.*\n.*: note: session $session, which did not finish, has come further, to line 2 /,
		'... and -restore tells of the one that came further');
	$long->clear('a long run and a short one');
}

# The positional spelling; twice the same work directory without -restore; nothing to restore.
{
	my $fault = start('pi', [qw(400000 -every 10000)]);
	$fault->survived('a first job', restarts => 0, keep => 1);
	my $next = start('pi', [qw(400000 -every 10000 -hold 15)], workdir => $fault->workdir);
	$next->all_held;
	$next->kill_ranks(1);
	$next->survived('a second job beside its lines', restarts => 1, keep => 1);
	$next->job->out_like(qr/^restored after round 10$/m, '... restores its own line');
	my $machines = $fault->workdir . '.machines';
	open(my $out, '>', $machines) or die "$machines: $!\n";
	print $out "localhost slots=4\n";
	close $out;
	my $job = FTMPI::Test::Job->run([ftmpirun(), $machines, 4, $fault->workdir, program('pi'), 400000,
			'-every', 10000, '-trace', '-restore']);
	is(FTMPI::Test::Fault::answer($job->out), $fault->undisturbed, 'MACHINEFILE N WORKDIR PROG -restore')
		or diag($job->saw);
	$job->out_like(qr/^restored after round 40$/m, '... the newest line');
	$job->err_like(qr/^ftmpirun: note: session \S+ has finished \([-\d]+ [:\d]+, status 0\): /m, '... of a job that had finished');
	unlink $machines;
	$fault->clear('the positional spelling');
}

{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', run => ['-restore']);
	$fault->gave_up('-restore without a line', 1, qr/\Aftmpirun: \N*\n\z/, lines => 0);
}

done_testing();

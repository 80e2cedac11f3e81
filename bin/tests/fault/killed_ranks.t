# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that are killed, and jobs that go on from their last line: wherever the ranks are, one or
# more at once, again during the recovery; and the failures that are not to be mended. Under a protocol
# that waits for all, and under one that waits for nobody.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(program data_file);

FTMPI::Test::Fault::alone();

my $coord;    # of the cases that run

sub start { return FTMPI::Test::Fault->start(coord => $coord, @_) }

# Lines after rounds 10, 20, 30 and 40; in the first run nobody goes beyond round 25.
sub pi
{
	my ($more, %option) = @_;
	return start(program => 'pi', %option,
		args => [qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25), @$more]);
}

sub each_way
{
	for my $how (qw(sleep compute receive collective)) {
		my $fault = pi(['-hold-in', $how]);
		$fault->all_held;
		$fault->kill_ranks(2);
		$fault->wait_for(err => qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\); restart 1 of 3\b/m);
		$fault->survived("killed, $how", restarts => 1);
		$fault->job->out_like(qr/^restored after round 20$/m, "killed, $how");
	}
	return;
}

sub several
{
	for my $ranks ([0], [1, 3], [0, 1, 2], [0 .. 3]) {
		my $fault = pi([]);
		$fault->all_held;
		$fault->kill_ranks(@$ranks);
		$fault->survived("ranks @$ranks are killed", restarts => [1, 3]);
		$fault->job->out_like(qr/^restored after round 20$/m, "ranks @$ranks are killed");
	}
	return;
}

# What is killed second is on its way back.
sub on_its_way_back
{
	my $fault = pi([]);
	$fault->all_held;
	my %pids = $fault->pids;
	$fault->kill_ranks(1);
	$fault->wait_for(err => qr/restart 1 of 3/);
	kill 'KILL', $pids{3};
	$fault->survived('another rank is killed during the recovery', restarts => [1, 2]);
	return;
}

sub again_and_again
{
	my $fault = pi([], env => {FTMPI_FAULT => 'init-started:1:1:1:kill,restore-end:1:2:1:kill'});
	$fault->all_held;
	$fault->kill_ranks(1);
	$fault->survived('a rank is killed again and again', restarts => 3);
	return;
}

sub before_the_first_line
{
	my $fault = pi([qw(-hold 5)]);
	$fault->all_held;
	$fault->kill_ranks(3);
	$fault->survived('before the first line', restarts => 1);
	unlike($fault->job->out, qr/^restored/m, '... everything begins again');
	return;
}

sub late
{
	return if $coord ne 'blocking'; # else it has to be asked for: fault/no_restore_call.t
	my $fault = pi([qw(-hold 39 -late)]);
	$fault->all_held;
	$fault->kill_ranks(3);
	$fault->survived('restored by the first checkpoint', restarts => 1);
	$fault->job->out_like(qr/^round 9\nrestored after round 30$/m, '... which is that of round 10');
	return;
}

# Rank 0 gets its standard input again.
sub standard_input
{
	open(my $in, '<', data_file('494_bus.mtx')) or die "494_bus.mtx: $!\n";
	my $matrix = do { local $/; <$in> };
	my $fault = start(program => 'cgs', stdin => $matrix,
		args => ['/dev/stdin', qw(-ckpt 50 -sure -trace -hold 120)]);
	# the undisturbed run has no standard input
	my $other = FTMPI::Test::Job->run([FTMPI::Test::Job::ftmpirun(), '-n', 4, program('cgs'),
			data_file('494_bus.mtx')]);
	$fault->all_held;
	$fault->kill_ranks(0);
	$fault->job->finish;
	$fault->job->is_status(0, 'the matrix comes from standard input');
	my ($x)    = $fault->job->out =~ /( \d+ iterations,.* x is \w+)/;
	my ($same) = $other->out =~ /( \d+ iterations,.* x is \w+)/;
	is($x // 'none', $same, '... and is there again after a restart') or diag($fault->job->saw);
	$fault->lines_whole('standard input');
	$fault->clear('standard input');
	return;
}

# cgs and mail, twice each.
sub twice
{
	for my $case (['cgs', [data_file('494_bus.mtx')], 125, 120], ['mail', ['-bytes', 300000], 125, 120]) {
		my ($program, $args, $hold, $line) = @$case;
		my $fault = start(program => $program,
			args => [@$args, qw(-ckpt 20 -sure -trace -holds 2 -hold), $hold]);
		$fault->all_held;
		$fault->kill_ranks(1);
		$fault->wait_for(out => qr/(?:^rank $_ waits.*){2}/ms) or last for 0 .. 3;
		$fault->kill_ranks(2, 0);
		$fault->survived("$program, twice", restarts => [2, 4]);
		$fault->job->out_like(qr/(?:^restored after round $line\n.*){2}/ms, "$program, twice");
	}
	return;
}

# ---- what is not mended ----

# status, sentence, further options of ftmpirun, fault
my @given_up = (
	[137, qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\)/m, [qw(-restart-on none)], 'ckpt-end:2:*:2:kill'],
	[137, qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\)/m, [qw(-max-restarts 2)], 'init-done:2:*:1:kill'],
	[139, qr/^ftmpirun: rank 2 on \S+ was killed by signal 11\b/m, [], 'ckpt-end:2:*:2:segv'],
	[3, qr/^ftmpirun: rank 2 on \S+ exited with status 3\b/m, [], 'ckpt-end:2:*:2:exit'],
);

sub given_up
{
	for my $case (@given_up) {
		my ($status, $sentence, $run, $points) = @$case;
		my $fault = pi(['-holds', 0], run => $run, env => {FTMPI_FAULT => $points});
		my $name = "@$run $points";
		$fault->gave_up($name, $status, $sentence, lines => $points =~ /init/ ? 0 : 1);
		$fault->judge_restarts($name, $points =~ /init/ ? 2 : 0);
		$fault->job->err_like(qr/^ftmpirun: -restore goes on from line \d+ of session/m, "$name: the line") if "@$run" =~ /none/;
	}
	return;
}

# A file that was half written before a restart goes when the job gives up before its next line.
sub half_written
{
	my $fault = pi(['-holds', 0], run => [qw(-max-restarts 1)],
		env => {FTMPI_FAULT => 'ckpt-flush:2:0:2:kill,ckpt-begin:2:1:1:kill'});
	$fault->gave_up('a file half written, and no line since', 137,
		qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 .*-max-restarts/m);
	return;
}

sub restart_on
{
	for my $case (['crash', 'segv'], ['any', 'segv'], ['any', 'exit']) {
		my ($on, $action) = @$case;
		my $fault = pi(['-holds', 0], run => ['-restart-on', $on],
			env => {FTMPI_FAULT => "ckpt-end:2:0:2:$action"});
		$fault->survived("-restart-on $on, $action", restarts => 1);
	}
	return;
}

sub without_checkpoints
{
	my $fault = start(program => 'badcall', args => ['signal']);
	$fault->gave_up('a program without checkpoints', 137,
		qr/^ftmpirun: rank 3 on \S+ was killed by signal 9 .*checkpoints/m, lines => 0);
	$fault = start(program => 'badcall', args => ['signal'],
		run => [qw(-restart-from-start -max-restarts 2)]);
	$fault->gave_up('... from the start, in vain', 137,
		qr/^ftmpirun: rank 3 on \S+ was killed by signal 9/m, lines => 0);
	$fault->judge_restarts('... from the start, in vain', 2);
	return;
}

for my $name (qw(blocking eventlog)) {
	$coord = $name;
	subtest $name => sub {
		each_way();
		several();
		on_its_way_back();
		again_and_again();
		before_the_first_line();
		late();
		standard_input();
		twice();
		given_up();
		half_written();
		restart_on();
		without_checkpoints();
	};
}

done_testing();

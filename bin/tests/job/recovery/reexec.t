# SPDX-License-Identifier: BSD-3-Clause
#
# A rank that is told to restart executes its program again in the same process, whatever it is doing, with
# everything as at its first start. The test plays its agent.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Copy ();
use File::Temp ();
use POSIX qw(SIG_BLOCK SIGUSR2 sigprocmask);
use Test::More;

use FTMPI::Control ();
use FTMPI::Test::OneRank ();
use FTMPI::Test::Job qw(program root sanitized);
use FTMPI::Test::Process qw(run_quiet);
use FTMPI::Wire ();

# an ignored signal, a blocked one and a variable are there from the start
$SIG{HUP} = 'IGNORE';
sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR2));
$ENV{AGAIN} = 'at the start';

my $dir = File::Temp->newdir('ftmpi-reexec-XXXXXX', TMPDIR => 1);

sub again
{
	my ($words, %option) = @_;
	return FTMPI::Test::OneRank->start([program('reexec'), @$words], size => 2, %option);
}

# What it was started with, once it is in its last state.
# 32 and 33 are the C library's own: no program can set or restore what they do.
sub without_those_of_libc
{
	my ($mask) = @_;
	my ($high, $low) = map { hex } unpack 'A8 A8', $mask;
	return sprintf '%08x%08x', $high & ~1, $low & 0x7fffffff;
}

sub facts
{
	my ($rank) = @_;
	my $facts = $rank->wait_for(out => qr/\A(.*)^facts end\n/ms) // return;
	$facts =~ s/^(fact Sig\w+:\s*)([0-9a-f]{16})$/$1 . without_those_of_libc($2)/gme;
	return $facts;
}

# Starts it, and restarts it twice where it stays.
sub comes_again
{
	my ($name, @words) = @_;
	my %option = ref $words[-1] ? %{pop @words} : ();
	my $rank = again(['init', @words], dir => "$dir", %option);
	my $pid  = $rank->pid;
	$rank->tell_start(0);
	is($rank->hear_texts(2), "PROGRAM 1, INITED $pid", "$name: it says what it is");
	my $first = facts($rank);
	for my $epoch (1, 2) {
		$rank->is_ready or return fail("$name: not ready before epoch $epoch");
		$rank->tell_restart($epoch);
		is($rank->hear_texts(1), "RESTARTING $epoch", "$name: it obeys, epoch $epoch");
		is(facts($rank), $first, "$name: all is as at the start, epoch $epoch");
		$rank->tell_start($epoch);
		is($rank->hear_texts(2), "PROGRAM 1, INITED $pid", "$name: it goes on, epoch $epoch");
	}
	is($rank->err, '', "$name: quietly");
	$rank->end;
	return;
}

# ---- where it may be ----

comes_again('computing',                    'compute');
comes_again('in a receive',                 'recv');
comes_again('in a collective',              'barrier');
comes_again('in pause',                     'pause');
comes_again('with a thread that computes',  'join');
comes_again('without its first thread',     'gone');
comes_again('with a thread that sends signals', 'shower');
comes_again('with heartbeats', 'recv', {settings => ['heartbeat=20']});

# ---- what it may have done ----

comes_again('another directory',      qw(chdir pause));
comes_again('umask and limits',       qw(limits pause));
comes_again('another environment',    qw(setenv pause));
comes_again('other arguments',        qw(argv pause));
comes_again('all signals blocked',    qw(block pause));
comes_again('all blocked, in MPI',    qw(block recv));
comes_again('signals ignored',        qw(ignore pause));
comes_again('signals that wait',      qw(pending pause));
comes_again('timers',                 qw(alarm pause));
comes_again('signals all the time',   qw(ticks compute));
comes_again('files',                  qw(files pause));
comes_again('files, an older kernel', qw(old files pause));
comes_again('other flags',            qw(flags pause));
comes_again('everything',             qw(chdir setenv argv ignore alarm files flags block recv));

{
	my $rank = again([qw(pin init pause)]);
	my $pid  = $rank->pid;
	$rank->tell_start(0);
	my $first = facts($rank);
	$rank->is_ready;
	$rank->tell_restart(1);
	is(facts($rank), $first, 'other processors: all is as at the start');
}

# ---- what cannot be undone ----

# A child would be there in its next life, too, with what it has of the one before.
for my $word (qw(close redirect child vfork zombie)) {
	my $rank = again(['init', $word, 'pause'], dir => "$dir");
	$rank->tell_start(0);
	$rank->is_ready;
	$rank->tell_restart(1);
	is($rank->ended, 1 << 8, "$word: it ends, to be started anew");
}

{
	my $copy = "$dir/copy";
	File::Copy::copy(program('reexec'), $copy) && chmod(0755, $copy) or die "$copy: $!\n";
	my $rank = FTMPI::Test::OneRank->start([$copy, qw(init pause)]);
	my $pid  = $rank->pid;
	$rank->tell_start(0);
	$rank->is_ready;
	File::Copy::copy('/bin/false', "$copy.new") && chmod(0755, "$copy.new") && rename("$copy.new", $copy)
		or die "$copy: $!\n";
	$rank->tell_restart(1);
	$rank->tell_start(1);
	is($rank->hear_texts(5), "PROGRAM 1, INITED $pid, RESTARTING 1, PROGRAM 1, INITED $pid",
		'a program whose file was replaced goes on as what it is');
}

{
	my $copy = "$dir/not-executable";
	File::Copy::copy(program('reexec'), $copy) && chmod(0755, $copy) or die "$copy: $!\n";
	my $rank = FTMPI::Test::OneRank->start([$copy, qw(init pause)]);
	$rank->tell_start(0);
	$rank->is_ready;
	chmod 0644, $copy or die "$copy: $!\n";
	$rank->tell_restart(1);
	is($rank->ended, 1 << 8, 'a program that may not be executed any more ends');
	is($rank->err, "rank 0 on here: cannot execute $copy again: Permission denied; this process ends\n",
		'and says why');
}

# ---- how it may be linked ----

SKIP: {
	skip 'a plain program cannot be linked with a sanitized library', 6 if sanitized('reexec');
	my $libdir = $ENV{FTMPI_LIBDIR} // root() . '/build/lib';
	for my $how ([], ['-static']) {
		my $name = "linked with libftmpi.a @$how";
		my @sources = map { root() . "/bin/tests/programs/recovery/$_.c" } qw(reexec reexec_states);
		my ($status, $said) = run_quiet($ENV{CC} // 'cc', '-D_GNU_SOURCE', @$how, '-I', root() . '/include',
			@sources, '-o', "$dir/linked", "$libdir/libftmpi.a",
			qw(-levent_core -lsodium -lxxhash -lpthread));
		is($status, 0, "$name: it links") or diag $said;
		my $rank = FTMPI::Test::OneRank->start(["$dir/linked", qw(init chdir setenv files compute)]);
		my $pid = $rank->pid;
		$rank->tell_start(0);
		my $first = facts($rank);
		$rank->is_ready;
		$rank->tell_restart(1);
		is($rank->hear_texts(3), "PROGRAM 0, INITED $pid, RESTARTING 1", "$name: it obeys");
		is(facts($rank), $first, "$name: all is as at the start");
	}
}

# ---- when the order comes ----

sub restart_frame { return FTMPI::Control::encode('RESTART', $_[0]) }

{
	my $rank = again([qw(init pause)]);
	my $pid  = $rank->pid;
	$rank->say_bytes($rank->start_message(0) . restart_frame(1) . $rank->start_message(1));
	like($rank->hear_texts(4) . ($rank->is_ready ? '' : ', never ready'),
		qr/^PROGRAM 1, (?:INITED $pid, RESTARTING 1, PROGRAM 1|RESTARTING 1, PROGRAM 1, INITED $pid)$/,
		'RESTART right after START, and the next START with it');
}

{
	my $rank = again([qw(init pause)]);
	my $pid  = $rank->pid;
	$rank->say_bytes(restart_frame(1) . restart_frame(2) . $rank->start_message(2));
	is($rank->hear_texts(4), "RESTARTING 1, RESTARTING 2, PROGRAM 1, INITED $pid",
		'RESTART before START: nothing has to begin again');
	my $begun = () = $rank->wait_for(out => qr/\A(.*)^ready\n/ms) =~ /^facts end$/mg;
	is($begun, 1, 'and nothing does');
}

{
	my $rank = again([qw(init pause)]);
	my $pid  = $rank->pid;
	$rank->tell_start(3);
	is($rank->hear_texts(2), "PROGRAM 1, INITED $pid", 'a rank of epoch 3');
	$rank->say_bytes($_) for split //, restart_frame(3) . restart_frame(1) . restart_frame(4);
	is($rank->hear_texts(1), 'RESTARTING 4', 'byte by byte; old epochs are not obeyed');
	$rank->tell_start(4);
	is($rank->hear_texts(2), "PROGRAM 1, INITED $pid", 'and it goes on');
}

# ---- what is no order ----

my %garbage = (
	'an unknown message' => FTMPI::Wire::frame(99, ''),
	'a RESTART that is too long' => FTMPI::Wire::frame(2, 'x' x 5),
	'a RESTART that is too short' => FTMPI::Wire::frame(2, 'x' x 3),
	'another version' => pack('V v v V', 4, 2, 2, 1),
	'a huge body' => pack('V v v', 1 << 31, 2, 1),
	'another START' => FTMPI::Wire::frame(1, 'x' x 200),
);
for my $name (sort keys %garbage) {
	my $rank = again([qw(init compute)]);
	$rank->tell_start(0);
	$rank->is_ready;
	$rank->say_bytes($garbage{$name});
	is($rank->ended, 1 << 8, "$name: it ends");
	like($rank->err, qr/\Arank 0 on here: [^\n]* no running rank is told[^\n]*\n\z/, "$name: it says why");
}

# ---- what PROGRAM says, and faults by epoch ----

{
	my $rank = FTMPI::Test::OneRank->start([program('badcall'), '-h']);
	my $pid  = $rank->pid;
	$rank->tell_start(0);
	is($rank->hear_texts(3), "PROGRAM 0, INITED $pid, FINALIZED", 'a program without checkpoint calls');
	is($rank->ended, 0, 'it ends well');
}

for my $point (qw(init-started init-attached init-done finalize-begun finalize-done finalize-told)) {
	my $rank = again([qw(init finish)], size => 1, env => {FTMPI_FAULT => "$point:0:1:1:exit"});
	$rank->tell_start(0);
	is($rank->ended, 0, "$point: not in epoch 0");
	$rank = again([qw(init finish)], size => 1, env => {FTMPI_FAULT => "$point:0:1:1:exit"});
	$rank->tell_start(1);
	is($rank->ended, 3 << 8, "$point: it can be made to fail in epoch 1");
}

for my $point (qw(restart-received restart-exec)) {
	my $rank = again([qw(init pause)], env => {FTMPI_FAULT => "$point:0:0:1:exit"});
	$rank->tell_start(0);
	$rank->is_ready;
	$rank->tell_restart(1);
	is($rank->ended, 3 << 8, "$point: it can be made to fail");
}

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A launcher that is held up, in whatever call, is no silent one: its deputy speaks for it.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Fcntl qw(O_NONBLOCK O_WRONLY);
use POSIX qw(mkfifo);
use Test::More;

use AgentTest;
use FTMPI::Control          ();
use FTMPI::Launcher::Deputy ();
use FTMPI::Loop             ();
use LauncherTest;

use constant PING => FTMPI::Control::encode('PING');

my @rank = ($^X, $RANK);

# ---- alone: the launcher's loop never turns here ----

# [the end that is read, the deputy] of one that speaks for so many turns.
sub deputy
{
	my ($most) = @_;
	pipe my $reader, my $pipe or die "pipe: $!";
	my $deputy = FTMPI::Launcher::Deputy->new(loop => FTMPI::Loop->new, most => $most);
	$deputy->stand_in($pipe);
	return [ $reader, $deputy ];
}

# All that has been said; waits until these are so many PINGs, if a number is given.
sub said
{
	my ($one, $n) = @_;
	my ($reader, $text) = ($one->[0], \($one->[2] //= ''));
	$reader->blocking(0);
	my $read = sub { 1 while sysread $reader, $$text, 4096, length $$text; return length $$text };
	eventually(sub { $read->() >= ($n // 0) * length PING }, sub { length($$text) . ' bytes' });
	return $$text;
}

{
	my ($short, $long) = (deputy(2), deputy(100));
	is(said($long, 4), PING x 4, 'it speaks each turn');
	is(said($short), PING x 2, '... and for so many turns at most');
	my $pid = $long->[1]{pid};
	pipe my $reader, my $pipe or die "pipe: $!";
	$long->[1]->stand_in($pipe);
	close $pipe;
	is(kill(0, $pid), 0, 'when other agents are to be told there is another one');
	my $other = [$reader];
	is(said($other, 1), PING, '... which tells them');
	$_->[1]->leave for $short, $long;
	is(sysread($reader, my $more, 4096), 0, 'that it is not wanted any more ends it');
	nobody_left();
}

# One that is stopped is to be silent, and one that has ended has ended.
{
	pipe my $reader, my $pipe or die "pipe: $!";
	pipe my $told,   my $tell or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		my $loop = FTMPI::Loop->new;
		FTMPI::Launcher::Deputy->new(loop => $loop, most => 100)->stand_in($pipe);
		syswrite $tell, '.';
		$loop->run;
	}
	close $pipe;
	my $stopped = [$reader];
	is(sysread($told, my $word, 1), 1, 'another launcher has a deputy');
	kill 'STOP', $pid;
	waitpid $pid, POSIX::WUNTRACED;
	my ($before, $clock) = (said($stopped), deputy(100));
	said($clock, 3);
	is(said($stopped), $before, 'nothing is said for a launcher that is stopped');
	$clock->[1]->leave;
	kill 'KILL', $pid;
	waitpid $pid, 0;
	ok(eventually(sub { (sysread($reader, my $more, 4096) // 1) == 0 }, sub { join "\n", left_over() }), 'the deputy of one that is killed ends');
	nobody_left();
}

# ---- orders between which it speaks ----

subtest 'long orders' => sub {
	my ($agent) = AgentTest->begun(1, @rank, qw(join facts input hang));
	my $much   = join ' ', 1 .. 40000;
	my @pieces = FTMPI::Control::pieces(FTMPI::Control::encode('STDIN', $much));
	is((grep { length > FTMPI::Control::PIPE_BUF } @pieces), 0, 'each piece is written as a whole');
	$agent->_write($_ . PING) for @pieces;
	$agent->order('STDIN_END');
	is(($agent->await_text(0, qr/^input=(.*);\n/m))[0], $much, 'an order that came in pieces, with PINGs between');
	is(scalar $agent->said(qr/^PONG/), scalar @pieces, '... which are answered');
	is_deeply([ FTMPI::Control::pieces(PING) ], [PING], 'a short one is one piece');
	$agent->end_well('pieces');
};

for my $case ([ FTMPI::Control::encode('PIECE', ''), qr/a PIECE in a PIECE/ ], [ "\0" x 8, qr/a frame of version 0/ ]) {
	my ($bytes, $why) = @$case;
	my $agent = AgentTest->new;
	$agent->order('PIECE', $bytes);
	my ($status, $err) = $agent->finish;
	is($status, 1, 'an agent leaves that gets nonsense in pieces');
	like($err, qr/^ftmpirun: the agent got $why/, '... with a sentence');
}

# ---- whole jobs ----

# ftmpirun waits in the call that answers SIGUSR1 until the gate is opened: as for a disk, but not stopped.
my $gate = scratch() . '/gate';
mkfifo($gate, 0600) or die "$gate: $!";
text_file('Held.pm', <<'END');
package Held;
sub import { $gate = $_[1]; delete $ENV{PERL5OPT}; return }
INIT {
	if ($0 =~ m{/ftmpirun\z}) {
		require FTMPI::Cli;
		FTMPI::Later::all();    # what it has is replaced
		no warnings 'redefine';
		*FTMPI::Later::read_one = sub { open my $told, '>', "$gate.second"; 0 };    # the job has run for more than a second, and others have a deputy
		*FTMPI::Launcher::_dump = sub {
			open my $told, '>', "$gate.held";
			my $wait;
			1 until open $wait, '<', $gate;    # signals come meanwhile
		};
	}
}
1;
END

sub started
{
	my ($go, @options) = @_;
	my $job = begin([ $FTMPIRUN, '-n', 2, '-restart-on', 'none', @options, @rank, qw(init facts), "await:$go", 'finalize' ],
		env => { PERL5OPT => '-I' . scratch() . " -MHeld=$gate" });
	wait_for($job, 'out', qr/^epoch=.*^epoch=/ms);
	return $job;
}

# A job has one when it has run for a moment: how many there are.
sub await_deputy
{
	eventually(sub { deputies() }, sub { join "\n", left_over() });
	return scalar(my @there = deputies());
}

sub deputies { return map { /^(\d+): \(ftmpi-deputy\)/ } left_over() }

# An agent that hears nothing for longer than those of the jobs believe in a silent launcher.
sub time_goes_by
{
	my $clock = AgentTest->new(silence => 6500);
	return is(($clock->finish)[0], 1, 'time goes by');
}

{
	my $go  = scratch() . '/go';
	my $job = started($go);
	is(await_deputy(), 1, 'the launcher has a deputy');
	kill 'USR1', $job->{pid};
	ok(eventually(sub { -e "$gate.held" }, sub { join "\n", left_over() }), 'it is held up');
	time_goes_by();
	text_file('go', '');
	ok(eventually(sub { sysopen my $open, $gate, O_WRONLY | O_NONBLOCK }, sub { "$!" }), '... until the gate is opened');
	wait_end($job);
	is("$job->{status} $job->{err}", '0 ', '... and its agent has believed in it') or diag $job->{out};
	nobody_left();
}

{
	my $job = started(scratch() . '/never');
	await_deputy();
	kill 'STOP', $job->{pid};
	ok(eventually(sub { !grep { /^\d+: \(ftmpi-agent\)/ } left_over() }, sub { join "\n", left_over() }), 'one that is stopped is silent to its agent');
	kill 'CONT', $job->{pid};
	wait_end($job);
	like($job->{err}, qr/the agent heard nothing from ftmpirun for 5000 ms: its ranks are ended/, '... whose ranks are ended');
	nobody_left();
}

{
	my $job = started(scratch() . '/on');
	await_deputy();
	kill 'KILL', deputies();
	text_file('on', '');
	wait_end($job);
	is("$job->{status} $job->{err}", '0 ', 'the job does without a deputy that is killed');
	nobody_left();
}

{
	unlink "$gate.second";
	my $job = started(scratch() . '/never', qw(-starved-limit 0));
	ok(eventually(sub { -e "$gate.second" }, sub { join "\n", left_over() }), 'a second passes');
	is(scalar deputies(), 0, 'without -starved-limit there is none');
	kill 'KILL', $job->{pid};
	wait_end($job);
	nobody_left('... nor anybody else');
}

done_testing;

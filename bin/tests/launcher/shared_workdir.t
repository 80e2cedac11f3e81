#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whether all hosts share the work directory: who is asked, and what a job tells of a host that has
# another one under that name.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

use FTMPI::FixedAddresses   ();
use FTMPI::Launcher::SharedWorkdir ();
use FTMPI::Loop                    ();
use FTMPI::Probe                   ();

use constant { LOOK => FTMPI::Probe::LOOK, MAKE => FTMPI::Probe::MAKE, REMOVE => FTMPI::Probe::REMOVE };

# ---- who is asked ----

my (@told, @said, @numbers);
my $shared;

sub anew
{
	@told = @said = @numbers = ();
	$shared = FTMPI::Launcher::SharedWorkdir->new(
		workdir => '/w',
		tell    => sub { my ($host, $order, $number) = @_; push @told, "$host $order"; push @numbers, $number },
		say     => sub { push @said, $_[0] },
		name    => sub { "h$_[0]" });
	return;
}

sub told { return join ', ', splice @told }
sub said { return join ' ',  splice @said }

anew();
$shared->ask(0);
is(told(), '', 'one host is not asked');
$shared->ask(0, 1, 2);
is(told(), '0 ' . MAKE, 'the host of rank 0 makes a file');
$shared->ask(0, 1, 2);
is(told(), '', '... once');
$shared->answered(1, LOOK, 'too early');
$shared->answered(0, MAKE, '');
is(told(), '1 ' . LOOK . ', 2 ' . LOOK, '... that the others look for') or diag said();
said();
$shared->answered(2, LOOK, '');
is(told(), '', 'it stays until all have answered');
$shared->answered(1, LOOK, '');
is(told(), '0 ' . REMOVE, '... and is removed');
$shared->ask(0, 1, 2, 3);
$shared->answered(0, MAKE, '');
is(told(), '0 ' . MAKE . ', 3 ' . LOOK, 'a host that came later is asked alone');
is(said(), '', 'nothing is told of hosts that share it');
is("@numbers", '1 1 1 1 2 2', '... and each question has a file of its own');
$shared->answered(3, LOOK, 'No such file or directory');
like(said(), qr{\Ahost h3 does not see what host h0 writes in the work directory /w \(No such file}, 'another is told of');

anew();
$shared->ask(0, 1, 2);
$shared->answered(0, MAKE, 'Read-only file system');
like(said(), qr{\Ahost h0 cannot write in the work directory /w \(Read-only}, 'a host that cannot write');
anew();
$shared->ask(0, 1, 2);
$shared->answered(0, MAKE, '');
$shared->lost($_) for 1, 2;
is(told(), join(', ', '0 ' . MAKE, '1 ' . LOOK, '2 ' . LOOK, '0 ' . REMOVE), 'hosts that are lost are not waited for');
$shared->ask(0, 3);
told();
$shared->lost(0);
$shared->ask(3, 4);
is(told(), '3 ' . MAKE, 'nor that of rank 0');

# ---- the process that looks ----

# While its file system does not answer it has nothing of the agent's: this pipe ends all the same.
{
	no warnings 'redefine';
	my ($spawn, $pid) = \&FTMPI::Loop::spawn;
	local *FTMPI::Loop::spawn = sub { return $pid = $spawn->(@_) };
	local *FTMPI::Probe::_do  = sub { sleep 600; return '' };
	pipe my $reader, my $writer or die "pipe: $!";
	my $told = '';
	my $loop = FTMPI::Loop->new;
	FTMPI::Probe->new(loop => $loop, tell => sub { $told = "@_" })->obey(LOOK, '/w', 'name');
	close $writer;
	my $ended = 0;
	$loop->on_read($reader, sub { $ended = 1 });
	$loop->after(30, sub { $ended = -1 });
	$loop->turn while !$ended;
	is($ended, 1, 'a file system that does not answer keeps nothing of the agent alive');
	kill 'KILL', $pid;
	$loop->off_read($reader);
	$loop->turn while $told eq '' && $ended > 0;
	waitpid $pid, 0;
	is($told, 'PROBED ' . LOOK . ' the process that looked was killed', '... and one that is killed has not found it');
}

# ---- a job ----

# Host "apart" has something else where the work directory is.
my $apart = text_file('ssh', <<'EOS');
#!/bin/sh
host=$1
shift
[ "$host" = apart ] || exec sh -c "$*"
exec unshare -rm sh -c 'mount -t tmpfs tmpfs "$1" && shift && exec sh -c "$*"' sh "$TEST_WORK" "$*"
EOS
chmod 0755, $apart;
my ($work, $go) = map { scratch() . "/$_" } qw(work go);
mkdir $work;
delete $ENV{SSH_CONNECTION};

my @options;

sub job
{
	my ($hosts, @words) = @_;
	return begin([ $FTMPIRUN, @options, '-ssh', "'$apart'", '-host', $hosts, qw(-n 2 -workdir), $work, $^X, $RANK, @words ],
		env => { TEST_WORK => $work });
}

sub names { opendir my $dir, $work or die "$work: $!"; return grep { !/^\.\.?\z/ } readdir $dir }

SKIP: {
	skip 'no namespaces here', 4 if system('unshare -rm mount -t tmpfs tmpfs /mnt 2>/dev/null');
	my $job = job('here,apart', 'join', "await:$go", 'finalize');
	ok(wait_for($job, 'err',
			qr{^ftmpirun: host apart does not see what host here writes in the work directory \Q$work\E \(No such file}m),
		'a host apart is told of');
	text_file('go', '');
	is(wait_end($job)->{status}, 0, '... and the job goes on');
	nobody_left('... and nobody is left');
	is(join(' ', names()), '', '... nor the file');
}

SKIP: {
	skip 'no namespaces here', 2 if system('unshare -rm mount -t tmpfs tmpfs /mnt 2>/dev/null');
	my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
	skip $why, 2 if defined $why;
	@options = qw(-image -ckpt-interval 60);
	unlink $go;
	my $job = job('here,apart', 'start', 'program:0', 'inited', "await:$go", 'finalize');
	ok(wait_for($job, 'err', qr{^ftmpirun: host apart does not see what host here writes}m),
		'an image job is asked, whatever its program calls');
	text_file('go', '');
	is(wait_end($job)->{status}, 0, '... and goes on');
	@options = ();
}

# What shares it is not told of, and neither is a program that makes no checkpoints asked.
for my $case ([ 'here,there', 'join' ], [ 'here,apart', 'init' ]) {
	my ($hosts, $word) = @$case;
	my $job = wait_end(job($hosts, $word, 'finalize'));
	is("$job->{status} $job->{err}", '0 ', "$hosts, $word: nothing is told");
	is(join(' ', names()), '', '... and nothing left');
}

done_testing;

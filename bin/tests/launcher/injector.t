#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Failures on order, one after the other: what agents are told, what is said and noted when they answer, and what is said of the rest.
use strict;
use warnings;

use File::Temp ();
use Test::More;

use FTMPI::Cli::Injections      ();
use FTMPI::Control              ();
use FTMPI::Launcher::HostTable  ();
use FTMPI::Launcher::Injection  ();
use FTMPI::Launcher::Injector   ();
use FTMPI::Loop                 ();

# An agent that keeps what it is told.
package Agent;

sub new { return bless { told => [], connected => 1 }, shift }
sub connected { return $_[0]{connected} }
sub tell { my ($self, @message) = @_; push @{ $self->{told} }, "@message"; return }

# The folder of a session, and its newest line.
package Workdir;

sub new { my ($class, $folder) = @_; return bless { folder => $folder }, $class }
sub folder { return $_[0]{folder} }
sub newest_line { return $_[0]{line} }

package main;

my ($loop, $injector, $workdir, @agents, @said, @notes, $phase);

# A job of four ranks on this machine and on b; c is a spare without an agent.
sub begin
{
	my ($list) = @_;
	$loop   = FTMPI::Loop->new;
	@agents = (Agent->new, Agent->new);
	(@said, @notes) = ();
	$phase   = 'running';
	$workdir = Workdir->new(File::Temp::tempdir(CLEANUP => 1));
	my $hosts = FTMPI::Launcher::HostTable->new(
		{ name => 'here', local => 1, ranks => [ 0, 1 ] }, { name => 'b', ranks => [ 2, 3 ] }, { name => 'c', ranks => [] });
	$injector = FTMPI::Launcher::Injector->new(
		loop      => $loop,
		injection => FTMPI::Launcher::Injection->new(size => 4, faults => FTMPI::Cli::Injections::parse($list, '-inject')),
		hosts     => sub { $hosts },
		phase     => sub { $phase },
		agent     => sub { $agents[ $_[0] ] },
		workdir   => $workdir,
		say       => sub { push @said, $_[0] },
		note      => sub { my ($event, %fields) = @_; push @notes, [ $event, {%fields} ] });
	return;
}

# The failures of time 0: each is a timer that is due.
sub turn { $loop->turn for 1 .. $_[0]; return }

sub told { my ($index) = @_; return splice @{ $agents[$index]{told} } }

# ---- a rank ----

begin('kill:2@0,stop:1@0+2s');
is_deeply([ told(0), told(1) ], [], 'nothing is done before all ranks have called MPI_Init');
$injector->begin;
turn(2);
is_deeply([ told(1) ], ['INJECT 1 1 2 0 0'], 'a kill is the order of the agent that has the rank');
is_deeply([ told(0) ], ['INJECT 2 2 1 0 2000'], '... a stop, with its time');
is_deeply(\@said, [], 'nothing is said before it is done');
$injector->answered(1, 1);
$injector->answered(1, 1);
$injector->answered(7, 1);
is_deeply(\@said, ['injected: rank 2 on b is killed (kill:2@0)'], '... and once then');
is_deeply(\@notes, [ [ 'injected', { fault => 'kill:2@0', kind => 'kill', rank => 2 } ] ], 'it is noted');
$injector->begin;
$injector->answered(2, 1);
is($said[1], 'injected: rank 1 on here is stopped for 2 s (stop:1@0+2s)', 'a stop');
is_deeply($notes[1], [ 'injected', { fault => 'stop:1@0+2s', kind => 'stop', rank => 1, seconds => 2 } ], '... is noted with its time');
$injector->finish;
is(scalar @said, 2, 'nothing is left to say') or diag "@said";

# ---- two ranks ----

begin('cut:0-3@0+1500ms');
$injector->begin;
turn(1);
is_deeply([ told(0), told(1) ], [ 'INJECT 1 6 0 3 1500', 'INJECT 1 6 3 0 1500' ], 'a cut is the order of both');
$injector->answered(1, 1);
is_deeply(\@said, [], '... and not done by one');
$injector->answered(1, 1);
is_deeply(\@said, ['injected: the connection between ranks 0 and 3 is cut for 1.5 s (cut:0-3@0+1500ms)'], '... but by both');

begin('cut:0-3@0+1s');
$injector->begin;
turn(1);
$injector->answered(1, 1);
$injector->answered(1, 0);
$injector->finish;
is_deeply(\@said, ['not injected, as nothing was there to fail at that time: cut:0-3@0+1s'], 'where one of them is not there it is none');

# ---- hosts ----

begin('host:b@0,host:here@0,host:c@0');
$injector->begin;
turn(3);
is_deeply([ told(1) ], ['INJECT 0 3 0 0 0'], 'a host falls silent');
is_deeply([ told(0) ], ['INJECT 0 4 0 0 0'], '... but not this machine');
is_deeply(\@said, [ 'injected: host b is lost, with ranks 2-3 (host:b@0)', 'injected: host here is lost, with ranks 0-1 (host:here@0)' ], 'that is said, as they will not');
is_deeply($notes[0], [ 'injected', { fault => 'host:b@0', kind => 'host', host => 'b' } ], '... and noted');
$injector->finish;
is($said[2], 'not injected, as nothing was there to fail at that time: host:c@0', 'a spare has nothing to lose');

# ---- lines ----

begin('diskfull@0,kill:3@0');
$injector->before_run(1);
is_deeply([ told(0), told(1) ], [], 'the disk has room at first');
$injector->begin;
turn(1);
is_deeply([ told(0), told(1) ], [ ('INJECT 0 5 0 0 4294967295') x 2 ], 'a full disk is that of all');
is_deeply(\@said, ['injected: the disk of recovery lines is full from now on (diskfull@0)'], '... as is said');
$injector->before_run(0);
is_deeply([ told(0), told(1) ], [ ('INJECT 0 5 0 0 4294967295') x 2 ], '... and of ranks that begin again, or elsewhere');

begin('diskfull@0+1h');
$injector->begin;
turn(1);
my ($ms) = (told(0))[0] =~ /^INJECT 0 5 0 0 (\d+)\z/;
cmp_ok($ms, '<=', 3600001, 'for a time');
$injector->before_run(1);
cmp_ok((told(0))[0] =~ /(\d+)\z/ && $1, '<=', $ms, '... of which less is left then');
begin('diskfull@0+1ms');
$injector->begin;
turn(1);
told(0);
select undef, undef, undef, 0.01;
$injector->before_run(1);
is_deeply([ told(0) ], [], '... or nothing');

# Line 7 of epoch 2, and a file of epoch 0 of the same number that does not count.
sub make_line
{
	my $folder = $workdir->folder;
	$workdir->{line} = 7;
	mkdir "$folder/line-00000007.e000$_" for 0, 2;
	write_file("$folder/line-00000007.manifest", "FTMPI-LINE 1\nline 7\nepoch 2\n");
	write_file("$folder/line-00000007.e000$_/rank-00001.ckpt", 'contents') for 0, 2;
	return;
}

sub write_file { my ($path, $text) = @_; open my $file, '>:raw', $path or die "$path: $!"; print $file $text; close $file; return }
sub read_file { my ($path) = @_; open my $file, '<:raw', $path or die "$path: $!"; local $/; return scalar <$file> }

begin('corrupt:1@0');
make_line();
$injector->begin;
turn(1);
is(read_file($workdir->folder . '/line-00000007.e0002/rank-00001.ckpt'), "content\x8c", 'a byte of the file that the manifest names is changed');
is(read_file($workdir->folder . '/line-00000007.e0000/rank-00001.ckpt'), 'contents', '... and no other');
is_deeply(\@said, ['injected: a byte of the file of rank 1 in line 7 is changed (corrupt:1@0)'], '... as is said');
is_deeply($notes[0], [ 'injected', { fault => 'corrupt:1@0', kind => 'corrupt', rank => 1, line => 7 } ], '... and noted');

begin('corrupt:1@last');
$injector->begin;
$injector->before_run(0);
$injector->before_run(1);
make_line();
is_deeply(\@said, [], 'without a line there is nothing to change');
$injector->before_run(0);
is_deeply(\@said, [], '... nor when all do not begin again');
$injector->before_run(1);
$injector->before_run(1);
is_deeply(\@said, ['injected: a byte of the file of rank 1 in line 7 is changed (corrupt:1@last)'], 'the first restart that has one, and no other');

begin('corrupt:2@0,corrupt:1@0,corrupt:1@last');
make_line();
my $file = $workdir->folder . '/line-00000007.e0002/rank-00001.ckpt';
my $other = File::Temp->new;
print $other 'mine';
close $other;
unlink $file;
symlink "$other", $file;
$injector->begin;
turn(2);
$injector->finish;
is_deeply(\@said, [ 'not injected, as nothing was there to fail at that time: corrupt:2@0, corrupt:1@0',
	'not injected, as there was no restart with a recovery line: corrupt:1@last' ], 'a file that is not there, or is a link, is left alone');
is(read_file("$other"), 'mine', '... and so is what the link is to');

# ---- what is not injected ----

begin('kill:2@0,kill:0@0,stop:1@1h+1s,kill:3@2h');
$agents[1]{connected} = 0;
$injector->begin;
turn(2);
is_deeply([ told(0), told(1) ], ['INJECT 1 1 0 0 0'], 'a host that is gone is not told');
$injector->finish;
$injector->finish;
is_deeply(\@said, [ 'not injected, as nothing was there to fail at that time: kill:2@0, kill:0@0',
	'not injected, as the job was over before: stop:1@1h+1s, kill:3@2h' ], 'an agent that never answers, and what would have come later');

begin(join ',', ('kill:2@0') x 13);
$phase = 'ending';
$injector->begin;
turn(13);
is_deeply([ told(1) ], [], 'a job that ends is left alone');
$injector->finish;
is_deeply(\@said, [ 'not injected, as nothing was there to fail at that time: ' . join(', ', ('kill:2@0') x 10) . ', and 3 more' ], 'ten are named');

begin('kill:2@0');
$injector->finish;
is_deeply(\@said, ['not injected, as the job was over before: kill:2@0'], 'a job whose ranks never came to MPI_Init');

done_testing();

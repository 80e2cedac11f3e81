#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What comes of a rank that begins again alone, until its new process is there.
use strict;
use warnings;

use Test::More;

use FTMPI::Control         ();
use FTMPI::Launcher::Inbox ();

# An agent, the job, its table of hosts and its streams in one: rank 1 is away.
{
	package Stage;
	sub new        { return bless { away => 1 }, $_[0] }
	sub index      { return 0 }
	sub name       { return 'a' }
	sub hosts      { return $_[0] }
	sub has        { return $_[2] < 2 }
	sub is_away    { return $_[0]{away} && $_[1] == 1 }
	sub last_words { return 'words' }
	sub take       { my ($self, @bytes) = @_; push @{ $self->{wrote} }, "@bytes"; return }
	sub refuse     { $_[0]{refused}++; return }
	sub who        { return 'a' }
	sub phase      { return 'running' }
	sub home       { return $_[1] }
	sub used       { return (0, 1) }
}

my @asked;
{
	package Workdir;
	sub ask_whether_shared { my (undef, @hosts) = @_; push @asked, @hosts; return }
}

my ($stage, @events) = (Stage->new);
my $inbox = FTMPI::Launcher::Inbox->new(
	plan => {}, job => $stage, streams => $stage, log => sub { }, on_folder => sub { }, note => sub { },
	event => sub { my (@event) = @_; push @events, "@event"; $stage->{away} = 0 if $event[0] eq 'started' && $event[1] == 1 });

sub says
{
	my (@frame) = @_;
	if ($frame[0] eq 'NEWS') {
		my (undef, $rank, @news) = @frame;
		my (undef, $type, undef, $body) = unpack 'V v v a*', FTMPI::Control::encode(@news);
		@frame = ('NEWS', $rank, $type, $body);
	}
	$inbox->frame($stage, @frame);
	return;
}

my @of_before = ([ 'EXITED', 1, 0, 9 ], [ 'NEWS', 1, 'ENDING' ], [ 'NEWS', 1, 'LOST', 0, 'x' ], [ 'NEWS', 1, 'SUSPECT', 0, 1000, 7 ],
	[ 'STOPPED', 1, 1000 ], [ 'BROKEN', 1, 'x' ]);
says(@$_) for @of_before;
is_deeply(\@events, [], 'what comes of a rank that is away is of its process before');
says('OUT', 1, 2, 'bye');
is_deeply($stage->{wrote}, ['1 2 bye'], '... but what that has written is shown');
says('NEWS', 0, 'ENDING');
is_deeply([ splice @events ], ['ending 0'], '... and others are heard');
says('STARTED', 1, 4711);
says(@$_) for @of_before;
is_deeply(\@events, [ 'started 1', 'exited 1 0 9 words', 'ending 1', 'lost 1 0 x', 'suspect 1 0 1000', 'stopped 1 1000', 'broken 1 x' ],
	'... as is its new process');
says('EXITED', 2, 0, 9);
is($stage->{refused}, 1, 'an agent that speaks of a rank that it has not is refused');

# Checkpoints of a rank alone.
my @input;
{
	package Input;
	our $AUTOLOAD;
	sub AUTOLOAD { my (undef, @data) = @_; push @input, join ' ', $AUTOLOAD =~ s/.*:://r, map { $_ // 'unknown' } @data; return 1 }
	sub DESTROY { return }
}
sub Workdir::session { return 'name' }
sub checkpoints
{
	my (%plan) = @_;
	($stage, @events, @input) = (Stage->new);
	$stage->{away} = 0;
	$inbox = FTMPI::Launcher::Inbox->new(
		plan => { alone => 1, %plan }, workdir => bless({}, 'Workdir'), job => $stage, streams => $stage, log => sub { }, on_folder => sub { }, note => sub { },
		stdin => sub { bless [], 'Input' }, event => sub { my (@event) = @_; push @events, "@event" });
	return;
}
checkpoints(image => {});
says('OUT', $_, 1, 'x' x (10 + $_)) for 0, 1;
says('OUT', 1, 2, 'oh');
is($inbox->printed(1), '11', 'what has come of its output');
says('PRINTED', 1, 4, 7, 0);
says('NEWS', 0, 'INPUT', 5, 3, 1);
says('PRINTED', 0, 5, 8, 2);
says('NEWS', 0, 'INPUT', 6, 0xffffffff, 0xffffffff);
says('NEWS', 1, 'INPUT', 7, 1, 1);
is_deeply([ map { $inbox->printed($_) } 0, 1 ], [ '10:5=8589934600', '11:4=7' ], '... and had been printed where it stood');
is_deeply([ splice @input ], [ 'noted 5 4294967299', 'noted 6 unknown' ], '... as what rank 0 has read');
says('PRINTED', 1, 6, 9, 0);
says('NEWS', $_, 'SAVED', 5 + $_, 1) for 0, 1;
says('NEWS', 1, 'SAVED', 7, 0);
is($inbox->printed(1), '11:6=9', 'what is before one that is committed is forgotten');
is_deeply([ splice @events ], [ 'saved 0 5 1', 'saved 1 6 1', 'saved 1 7 0' ], '... of which the job hears');
is_deeply([ splice @input ], ['committed 5'], '... and the input of rank 0');
says('NEWS', 1, 'RESTORED', 6, 'name');
is_deeply([ splice(@events), splice @input ], ['goes_on 1 6'], 'a rank that goes on is no line of all');
is($inbox->printed(1), '11:6=9', '... and what has come of it stays');
says('NEWS', 0, 'RESTORED', 5, 'name');
is_deeply([ splice(@events), splice @input ], [ 'goes_on 0 5', 'await_late' ], 'rank 0 is waited for, as it says from where on it gets its input');
says('NEWS', 0, 'INPUT', 0, 3, 1);
is_deeply([ splice(@events), splice @input ], ['go_on its checkpoint 5 4294967299'], '... and gets it from there');
is($inbox->printed(0), '8589934600:5=8589934600', '... and what never came of its output is lost');
says('NEWS', 0, 'INITED', 4711);
is_deeply([ splice(@events), splice @input ], [ 'inited 0', 'go_on' ], '... or from the beginning');
says('NEWS', 0, 'LINE', 3);
is_deeply([ splice(@events), splice @input ], [], 'there are no lines');
says('PRINTED', 2, 1, 0, 0);
is($stage->{refused}, 1, 'an agent that tells of a rank that it has not is refused');
$stage->{away} = 1;
says('PRINTED', 1, 9, 9, 0);
is($inbox->printed(1), '11:6=9', '... and of a process that is gone nothing is believed');

# Of data: the rank comes to its checkpoint in the middle of its program.
sub prints { my ($rank, $bytes) = @_; says('OUT', $rank, 1, 'x' x $bytes); return }
checkpoints();
prints(0, 10);
says('PRINTED', 0, 1, 7, 0);
says('NEWS', 0, 'HELD', 1, '');
says('NEWS', 0, 'SAVED', 1, 1);
is_deeply([ splice(@events), splice @input ], [ 'held 0 1 ', 'saved 0 1 1', 'committed 1' ], 'of data: the job hears of a checkpoint');
says('NEWS', 0, 'INITED', 4711);
says('NEWS', 0, 'RESTORED', 1, 'name');
is_deeply([ splice(@events), splice @input ], [ 'inited 0', 'goes_on 0 1', 'go_on' ], '... and that a rank goes on, whose input is that of its beginning');
says('PRINTED', 0, 1, 7, 0);
is($inbox->printed(0), '10:1=7', '... nothing of its output was lost');
says('PRINTED', 0, 2, 15, 0);
is($inbox->printed(0), '10:1=7:2=15', '... and what lies in its pipe at the next checkpoint has not come');
says('NEWS', 0, 'SAVED', 2, 1);
@events = ();
says('NEWS', 0, 'RESTORED', 2, 'name');
is($inbox->printed(0), '10:2=15', 'what it prints before it stands there is to come first');
prints(0, 2);
says('PRINTED', 0, 2, 15, 0);
is($inbox->printed(0), '15:2=15', '... and what was lost of it by then is known when it does');
@events = ();
says('NEWS', 0, 'RESTORED', 1, 'name');
is_deeply([ map { s/,.*//r } splice @events ], ['cannot a goes on from its checkpoint 1'], 'one that goes back behind a checkpoint that is committed');
checkpoints();
says('PRINTED', 1, 5, 30, 0);
says('PRINTED', 1, 4, 30, 0);
says('NEWS', 1, 'RESTORED', 5, 'name');
says('NEWS', 1, 'RESTORED', 4, 'name');
is(scalar(grep { /^cannot/ } splice @events), 1, '... also where its word did not come');

# ... and in the job of another launcher.
checkpoints(goes_on => {});
prints(1, 3);
says('NEWS', 1, 'RESTORED', 7, 'name');
is($inbox->printed(1), '3', 'in the job of another launcher it is not known where it was');
prints(1, 2);
is($inbox->printed(1), '5', '... until it stands there');
says('PRINTED', 1, 7, 5, 0);
is($inbox->printed(1), '5:7=5', '... and then it is');
@events = ();
says('NEWS', 1, 'RESTORED', 6, 'name');
is(scalar(grep { /^cannot/ } splice @events), 1, '... and none before it counts any more');
checkpoints();
says('NEWS', 1, 'RESTORED', 7, 'name');
says('PRINTED', 1, 8, 5, 0);
says('PRINTED', 1, 7, 9, 0);
is($inbox->printed(1), '0:7=9:8=5', 'one that stands for another one has not come there');
checkpoints();
says('PRINTED', 1, 5, 30, 0);
says('NEWS', 1, 'RESTORED', 7, 'name');
says('PRINTED', 1, 7, 40, 0);
is($inbox->printed(1), '40:7=40', 'where it has come to counts, though nobody has told of it before');

# Whether all hosts share the work directory.
sub asks
{
	my ($uses, %plan) = @_;
	checkpoints(%plan);
	says('NEWS', 1, 'PROGRAM', $uses);
	return join ' ', splice @asked;
}
is(asks(1), '0 1', 'a program that makes checkpoints: do all hosts share the work directory?');
is(asks(0), '', '... and one that does not');
is(asks(0, image => {}), '0 1', '... but with images');

done_testing;

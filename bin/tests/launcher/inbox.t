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
}

my ($stage, @events) = (Stage->new);
my $inbox = FTMPI::Launcher::Inbox->new(
	plan => {}, job => $stage, streams => $stage, on_output => sub { }, log => sub { },
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
	sub AUTOLOAD { my (undef, @data) = @_; push @input, join ' ', $AUTOLOAD =~ s/.*:://r, map { $_ // 'unknown' } @data; return }
	sub DESTROY { return }
}
my $alone = 1;
sub checkpoints
{
	($stage, @events, @input) = (Stage->new);
	$stage->{away} = 0;
	$inbox = FTMPI::Launcher::Inbox->new(
		plan => { alone => $alone, image => {} }, job => $stage, streams => $stage, on_output => sub { }, log => sub { },
		stdin => sub { bless [], 'Input' }, event => sub { my (@event) = @_; push @events, "@event" });
	return;
}
checkpoints();
says('OUT', $_, 1, 'x' x (10 + $_)) for 0, 1;
says('OUT', 1, 2, 'oh');
is($inbox->printed(1), '11', 'what has come of its output');
says('PRINTED', 1, 4, 7, 0);
says('STDIN_READ', 5, 3, 1);
says('PRINTED', 0, 5, 8, 2);
says('STDIN_READ', 6, 0xffffffff, 0xffffffff);
is_deeply([ map { $inbox->printed($_) } 0, 1 ], [ '10:5=8589934600', '11:4=7' ], '... and had been printed where it stood');
is_deeply([ splice @input ], [ 'stands 5 4294967299', 'stands 6 unknown' ], '... as what rank 0 has read');
says('PRINTED', 1, 6, 9, 0);
says('NEWS', $_, 'SAVED', 5 + $_, 1) for 0, 1;
says('NEWS', 1, 'SAVED', 7, 0);
is($inbox->printed(1), '11:6=9', 'what is before one that is committed is forgotten');
is_deeply([ splice @events ], [ 'saved 0 5 1', 'saved 1 6 1', 'saved 1 7 0' ], '... of which the job hears');
is_deeply([ splice @input ], ['stands_no_more_before 5'], '... and the input of rank 0');
says('NEWS', 1, 'RESTORED', 6, 'name');
is_deeply([ splice(@events), splice @input ], ['goes_on 1 6'], 'a rank that goes on is no line of all');
is($inbox->printed(1), '11:6=9', '... and what has come of it stays');
says('NEWS', 0, 'RESTORED', 5, 'name');
is_deeply([ splice(@events), splice @input ], [ 'goes_on 0 5', 'go_on 5' ], 'rank 0 gets its input from there');
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

done_testing;

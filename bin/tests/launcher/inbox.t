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

done_testing;

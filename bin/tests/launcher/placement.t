#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Where ranks go whose host has failed.
use strict;
use warnings;

use Test::More;

use FTMPI::Launcher::Placement ();

# "spare:2" is a spare of two slots, "used:2+1" a host of two slots that has one rank.
sub placed
{
	my ($ranks, $hosts) = @_;
	my @hosts;
	for my $word (split ' ', $hosts) {
		my ($kind, $slots, $load) = $word =~ /^(\w+):(\d+)(?:\+(\d+))?\z/;
		push @hosts, { kind => $kind, slots => $slots, load => $load // 0 };
	}
	my $place = FTMPI::Launcher::Placement::find([ split ' ', $ranks ], \@hosts) or return 'nowhere';
	return join ' ', map { "$_>$place->{$_}" } sort { $a <=> $b } keys %$place;
}

for my $case (
	[ '2 3',       'used:2+2 none:2 spare:2',           '2>2 3>2',             'to a spare' ],
	[ '2 3',       'used:2+2 none:2 spare:1 spare:4',   '2>2 3>3',             '... and the next one' ],
	[ '2 3 4',     'used:2+2 none:2 spare:1',           '2>2 3>0 4>0',         'the rest is packed' ],
	[ '2 3 4',     'used:1+1 none:2 spare:1',           '2>2 3>0 4>2',         '... also onto spares' ],
	[ '2 3',       'used:4+2 none:2',                   '2>0 3>0',             'slots that are free' ],
	[ '4 5 6',     'used:4+2 used:2+2 none:4',          '4>0 5>0 6>0',         'the emptiest by slots' ],
	[ '4 5 6 7',   'used:2+2 used:2+2 none:4',          '4>0 5>1 6>0 7>1',     'evenly when all are full' ],
	[ '6 7 8 9 10 11', 'used:4+4 used:2+2 none:6',      '6>0 7>0 8>1 9>0 10>0 11>1', '... by slots' ],
	[ '0 1',       'last:1 none:4 last:4',              '0>0 1>2',             'hosts that failed, when there is no other' ],
	[ '0 1 2',     'last:1',                            '0>0 1>0 2>0',         '... packed' ],
	[ '0 1',       'last:4 used:1+1',                   '0>1 1>1',             '... and not otherwise' ],
	[ '0 1',       'last:4 spare:1',                    '0>1 1>1',             '... nor with a spare' ],
	[ '0',         'none:1 none:2',                     'nowhere',             'no host is left' ],
	[ '',          'used:1+1',                          '',                    'nothing to place' ],
	)
{
	my ($ranks, $hosts, $want, $name) = @$case;
	is(placed($ranks, $hosts), $want, $name);
}

done_testing;

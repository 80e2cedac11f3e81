# SPDX-License-Identifier: BSD-3-Clause
#
# Options that other launchers have, and what is here in their place: what is answered to them, and a part of
# the manual page. Pure.
package FTMPI::Cli::OtherLaunchers;

use strict;
use warnings;

my $BY_HAND = 'taskset(1) or numactl(8) in a script of each rank, by FTMPI_LOCAL_RANK and with -bind none, does what else is wanted';

# names, answer
my @TABLE = (
	[ [qw(H)], 'write -host LIST' ],
	[ [qw(N ppn perhost npernode)], 'the slots of -host or -machinefile say how many ranks a host gets, as in -n 8 -host a:4,b:4' ],
	[ [qw(wd)], 'write -wdir DIR' ],
	[ [qw(l prepend-rank)], 'write -tag-output' ],
	[ [qw(output-filename)],
		'a script of each rank can append to a file of its own (with > the file is emptied when the rank begins again, also in an image job),'
			. ' as in -n 4 sh -c \'exec ./prog >>out.$FTMPI_RANK\'' ],
	[ [qw(genvall)], 'ranks on this machine have all variables; -x VAR gives one of them to the ranks on other hosts, too' ],
	[ [qw(mca gmca)], '-transport chooses how ranks of one host speak with each other, -iface the network, -bind their processors' ],
	[ [qw(map-by rank-by)], "ranks fill the slots of one host after the other; -bind gives them processors in that order, and $BY_HAND" ],
	[ [qw(report-bindings)], '-v tells the processors of each rank' ],
	[ [qw(display-map)], '-v tells the host and the processors of each rank' ],
	[ [qw(bootstrap)], 'write -launcher NAME' ],
	[ [qw(launcher-exec bootstrap-exec)], 'write -ssh CMD' ],
	[ [qw(rmk)], 'leave it out: hosts of a batch job are taken from its environment' ],
	[ [qw(q)], 'leave it out: ftmpirun prints only notes and failures unless -v is given' ],
	[ [qw(V)], 'write -version' ],
);

my %ANSWER = map {
	my ($names, $answer) = @$_;
	map { $_ => $answer } @$names
} @TABLE;

sub table { return @TABLE }

# What a user of this option is told, or nothing.
sub answer
{
	my ($name) = @_;
	return $ANSWER{$name};
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Messages and collectives of more than 2 GiB.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

use constant GIB_NEEDED => 12;

sub right
{
	my ($ranks, $case, @words) = @_;
	FTMPI::Test::Job->run([ ftmpirun(), '-n', $ranks, program('load'), $case, @words ])
		->well(qr/^load: right, $case, $ranks ranks$/m, join(' ', "$ranks ranks:", $case, @words));
	return;
}

sub gib_available
{
	open(my $in, '<', '/proc/meminfo') or die "/proc/meminfo: $!\n";
	my ($kib) = join('', <$in>) =~ /^MemAvailable:\s+(\d+) kB/m;
	return $kib >> 20;
}

my $gib = gib_available();
plan skip_all => 'messages of more than 2 GiB need ' . GIB_NEEDED . " GiB of memory, and $gib are free"
	if $gib < GIB_NEEDED;

right(2, $_) for qw(large large-counts large-holes large-collectives);
right(3, 'large-collectives');

done_testing();

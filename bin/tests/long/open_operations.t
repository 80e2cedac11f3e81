# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/fault/open_operations.t at length: seeds 1 to 40, 2 to 8 ranks on 1 to 4 hosts, each protocol, 10 to 24
# random kills and more in each run. FTMPI_TEST_SEEDS=7..12 runs some of them.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Kills   qw(open_operations);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my ($first, $last) = ($ENV{FTMPI_TEST_SEEDS} // '1..40') =~ /\A(\d+)\.\.(\d+)\z/
	or die "FTMPI_TEST_SEEDS is not FIRST..LAST\n";
my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my @parts   = FTMPI::Test::Kills::parts();

# From the seed, each in its own rhythm.
sub chosen { my ($seed, @from) = @_; return $from[$seed % @from] }

sub run_seed
{
	my ($seed, %option) = @_;
	my $hosts = chosen($seed, 1 .. 4);
	my $ranks = chosen($seed, 2 .. 8);
	my $slots = int(($ranks + $hosts - 1) / $hosts);
	FTMPI::Test::Kills::killed(%option, seed => $seed, ranks => $ranks,
		kills => chosen($seed, 10, 14, 19, 24),
		where => " on $hosts hosts",
		run   => ['-ssh', $cluster->ssh, '-machinefile',
			$cluster->machine_file(map { "node$_ slots=$slots" } 1 .. $hosts)],
		inside => sub { $cluster->host(4)->inside(@_) });
	return;
}

for my $seed ($first .. $last) {
	my $coord = chosen($seed, qw(eventlog blocking compare blocking eventlog tagging));
	run_seed($seed, open_operations($coord, chosen($seed, @parts, join ',', @parts), chosen($seed, 3, 12, 25, 40)));
	run_seed($seed, program => 'mixed', coord => $coord,
		args => [qw(-only comms -made 10), $seed % 5 == 0 ? '-across' : ('-skew', $coord eq 'blocking' ? 0 : 7)]);
}

done_testing();

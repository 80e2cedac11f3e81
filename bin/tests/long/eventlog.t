# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/fault/eventlog.t at length: seeds 1 to 50, 2 to 8 ranks on 1 to 4 hosts, 10 to 30 random kills
# and more in each run. FTMPI_TEST_SEEDS=7..12 runs some of them.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Kills   ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my ($first, $last) = ($ENV{FTMPI_TEST_SEEDS} // '1..50') =~ /\A(\d+)\.\.(\d+)\z/
	or die "FTMPI_TEST_SEEDS is not FIRST..LAST\n";
my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

# From the seed, each in its own rhythm.
sub chosen { my ($seed, @from) = @_; return $from[$seed % @from] }

sub run_seed
{
	my ($seed, $program, @args) = @_;
	my $hosts = chosen($seed, 1 .. 4);
	my $ranks = chosen($seed, 2 .. 8);
	my $slots = int(($ranks + $hosts - 1) / $hosts);
	FTMPI::Test::Kills::killed(program => $program, seed => $seed, ranks => $ranks, args => \@args,
		kills => chosen($seed, 10, 14, 19, 24, 30),
		coord => chosen($seed, qw(eventlog compare eventlog tagging eventlog compare)),
		where => " on $hosts hosts",
		run   => ['-ssh', $cluster->ssh, '-machinefile',
			$cluster->machine_file(map { "node$_ slots=$slots" } 1 .. $hosts)],
		inside => sub { $cluster->host(4)->inside(@_) });
	return;
}

for my $seed ($first .. $last) {
	run_seed($seed, 'mixed', '-max', 1048576, '-skew', chosen($seed, 0, 3, 12, 25, 40), '-ckpt', chosen($seed, 4, 10, 17));
	run_seed($seed, chosen($seed, qw(mail cgs pi)));
}

done_testing();

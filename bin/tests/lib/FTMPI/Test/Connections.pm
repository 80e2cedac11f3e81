# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Connections;

# Connections between the hosts of a cluster that are cut while both ends live, as a firewall or a
# router does it.

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use FTMPI::Test::Process qw(run_quiet);

our @EXPORT_OK = qw(cut ports);

# The ports at which the ranks of a job that was started with -vv wait for each other, and for heartbeats.
sub ports
{
	my ($job) = @_;
	return map { split / / } $job->err =~ /^ftmpirun: host \S+: ranks? \S+ at \S+, ports? ([\d ]+)$/gm;
}

# Those of one host to or from the other, at these ports: how many.
sub cut
{
	my ($host, $other, @ports) = @_;
	my $which = join ' or ', map { "sport = :$_ or dport = :$_" } @ports;
	my ($status, $said) = run_quiet($host->inside('ss', '-K', '-H', 'state', 'established', 'dst', $other->address, "( $which )"));
	return $status ? Test::More::diag($said) && 0 : scalar(() = $said =~ /\n/g);
}

1;

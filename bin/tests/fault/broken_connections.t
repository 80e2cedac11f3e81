# SPDX-License-Identifier: BSD-3-Clause
#
# Connections between ranks of two hosts break while all live (ss -K, as a firewall or a router does it): they are made
# again, nothing is lost, and nobody begins again.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster     ();
use FTMPI::Test::Connections qw(cut ports);
use FTMPI::Test::Fault       ();
use FTMPI::Test::Process     qw(patience);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

use constant BREAKS => 20;

my $cluster = FTMPI::Test::Cluster->new(hosts => 3);
my ($node1, $node2, $node3) = $cluster->hosts;
my $machines = $cluster->machine_file('node1 slots=2', 'node2 slots=2');

sub at_rest { my ($name) = @_; return $cluster->at_rest($name) }

for my $case ([ 'blocking' ], [ 'eventlog', qw(-skew 20) ]) {
	my ($coord, @args) = @$case;
	my $name  = "$coord, connections break";
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => $coord, args => [ qw(-steps 120 -ckpt 10 -trace), @args ],
		run    => [ '-vv', '-ssh', $cluster->ssh, '-machinefile', $machines ],
		inside => sub { $node3->inside(@_) },
		rest   => \&at_rest);
	my $job = $fault->job;
	$fault->wait_for(out => qr/^line after round /m);
	my @ports  = ports($job);
	my $cut    = 0;
	for (my $i = 0; $i < BREAKS && !defined $job->status; $i++) {
		$cut += cut($i % 2 ? ($node1, $node2) : ($node2, $node1), @ports);
		my $rounds = () = $job->out =~ /^round /gm;
		$job->take(time + patience(5)) while !defined $job->status && (() = $job->out =~ /^round /gm) == $rounds && %{ $job->{open} };
	}
	cmp_ok($cut, '>', BREAKS / 2, "$name: connections were cut");
	$fault->survived($name, restarts => 0);
	$job->err_like(qr/^rank \d on node\d: the connection to rank \d broke \([^)]+\), and was made again$/m, "$name: it is said");
}

done_testing();

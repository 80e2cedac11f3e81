# SPDX-License-Identifier: BSD-3-Clause
#
# The host of the keeper of a job under message logging is cut off for longer than the keeper is waited for: the keeper there ends
# by itself, another one is begun again and again, and comes up when the host is there again.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Cluster ();
use FTMPI::Test::Process qw(patience wait_gone);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

# Ranks on the first two; the keeper on node3, ftmpirun on node4.
my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

sub keepers { return grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $cluster->host(3)->pids }

my $fault = FTMPI::Test::Choices->start(ranks => 4, rounds => 200,
	run => [ '-vv', '-ssh', $cluster->ssh, '-machinefile', $cluster->machine_file(map { "node$_ slots=2" } 1, 2), qw(-keeper-hosts node3) ],
	inside => sub { $cluster->host(4)->inside(@_) },
	rest   => sub { return $cluster->at_rest($_[0]) });
$fault->wait_for(out => qr/^round 20$/m);
my %ranks = $fault->pids;
my @old   = keepers();
is(scalar @old, 1, 'there is a keeper on node3');
$cluster->host(3)->cut;
$fault->wait_for(err => qr/^ftmpirun: the keeper on node3 hangs, and does not answer for 30 s; its connection was ended, and it is started again\.$/m);
my @left = wait_gone(time + patience(60), @old);
is("@left", '', 'the one that is cut off ends by itself');
$cluster->host(3)->heal;
my $seen = () = $fault->job->err =~ /^ftmpirun: the keeper is on node3, and listens at/mg;
$fault->wait_for(err => qr/(?:^ftmpirun: the keeper is on node3, and listens at.*?){@{[ $seen + 1 ]}}/ms);
is_deeply({ $fault->pids }, \%ranks, 'the ranks are the same processes');
$fault->open_gate;
$fault->survived('the host of the keeper was away', 0);
done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging with a keeper that is stopped: no process ends, and no connection breaks, but ranks wait for it. It is
# noticed by ftmpirun, and no rank goes back.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Process qw(patience wait_gone);

FTMPI::Test::Fault::alone();

my $fault = FTMPI::Test::Choices->start;
$fault->wait_for(out => qr/^round 20$/m);
my %ranks = $fault->pids;
my @keepers = grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $fault->job->pids;
is(scalar @keepers, 1, 'there is a keeper');
kill 'STOP', @keepers;
$fault->wait_for(err => qr/^ftmpirun: the keeper \(process \d+\) was stopped, and does not answer for 5 s; it was killed, and is started again\.$/m);
my @left = wait_gone(time + patience(60), @keepers);
is("@left", '', 'it is killed');
is_deeply({ $fault->pids }, \%ranks, 'the ranks are the same processes');
$fault->open_gate;
$fault->survived('the keeper is stopped', 0);
unlike($fault->job->err, qr/was killed by signal/, '... and its end is not told once more');
done_testing();

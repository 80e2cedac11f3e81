# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks are killed at random moments, many times in one job. eventlog.t has it under other protocols,
# bin/tests/long/kills.t has more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(sanitized);
use FTMPI::Test::Kills ();

FTMPI::Test::Fault::alone();

# a sanitizer needs minutes for each program's ten
my $kills = sanitized('mixed') ? 3 : 10;

FTMPI::Test::Kills::killed(coord => 'blocking', program => 'mail', seed => 1, kills => $kills, args => [qw(-bytes 200000)]);
FTMPI::Test::Kills::killed(coord => 'blocking', program => 'cgs', seed => 2, kills => $kills);
FTMPI::Test::Kills::killed(coord => 'blocking', program => 'mixed', seed => 3, kills => $kills,
	args => [ sanitized('mixed') ? () : ('-max', 1048576) ]);

done_testing();

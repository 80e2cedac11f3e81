# SPDX-License-Identifier: BSD-3-Clause
#
# Launcher and agents do not interrupt what computes when they wake up (SCHED_BATCH). Ranks have the policy that ftmpirun was started with, and
# so do those that begin again; one that the user has chosen is everybody's.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib", "$FindBin::Bin/../../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun);

use constant { OTHER => 0, BATCH => 3, IDLE => 5 };

# The policy of a process is the 41st field of its stat, where the name of none of these has a space.
my $ask = 'policy() { cut -d" " -f41 "/proc/$1/stat"; }; parent() { cut -d" " -f4 "/proc/$1/stat"; };'
	. ' deputy() { pgrep -P "$(parent $PPID)" -x ftmpi-deputy; };';
my $tell = $ask . ' echo "rank $(policy self) agent $(policy $PPID) launcher $(policy $(parent $PPID)) guard $(policy $(pgrep -P $PPID -x ftmpi-guard))."';

for my $case (
	[ 'of ftmpirun alone',                OTHER, BATCH ],
	[ 'an agent that is no fork of ours', OTHER, BATCH, 'sh', '-c', 'ulimit -S -n 64; exec "$@"', 'sh' ],
	[ 'a policy that the user has chosen', BATCH, BATCH, qw(chrt -b 0) ],
	[ 'another one',                      IDLE,  IDLE,  qw(chrt -i 0) ],
	)
{
	my ($name, $rank, $ours, @before) = @$case;
	FTMPI::Test::Job->run([ @before, ftmpirun(), '-n', 1, 'sh', '-c', $tell ])
		->well(qr/^rank $rank agent $ours launcher $ours guard $ours\.$/m, $name);
}

# In a process of its own: the first one is killed.
{
	my $dir = File::Temp->newdir('ftmpi-gives-way-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-n 1 -restart-from-start sh -c), "$ask echo \"rank \$(policy self).\"; mkdir $dir/once 2> /dev/null && kill -9 \$\$; exit 0" ]);
	$job->is_status(0, 'a rank that begins again');
	is($job->out, "rank ${\OTHER}.\n" x 2, '... has the same policy') or diag $job->saw;
}

# The deputy comes later.
FTMPI::Test::Job->run([ ftmpirun(), '-n', 1, 'sh', '-c', "$ask until deputy > /dev/null; do sleep 0.1; done; echo \"deputy \$(policy \$(deputy)).\"" ])
	->well(qr/^deputy ${\BATCH}\.$/m, 'the deputy');

done_testing;

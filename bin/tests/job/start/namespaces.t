# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that have namespaces of their own, as in a container each, talk over TCP, and -vv tells why; under -transport shm the
# job ends, with the reason.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

for my $case (
	[ [qw(--pid --fork --mount-proc)], qr/its process cannot be seen: another PID namespace\?/ ],
	[ [qw(--user --map-root-user)],    qr/its memory may not be opened: another user namespace, or not dumpable\?/ ],
	)
{
	my ($namespace, $says) = @$case;
	my @rank = ('unshare', @$namespace, program('pingpong'));
	SKIP: {
		my ($status) = run_quiet('unshare', @$namespace, 'true');
		skip "no unshare @$namespace here", 4 if $status != 0;
		my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-vv -transport auto -n 2), @rank ]);
		$job->is_status(0, "@$namespace");
		$job->err_like(qr/: peer \d: no memory is shared: $says$/m, '... -vv tells why');
		$job = FTMPI::Test::Job->run([ ftmpirun(), qw(-transport shm -n 2), @rank ]);
		$job->is_status(1, '-transport shm');
		$job->err_like(qr/ broke: no memory can be shared with it \($says\); -transport auto would use TCP;/, '... the reason');
	}
}

done_testing();

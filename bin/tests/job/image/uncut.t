# SPDX-License-Identifier: BSD-3-Clause
#
# Signals that bring a program to a safe point are not to be seen in its system calls: none has done a part of its work
# only, none ends with EINTR. That no line may be made is all the same here.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-uncut-XXXXXX', TMPDIR => 1);

for my $call (qw(getrandom read readv sendfile write writev pselect epoll_pwait msgrcv recv)) {
	subtest $call => sub {
		my $job = FTMPI::Test::Job->start([ ftmpirun(), '-n', 2, qw(-image -ckpt-interval 0.02 -workdir), "$dir", program('uncut'), $call ]);
		$job->finish;
		$job->is_status(0, 'the end');
		$job->out_like(qr/^uncut: 0 wrong, \Q$call\E$/m, 'none is disturbed') or diag $job->saw;
		$job->none_left($call);
	};
}

done_testing();

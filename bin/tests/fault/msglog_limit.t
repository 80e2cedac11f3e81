# SPDX-License-Identifier: BSD-3-Clause
#
# -log-limit: what a rank keeps of what it has sent is bounded where its receiver makes checkpoints, and a job goes on where that
# makes none.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use File::Temp       qw(tempdir);
use FTMPI::Test::Job  qw(ftmpirun program sanitized);

use constant { MESSAGES => 2000, MESSAGE_KIB => 64, LIMIT_KIB => 16 << 10 };

my $grows = qr/^rank 0 on \S+: MPI_Send: the log of what this rank has sent has reached -log-limit, and (.*), so it grows \(this is said once\)$/m;

# By how much the memory of rank 0 has grown, in KiB.
sub grown
{
	my ($name, $env, @options) = @_;
	my $work = tempdir(CLEANUP => 1);
	my $job  = FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog), @options, '-workdir', $work, qw(-n 2), program('one_way'), MESSAGES ], env => $env);
	my ($kib) = $job->out =~ /^one_way: right, grown by (\d+) KiB$/m;
	$job->is_status(0, "$name: it ends well");
	ok(defined $kib, '... with the right messages');
	$job->none_left($name);
	return ($kib // 0, $job->err);
}

my @limit = ('-log-limit', LIMIT_KIB . 'K');
my ($kib, $err);

if (!sanitized('one_way')) {
	($kib, $err) = grown('checkpoints', {}, @limit, qw(-image -ckpt-interval 60));
	cmp_ok($kib, '<', 2 * LIMIT_KIB, 'the log is bounded, though no checkpoint is due');
	unlike($err, $grows, '... and nothing is said');
	($kib, $err) = grown('no checkpoint can be made', { FTMPI_FAULT => 'image-write:1:0:1:kill' }, @limit, qw(-image -image-patience 0.2));
	cmp_ok($kib, '>=', MESSAGE_KIB * MESSAGES - LIMIT_KIB, 'the log is not bounded where no checkpoint can be made');
	is(join(' | ', $err =~ /$grows/g), 'no checkpoint of a receiver came that would let it shrink', '... and that is said once');
}
(undef, $err) = grown('no images', {}, @limit);
is(join(' | ', $err =~ /$grows/g), 'a send waits for checkpoints of images (-image) alone', 'nor is it without images');
done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# A peer authenticates itself and then sends what no rank may send. The receiver names the peer and the reason
# and fails the call that waits for this peer; it does not crash, hang or use the data.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Hand     qw(free_ports start_rank attach_to);
use FTMPI::Test::Job      qw(program);
use FTMPI::Test::Stranger qw(say_to heard hear_end frame);

use constant { DEADLINE => 30, FRAME => 64, LIMIT => 2 << 20 };

# What rank 0 waits for: an int with tag 99 from rank 1 in MPI_COMM_WORLD.
use constant WANTED => (envelope => [0, 99, 1, 0]);

my $broke = qr/the peer broke the protocol/;
my $stale = qr/the peer belongs to another epoch/;
my $went  = qr/it closed the connection/;

# name, what rank 1 says (then it hangs up), and the reason that rank 0 gives
my @cases = (
	['nothing', '', $went],
	['half a frame', substr(frame('EAGER', seq => 1), 0, 30), $went],
	['a message without its end', frame('EAGER', seq => 1, length => 100, WANTED) . 'x' x 50, $went],
	['an unknown kind', frame(17), $broke],
	['a payload read of what was never announced', frame('PULLED', id => 1), $broke],
	['memory that was declined', frame('MEMORY'), $broke],
	['memory that was not offered any more', frame('TAKEN', id => $$, length => 0), $broke],
	['an offer by the higher rank', frame('OFFER', id => $$, length => 0), $broke],
	['a second refusal', frame('DECLINED'), $broke],
	['no kind', frame(0), $broke],
	['a kind of 255', frame(255), $broke],
	['padding that is not zero', frame('CREDIT') | "\0\0\1", $broke],
	['noise', join('', map { chr(($_ * 7919) % 251) } 9 .. 5000), $broke],
	['another epoch', frame('EAGER', seq => 1, epoch => 1, WANTED), $stale],
	['a first message that is not number 1', frame('EAGER', seq => 2, WANTED), $broke],
	['the same number twice', frame('EAGER', seq => 1) x 2, $broke],
	['an announcement out of order', frame('RTS', seq => 7, length => 4, WANTED), $broke],
	['an eager message of a huge length', frame('EAGER', seq => 1, length => ~0, WANTED), $broke],
	['an eager message longer than any', frame('EAGER', seq => 1, length => (1 << 20) + 1), $broke],
	['more than there is room for',
		frame('EAGER', seq => 1, length => 1 << 20) . 'x' x (1 << 20)
			. frame('EAGER', seq => 2, length => 1 << 20), $broke],
	['an announcement of a huge length', frame('RTS', seq => 1, length => ~0, WANTED), $broke],
	['a payload that nobody asked for', frame('DATA', length => 4, peer_id => 1) . 'data', $broke],
	['a request for what was never announced', frame('CTS', id => 1), $broke],
	['a request that was never announced, either', frame('CTS', id => ~0), $broke],
	['the answer to a question that nobody asked', frame('WITHDRAWN', id => 1), $broke],
	['a receive for what was never announced', frame('MATCHED', id => 1), $broke],
	['a synchronous announcement out of order', frame('SYNC', seq => 7, length => 4, WANTED), $broke],
	['more credit than was used', frame('CREDIT', credit => 1), $broke],
	['all the credit there is', frame('CREDIT', credit => ~0 & 0xffffffff), $broke],
	['a message after the goodbye', frame('BYE') . frame('EAGER', seq => 1), $broke],
	['an announcement after the goodbye', frame('BYE') . frame('RTS', seq => 1), $broke],
	['what is allowed, and then what is not',
		join('', frame('EAGER', seq => 1, envelope => [77, -5, -7, ~0 & 0xffffffff]),
			frame('WITHDRAW', id => 12345), frame('RTS', seq => 2, length => 1 << 48),
			frame('WITHDRAW', id => 0), frame('SYNC', seq => 3, id => 5), frame('OPEN', id => 4711), frame('CREDIT'), frame('BYE'), frame('BYE'), frame(99)),
		$broke],
);

# A rank 0 that waits for rank 1, and rank 1's connection to it.
sub waiting
{
	my ($case) = @_;
	my $base = free_ports(2);
	my $job  = start_rank(0, 2, $base, [program('badcall'), $case // 'hang'],
		{FTMPI_UNEXPECTED_LIMIT => LIMIT});
	$job->wait_for(out => qr/^rank 0 waits$/m) or return;
	my $s = attach_to($base, 1, 0, time + DEADLINE);
	ok($s, 'rank 1 is welcome') or diag($job->saw);
	return ($job, $s);
}

sub ends_with
{
	my ($job, $reason, $name) = @_;
	$job->finish;
	ok($job->status > 0 && $job->status < 128, "$name: an error status") or diag($job->saw);
	$job->err_like(qr/\Arank 0 on 127\.0\.0\.1: lost rank 1 on 127\.0\.0\.1: $reason\n/, $name);
	$job->err_like(qr/^rank 0 on 127\.0\.0\.1: MPI_Recv: MPI_ERR_PROC_ABORTED: rank 1 is gone\n\z/m,
		$name);
	return;
}

for my $case (@cases) {
	my ($name, $words, $reason) = @$case;
	subtest $name => sub {
		my ($job, $s) = waiting() or return fail('rank 0 does not wait');
		$s->blocking(1);
		say_to($s, $words);
		shutdown($s, 1) if $reason eq $went;
		ok(defined hear_end($s, time + DEADLINE), 'rank 0 hangs up') or $job->signal('KILL');
		ends_with($job, $reason, $name);
	};
}

# Rank 0 asks for an announced message, and gets another one than that.
subtest 'a payload of another length than announced' => sub {
	my ($job, $s) = waiting() or return fail('rank 0 does not wait');
	say_to($s, frame('RTS', seq => 1, id => 4711, length => 4, WANTED));
	my $asked = heard($s, FRAME, time + DEADLINE) // '';
	my ($kind, $id, $peer_id) = unpack 'C x23 Q< Q<', $asked;
	is_deeply([$kind, $id], [3, 4711], 'rank 0 asks for it');
	say_to($s, frame('DATA', peer_id => $peer_id, length => 1 << 40));
	defined hear_end($s, time + DEADLINE) or $job->signal('KILL');
	ends_with($job, $broke, 'a longer one');
};

subtest 'a payload for an id of another generation' => sub {
	my ($job, $s) = waiting() or return fail('rank 0 does not wait');
	say_to($s, frame('RTS', seq => 1, id => 4711, length => 4, WANTED));
	my ($kind, $id, $peer_id) = unpack 'C x23 Q< Q<', heard($s, FRAME, time + DEADLINE) // '';
	is_deeply([$kind, $id], [3, 4711], 'rank 0 asks for it');
	say_to($s, frame('DATA', peer_id => $peer_id ^ 1 << 40, length => 4) . 'data');
	defined hear_end($s, time + DEADLINE) or $job->signal('KILL');
	ends_with($job, $broke, 'the same place, another generation');
};

# To a program that goes on, calls for a rank that is gone fail; they were not cancelled.
subtest 'receives from a rank that is gone' => sub {
	my ($job, $s) = waiting('gone') or return fail('rank 0 does not wait');
	shutdown($s, 2);
	$job->finish;
	is_deeply([ grep { /^badcall/ } split /\n/, $job->out ],
		[
			'badcall: a receive posted before failed',
			'badcall: a receive posted afterwards failed, not cancelled',
			'badcall: a send and a receive failed',
			'badcall: a receive taken back is cancelled',
		],
		'they fail')
		or diag($job->saw);
};

done_testing();

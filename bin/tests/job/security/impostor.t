# SPDX-License-Identifier: BSD-3-Clause
#
# An attacker between two ranks who has recorded all that they sent, and one who listens at the address of a
# rank: neither authenticates with recorded bytes, and no rank gives up or believes them.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Hand     qw(free_ports start_rank hand_job attach_to answer verdict WELCOME);
use FTMPI::Test::Job      qw(program);
use FTMPI::Test::Process  qw(wait_readable);
use FTMPI::Test::Relay    ();
use FTMPI::Test::Stranger qw(call say_to heard hear_end last_words open_here challenge CHALLENGE PROOF
	VERDICT);

use constant { DEADLINE => 60, HELLO => 68, FRAME => 64 };

# Longer than a rank waits for a handshake of somebody it does not know.
use constant A_WHILE => 6;

sub soon { return time + DEADLINE }

my ($by_caller, $by_called);

subtest 'a job through somebody who listens' => sub {
	my $base = free_ports(4);
	my $far  = $base + 2;
	# each rank takes the relay for the other: 0 listens on base, 1 on far + 1
	my ($near_one) = open_here($base + 1);
	my ($far_zero) = open_here($far);
	my $relay = FTMPI::Test::Relay->start($near_one => $far + 1, $far_zero => $base);
	my @jobs = (start_rank(0, 2, $base, [program('passnum'), 100]),
		start_rank(1, 2, $far, [program('passnum'), 100]));
	$_->finish for @jobs;
	$jobs[0]->well(qr/^passnum: right, number 300 /m, 'it is right');
	$jobs[1]->well(qr/\A\z/, 'rank 1');
	($by_caller, $by_called) = @{($relay->stop)[0] // ['', '']};
	cmp_ok(length $by_caller, '>', HELLO + PROOF + FRAME, 'what rank 0 said is known');
	cmp_ok(length $by_called, '>', CHALLENGE + VERDICT,   'and what rank 1 said');
};

# Both ranks begin anew, with the same secret: the session is the same, too.
subtest 'what rank 0 said before is said to rank 1 again' => sub {
	my $base = free_ports(2);
	my $job = start_rank(1, 2, $base, [program('badcall'), 'hang']);
	$job->wait_for(out => qr/^rank 1 waits$/m) or return fail('no rank 1');
	my $s = call('127.0.0.1', $base + 1);
	say_to($s, $by_caller);
	my $said = hear_end($s, soon());
	is(length $said, CHALLENGE, 'it is challenged, and not let in');
	isnt($said, substr($by_called, 0, CHALLENGE), 'by another challenge than before');
	my $peer = attach_to($base + 1, 0, 1, soon());
	ok($peer, 'rank 0 itself is let in after that');
	$job->signal('KILL');
	$job->finish;
};

# The next connection that a rank makes to this listener, and its hello.
sub called
{
	my ($listener) = @_;
	wait_readable(soon(), $listener) or die "nobody calls\n";
	accept(my $s, $listener) or die "accept: $!\n";
	$s->blocking(0);
	return ($s, heard($s, HELLO, soon()) // '');
}

# Everything that can be in the place of a challenge, and is none.
my @wrong = (
	['what rank 1 said before', sub { $by_called }],
	['another secret', sub { challenge({secret => 'z' x 32}, $_[0]) }],
	['the challenge to another hello', sub { challenge(hand_job(), 'h' x HELLO) }],
	['a few words', sub { "SSH-2.0-OpenSSH\r\n" }],
	['garbage', sub { join '', map { chr(($_ * 7919) % 251) } 1 .. 500 }],
);

subtest 'somebody else where rank 1 should be' => sub {
	my $base = free_ports(2);
	my ($listener) = open_here($base + 1);
	my $job = start_rank(0, 2, $base, [program('passnum'), 10]);
	for my $case (@wrong) {
		my ($name, $words) = @$case;
		my ($s, $hello) = called($listener);
		is(length $hello, HELLO, 'rank 0 says hello');
		say_to($s, $words->($hello));
		is(last_words($s, soon()), '', "$name: it says no more, and hangs up");
	}
	for my $case (['a hang-up' => ''], [nonsense => verdict(7)], ['a word in place of it' => 'no']) {
		my ($name, $words) = @$case;
		my ($s, $hello) = called($listener);
		my (undef, $right) = answer($s, $hello, soon());
		ok($right, 'rank 0 proves itself to rank 1');
		say_to($s, $words);
		shutdown($s, 1);
		is(last_words($s, soon()), '', "no verdict but $name: it hangs up");
	}
	my ($s, $hello) = called($listener);
	my (undef, $right) = answer($s, $hello, soon());
	ok($right, 'rank 0 tries again');
	ok(!wait_readable(time + A_WHILE, $s), 'and waits for a verdict that takes its time');
	say_to($s, verdict(WELCOME));
	is(length(heard($s, FRAME + 8, soon()) // ''), FRAME + 8, 'then it sends what it has to say');
	$job->signal('KILL');
	$job->finish;
};

done_testing();

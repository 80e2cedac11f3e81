# SPDX-License-Identifier: BSD-3-Clause
#
# Floods of unauthenticated connections: more than a rank is willing to hold, all the time, while ranks that are
# not connected yet connect to each other. Every rank gets through, the answer is right, the log stays short and
# no descriptor is left open.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use POSIX      ();
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::ConnectLater ();
use FTMPI::Test::Flood    ();
use FTMPI::Test::Hand     qw(free_ports start_rank hand_job verdict WELCOME);
use FTMPI::Test::Job      qw(program sanitized);
use FTMPI::Test::Stranger qw(call say_to heard last_words hello proof CHALLENGE VERDICT);

use constant { RANKS => 8, DEADLINE => 120, MOST_LINES => 1000, MOST_KIB => 16 << 10 };

# Strangers of each kind that a rank holds at most.
use constant HELD => 128;

# The connection between two ranks is the one that the higher accepts.
use constant VICTIMS => (RANKS - 2, RANKS - 1);

# What a rank has said of strangers: lines, and strangers in all.
sub told_of
{
	my ($log) = @_;
	my $lines = () = $log =~ /turned away/g;
	my $more  = 0;
	$more += $_ for $log =~ /turned away (\d+) more strangers/g;
	my $each = () = $log =~ /turned away a stranger at/g;
	return ($lines, $each + $more);
}

# The number of descriptors goes back to this, which takes a few turns of the loop of each rank.
sub settled
{
	my ($ring, @want) = @_;
	my $until = time + DEADLINE;
	my @have;
	while (time < $until) {
		@have = $ring->descriptors;
		last if "@have" eq "@want";
		$ring->connect(1) or last;
	}
	return is("@have", "@want", 'descriptors, by rank: its new connections and no more');
}

for my $kind (qw(silent noisy greeting)) {
	subtest "a flood that is $kind" => sub {
		my $ring = FTMPI::Test::ConnectLater->start(RANKS, deadline => DEADLINE);
		$ring->ready && $ring->connect(1) or return fail('the job does not start');
		my @descriptors = $ring->descriptors;
		my @memory      = $ring->memory;
		my $flood = FTMPI::Test::Flood->start($ring, $kind, VICTIMS);
		my $made  = 0;
		for my $distance (2 .. RANKS / 2) {
			ok($made = $flood->wait_for($made + 1500), "a flood: $made connections");
			ok($ring->connect($distance), "ranks at distance $distance connect all the same")
				or last;
		}
		$flood->wait_for(10_000);
		my @held = $ring->memory;
		my ($most) = sort { $b <=> $a } $ring->descriptors;
		cmp_ok($most, '<', $descriptors[0] + RANKS + 2 * HELD + 10, 'so many are not held');
		$made = $flood->stop;
		settled($ring, map { $_ + RANKS - 3 } @descriptors);
		$ring->end_well("under $made strangers");
		my ($lines, $all) = told_of($ring->job->err);
		cmp_ok($made,  '>=', 10_000,     "there were $made of them");
		cmp_ok($lines, '<',  MOST_LINES, "$lines lines tell of them");
		cmp_ok($all,   '>=', $made / 2,  "... and count them: $all");
		my @more = map { $held[$_] - $memory[$_] } 0 .. RANKS - 1;
		if (sanitized('connect_later')) {
			note("memory is not compared: the sanitizer keeps what is freed");
		} else {
			is(scalar(grep { $_ > MOST_KIB } @more), 0, "ranks need @more KiB more");
		}
	};
}

# The lowest number that is free for good: all that a rank opens lies below it. The three sockets of
# the launcher (61 to 63) are above any limit of this test.
sub descriptor_end
{
	my ($pid) = @_;
	my %open = map { m{(\d+)$} ? ($1 => 1) : () } glob "/proc/$pid/fd/*";
	return scalar grep { $_ < 61 } keys %open;
}

sub limited
{
	my ($limit) = @_;
	my $ring = FTMPI::Test::ConnectLater->start(RANKS, deadline => DEADLINE,
		before => ['sh', '-c', "ulimit -n $limit; exec \"\$0\" \"\$@\""]);
	return $ring->ready && $ring->connect(1) ? $ring : undef;
}

# First those that a rank needs and no more than one beside; then some that are the program's.
subtest 'a flood, and few descriptors' => sub {
	my $probe = FTMPI::Test::ConnectLater->start(RANKS, deadline => DEADLINE);
	$probe->ready && $probe->connect($_) || return fail('the job does not start') for 1 .. RANKS / 2;
	my ($need) = sort { $b <=> $a } map { descriptor_end($_) } $probe->pids;
	$probe->end_well('without a flood');
	for my $limit ($need + 1, 61) {
		my $ring = limited($limit) or return fail("no job with $limit descriptors");
		my $flood = FTMPI::Test::Flood->start($ring, 'silent', VICTIMS);
		ok($flood->wait_full, 'a flood');
		ok($ring->connect($_), "ranks at distance $_ connect all the same") || last
			for 2 .. RANKS / 2;
		my ($used) = sort { $b <=> $a } map { descriptor_end($_) } $ring->pids;
		cmp_ok($used, '<=', $need + $limit / 4, "of $limit descriptors strangers have a quarter")
			if $limit == 61;
		$flood->stop;
		$ring->end_well("with $limit descriptors");
	}
};

# It has said hello when the flood comes, and nobody has heard its proof.
subtest 'a flood does not reach who has said hello' => sub {
	my $base = free_ports(2);
	my $job = start_rank(1, 2, $base, [program('badcall'), 'hang']);
	$job->wait_for(out => qr/^rank 1 waits$/m) or return fail('no rank 1');
	my $peer  = call('127.0.0.1', $base + 1);
	my $hello = hello(hand_job(), 0, 1);
	say_to($peer, $hello);
	my $challenge = heard($peer, CHALLENGE, time + DEADLINE);
	my @flood = map { call('127.0.0.1', $base + 1) } 1 .. HELD + 20;
	is(last_words($flood[0], time + DEADLINE), '', 'the first of the flood had to go');
	say_to($peer, proof(hand_job(), $hello, $challenge));
	is(heard($peer, VERDICT, time + DEADLINE), verdict(WELCOME), 'the peer did not');
	$job->signal('KILL');
	$job->finish;
};

# They fill the backlogs of ranks that have not called MPI_Init.
subtest 'a flood before the ranks begin' => sub {
	my $dir = File::Temp->newdir('ftmpi-gate-XXXXXX', TMPDIR => 1);
	POSIX::mkfifo("$dir/gate", 0600) or die "mkfifo: $!\n";
	open(my $gate, '+<', "$dir/gate") or die "$dir/gate: $!\n";
	my $ring = FTMPI::Test::ConnectLater->start(RANKS, deadline => DEADLINE, before => ['sh', '-c',
			"echo at the gate; read x <'$dir/gate'; exec \"\$0\" \"\$@\""]);
	$ring->job->wait_for(out => qr/(?:^at the gate\n){${\RANKS}}/m) or return fail('no ranks');
	$ring->learn;
	my $flood = FTMPI::Test::Flood->start($ring, 'silent', VICTIMS);
	ok($flood->wait_full, 'a flood');
	syswrite($gate, "\n" x RANKS);
	ok($ring->ready, 'the ranks begin');
	ok($ring->connect($_), "ranks at distance $_ connect all the same") || last for 1 .. RANKS / 2;
	$flood->stop;
	$ring->end_well('a flood before the ranks begin');
};

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks of two epochs connect to each other, as happens during a restart: messages of the old epoch are refused,
# and a rank that is late is waited for. The test plays the agent of both ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use POSIX qw(WUNTRACED);
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Job     qw(program);
use FTMPI::Test::OneRank ();
use FTMPI::Test::Stranger qw(call say_to heard last_words hello proof frame CHALLENGE VERDICT);

use constant DEADLINE => 60;

my %key = (session => 's' x 16, secret => 'k' x 32);

sub start_rank
{
	my ($rank, %option) = @_;
	my $stay = delete $option{stay} // 'ring';
	return FTMPI::Test::OneRank->start([program('reexec'), 'init', $stay],
		size => 2, rank => $rank, verbosity => 1, %option);
}

# One that waits for a message of rank 1.
sub start_waiting
{
	my ($epoch) = @_;
	my $rank = start_rank(0, stay => 'recv');
	$rank->tell_start($epoch);
	$rank->hear_texts(2);
	return $rank;
}

# Two ranks that exchange messages in epoch 0.
sub start_both
{
	my $a = start_rank(0);
	my @both = ($a, start_rank(1, sockets => $a->sockets));
	$_->tell_start(0) for @both;
	$_->is_ready for @both;
	return @both;
}

sub start_again
{
	my ($rank, $epoch) = @_;
	$rank->tell_restart($epoch);
	$rank->hear_until("RESTARTING $epoch");
	$rank->tell_start($epoch);
	return;
}

# They have begun in an epoch, and go on in it.
sub all_well
{
	my ($name, @ranks) = @_;
	for my $rank (@ranks) {
		is($rank->hear_texts(2), 'PROGRAM 1, INITED ' . $rank->pid, "$name: a rank begins again");
		ok($rank->is_ready, "$name: it exchanges messages");
	}
	go_on($name, @ranks);
	return;
}

sub go_on
{
	my ($name, @ranks) = @_;
	kill 'USR1', map { $_->pid } @ranks;
	is(scalar(grep { $_->is_ready } @ranks), scalar @ranks, "$name: all go on");
	return;
}

# ---- what comes from another epoch ----

# The test as rank 1, which says hello as one of this epoch.
sub hello_of
{
	my ($rank, $epoch) = @_;
	my $hello = hello({%key, epoch => $epoch}, 1, 0);
	my $s = call('127.0.0.1', $rank->port(0));
	say_to($s, $hello);
	return ($s, $hello);
}

for my $epoch (2, 4) {
	my $rank = start_waiting(3);
	my ($s) = hello_of($rank, $epoch);
	is(last_words($s, time + DEADLINE), '', "a hello of epoch $epoch is not answered in epoch 3");
	$rank->wait_for(err => qr/(turned away a stranger [^\n]*: the peer belongs to another epoch)/);
}

for my $epoch (2, 4) {
	my $rank = start_waiting(3);
	my ($s, $hello) = hello_of($rank, 3);
	say_to($s, proof(\%key, $hello, heard($s, CHALLENGE, time + DEADLINE)));
	is(length(heard($s, VERDICT, time + DEADLINE)), VERDICT, 'one of epoch 3 is welcome');
	say_to($s, frame('EAGER', seq => 1, epoch => $epoch));
	is($rank->hear_texts(1), 'LOST 1 the peer belongs to another epoch',
		"a frame of epoch $epoch is not believed");
	ok(defined last_words($s, time + DEADLINE), 'and ends the connection');
}

# ---- who is late ----

for my $early (0, 1) {
	my @ranks = start_both();
	my ($first, $late) = @ranks[$early, 1 - $early];
	my $name = "rank $early is first";
	start_again($first, 1);
	ok(defined $first->wait_for(err => qr/(handshake to peer ${\(1 - $early)}: )/),
		"$name: the old image of the other turns it away");
	start_again($late, 1);
	all_well($name, @ranks);
}

{
	my ($first, $killed) = start_both();
	$killed->end;
	start_again($first, 1);
	my $anew = start_rank(1, sockets => $first->sockets);
	$anew->tell_start(1);
	all_well('a rank that died is started anew', $first, $anew);
}

# ---- who was taken for dead ----

{
	my $rank = start_rank(0);
	my $old = start_rank(1, sockets => $rank->sockets, env => {FTMPI_FAULT => 'init-done:1:0:1:stop'});
	$old->tell_start(0);
	waitpid($old->pid, WUNTRACED);
	open(my $stat, '<', '/proc/' . $old->pid . '/stat') or die "it is not there: $!\n";
	like(scalar(<$stat>), qr/\) T /, 'a rank is stopped in epoch 0');
	$rank->tell_start(0);    # it has nobody to answer it
	my $elsewhere = FTMPI::Test::OneRank::listener();
	my %sockets = (%{$rank->sockets}, listen => [$rank->sockets->{listen}[0], $elsewhere]);
	my $new = start_rank(1, sockets => \%sockets);
	$rank->use_sockets(\%sockets);
	start_again($rank, 1);
	$new->tell_start(1);
	all_well('another has taken its place', $rank, $new);
	kill 'CONT', $old->pid;
	ok(defined $rank->wait_for(err => qr/(turned away a stranger [^\n]*another epoch)/),
		'when it wakes up it is turned away');
	ok(defined $old->wait_for(err => qr/(handshake to peer 0: )/), 'as it sees');
	go_on('the others', $rank, $new);
}

done_testing();

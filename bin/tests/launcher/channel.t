#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What a channel's descriptor does not take waits, and is written when it does; then nobody waits for it any more.
use strict;
use warnings;

use Socket qw(AF_UNIX PF_UNSPEC SOCK_STREAM);
use Test::More;

use FTMPI::Channel ();
use FTMPI::Loop    ();
use FTMPI::Wire    ();

alarm 60;
socketpair(my $here, my $there, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die "socketpair: $!\n";
my $loop    = FTMPI::Loop->new;
my $channel = FTMPI::Channel->new(loop => $loop, in => $here, out => $here, on_frame => sub { }, on_end => sub { });
FTMPI::Loop::never_block($there);

my $frame = FTMPI::Wire::frame(1, 'x' x 1000);
my $sent  = 0;
while (!$channel->queued) {
	$channel->send_bytes($frame);
	$sent += length $frame;
}
$channel->send_bytes($frame);
$sent += length $frame;
is($channel->queued, 2, 'what is not taken waits');

my $got = '';
while (length $got < $sent) {
	1 while sysread $there, $got, 65536, length $got;
	$loop->turn if $channel->queued;
}
ok($got eq $frame x ($sent / length $frame), '... and is written when there is room, whole and in order');
is($channel->queued, 0, '... and waits no more');

my ($turns, $is_due) = (0, 0);
$loop->after(0.01, sub { $is_due = 1 });
$turns++, $loop->turn until $is_due;
cmp_ok($turns, '<=', 2, '... nor does the loop turn for it');

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Frames, their fields, and what is refused.
use strict;
use warnings;

use Test::More;

use FTMPI::Control ();
use FTMPI::Wire    ();

my $decoder = FTMPI::Wire->new;
my $bytes   = FTMPI::Wire::frame(7, 'hello') . FTMPI::Wire::frame(8, '');
my @got;
for my $byte (split //, $bytes) {
	$decoder->feed($byte);
	while (my ($type, $body) = $decoder->next_frame) {
		push @got, "$type=$body";
	}
}
is_deeply(\@got, [ '7=hello', '8=' ], 'frames come whole out of single bytes');
is($decoder->pending, 0, 'and nothing is left');
is(unpack('H*', FTMPI::Wire::frame(0x1234, 'x')), '010000003412010078', 'a frame, byte by byte');

for my $bad (
	[ 'version', pack('V v v', 0, 1, 2), qr/version 2/ ],
	[ 'length', pack('V v v', (16 << 20) + 1, 1, 1), qr/16777217 bytes/ ],
	)
{
	my ($what, $head, $error) = @$bad;
	my $strict = FTMPI::Wire->new;
	$strict->feed($head . FTMPI::Wire::frame(1, ''));
	is_deeply([ $strict->next_frame ], [], "a frame of a wrong $what is no frame");
	like($strict->error, $error, '... and says why');
	is_deeply([ $strict->next_frame ], [], '... and nothing follows it');
}

my @values = (1, 65535, "a\0b", 'k' x 16, 'K' x 32, [ 1, 4294967295 ], [ 2, 3 ], [ '', 'xyz' ],
	'rest');
my $body = FTMPI::Wire::pack_fields('uhskKUHSr', @values);
is_deeply([ FTMPI::Wire::unpack_fields('uhskKUHSr', $body) ], \@values, 'all kinds of fields');

my $exact = FTMPI::Wire::pack_fields('uhskKUHS', @values[ 0 .. 7 ]);
my @survived = grep {
	my $n = $_;
	eval { FTMPI::Wire::unpack_fields('uhskKUHS', substr $exact, 0, $n); 1 }
} 0 .. length($exact) - 1;
is_deeply(\@survived, [], 'a body that is cut anywhere is refused');
ok(!eval { FTMPI::Wire::unpack_fields('uhskKUHS', "$exact."); 1 }, 'so is one with a byte more');
for my $template (qw(s U H S)) {
	ok(!eval { FTMPI::Wire::unpack_fields($template, pack 'V a4', 0xffffffff, ''); 1 },
		"and a huge count in $template");
}

# Messages of fixed fields, and bytes that are left behind them.
my @fixed = (1, 65535, 'k' x 16, 'K' x 32);
for my $case ([ 'uhkK', @fixed ], [ 'uhkKr', @fixed, "all\0 of it" ], [ 'uhkKr', @fixed, '' ], ['']) {
	my ($template, @is) = @$case;
	my $whole = FTMPI::Wire::pack_fields($template, @is);
	is_deeply([ FTMPI::Wire::unpack_fields($template, $whole) ], \@is, "the fields of '$template'");
	my $least = $template ? 54 : 0;
	is_deeply([ grep { my $n = $_; eval { FTMPI::Wire::unpack_fields($template, substr $whole, 0, $n); 1 } } 0 .. $least - 1 ],
		[], '... no byte may be missing');
	is(!!eval { FTMPI::Wire::unpack_fields($template, "$whole."); 1 }, $template =~ /r/, '... nor be there for nothing');
	ok(!eval { FTMPI::Wire::pack_fields($template, @is, 1); 1 }, '... and so many they are');
}

my @rows = map { [ "host $_", "10.0.0.$_", 4000 + $_, 0, $_, 2 ] } 1 .. 3;
my $table = join '', map { FTMPI::Wire::pack_fields(FTMPI::Control::ROW, @$_) } @rows;
is_deeply([ FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, $table) ], \@rows, 'rows of fields');
is_deeply([ FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, '') ], [], '... or none');
my %whole = map { $_ * length($table) / 3 => 1 } 0 .. 3;
is_deeply([ grep { my $n = $_; eval { FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, substr $table, 0, $n); 1 } }
			0 .. length $table ],
	[ sort { $a <=> $b } keys %whole ], '... and nothing between');

my (undef, $type, undef, $inited) = unpack 'V v v a*', FTMPI::Control::encode('INITED', 4711);
is_deeply([ FTMPI::Control::decode('rank', $type, $inited) ], [ 'INITED', 4711 ], 'a message');
ok(!eval { FTMPI::Control::decode('launcher', $type, $inited); 1 }, 'from the wrong side');
like($@, qr/unexpected message of type 16/, '... is told');
ok(!eval { FTMPI::Control::decode('rank', $type, "$inited."); 1 }, 'with a wrong body');
like($@, qr/a bad INITED message/, '... is told');

done_testing;

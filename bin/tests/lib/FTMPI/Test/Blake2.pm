# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Blake2;

# BLAKE2b with a key and 32 bytes of result (RFC 7693), for messages of up to 128 bytes: so a test
# can take part in the handshake of doc/wire.md without the code that it tests.

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(blake2b);

use constant { BLOCK => 128, OUT => 32, ROUNDS => 12 };

my @IV = map { hex(substr $_, 0, 8) << 32 | hex substr $_, 8 } qw(
	6a09e667f3bcc908 bb67ae8584caa73b 3c6ef372fe94f82b a54ff53a5f1d36f1
	510e527fade682d1 9b05688c2b3e6c1f 1f83d9abfb41bd6b 5be0cd19137e2179);

my @SIGMA = map { [map { hex } split //] } qw(
	0123456789abcdef ea489fd61c02b753 b8c052fdae367194 7931dcbe265a40f8 905724afe1bc683d
	2c6a0b834d75fe19 c51fed4a0763928b db7ec13950f4862a 6fe9b308c2d714a5 a2847615fb9e3cd0);

# The columns and the diagonals that a round mixes.
my @MIXES = ([0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
	[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]);

# Modulo 2^64.
sub add
{
	use integer;
	return $_[0] + $_[1];
}

# To the right.
sub rotate
{
	my ($x, $n) = @_;
	return $x >> $n | $x << (64 - $n);
}

sub mix
{
	my ($v, $at, $x, $y) = @_;
	my ($a, $b, $c, $d) = @$at;
	for my $step ([$x, 32, 24], [$y, 16, 63]) {
		my ($word, $first, $second) = @$step;
		$v->[$a] = add(add($v->[$a], $v->[$b]), $word);
		$v->[$d] = rotate($v->[$d] ^ $v->[$a], $first);
		$v->[$c] = add($v->[$c], $v->[$d]);
		$v->[$b] = rotate($v->[$b] ^ $v->[$c], $second);
	}
	return;
}

# `count` is the number of bytes up to the end of this block.
sub compress
{
	my ($h, $block, $count, $last) = @_;
	my @m = unpack 'Q<16', $block;
	my @v = (@$h, @IV);
	$v[12] ^= $count;
	$v[14] ^= ~0 if $last;
	for my $round (0 .. ROUNDS - 1) {
		my $s = $SIGMA[$round % 10];
		mix(\@v, $MIXES[$_], $m[$s->[2 * $_]], $m[$s->[2 * $_ + 1]]) for 0 .. 7;
	}
	return [map { $h->[$_] ^ $v[$_] ^ $v[$_ + 8] } 0 .. 7];
}

# The key is a block of its own, before the message.
sub blake2b
{
	my ($key, $message) = @_;
	die "a message of 1 to " . BLOCK . " bytes\n" if !length $message || length $message > BLOCK;
	my $h = [@IV];
	$h->[0] ^= 0x01010000 ^ length($key) << 8 ^ OUT;
	$h = compress($h, pack('a128', $key),     BLOCK,                   0);
	$h = compress($h, pack('a128', $message), BLOCK + length $message, 1);
	return substr pack('Q<8', @$h), 0, OUT;
}

1;

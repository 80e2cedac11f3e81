# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of what is said about windows.
use strict;
use warnings;

# ---- rma_layout: copies less 1, extent in eights, then parts ----

sub rma_layout_seeds
{
	my $part = sub { pack 'q< Q< q< Q< Q<', @_ };    # at, count, stride, bytes, is there a child?
	my $layout = sub { pack('Q<', scalar @_) . join '', @_ };
	my $inner  = $layout->($part->(0, 5, 8, 4, 0), $part->(100, 1, 0, 4, 0));
	my %seed   = (
		'run'     => [ 0, 0, $layout->($part->(8, 1, 0, 4, 0)) ],
		'vector'  => [ 2, 5, $layout->($part->(0, 3, 12, 4, 0)) ],
		'nested'  => [ 1, 16, $layout->($part->(4, 2, 200, 24, 1) . $inner) ],
		'backward' => [ 3, 255, $layout->($part->(64, 4, -16, 8, 0)) ],
		'far'     => [ 0, 0, $layout->($part->(1 << 60, 1, 0, 4, 0)) ],
		'empty'   => [ 0, 0, $layout->() ],
		'size'    => [ 0, 0, $layout->($part->(4, 2, 200, 23, 1) . $inner) ],
		'many'    => [ 0, 0, pack('Q<', 1 << 60) ],
	);
	for my $name (keys %seed) {
		my ($copies, $extent, $bytes) = @{ $seed{$name} };
		seed('rma_layout', $name, pack('C C', $copies, $extent), $bytes);
	}
	return;
}

# ---- rma_words: dynamic?, then steps ----

use constant { RMA_PUT => 1, RMA_GET => 2, RMA_ACCUMULATE => 3, RMA_GET_ACCUMULATE => 4, RMA_SWAP => 5, RMA_UNLOCK => 6,
	RMA_SHARED => 7, RMA_EXCLUSIVE => 8, RMA_POST => 9, RMA_COMPLETE => 10, RMA_DONE => 11, RMA_DATA => 12,
	RMA_FAILED => 13, RMA_GRANTED => 14 };
use constant { OP_SUM => 0x21, OP_NO_OP => 0x3d, OP_MINLOC => 0x38, OP_REPLACE => 0x3c, TYPE_INT => 0x209, TYPE_FLOAT_INT => 0x228 };

# peer, kind; then by name: how, at, bytes, count, extent, layout (text; layout_len: as if it were so long), op,
# basic, data
sub words
{
	my ($peer, $kind, %a) = @_;
	my $layout = $a{layout} // '';
	my $all = $layout . "\0" x (-length($layout) % 16) . ($a{data} // '');
	return pack('C C C C s< v C c C v v v', 0, $peer, $kind, $a{how} // 0, $a{at} // 0, $a{bytes} // 0, $a{count} // 0,
		$a{extent} // 0, ($a{layout_len} // length $layout) / 8, $a{op} // 0, $a{basic} // 0, length $all) . $all;
}

sub rma_words_seeds
{
	my $wants  = sub { pack 'C C C', 1, @_ };    # rank, bytes
	my $vector = pack 'Q< q< Q< q< Q< Q<', 1, 0, 3, 12, 4, 0;
	my @sum    = (op => OP_SUM, basic => TYPE_INT);
	my %seed   = (
		'put'        => [ words(0, RMA_PUT, at => 8, bytes => 4, data => 'data'), words(2, RMA_GET, at => 8, bytes => 4) ],
		'put-vector' => [ words(0, RMA_PUT, bytes => 12, count => 1, layout => $vector, data => 'd' x 12) ],
		'put-twice'  => [ words(0, RMA_PUT, bytes => 24, count => 2, extent => 40, layout => $vector, data => 'd' x 24) ],
		'put-short'  => [ words(0, RMA_PUT, bytes => 4, data => 'dat') ],
		'put-beyond' => [ words(0, RMA_PUT, at => 253, bytes => 4, data => 'data') ],
		'put-before' => [ words(0, RMA_PUT, at => -1, bytes => 4, data => 'data') ],
		'put-far'    => [ words(0, RMA_PUT, how => 2, bytes => 4, data => 'data') ],
		'get-much'   => [ words(0, RMA_GET, how => 1, bytes => 0xffff) ],
		'put-more'   => [ words(0, RMA_PUT, bytes => 4, data => 'data!') ],
		'get-data'   => [ words(0, RMA_GET, bytes => 4, data => 'data') ],
		'get-less'   => [ words(0, RMA_GET, at => 100, bytes => 8, count => 1, layout => $vector) ],
		'get-vector' => [ words(0, RMA_GET, at => 100, bytes => 12, count => 1, layout => $vector) ],
		'sum'        => [ words(0, RMA_ACCUMULATE, @sum, bytes => 8, data => 'twoints ') ],
		'sum-odd'    => [ words(0, RMA_ACCUMULATE, @sum, at => 1, bytes => 8, data => 'twoints ') ],
		'sum-vector' => [ words(0, RMA_ACCUMULATE, @sum, bytes => 12, count => 1, layout => $vector, data => 'threeints...') ],
		'sum-part'   => [ words(0, RMA_ACCUMULATE, @sum, bytes => 7, data => 'sevenby') ],
		'sum-short'  => [ words(0, RMA_ACCUMULATE, @sum, bytes => 8, data => 'int ') ],
		'sum-pairs'  => [ words(0, RMA_ACCUMULATE, op => OP_MINLOC, basic => TYPE_FLOAT_INT, bytes => 8, data => 'pairpair') ],
		'replace'    => [ words(0, RMA_ACCUMULATE, op => OP_REPLACE, basic => TYPE_INT, bytes => 8, data => 'twoints ') ],
		'no-type'    => [ words(0, RMA_ACCUMULATE, op => OP_SUM, basic => 9, bytes => 8, data => 'twoints ') ],
		'no-op'      => [ words(0, RMA_ACCUMULATE, op => 9, basic => TYPE_INT, bytes => 8, data => 'twoints ') ],
		'fetch'      => [ words(0, RMA_GET_ACCUMULATE, @sum, bytes => 4, data => 'int ') ],
		'fetch-only' => [ words(0, RMA_GET_ACCUMULATE, op => OP_NO_OP, basic => TYPE_INT, bytes => 4) ],
		'swap'       => [ words(0, RMA_SWAP, bytes => 4, data => "new \0\0\0\0") ],
		'swap-half'  => [ words(0, RMA_SWAP, bytes => 4, data => 'new ') ],
		'swap-much'  => [ words(0, RMA_SWAP, how => 1, bytes => 1, count => 1, layout => $vector) ],
		'layout-long' => [ words(0, RMA_PUT, how => 16, bytes => 4, layout => $vector) ],
		'layout-cut' => [ words(0, RMA_PUT, bytes => 12, count => 1, layout_len => 48, data => substr $vector, 0, 40) ],
		'layout-none' => [ words(0, RMA_PUT, bytes => 12, layout => $vector, data => 'd' x 12) ],
		'locks'      => [ words(0, RMA_SHARED), words(2, RMA_SHARED), words(2, RMA_UNLOCK), words(2, RMA_EXCLUSIVE),
			words(0, RMA_UNLOCK), words(2, RMA_UNLOCK) ],
		'lock-twice' => [ words(0, RMA_SHARED), words(0, RMA_SHARED) ],
		'lock-waits-twice' => [ words(0, RMA_EXCLUSIVE), words(2, RMA_SHARED), words(2, RMA_SHARED), words(0, RMA_UNLOCK) ],
		'unlock'     => [ words(0, RMA_UNLOCK) ],
		'posts'      => [ words(0, RMA_POST), words(2, RMA_COMPLETE) ],
		'done'       => [ $wants->(0, 0), $wants->(0, 0), words(0, RMA_DONE, bytes => 2) ],
		'done-more'  => [ $wants->(0, 0), words(0, RMA_DONE, bytes => 2) ],
		'done-data'  => [ $wants->(0, 4), words(0, RMA_DONE, bytes => 1) ],
		'data'       => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 4, data => 'data') ],
		'data-less'  => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 3, data => 'dat') ],
		'data-more'  => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 5, data => 'data!') ],
		'data-cut'   => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 4, data => 'dat') ],
		'data-unasked' => [ words(0, RMA_DATA, bytes => 4, data => 'data') ],
		'failed'     => [ $wants->(0, 4), words(0, RMA_FAILED, op => 48) ],
		'failed-well' => [ $wants->(0, 4), words(0, RMA_FAILED) ],
		'granted'    => [ pack('C C', 2, 0), words(0, RMA_GRANTED) ],
		'granted-unasked' => [ words(0, RMA_GRANTED) ],
		'no-window'  => [ words(0, RMA_POST, how => 4) ],
		'foreign'    => [ words(0, RMA_POST, how => 8) ],
		'cut'        => [ words(0, RMA_POST, how => 32) ],
		'lost'       => [ words(0, RMA_POST, how => 64), words(0, RMA_POST) ],
		'no-word'    => [ words(0, 15) ],
	);
	for my $name (keys %seed) {
		seed('rma_words', $name, "\0", @{ $seed{$name} });
		seed('rma_words', "$name-dynamic", "\1", @{ $seed{$name} }) if $name =~ /^(?:put|get|sum)/;
	}
	return;
}

1;

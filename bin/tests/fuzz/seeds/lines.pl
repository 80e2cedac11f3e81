# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of recovery lines, and of what is said to make one.
use strict;
use warnings;

# ---- recovery lines: what is mended, then the file ----

# A header; by name: fields that differ.
sub ckpt_header
{
	my (%f) = @_;
	return pack 'a8 V3 a16 V4 a16 a64 Q< V Q< Q< V x84 Q<', "\x89FTCKPT\n", $f{version} // 1, $f{order} // 1,
		$f{word} // 8, '', $f{epoch} // 0, $f{rank} // 0, $f{size} // 2, $f{line} // 1, $f{program} // '',
		$f{name} // 'solver', 1795293000, $f{sections} // 0, $f{bytes} // 256, 0, $f{kind} // 0, 0;
}

# A file of these sections: [kind, id, type, bytes]; the header's fields.
sub ckpt_file
{
	my ($sections, %f) = @_;
	my $table = join '', map { pack 'V4 Q< Q<', @$_[ 0 .. 2 ], 0, length $_->[3], 0 } @$sections;
	my $rest = $table . join '', map { $_->[3] } @$sections;
	return ckpt_header(sections => scalar @$sections, bytes => 256 + length $rest, %f) . $rest;
}

sub ckpt_file_seeds
{
	my @three = ([ 1, 0, 0, 'buffer' ], [ 2, 7, 3, 'x' x 100 ], [ 3, 0, 0, '' ]);
	my $whole = ckpt_file(\@three);
	my @image = ([ 9, 0, 0, 'process' ], [ 10, 0, 0, 'maps' ], [ 11, 0, 0, '' ], [ 12, 0, 0, '' ], [ 14, 0, 0, 'page' x 100 ],
		[ 13, 0, 0, 'runs' ], [ 3, 0, 0, "\0" x 4 ], [ 4, 0, 0, "\0" x 4 ]);
	my $image = ckpt_file(\@image, version => 2, kind => 1);
	my %seed = (
		'whole'       => [ 31, $whole ],
		'empty'       => [ 31, ckpt_file([]) ],
		'unmeant'     => [ 23, $whole ],
		'unmended'    => [ 12, $whole ],
		'unsealed'    => [ 15, $whole ],
		'table'       => [ 29, $whole ],
		'sections'    => [ 30, $whole ],
		'program'     => [ 27, ckpt_file(\@three, program => 'p') ],
		'accepted'    => [ 31, ckpt_file(\@three, program => 'p') ],
		'odd-name'    => [ 27, ckpt_file(\@three, program => 'p', name => "\e[2J\n" . 'n' x 62) ],
		'version'     => [ 31, ckpt_file(\@three, version => 2) ],
		'version-0'   => [ 31, ckpt_file(\@three, version => 0) ],
		'version-3'   => [ 31, ckpt_file(\@image, version => 3, kind => 1) ],
		'kind-old'    => [ 31, ckpt_file(\@three, kind => 1) ],
		'kind-2'      => [ 31, ckpt_file(\@image, version => 2, kind => 2) ],
		'image'       => [ 31, $image ],
		'image-empty' => [ 31, ckpt_file([], version => 2, kind => 1) ],
		'image-unmeant'  => [ 23, $image ],
		'image-sections' => [ 30, $image ],
		'image-program'  => [ 31, ckpt_file(\@image, version => 2, kind => 1, program => 'p') ],
		'image-order'    => [ 31, ckpt_file(\@image, version => 2, kind => 1, order => 2) ],
		'image-cut'      => [ 31, substr $image, 0, -5 ],
		'order'       => [ 31, ckpt_file(\@three, order => 2) ],
		'word'        => [ 31, ckpt_file(\@three, word => 4) ],
		'other-rank'  => [ 31, ckpt_file(\@three, rank => 1) ],
		'other-line'  => [ 31, ckpt_file(\@three, line => 2) ],
		'other-epoch' => [ 31, ckpt_file(\@three, epoch => 1) ],
		'other-size'  => [ 31, ckpt_file(\@three, size => 3) ],
		'cut'         => [ 31, substr $whole, 0, -1 ],
		'cut-table'   => [ 31, substr $whole, 0, 300 ],
		'cut-header'  => [ 31, substr $whole, 0, 255 ],
		'longer'      => [ 31, "$whole+" ],
		'nothing'     => [ 31, '' ],
		'magic'       => [ 31, 'x' . substr $whole, 1 ],
		'many'        => [ 31, ckpt_file(\@three, sections => 0xffffffff) ],
		'fewer'       => [ 31, ckpt_file(\@three, sections => 2) ],
		'wrapped'     => [ 31, ckpt_header(sections => 2, bytes => 320) . pack('V4 Q< Q<', 1, 0, 0, 0, ~0, 0)
			. pack('V4 Q< Q<', 2, 0, 0, 0, 1, 0) ],
		'long-section' => [ 31, substr($whole, 0, 256 + 16) . pack('Q<', ~0) . substr $whole, 256 + 24 ],
	);
	seed('ckpt_file', $_, chr $seed{$_}[0], $seed{$_}[1]) for keys %seed;
	return;
}

# ---- sections of a process image: 0 mappings, 1 runs of pages; then the section ----

sub image_contents_seeds
{
	my $run = sub { my ($address, $bytes) = @_; return pack('Q<2', $address, $bytes) . 'x' x $bytes };
	my $end = pack 'Q<2', 0, 0;
	my $file = mapping_bytes(0x1000, 0x3000, 0, 2, 1, 5, '/bin/solver');
	my %seed = (
		'none'      => [ 0 ],
		'one'       => [ 0, $file ],
		'two'       => [ 0, $file, mapping_bytes(0x3000, 0x5000, 0x2000, 1, 0, 3, '') ],
		'over'      => [ 0, $file, mapping_bytes(0x2000, 0x5000, 0, 1, 0, 3, '') ],
		'empty'     => [ 0, mapping_bytes(0x1000, 0x1000, 0, 1, 0, 3, '') ],
		'kind'      => [ 0, mapping_bytes(0x1000, 0x2000, 0, 1, 6, 3, '') ],
		'long-name' => [ 0, substr mapping_bytes(0x1000, 0x2000, 0, 1, 0, 3, 'x'), 0, -1 ],
		'cut'       => [ 0, substr $file, 0, 30 ],
		'runs-none' => [ 1, $end ],
		'runs-two'  => [ 1, $run->(0x1000, 64), $run->(0x3000, 32), $end ],
		'runs-more' => [ 1, $run->(0x1000, 64), $end, 'x' ],
		'runs-cut'  => [ 1, $run->(0x1000, 64), substr $end, 0, 15 ],
		'runs-long' => [ 1, pack 'Q<2', 0x1000, ~0 ],
		'runs-wrap' => [ 1, $run->(~0 - 15, 64), $end ],
		'runs-nothing' => [ 1 ],
	);
	for my $name (keys %seed) {
		my ($what, @bytes) = @{ $seed{$name} };
		seed('image_contents', $name, chr $what, @bytes);
	}
	return;
}

sub manifest_seeds
{
	my $check = 'check ' . '0' x 16 . "\n";
	my $head = "FTMPI-LINE 1\nsession " . '5e' x 16 . "\nline 7\nepoch 2\ntime 1795293007\nprogram " . '09' x 16
		. "\nname solver\n";
	my @ranks = map { "rank $_ seal " . 'ab' x 8 . " bytes 100442\n" } 0 .. 2;
	my $whole = "${head}ranks 2\n$ranks[0]$ranks[1]$check";
	my %seed = (
		'whole' => [ 1, $whole ], 'unmended' => [ 0, $whole ], 'cut' => [ 1, substr $whole, 0, -30 ],
		'short' => [ 1, $check ], 'nothing' => [ 1, '' ], 'more' => [ 1, "${head}ranks 1\n$ranks[0]$ranks[1]$check" ],
		'fewer' => [ 1, "${head}ranks 3\n$ranks[0]$ranks[1]$check" ],
		'many'  => [ 1, "${head}ranks 4294967295\n$ranks[0]$check" ],
		'none'  => [ 1, "${head}ranks 0\n$check" ],
		'order' => [ 1, "${head}ranks 2\n$ranks[1]$ranks[0]$check" ],
		'name-file' => [ 2, 'rank-00007.ckpt' ], 'name-file-tmp' => [ 2, 'rank-00007.ckpt.tmp' ],
		'name-folder' => [ 2, 'line-00000007.e0002' ], 'name-long' => [ 2, 'line-4294967295.e4294967295.manifest.tmp' ],
		'name-manifest' => [ 2, 'line-00000007.manifest' ], 'name-zeros' => [ 2, 'line-000000007.manifest' ],
		'name-huge' => [ 2, 'line-4294967296.manifest' ],
	);
	my %change = ('version' => [ 'LINE 1', 'LINE 2' ], 'zero' => [ 'line 7', 'line 07' ], 'minus' => [ 'time ', 'time -' ],
		'big' => [ 'bytes 100442', 'bytes 18446744073709551616' ], 'blank' => [ 'epoch 2', 'epoch  2' ],
		'capital' => [ 'ab', 'AB' ], 'long-name' => [ 'solver', 's' x 64 ], 'no-name' => [ 'solver', '' ],
		'odd-name' => [ 'solver', "a\tb" ], 'crlf' => [ "\n", "\r\n" ]);
	for my $name (keys %change) {
		my ($from, $to) = @{ $change{$name} };
		(my $text = $whole) =~ s/\Q$from\E/$to/;
		$seed{$name} = [ 1, $text ];
	}
	seed('manifest', $_, chr $seed{$_}[0], $seed{$_}[1]) for keys %seed;
	return;
}

# ---- coord: the job, then steps ----

sub told { my ($peer, $kind, $flags, $line, $rest) = @_; return pack('C6', 4, $peer, $kind, $flags, $line, length $rest), $rest }
sub reported
{
	my ($peer, $flags, $line, $total, @entries) = @_;    # of entries: tag, count
	my $list = join '', map { pack 'Q< V Q<', 6, @$_ } @entries;
	return told($peer, 1, $flags, $line, pack('Q< V', $total, scalar @entries) . $list);
}
sub comes { my ($peer, $tag, $stamp) = @_; return pack 'C4', 2, $peer, $tag, $stamp }
sub ready { my ($peer, $line, @ok) = @_; return told($peer, 4, 0, $line, pack 'V (C Q< Q<)*', scalar @ok, map { ($_, 7, 9) } @ok) }

sub coord_seeds
{
	my ($checkpoint, $written, $committed, $received) = ("\0", "\5\1", "\6\1", "\10");
	my $two    = "\1";          # rank 0 of 2
	my $second = "\11";         # rank 1 of 2
	my $up     = sub { told(1, 2, 0, $_[0], pack 'V V V', 2, $_[1], 0) };
	my %seed   = (
		'alone'     => [ "\0", "\1\0\1", comes(0, 1, 1), $checkpoint, $written, $committed ],
		'committed' => [ $two, "\1\1\2", comes(1, 2, 1), $checkpoint, reported(1, 3, 1, 2, [ 2, 2 ]), $up->(1, 1),
			comes(1, 2, 1), $written, ready(1, 1, 1), $committed ],
		'second' => [ $second, comes(0, 2, 1), $received, $checkpoint, reported(0, 3, 1, 1, [ 2, 1 ]),
			told(0, 3, 0, 1, pack 'V V', 1, 1), $written, told(0, 5, 0, 1, "\1") ],
		'orphan'  => [ $two, comes(1, 2, 2), $received, $checkpoint, reported(1, 3, 1, 1, [ 3, 1 ]), comes(1, 3, 1), $up->(1, 1) ],
		'silent'  => [ $two, $checkpoint, $up->(1, 0), $written, ready(1, 1, 0), $checkpoint, $up->(2, 0) ],
		'ahead'   => [ $two, reported(1, 3, 1, 1, [ 1, 1 ]), reported(1, 3, 2, 1, [ 1, 1 ]), $up->(1, 1), $up->(2, 1),
			ready(1, 1, 1), $checkpoint, $checkpoint, comes(1, 1, 1), comes(1, 1, 2), $written, $committed, $written ],
		'early'   => [ $two, reported(1, 2, 1, 1, [ 1, 1 ]), reported(1, 3, 1, 3, [ 1, 2 ]), $checkpoint ],
		'lost'    => [ $two, $checkpoint, "\5\0", $up->(1, 0), ready(1, 1, 1) ],
		'wish'    => [ $second, "\7\1", told(0, 6, 0, 3, ''), $checkpoint, "\7\0" ],
		'auto'    => [ "\x41", comes(1, 1, 1), reported(1, 1, 1, 1), $checkpoint ],
		'restore' => [ $two, comes(1, 1, 1), "\11\3", chr 36, pack('V V l< Q< Q< Q<', 1, 1, 1, 6, 2, 1), comes(1, 1, 4),
			$checkpoint, comes(1, 1, 5), reported(1, 3, 4, 1, [ 1, 1 ]), $up->(4, 1) ],
		'raw'     => [ $two, "\3\1\14", pack 'C C v V V', 6, 0, 0, 0, 1 ],
		'torn'    => [ $two, "\3\1\13", pack 'C C v V V', 6, 0, 0, 0, 1 ],
		'counts'  => [ "\3", told(2, 2, 0, 1, pack 'V V4', 4, 2, 2, 1, 1), told(1, 2, 0, 1, pack 'V V4', 4, 1, 0, 1, 1), $checkpoint ],
	);
	seed('coord', $_, @{ $seed{$_} }) for keys %seed;
	return;
}

sub orphans_seeds
{
	my $range = sub { pack 'V l< Q< Q< Q<', @_ };
	my %seed  = (
		'none'     => [ 3, 0 ],
		'one'      => [ 3, 5, $range->(0, 7, 6, 2, 3) ],
		'two'      => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 9, 1) ],
		'sorted'   => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 8, 6, 1, 1), $range->(0, 0, 7, 1, 1), $range->(2, 0, 0, 1, 1) ],
		'unsorted' => [ 3, 9, $range->(2, 7, 6, 2, 3), $range->(0, 8, 6, 1, 1) ],
		'overlap'  => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 4, 1) ],
		'adjacent' => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 5, 1) ],
		'rank'     => [ 0, 9, $range->(1, 7, 6, 2, 3) ],
		'zero'     => [ 3, 9, $range->(0, 7, 6, 0, 3) ],
		'empty'    => [ 3, 9, $range->(0, 7, 6, 1, 0) ],
		'huge'     => [ 3, 9, $range->(0, 7, 6, 1, ~0) ],
		'wrapped'  => [ 3, 9, $range->(0, 7, 6, ~0 >> 1, 2) ],
	);
	for my $name (keys %seed) {
		my ($ranks, $messages, @ranges) = @{ $seed{$name} };
		seed('orphans', $name, pack('C C V', $ranks, $messages, scalar @ranges), @ranges);
	}
	my $sums   = sub { join '', map { pack 'Q< Q<', 8 * $_, 4711 + $_ } 1 .. $_[0] };
	my @three  = ($range->(0, 7, 6, 2, 3));
	my %summed = (
		'summed'   => [ 3, 9, \@three, $sums->(3) ],
		'sums'     => [ 3, 9, [ @three, $range->(0, 7, 6, 9, 1), $range->(1, 7, 6, 1, 2) ], $sums->(6) ],
		'unknown'  => [ 3, 9, [ $range->(0, 7, 6, 1, 1) ], pack 'Q< Q<', ~0, 0 ],
		'unsummed' => [ 3, 9, \@three, $sums->(2) ],
		'oversum'  => [ 3, 9, \@three, $sums->(4) ],
		'halfsum'  => [ 3, 9, [ $range->(0, 7, 6, 2, 1) ], substr $sums->(1), 0, 8 ],
		'manysums' => [ 3, 9, [ $range->(0, 7, 6, 1, ~0 >> 4) ], $sums->(1) ],
	);
	for my $name (keys %summed) {
		my ($ranks, $messages, $ranges, $bytes) = @{ $summed{$name} };
		seed('orphans', $name, pack('C C V', $ranks, $messages, scalar @$ranges), @$ranges, $bytes);
	}
	seed('orphans', 'cut', pack('C C V', 3, 1, 1), substr $range->(0, 7, 6, 2, 3), 0, 31);
	seed('orphans', 'more', pack('C C V', 3, 1, 0), "\0");
	return;
}

# ---- operations ----

sub operations_seeds
{
	my $open  = 1 << 29;
	my $entry = sub {
		my ($context, $tag, $local, $flags, $rounds, $error, $bytes) = @_;
		return pack('Q< V V V V V Q< Q<', $context, $tag, $local, $flags, $rounds, $error, 4711, length $bytes) . $bytes;
	};
	my $numbered = sub {
		my ($count, $numbers, $bytes) = @_;
		return pack('Q< V V V V V Q< Q< V Q<*', 0, $open | 5, 0, 6, 3, 0, 4711, length $bytes, $count, @$numbers) . $bytes;
	};
	my %seed = (
		'none'       => [],
		'one'        => [ $entry->(0, $open | 5, 0, 2, 3, 0, 'written') ],
		'between'    => [ $entry->(6, $open | 5, $open | 4, 2, 3, 0, 'written') ],
		'standing'   => [ $entry->(0, $open | 5, 0, 1, 0, 0, ''), $entry->(0, $open | 6, 0, 3, 1, 0, 'x') ],
		'truncated'  => [ $entry->(0, $open | 5, 0, 2, 3, 15, '') ],
		'plane'      => [ $entry->(1, $open | 5, 0, 2, 3, 0, '') ],
		'waiting'    => [ $entry->(0, 5, 0, 2, 3, 0, '') ],
		'large'      => [ $entry->(0, $open << 1, 0, 2, 3, 0, '') ],
		'local'      => [ $entry->(0, $open | 5, 4, 2, 3, 0, '') ],
		'nothing'    => [ $entry->(0, $open | 5, 0, 0, 0, 0, '') ],
		'flags'      => [ $entry->(0, $open | 5, 0, 10, 0, 0, '') ],
		'numbered'   => [ $numbered->(3, [ 7, 9, 10 ], 'written'), $numbered->(0, [], 'x') ],
		'number-cut' => [ $numbered->(3, [ 7, 9 ], '') ],
		'number-all' => [ $numbered->(~0 & 0xffffffff, [7], '') ],
		'not-active' => [ $entry->(0, $open | 5, 0, 1, 0, 0, 'x') ],
		'no-class'   => [ $entry->(0, $open | 5, 0, 2, 0, 1 << 31, '') ],
		'long'       => [ pack('Q< V V V V V Q< Q<', 0, $open | 5, 0, 2, 3, 0, 4711, ~0) ],
	);
	seed('operations', $_, pack('V', scalar @{ $seed{$_} }), @{ $seed{$_} }) for keys %seed;
	seed('operations', 'beyond', pack('V', 1), substr $entry->(0, $open | 5, 0, 2, 3, 0, 'written'), 0, -1);
	seed('operations', 'cut', pack('V', 1), substr $entry->(0, $open | 5, 0, 2, 3, 0, ''), 0, 43);
	seed('operations', 'more', pack('V', 0), "\0");
	seed('operations', 'many', pack('V', ~0 & 0xffffffff), $entry->(0, $open | 5, 0, 2, 3, 0, ''));
	return;
}

# ---- communicators: ranks of the job, then the section ----

sub communicators_seeds
{
	my $none  = ~0;
	my $entry = sub {
		my ($context, $local, $group, $remote) = @_;
		return pack 'Q< Q< V V V*', $context, $local, scalar @$group, scalar @$remote, @$group, @$remote;
	};
	my %seed = (
		'none'     => [ 3 ],
		'one'      => [ 3, $entry->(6, $none, [ 0, 1, 2 ], []) ],
		'two'      => [ 3, $entry->(6, $none, [ 2, 0 ], []), $entry->(8, $none, [ 1 ], []) ],
		'between'  => [ 3, $entry->(1 << 32 | 6, 8, [ 0, 2 ], [ 1 ]) ],
		'unknown'  => [ 3, $entry->($none, $none, [ 0, 2 ], [ 1 ]) ],
		'plane'    => [ 3, $entry->(7, $none, [ 0 ], []) ],
		'local'    => [ 3, $entry->(6, 9, [ 0 ], [ 1 ]) ],
		'empty'    => [ 3, $entry->(6, $none, [], []) ],
		'rank'     => [ 3, $entry->(6, $none, [ 0, 3 ], []) ],
		'too-many' => [ 1, $entry->(6, $none, [ 0, 0 ], []) ],
		'remote'   => [ 1, $entry->(6, 8, [ 0 ], [ 0, 0 ]) ],
		'no-job'   => [ 0, $entry->(6, $none, [ 0 ], []) ],
	);
	for my $name (keys %seed) {
		my ($ranks, @entries) = @{ $seed{$name} };
		seed('communicators', $name, pack('C V V', $ranks, 9, scalar @entries), @entries);
	}
	my $one = $entry->(6, $none, [ 0, 1 ], []);
	seed('communicators', 'cut',  pack('C V V', 3, 9, 1), substr $one, 0, -1);
	seed('communicators', 'more', pack('C V V', 3, 9, 1), $one, "\0");
	seed('communicators', 'many', pack('C V V', 3, 9, ~0 & 0xffffffff), $one);
	return;
}

# ---- logged: ranks of the job, then the section ----

sub logged_seeds
{
	my $message = sub {
		my ($number, $peer, $flags, $length, $text) = @_;
		return pack('Q< Q< V V V V Q<', $number, 6, $peer, 7, $peer, $flags, $length) . $text;
	};
	my $whole = $message->(5, 1, 1, 5, 'whole');
	my %seed = (
		'none'      => [ [], [] ],
		'receives'  => [ [ [ 3, 1, 5 ], [ 4, -1, -1, 1, 7 ], [ 9, 2, -1 ] ], [] ],
		'messages'  => [ [ [ 3, 1, 5 ] ], [ $whole, $message->(6, 1, 3, 4, 'sync'), $message->(7, 2, 0, 1 << 30, ''), $message->(8, 2, 2, 3, '') ] ],
		'empty'     => [ [], [ $message->(5, 1, 1, 0, '') ] ],
		'found'     => [ [], [ $message->(5, 1, 5, 5, 'found'), $message->(6, 1, 6, 9, ''), $message->(7, 1, 13, 3, 'met'), $message->(8, 2, 9, 3, 'met') ] ],
		'order'     => [ [ [ 4, 1, 5 ], [ 3, 1, 5 ] ], [] ],
		'twice'     => [ [ [ 4, 1, 5 ], [ 4, 1, 5 ] ], [] ],
		'zero'      => [ [ [ 0, 1, 5 ] ], [] ],
		'no-source' => [ [ [ 3, 3, 5 ] ], [] ],
		'got'       => [ [ [ 3, -1, 5, 1, 5 ] ], [ $message->(5, 1, 17, 3, 'got') ] ],
		'no-from'   => [ [ [ 3, -1, 5, 3, 5 ] ], [] ],
		'no-tag'    => [ [ [ 3, 1, -2 ] ], [] ],
		'rank'      => [ [], [ $message->(5, 3, 1, 1, 'x') ] ],
		'no-rank'   => [ [], [ $message->(5, ~0 & 0xffffffff, 1, 1, 'x') ] ],
		'flags'     => [ [], [ $message->(5, 1, 33, 1, 'x') ] ],
		'long'      => [ [], [ $message->(5, 1, 1, ~0, 'x') ] ],
		'long-away' => [ [], [ $message->(5, 1, 0, ~0, '') ] ],
	);
	for my $name (keys %seed) {
		my ($receives, $messages) = @{ $seed{$name} };
		seed('logged', $name, pack('C V', 3, scalar @$receives), (map { pack 'Q< Q< l< l< V Q<', $_->[0], 6, @$_[ 1, 2 ], $_->[3] // 0, $_->[4] // 0 } @$receives), pack('V', scalar @$messages), @$messages);
	}
	my $head = pack 'C V V', 3, 0, 1;
	seed('logged', 'cut',      $head, substr $whole, 0, -1);
	seed('logged', 'more',     $head, $whole, "\0");
	seed('logged', 'many',     pack('C V V', 3, 0, ~0 & 0xffffffff), $whole);
	seed('logged', 'posted',   pack('C V', 3, ~0 & 0xffffffff), pack 'Q< Q< l< l< V Q<', 1, 6, 1, 5, 0, 0);
	return;
}

# ---- saved: messages (0, ranks) or numbers (1) ----

sub saved_seeds
{
	my $message = sub { my ($peer, $tag, $text) = @_; pack('Q< V V V Q<', 0, $peer, $tag, $peer, length $text) . $text };
	my $sync    = sub { my ($name, $text) = @_; pack('Q< V V V Q< Q<', 0, 1, 5 | 1 << 31, 1, length $text, $name) . $text };
	my $number  = sub { pack 'Q< V V', @_ };
	my %messages = (
		'none'     => [],
		'two'      => [ $message->(1, 5, 'text'), $message->(0, 0, '') ],
		'stranger' => [ $message->(3, 5, 'text') ],
		'negative' => [ $message->(1, 0x80000000, 'text') ],
		'long'     => [ pack 'Q< V V V Q<', 0, 1, 5, 1, ~0 ],
		'sync'     => [ $sync->(77, 'text'), $message->(1, 5, 'text'), $sync->(~0, '') ],
		'sync-nameless' => [ $sync->(0, 'text') ],
		'sync-cut' => [ substr $sync->(77, ''), 0, -1 ],
	);
	my %numbers = (
		'none'  => [],
		'two'   => [ $number->(0, 17, 1), $number->(6, 2, 0) ],
		'twice' => [ $number->(6, 17, 1), $number->(6, 2, 0) ],
		'crowded' => [ $number->(0, 17, 2) ],
		'strange' => [ $number->(0, 17, 7) ],
	);
	seed('saved', "messages-$_", "\0\3", pack('V', scalar @{ $messages{$_} }), @{ $messages{$_} }) for keys %messages;
	seed('saved', "numbers-$_", "\1", pack('V', scalar @{ $numbers{$_} }), @{ $numbers{$_} }) for keys %numbers;
	seed('saved', 'messages-cut', "\0\3", pack('V', 1), substr $message->(1, 5, 'text'), 0, -1);
	seed('saved', 'messages-more', "\0\3", pack('V', 0), "\0");
	seed('saved', 'messages-many', "\0\3", pack('V', 2), $message->(1, 5, 'text'));
	seed('saved', 'numbers-cut', "\1", pack('V', 1), substr $number->(0, 17, 1), 0, -1);
	seed('saved', 'numbers-many', "\1", pack('V', 0x10000001), $number->(0, 17, 1));
	return;
}

# ---- message logging: ranks less 1, rank, bytes of outcomes; what a checkpoint holds; those outcomes ----

# kind, peer, value, receive
sub outcome
{
	my ($kind, $peer, $value, $receive) = @_;
	return pack 'Q<2', $kind | $peer << 8 | $value << 32, $value >> 32 | $receive << 16;
}

# Of rank 0; by name: fields that differ. pairs: [sent, begun, [open], [[number, length, contents]], [reserved], [skipped]] by peer.
sub msglog
{
	my (%f) = @_;
	my $pairs = $f{pairs} // [ ([ 0, 0, [], [] ]) x 2 ];
	my $begun = $f{begun} // [ (0) x @$pairs ];
	my $bytes = pack 'V2 Q<4', $f{rank} // 0, $f{ranks} // scalar @$pairs, $f{happened} // 0, $f{posted} // 0, $f{known} // 0,
		$f{prefix_count} // scalar @{ $f{prefix} // [] };
	$bytes .= join '', @{ $f{prefix} // [] }, map { pack 'Q<', $_ } @$begun;
	for my $pair (@$pairs) {
		my ($sent, $has, $open, $log, $reserved, $skipped) = @$pair;
		$_ //= [] for $reserved, $skipped;
		$bytes .= pack 'Q<*', $sent, scalar @$reserved, @$reserved, $has, scalar @$open, @$open, scalar @$skipped, @$skipped, scalar @$log;
		$bytes .= join '', map { pack('Q<2 l< V Q<', $_->[0], 5, -1, 0, $_->[1]) . $_->[2] } @$log;
	}
	return $bytes;
}

sub msglog_seeds
{
	my $no   = outcome(1, 0, 3, 0);
	my $any  = outcome(7, 1, 7, 5);
	my $cancelled = outcome(6, 0, 0, 5);
	my @busy = ([ 2, 2, [], [] ], [ 9, 12, [ 3, 8 ], [ [ 1, 0, '' ], [ 7, 3, 'abc' ], [ 9, 2, 'de' ] ] ]);
	my %seed = (
		'empty'         => [ '', msglog() ],
		'busy'          => [ '', msglog(happened => 4, pairs => \@busy) ],
		'prefix'        => [ '', msglog(happened => 4, known => 1, prefix => [ $no, $any ], begun => [ 1, 12 ], pairs => \@busy) ],
		'prefix-longer' => [ '', msglog(happened => 1, known => 1, prefix => [ $no, $any ]) ],
		'prefix-none'   => [ '', msglog(happened => 4, prefix => [$no]) ],
		'prefix-begun'  => [ '', msglog(happened => 4, known => 1, begun => [ 0, 1 ]) ],
		'prefix-huge'   => [ '', msglog(happened => 4, known => 1, prefix_count => 2**60) ],
		'prefix-wrong'  => [ '', msglog(happened => 4, known => 1, prefix => [ outcome(10, 0, 0, 0) ]) ],
		'posted'        => [ $any, msglog(happened => 4, posted => 9) ],
		'posted-over'   => [ '', msglog(posted => 2**48) ],
		'noes'          => [ $no . outcome(2, 0, 0, 0), msglog(happened => 4) ],
		'cancelled'     => [ outcome(7, 1, 2**48 - 1, 2**48 - 1) . $cancelled, msglog() ],
		'twice'         => [ $any . $cancelled, msglog() ],
		'send-over'     => [ outcome(9, 1, 3, 0) . $no . outcome(9, 0, 2**48 - 1, 0) . outcome(2, 0, 0, 0) . outcome(9, 1, 4, 0), msglog() ],
		'too-late'      => [ $any . outcome(8, 0, 0, 6), msglog() ],
		'of-none'       => [ outcome(7, 1, 7, 0), msglog() ],
		'follows'       => [ $no . $any, msglog(happened => 4, pairs => \@busy) ],
		'told-wrong'    => [ outcome(7, 2, 7, 1), msglog() ],
		'rank'          => [ '', msglog(rank => 1) ],
		'ranks'         => [ '', msglog(ranks => 3) ],
		'open-over'     => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 0, 2, [3], [] ] ]) ],
		'open-order'    => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 0, 9, [ 3, 3 ], [] ] ]) ],
		'reserved'      => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 9, 7, [4], [ [ 2, 0, '' ], [ 9, 0, '' ] ], [ 3, 4, 8 ], [ 1, 3, 6 ] ] ]) ],
		'reserved-over' => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 2, 0, [], [], [3] ] ]) ],
		'reserved-sent' => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 2, 0, [], [ [ 2, 0, '' ] ], [2] ] ]) ],
		'skipped-over'  => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 0, 2, [], [], [], [2] ] ]) ],
		'skipped-open'  => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 0, 2, [1], [], [], [1] ] ]) ],
		'log-over'      => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 1, 0, [], [ [ 2, 0, '' ] ] ] ]) ],
		'log-order'     => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 9, 0, [], [ [ 2, 0, '' ], [ 2, 0, '' ] ] ] ]) ],
		'log-cut'       => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 9, 0, [], [ [ 2, 4, 'abc' ] ] ] ]) ],
		'log-huge'      => [ '', msglog(pairs => [ [ 0, 0, [], [] ], [ 9, 0, [], [ [ 2, 2**62, 'abc' ] ] ] ]) ],
		'more'          => [ '', msglog() . 'x' ],
		'cut'           => [ '', substr msglog(), 0, -1 ],
	);
	seed('msglog', $_, pack('C3', 1, 0, length $seed{$_}[0]), $seed{$_}[1], $seed{$_}[0]) for sort keys %seed;
	return;
}

1;

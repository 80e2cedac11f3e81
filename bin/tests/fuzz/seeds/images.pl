# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of process images.
use strict;
use warnings;

# ---- what a process is: the image's, and one that shall become it ----

sub process_bytes
{
	my (%f) = @_;
	my $text = sub { pack 'V/a*', @_ };
	my @objects = @{ $f{objects} // [ [ 0x400000, 0x500000, '', 'abcd' ], [ 0x7000000, 0x7100000, '/lib/libc.so.6', 'ef' ] ] };
	return pack('V Q<', $f{machine} // 62, $f{page} // 4096) . $text->($f{kernel} // '6.1.0') . pack('Q<', $f{vdso} // 77)
		. $text->($f{processor} // 'Thing 4') . pack('Q<4 V9', 1, 2, $f{registers} // 7, 832, 1 .. 8, $f{word} // 9)
		. $text->($f{libc} // '2.36') . pack('V V Q< Q< V', 720, 0, $f{stack} // 8 << 20, $f{break} // 0x600000, $f{n} // scalar @objects)
		. join '', map { pack('Q< Q<', @$_[ 0, 1 ]) . $text->($_->[2]) . $text->($_->[3]) } @objects;
}

sub image_process_seeds
{
	my $same = process_bytes();
	my %seed = (
		'same'      => $same,
		'machine'   => process_bytes(machine => 183),
		'page'      => process_bytes(page => 65536),
		'kernel'    => process_bytes(kernel => "6.2\e[2J\n", vdso => 78),
		'processor' => process_bytes(processor => 'Thing 5', word => 10),
		'registers' => process_bytes(registers => 231),
		'libc'      => process_bytes(libc => '2.37'),
		'stack'     => process_bytes(stack => ~0),
		'break'     => process_bytes(break => 0x601000),
		'updated'   => process_bytes(objects => [ [ 0x400000, 0x500000, '', 'abcx' ] ]),
		'elsewhere' => process_bytes(objects => [ [ 0x410000, 0x510000, '', 'abcd' ] ]),
		'unknown'   => process_bytes(objects => [ [ 0x400000, 0x500000, '/lib/other.so', 'abcd' ] ]),
		'no-id'     => process_bytes(objects => [ [ 0x400000, 0x500000, '', '' ] ]),
		'none'      => process_bytes(objects => []),
		'many'      => process_bytes(n => 4097),
		'fewer'     => process_bytes(n => 1),
		'empty'     => process_bytes(objects => [ [ 0x400000, 0x400000, '', 'abcd' ] ]),
		'long-id'   => process_bytes(objects => [ [ 0x400000, 0x500000, '', 'x' x 65 ] ]),
		'nul'       => process_bytes(objects => [ [ 0x400000, 0x500000, "a\0b", 'x' ] ]),
		'long-text' => process_bytes(kernel => 'k' x 80),
		'cut'       => substr($same, 0, -1),
		'more'      => "$same\0",
	);
	seed('image_process', $_, pack('v', length $same), $same, $seed{$_}) for keys %seed;
	seed('image_process', 'nothing', pack('v', 0));
	seed('image_process', "first-$_", pack('v', length $seed{$_}), $seed{$_}, $same) for qw(none no-id updated);
	return;
}

# ---- tables ----

# low, high, offset, treatment, kind, access, name; of its file: nanoseconds, bytes, seconds
sub mapping_bytes
{
	my ($low, $high, $offset, $treatment, $kind, $access, $name, @file) = @_;
	@file = (0, 0, 0) if !@file;
	return pack('Q< Q< Q< V V V V Q< Q< q<', $low, $high, $offset, $treatment, $kind, $access, length $name, @file) . $name;
}

sub image_tables_seeds
{
	my ($left_out, $fresh, $as_it_is, $of_file, $whole, $refused) = 0 .. 5;
	my ($anonymous, $file, $shared, $stack, $heap, $kernel) = 0 .. 5;
	my @code  = (0x1000, 0x2000, 0, $as_it_is, $file, 5, '/bin/a', 5, 100, 7);
	my @data  = (0x2000, 0x3000, 0x1000, $of_file, $file, 3, '/bin/a', 5, 100, 7);
	my @zeros = (0x3000, 0x6000, 0, $fresh, $anonymous, 3, '');
	my @heap  = (0x6000, 0x8000, 0, $fresh, $heap, 3, '[heap]');
	my @stack = (0x10000, 0x20000, 0, $fresh, $stack, 3, '[stack]');
	my @vdso  = (0x21000, 0x22000, 0, $left_out, $kernel, 5, '[vdso]');
	my @vsyscall = (~0 - 0x9fffff, ~0 - 0x9fefff, 0, $left_out, $kernel, 4, '[vsyscall]');
	my @all  = (\@code, \@data, \@zeros, \@heap, \@stack, \@vdso, \@vsyscall);
	my @runs = ([ 0x2000, 0x1000 ], [ 0x3000, 0x1000 ], [ 0x5000, 0x1000 ], [ 0x7000, 0x1000 ], [ 0x1f000, 0x1000 ]);
	# {mappings, runs, break, context, more: bytes of the section, beyond: of the file, cut: of the list}
	my $tables = sub {
		my (%f) = @_;
		my $list = join '', map { mapping_bytes(@$_) } @{ $f{mappings} // \@all };
		my @run  = @{ $f{runs} // \@runs };
		my $pages = 16 + ($f{more} // 0);
		$pages += 16 + $_->[1] for @run;
		$list = substr $list, 0, -$f{cut} if $f{cut};
		return pack('Q< Q< Q< Q< v', $f{break} // 0x8000, $f{context} // 0x3000, $pages, $pages + length($list) + ($f{beyond} // 0),
			length $list) . $list . join('', map { pack 'Q< Q<', @$_ } @run) . pack 'Q< Q<', 0, 0;
	};
	my %seed = (
		'whole'     => [],
		'none'      => [ mappings => [], runs => [] ],
		'short'     => [ beyond => -1 ],
		'long'      => [ beyond => 1 ],
		'list-cut'  => [ cut => 1 ],
		'list-torn' => [ cut => 30 ],
		'order'     => [ mappings => [ \@data, \@code ] ],
		'overlap'   => [ mappings => [ \@code, [ 0x1000, 0x3000, @data[ 2 .. 9 ] ] ] ],
		'page'      => [ mappings => [ [ 0x1080, @code[ 1 .. 9 ] ] ] ],
		'beyond'    => [ mappings => [ [ 0x1000, 1 << 50, @zeros[ 2 .. 6 ] ] ] ],
		'treatment' => [ mappings => [ [ 0x1000, 0x2000, 0, $refused, $file, 3, '/a' ] ] ],
		'kind'      => [ mappings => [ [ 0x1000, 0x2000, 0, $fresh, 9, 3, '' ] ] ],
		'access'    => [ mappings => [ [ 0x1000, 0x2000, 0, $fresh, $anonymous, 9, '' ] ] ],
		'shared'    => [ mappings => [ [ 0x1000, 0x2000, 0, $as_it_is, $shared, 3, '/a' ] ] ],
		'gone'      => [ mappings => [ [ 0x1000, 0x2000, 0, $whole, $file, 3, '/a' ] ], runs => [ [ 0x1000, 0x1000 ] ] ],
		'nameless'  => [ mappings => [ [ 0x1000, 0x2000, 0, $of_file, $file, 3, '' ] ] ],
		'nul'       => [ mappings => [ [ 0x1000, 0x2000, 0, $of_file, $file, 3, "/a\0b" ] ] ],
		'odd-name'  => [ mappings => [ [ 0x1000, 0x2000, 0, $of_file, $file, 9, "/a\e[2J\n" ] ] ],
		'offset'    => [ mappings => [ [ 0x1000, 0x2000, ~0xfff, $of_file, $file, 3, '/a' ] ] ],
		'time'      => [ mappings => [ [ 0x1000, 0x2000, 0, $of_file, $file, 3, '/a', 1_000_000_000, 1, 1 ] ] ],
		'stacks'    => [ mappings => [ \@stack, [ 0x30000, 0x40000, @stack[ 2 .. 6 ] ] ] ],
		'break'     => [ break => 0x9000 ],
		'context'   => [ context => 0x1000 ],
		'border'    => [ context => 0x2ff8 ],
		'runs-more' => [ more => 16 ],
		'runs-less' => [ more => -1 ],
		'runs-down' => [ runs => [ @runs[ 1, 0 ] ] ],
		'runs-over' => [ runs => [ [ 0x3000, 0x2000 ], [ 0x4000, 0x1000 ] ] ],
		'run-two'   => [ runs => [ [ 0x2000, 0x2000 ] ] ],
		'run-code'  => [ runs => [ [ 0x1000, 0x1000 ] ] ],
		'run-gap'   => [ runs => [ [ 0x8000, 0x1000 ] ] ],
		'run-vdso'  => [ runs => [ [ 0x21000, 0x1000 ] ] ],
		'run-huge'  => [ runs => [ [ 0x3000, ~0xfff ] ], more => 0x2000 ],
		'run-odd'   => [ runs => [ [ 0x3010, 0x1000 ] ] ],
	);
	seed('image_tables', $_, $tables->(@{ $seed{$_} })) for keys %seed;
	return;
}

# ---- descriptors ----

# One of them; by name: fields that are not 0.
sub image_file_entry
{
	my ($number, $kind, %f) = @_;
	my $text = $f{text} // '';
	return pack 'V6 Q<6 a*', $number, $kind, $f{same} // $number, $f{cloexec} // 0, $f{flags} // 0, $f{length} // length $text,
		map({ $f{$_} // 0 } qw(offset size device inode special birth)), $text;
}

# A table of these entries, and what is found at a load: an error, type and bytes of the file.
sub image_files_seed
{
	my ($name, $entries, $found, %how) = @_;
	seed('image_files', $name, pack('C C C C V', 0, @{ $found // [ 0, 8, 9 ] }, $how{count} // scalar @$entries),
		substr join('', @$entries, pack 'V (V3 Q<2)*', $how{locks} // scalar @{ $how{lock} // [] }, map { @$_ } @{ $how{lock} // [] }),
			0, $how{bytes} // 4000);
	return;
}

sub image_files_seeds
{
	my ($own, $inherited, $regular, $folder, $device, $pipe) = 0 .. 5;
	my @reads  = (flags => 0, device => 8, inode => 100, offset => 5, size => 9, text => '/tmp/in');
	my @writes = (@reads, flags => 1);
	my @pipe   = (inode => 77, special => 65536);
	my %seed = (
		'none'       => [],
		'file'       => [ image_file_entry(3, $regular, @reads) ],
		'written'    => [ image_file_entry(3, $regular, @writes) ],
		'twice'      => [ image_file_entry(3, $regular, @writes), image_file_entry(40, $regular, same => 3, cloexec => 1) ],
		'folder'     => [ image_file_entry(3, $folder, offset => 7, text => '/tmp') ],
		'device'     => [ image_file_entry(3, $device, special => 0x103, text => '/dev/null') ],
		'pipe'       => [ image_file_entry(3, $pipe, @pipe, text => 'contents'), image_file_entry(4, $pipe, @pipe, flags => 1) ],
		'streams'    => [ map({ image_file_entry($_, $inherited) } 0 .. 2), image_file_entry(50, $inherited, same => 1) ],
		'own'        => [ image_file_entry(3, $own), image_file_entry(1048575, $own, cloexec => 1) ],
		'one-end'    => [ image_file_entry(3, $pipe, @pipe) ],
		'no-first'   => [ image_file_entry(40, $regular, same => 3) ],
		'kind'       => [ image_file_entry(3, 6) ],
		'unordered'  => [ image_file_entry(4, $own), image_file_entry(3, $own) ],
		'number'     => [ image_file_entry(1048576, $own) ],
		'relative'   => [ image_file_entry(3, $regular, @reads, text => 'tmp/in') ],
		'nul'        => [ image_file_entry(3, $regular, @reads, text => "/tmp\0in") ],
		'created'    => [ image_file_entry(3, $regular, @reads, flags => 0x241) ],
		'control'    => [ image_file_entry(3, $regular, @reads, flags => 3) ],
		'born'       => [ image_file_entry(3, $regular, @writes, birth => 1795293000000000000) ],
		'reads-born' => [ image_file_entry(3, $regular, @reads, birth => 1) ],
		'folder-born' => [ image_file_entry(3, $folder, birth => 1, text => '/tmp') ],
		'negative'   => [ image_file_entry(3, $regular, @reads, offset => ~0) ],
		'other-device' => [ image_file_entry(3, $device, special => 0x501, text => '/dev/tty') ],
		'long-text'  => [ image_file_entry(3, $regular, @reads, length => ~0 & 0xffffffff) ],
		'escape'     => [ image_file_entry(3, $regular, @reads, text => "/tmp/\e[2J\n" . 'n' x 300) ],
	);
	image_files_seed($_, $seed{$_}) for keys %seed;
	image_files_seed('missing', $seed{file}, [ 1, 0, 0 ]);
	image_files_seed('escape-missing', $seed{escape}, [ 1, 0, 0 ]);
	image_files_seed('shorter', $seed{file}, [ 0, 8, 4 ]);
	image_files_seed('no-file', $seed{file}, [ 0, 4, 9 ]);
	image_files_seed('cut', $seed{file}, undef, bytes => 70);
	image_files_seed('more', $seed{twice}, undef, count => 1);
	image_files_seed('fewer', $seed{twice}, undef, count => 3);
	image_files_seed('many', $seed{twice}, undef, count => 0xffffffff);

	# number, kind, whether to write, first byte, last byte
	my ($flock, $posix, $ofd) = 0 .. 2;
	my $end  = ~0 >> 1;
	my %lock = (
		'locked'         => [ [ 3, $flock, 1, 0, $end ], [ 3, $posix, 1, 5, 14 ], [ 3, $ofd, 0, 20, $end ] ],
		'locked-number'  => [ [ 4, $flock, 1, 0, $end ] ],
		'locked-kind'    => [ [ 3, 3,      1, 0, $end ] ],
		'locked-write'   => [ [ 3, $posix, 2, 0, $end ] ],
		'locked-range'   => [ [ 3, $posix, 0, 9, 8 ] ],
		'locked-beyond'  => [ [ 3, $ofd,   0, 0, ~0 ] ],
		'locked-half'    => [ [ 3, $flock, 1, 0, 9 ] ],
	);
	image_files_seed($_, $seed{written}, undef, lock => $lock{$_}) for keys %lock;
	image_files_seed('locked-pipe', $seed{pipe}, undef, lock => [ [ 3, $flock, 1, 0, $end ] ]);
	image_files_seed('locked-many', $seed{written}, undef, locks => 4097);
	image_files_seed('locked-cut', $seed{written}, undef, lock => $lock{locked}, bytes => 100);

	my %info = (
		'flock'    => "lock:\t1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF\n",
		'ranges'   => "lock:\t1: POSIX  ADVISORY  READ  4711 fe:00:1234 5 14\nlock:\t2: POSIX  ADVISORY  WRITE 4711 fe:00:1234 20 EOF\n",
		'ofd'      => "lock:\t1: OFDLCK ADVISORY  READ  -1 103:00:18446744073709551615 0 9223372036854775806\n",
		'lease'    => "lock:\t1: LEASE  ACTIVE    WRITE 4711 fe:00:1234 0 EOF\n",
		'unknown'  => "lock:\t1: UNKNOWN UNKNOWN  WRITE 4711 fe:00:1234 0 EOF\n",
		'down'     => "lock:\t1: POSIX  ADVISORY  READ  4711 fe:00:1234 15 14\n",
		'huge'     => "lock:\t1: POSIX  ADVISORY  READ  4711 fe:00:1234 99999999999999999999 EOF\n",
		'more'     => "lock:\t1: POSIX  ADVISORY  READ  4711 fe:00:1234 0 EOF EOF\n",
		'torn'     => "lock:\t1: POSIX  ADVISORY  READ  4711 fe:0",
		'many'     => "lock:\t1: FLOCK  ADVISORY  READ  4711 fe:00:1234 0 EOF\n" x 9,
	);
	seed('image_files', "info-$_", pack('C', 2), "pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t1234\n", $info{$_}) for keys %info;

	# type, flags, device number, bits, link
	my %descriptor = (
		'is-file'    => [ 8, 1, 0, 1, '/tmp/a' ],
		'is-lost'    => [ 8, 1, 0, 0, "/tmp/a\e[2J\n (deleted)" ],
		'is-memfd'   => [ 8, 1, 0, 0, '/memfd:a (deleted)' ],
		'is-folder'  => [ 4, 0, 0, 1, '/tmp' ],
		'is-null'    => [ 2, 2, 0x103, 1, '/dev/null' ],
		'is-tty'     => [ 2, 2, 0x500, 1, '/dev/tty' ],
		'is-pipe'    => [ 1, 1, 0, 0, 'pipe:[77]' ],
		'is-fifo'    => [ 1, 1, 0, 1, '/tmp/fifo' ],
		'is-socket'  => [ 12, 2, 0, 0, 'socket:[77]' ],
		'is-epoll'   => [ 0, 2, 0, 0, 'anon_inode:[eventpoll]' ],
		'is-stream'  => [ 8, 1, 0, 7, '/tmp/out' ],
		'is-moved'   => [ 8, 1, 0, 11, '/tmp/out' ],
		'is-inherited' => [ 12, 2, 0, 2, 'socket:[77]' ],
		'is-proc'    => [ 8, 0, 0, 1, '/proc/4711/maps' ],
		'is-long'    => [ 12, 2, 0, 0, 'x' x 4000 ],
	);
	for my $name (keys %descriptor) {
		my ($type, $flags, $device, $bits, $link) = @{ $descriptor{$name} };
		seed('image_files', $name, pack 'C C v v C a*', 1, $type, $flags, $device, $bits, $link);
	}
	return;
}

1;

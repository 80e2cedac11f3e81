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

1;

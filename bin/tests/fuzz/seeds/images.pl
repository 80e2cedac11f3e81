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

1;

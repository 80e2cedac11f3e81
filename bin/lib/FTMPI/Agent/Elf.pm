# SPDX-License-Identifier: BSD-3-Clause
#
# The shared libraries that an ELF file asks for by name (DT_NEEDED). The file may be anything: what is
# not as it should be ends the search, and everything that is read has a limit.
package FTMPI::Agent::Elf;

use strict;
use warnings;

use constant { PT_LOAD => 1, PT_DYNAMIC => 2 };
use constant { DT_NULL => 0, DT_NEEDED => 1, DT_STRTAB => 5 };
use constant { SEGMENTS_MAX => 256, ENTRIES_MAX => 4096, NAME_MAX => 256 };

# By class: bytes of the header; where in it the table of segments, its size of an entry and their
# number stand; where in a segment its type, offset, address and size in the file stand. < or >: the
# byte order.
my %CLASS = (
	1 => { word => 4, table => [ 'L', 28 ], entry => 42, segment => [ 'L L L x4 L', 32 ], dynamic => 'l L' },
	2 => { word => 8, table => [ 'Q', 32 ], entry => 54, segment => [ 'L x4 Q Q x8 Q', 56 ], dynamic => 'q Q' },
);

# Names in the order of the file; none of what is no such file.
sub needed
{
	my ($path) = @_;
	return if !-f $path;
	open my $file, '<:raw', $path or return;
	my @segments = _segments($file) or return;
	my ($dynamic) = grep { $_->{type} == PT_DYNAMIC } @segments;
	return if !$dynamic;
	my @entries = _entries($file, $dynamic);
	my ($strings) = map { $_->[1] } grep { $_->[0] == DT_STRTAB } @entries;
	return if !defined $strings;
	my @loads = grep { $_->{type} == PT_LOAD } @segments;
	return grep { length } map { _string($file, $strings + $_->[1], @loads) }
		grep { $_->[0] == DT_NEEDED } @entries;
}

sub _read
{
	my ($file, $at, $length) = @_;
	seek $file, $at, 0 or return;
	return if (read($file, my $bytes, $length) // 0) != $length;
	return $bytes;
}

# The same template for the byte order of the file.
sub _ordered
{
	my ($template, $order) = @_;
	$template =~ s/([lLqQS])/$1$order/g;
	return $template;
}

sub _segments
{
	my ($file) = @_;
	my $head = _read($file, 0, 64) // return;
	my ($magic, $class, $order) = unpack 'a4 C C', $head;
	my $how = $CLASS{$class};
	return if $magic ne "\x7fELF" || !$how || $order < 1 || $order > 2;
	$order = $order == 1 ? '<' : '>';
	my ($letter, $place) = @{ $how->{table} };
	my $table = unpack _ordered("x$place $letter", $order), $head;
	my ($size, $count) = unpack _ordered("x$how->{entry} S S", $order), $head;
	my ($template, $least) = @{ $how->{segment} };
	return if $count > SEGMENTS_MAX || $size < $least;
	my @segments;
	for my $i (0 .. $count - 1) {
		my $bytes = _read($file, $table + $i * $size, $least) // return;
		my %segment = (how => $how, order => $order);
		@segment{qw(type offset address size)} = unpack _ordered($template, $order), $bytes;
		push @segments, \%segment;
	}
	return @segments;
}

# [tag, value] each.
sub _entries
{
	my ($file, $dynamic) = @_;
	my $size  = 2 * $dynamic->{how}{word};
	my $count = int $dynamic->{size} / $size;
	$count = ENTRIES_MAX if $count > ENTRIES_MAX;
	my @entries;
	for my $i (0 .. $count - 1) {
		my $bytes = _read($file, $dynamic->{offset} + $i * $size, $size) // last;
		my @entry = unpack _ordered($dynamic->{how}{dynamic}, $dynamic->{order}), $bytes;
		last if $entry[0] == DT_NULL;
		push @entries, \@entry;
	}
	return @entries;
}

# What stands at an address, to its 0 byte.
sub _string
{
	my ($file, $address, @loads) = @_;
	my ($load) = grep { $address >= $_->{address} && $address - $_->{address} < $_->{size} } @loads;
	return '' if !$load || !seek $file, $load->{offset} + $address - $load->{address}, 0;
	read $file, my $bytes, NAME_MAX;
	my ($name) = $bytes =~ /^([^\0]*)\0/ or return '';
	return $name;
}

1;

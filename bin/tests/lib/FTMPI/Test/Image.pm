# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Image;

# The file of a process image, as bin/tests/image/image_file.c writes it: its head is a struct image_file, where
# its sections are, how long they are, and their checksums; then they follow one another.

use strict;
use warnings;

use Exporter qw(import);
use File::Temp ();

# bytes of the head; enum image_section
use constant { HEAD => 4096, ORIGIN => 0, PROCESS => 1, MAPS => 2, FILES => 3, PAGES => 4, SECTIONS => 5 };

our @EXPORT_OK = qw(HEAD ORIGIN PROCESS MAPS FILES PAGES SECTIONS place section replaced);

# Where the numbers of a section stand in the head: kind 0 is its place, 1 its length, 2 its checksum.
sub _at { my ($kind, $i) = @_; return 8 + 8 * ($kind * SECTIONS + $i) }

sub _number { my ($bytes, $kind, $i) = @_; return unpack 'Q<', substr $$bytes, _at($kind, $i), 8 }

# Of the image's bytes: where a section begins, and how long it is.
sub place { my ($bytes, $i) = @_; return map { _number(\$bytes, $_, $i) } 0, 1 }

sub section
{
	my ($bytes, $i) = @_;
	my ($at, $length) = place($bytes, $i);
	return substr $bytes, $at, $length;
}

sub _checksum
{
	my ($bytes) = @_;
	my $file = File::Temp->new;
	binmode $file;
	print $file $bytes or die "$file: $!\n";
	close $file or die "$file: $!\n";
	my ($sum) = qx{xxhsum -H3 <'$file'} =~ /\b([0-9a-f]{16})\b/ or die "xxhsum does not tell the checksum\n";
	return reverse pack 'H*', $sum;
}

# The image's bytes with another section $i in the place of that one, whose checksum is right.
sub replaced
{
	my ($bytes, $i, $section) = @_;
	my ($at, $length) = place($bytes, $i);
	my $more = length($section) - $length;
	substr $bytes, $at, $length, $section;
	substr $bytes, _at(1, $i), 8, pack 'Q<', length $section;
	substr $bytes, _at(2, $i), 8, scalar _checksum($section);
	substr $bytes, _at(0, $_), 8, pack 'Q<', _number(\$bytes, 0, $_) + $more for $i + 1 .. SECTIONS - 1;
	return $bytes;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::File;

# Whole files, of which each must be there or be written; FTMPI::Test::Process has those in /proc, which
# may be gone.

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(dirname);
use File::Path ();

our @EXPORT_OK = qw(read_file write_file);

sub read_file
{
	my ($path) = @_;
	open(my $in, '<:raw', $path) or die "$path: $!\n";
	local $/;
	return scalar <$in>;
}

# The folder is made where there is none; the answer is the path.
sub write_file
{
	my ($path, $bytes) = @_;
	File::Path::make_path(dirname($path));
	open(my $out, '>:raw', $path) or die "$path: $!\n";
	print $out $bytes;
	close($out) or die "$path: $!\n";
	return $path;
}

1;

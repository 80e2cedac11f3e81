#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the seeds of the fuzz targets: perl -Ibin/lib bin/tests/fuzz/seeds.pl bin/tests/data/fuzz. What a
# byte means is said at the head of each target. Files called found-* are inputs that once failed; they are kept by
# hand and left alone here. The seeds themselves are in seeds/, by what they are of.
use strict;
use warnings;

use File::Path ();
use FindBin    ();

my $corpus = shift // die "usage: $0 CORPUS\n";

sub seed
{
	my ($target, $name, @bytes) = @_;
	File::Path::make_path("$corpus/$target");
	open my $file, '>:raw', "$corpus/$target/$name" or die "$corpus/$target/$name: $!\n";
	print $file join '', @bytes;
	close $file or die "$name: $!\n";
	return;
}

require "$FindBin::Bin/seeds/$_.pl" for qw(wire launch lines windows images keeper);

machines_seeds();
allocation_seeds();
events_seeds();
options_seeds();
wire_seeds();
condition_seeds();
address_seeds();
frames_seeds();
ring_seeds();
handshake_seeds();
control_seeds();
byhand_seeds();
started_seeds();
beat_seeds();
ckpt_file_seeds();
manifest_seeds();
coord_seeds();
orphans_seeds();
msglog_seeds();
keeper_seeds();
image_contents_seeds();
operations_seeds();
communicators_seeds();
logged_seeds();
rma_layout_seeds();
rma_words_seeds();
saved_seeds();
image_process_seeds();
image_tables_seeds();
image_files_seeds();

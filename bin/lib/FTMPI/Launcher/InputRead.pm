# SPDX-License-Identifier: BSD-3-Clause
#
# How much of its standard input rank 0 had read in the recovery lines of a session with images: a text file in the
# session's folder (doc/ckpt-format.md), for -restore. There is one as soon as a line is committed.
package FTMPI::Launcher::InputRead;

use strict;
use warnings;

use FTMPI::Launcher::SessionFile ();

# LINES: of the newest.
use constant { NAME => 'job.input', FIRST => 'FTMPI-INPUT 2', LINES => 1000, BYTES_MAX => 1 << 16 };

# read: bytes by line.
sub save
{
	my ($folder, $read) = @_;
	my @lines = sort { $b <=> $a } keys %$read;
	$#lines = LINES - 1 if @lines > LINES;
	my $text = join '', map { "$_\n" } FIRST, map { "line $_ $read->{$_}" } @lines;
	my $sum = eval { _sum($text) } // return "its checksum cannot be made: $@";
	return FTMPI::Launcher::SessionFile::save($folder, NAME, "${text}sum $sum\n");
}

sub _sum { my ($text) = @_; require Digest::SHA; return Digest::SHA::sha256_hex($text) }

# The same, or undef: there is no such file. One that is damaged knows nothing.
sub load
{
	my ($folder) = @_;
	my $text = FTMPI::Launcher::SessionFile::load($folder, NAME, BYTES_MAX) // return undef;
	my ($rest, $sum) = $text =~ /\A(.*^)sum ([0-9a-f]{64})\n\z/ms or return {};
	my ($first, @lines) = split /\n/, $rest;
	return {} if ($first // '') ne FIRST || $sum ne _sum($rest);
	return { map { /^line ([0-9]{1,10}) ([0-9]{1,19})\z/ ? ($1 => $2 + 0) : () } @lines };
}

1;

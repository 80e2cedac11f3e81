# SPDX-License-Identifier: BSD-3-Clause
#
# Sums of what rank 0 had read of its standard input in the recovery lines of a session with images: a text file in the
# session's folder (doc/ckpt-format.md), by which -restore sees whether it is given the same input. How much was read the images say.
package FTMPI::Launcher::InputRead;

use strict;
use warnings;

use FTMPI::Launcher::SessionFile ();

# LINES: those that have read most.
use constant { NAME => 'job.input', FIRST => 'FTMPI-INPUT 3', LINES => 1000, BYTES_MAX => 1 << 17 };

# sums: SHA-256, as 64 digits, of so many bytes.
sub save
{
	my ($folder, $sums) = @_;
	my @bytes = sort { $b <=> $a } keys %$sums;
	$#bytes = LINES - 1 if @bytes > LINES;
	my $text = join '', map { "$_\n" } FIRST, map { "read $_ $sums->{$_}" } @bytes;
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
	return { map { /^read ([0-9]{1,19}) ([0-9a-f]{64})\z/ ? ($1 + 0 => $2) : () } @lines };
}

1;

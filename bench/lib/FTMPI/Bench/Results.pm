# SPDX-License-Identifier: BSD-3-Clause
#
# The results of a run as a file that `compare` reads: tab-separated, every value of every round.
#
#	# FTMPI bench results 1
#	# KEY <tab> VALUE            about the machine, the versions, the run
#	# note <tab> SENTENCE
#	WHAT BYTES RANKS UNIT IMPLEMENTATION STATE VALUES     (VALUES: joined by commas)
package FTMPI::Bench::Results;

use strict;
use warnings;

use constant FIRST => '# FTMPI bench results 1';

# A result: head => [[key, value], ...], notes => [sentences], rows => as FTMPI::Bench::Stats has them.
sub to_text
{
	my ($result) = @_;
	my @lines = (FIRST);
	push @lines, map { "# $_->[0]\t$_->[1]" } @{ $result->{head} }, map { [ 'note', $_ ] } @{ $result->{notes} };
	for my $row (@{ $result->{rows} }) {
		for my $name (sort keys %{ $row->{values} }) {
			push @lines, join "\t", @$row{qw(what bytes ranks unit)}, $name, $row->{state}{$name},
				join ',', @{ $row->{values}{$name} };
		}
	}
	return join '', map { "$_\n" } @lines;
}

# Dies with a sentence that names the file and line.
sub from_text
{
	my ($file, $text) = @_;
	my @lines = split /\n/, $text;
	die "$file is not a result of bench/run (a .tsv file that begins '" . FIRST . "')\n"
		if !@lines || shift @lines ne FIRST;
	my (%result, %row);
	@result{qw(head notes rows)} = ([], [], []);
	for my $i (0 .. $#lines) {
		my $where = "$file, line " . ($i + 2);
		if ($lines[$i] =~ /^# ([^\t]+)\t(.*)\z/) {
			push @{ $result{ $1 eq 'note' ? 'notes' : 'head' } }, $1 eq 'note' ? $2 : [ $1, $2 ];
			next;
		}
		_add(\%result, \%row, $where, $lines[$i]);
	}
	return \%result;
}

my $NUMBER = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;

sub _add
{
	my ($result, $row_of, $where, $line) = @_;
	my ($what, $bytes, $ranks, $unit, $name, $state, $values) =
		$line =~ m{^(\w+(?:/\w+)?)\t(\d+)\t(\d+)\t([^\t]+)\t([^\t]+)\t(ok|limit|failed|skipped)\t((?:$NUMBER(?:,$NUMBER)*)?)\z}
		or die "$where: not a row of results\n";
	my $id  = "$what $bytes $ranks";
	my $row = $row_of->{$id};
	if (!$row) {
		$row = $row_of->{$id} = { id => $id, what => $what, bytes => $bytes, ranks => $ranks, unit => $unit };
		push @{ $result->{rows} }, $row;
	}
	die "$where: '$id' of $name is there twice\n" if $row->{values}{$name};
	die "$where: '$id' has two units\n" if $row->{unit} ne $unit;
	$row->{values}{$name} = [ map { $_ + 0 } split /,/, $values ];
	$row->{state}{$name}  = $state;
	return;
}

sub read_file
{
	my ($file) = @_;
	open my $in, '<:raw:encoding(UTF-8)', $file or die "cannot read $file: $!\n";
	local $/;
	my $text = <$in>;
	die "cannot read $file: $!\n" if !defined $text;
	return from_text($file, $text);
}

# Whole or not at all.
sub write_file
{
	my ($file, $text) = @_;
	my $new = "$file.new";
	open my $out, '>:encoding(UTF-8)', $new or die "cannot write $new: $!\n";
	print $out $text;
	close $out or die "cannot write $new: $!\n";
	rename $new, $file or die "cannot write $file: $!\n";
	return;
}

sub head
{
	my ($result, $key) = @_;
	my ($pair) = grep { $_->[0] eq $key } @{ $result->{head} };
	return $pair ? $pair->[1] : undef;
}

1;

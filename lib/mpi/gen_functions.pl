#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen_functions.pl HEADER TABLE SOURCE... >doc/functions.md
#
# Every MPI function that HEADER declares: whether a SOURCE implements it, since which version, with
# what limits. TABLE has what the sources do not say:
#	since VERSION: NAME...		in that version already; else it is new in the next one
#	limit NAME: words
use strict;
use warnings;

use FindBin ();
use lib $FindBin::Bin;

use Prototypes ();

my %since;    # name => version
my %limit;    # name => words

sub read_table
{
	my ($path) = @_;
	for my $line (split /\n/, Prototypes::slurp($path)) {
		next if $line =~ /^\s*(?:#|\z)/;
		if ($line =~ /^since (\S+): (.*)/) {
			my ($version, $names) = ($1, $2);
			$since{$_} = $version for split ' ', $names;
		} elsif ($line =~ /^limit (MPI_\w+): (.*)/) {
			$limit{$1} = $2;
		} else {
			die "gen_functions.pl: $path: what does '$line' mean?\n";
		}
	}
	return;
}

sub version_of
{
	my ($name, $implemented) = @_;
	return '' if !$implemented->{$name};
	return $since{$name} // 'next';
}

# "MPI_X, MPI_X_c" where both are alike
sub rows
{
	my ($implemented, @names) = @_;
	my (@rows, %done);
	my %there = map { $_ => 1 } @names;
	for my $name (@names) {
		next if $done{$name}++;
		my ($version, $limit) = (version_of($name, $implemented), $limit{$name} // '');
		my $large = "${name}_c";
		my $label = $name;
		if ($there{$large} && version_of($large, $implemented) eq $version
			&& ($limit{$large} // '') eq $limit) {
			$label .= ", `_c`";
			$done{$large}++;
		}
		push @rows, "| $label | " . ($version || 'no') . " | $limit |";
	}
	return @rows;
}

my ($header, $table, @sources) = @ARGV;
die "usage: gen_functions.pl HEADER TABLE SOURCE... >functions.md\n" unless @sources;
my $text = Prototypes::slurp($header);
read_table($table);
my $implemented = Prototypes::implemented(@sources);
my @all = map { $_->[1] } Prototypes::of($text);
my %known = map { $_ => 1 } @all;
for my $name (sort keys %since, sort keys %limit) {
	die "gen_functions.pl: $table: $name is not in $header\n" if !$known{$name};
	die "gen_functions.pl: $table: $name is not implemented\n" if !$implemented->{$name};
}

my @parts = grep { @{ $_->[1] } } map {
	my ($title, $piece) = @$_;
	[ $title, [ map { $_->[1] } Prototypes::of($piece) ] ]
} Prototypes::parts($text);
my @old = map { @{ $_->[1] } } grep { $_->[0] =~ /\bnot (?:of|in) the ABI\b/i } @parts;
my $standard = @all - @old;
my $here = (grep { $implemented->{$_} } @all) - (grep { $implemented->{$_} } @old);

print <<"EOT";
# The functions of MPI 5.0

Made by `make functions` from `include/mpi.h`, `lib/mpi/*/*.c` and `lib/mpi/functions.txt`; do not edit.

Of the $standard functions of the standard $here are implemented. All are exported, each with its `PMPI_` name; one that is not
implemented ("no") raises `MPI_ERR_UNSUPPORTED_OPERATION` with a sentence that names it. "next" is the version
that is being made ([NEWS.md](../NEWS.md)). `_c` beside a name is its form for large counts.
EOT
for my $part (@parts) {
	my ($title, $names) = @$part;
	print "\n## $title\n\n| function | since | limits |\n|---|---|---|\n";
	print "$_\n" for rows($implemented, @$names);
}

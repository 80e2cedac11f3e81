#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# perl_fuzz.pl TARGET SECONDS SEED CORPUS GROWING REPRODUCERS: fuzzes one parser. What fails is written
# to REPRODUCERS/perl-TARGET; what behaves in a new way, to GROWING/TARGET.
use strict;
use warnings;

use Digest::MD5 ();
use File::Path  ();

use FTMPI::Error             ();
use FTMPI::Test::Fuzz        ();
use FTMPI::Test::FuzzTargets ();

die "usage: $0 TARGET SECONDS SEED CORPUS GROWING REPRODUCERS\n" if @ARGV != 6;
my ($name, $seconds, $seed, $corpus, $growing, $reproducers) = @ARGV;
$seed ||= time ^ $$ << 8;
File::Path::make_path("$growing/$name", $reproducers);

sub keep
{
	my ($path, $bytes) = @_;
	open my $file, '>:raw', $path or die "$path: $!\n";
	print $file $bytes;
	close $file or die "$path: $!\n";
	return;
}

my $target = FTMPI::Test::FuzzTargets::target($name, $corpus, $growing);
my $fuzz   = FTMPI::Test::Fuzz->new(target => $target);
my $found  = $fuzz->run(
	seconds => $seconds,
	seed    => $seed,
	on_new  => sub { keep("$growing/$name/" . Digest::MD5::md5_hex($_[0]), $_[0]) });
printf "%s: seed %s, %d executions, %d ways to behave\n", $name, $seed, $fuzz->runs, $fuzz->shapes;
exit 0 if !$found;
my $path = "$reproducers/perl-$name";
keep($path, $found->{input});
chomp(my $fault = $found->{fault});
print "$name: $fault\n$name: the input is $path\n";
exit 1;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# doc/functions.md says what is implemented: as the sources have it now, and of every name.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use FTMPI::Test::File qw(read_file write_file);

my $root = "$FindBin::Bin/../../..";
my $tmp = tempdir(CLEANUP => 1);
my @sources = glob "$root/lib/mpi/*/*.c";

sub generate
{
	my (@arguments) = @_;
	my $said = `$^X $root/lib/mpi/gen_functions.pl @arguments 2>&1`;
	return ($? >> 8, $said);
}

my ($status, $made) = generate("$root/include/mpi.h", "$root/lib/mpi/functions.txt", @sources);
is($status, 0, 'the list can be made') or diag $made;
ok($made eq read_file("$root/doc/functions.md"), 'doc/functions.md is up to date')
	or diag 'call `make functions` and commit the file';
my ($standard, $here) = $made =~ /^Of the (\d+) functions of the standard (\d+) are implemented/m;
is($standard, 664, 'all names of the standard');
my @rows = $made =~ /^\| (MPI_\w+(?:, `_c`)?) \|/mg;
my @declared = read_file("$root/include/mpi.h") =~ /^(?:int|double|MPI_\w+) (MPI_\w+)\(/mg;
is(scalar(map { /_c`$/ ? (1, 1) : 1 } @rows), scalar @declared, 'a row for each, and for those beside it');

my $header = write_file("$tmp/h.h", "/* ---- One (section 1) ---- */\nint MPI_One(int a);\nint MPI_One_c(int a);\n"
	. "/* ---- Two, a title of\n * two lines ---- */\nint MPI_Two(void);\nint MPI_Three(void);\n");
my $source = write_file("$tmp/c.c", join '', map { "#pragma weak MPI_$_ = PMPI_$_\n" } qw(One One_c Two));
my $table = write_file("$tmp/t.txt", "# words\n\nsince 0.1.0: MPI_Two\nlimit MPI_Two: small | no\n");
($status, $made) = generate($header, $table, $source);
is($status, 0, 'a small one');
like($made, qr/^Of the 4 functions of the standard 3 are implemented/m, 'is counted');
like($made, qr/^## One \(section 1\)$/m, 'titles');
like($made, qr/^## Two, a title of two lines$/m, '... of two lines');
like($made, qr/^\| MPI_One, `_c` \| next \|  \|$/m, 'both forms in a row');
like($made, qr/^\| MPI_Two \| 0\.1\.0 \| small \| no \|$/m, 'version and limits');
like($made, qr/^\| MPI_Three \| no \|  \|$/m, 'what is missing');
for my $bad ("since 0.1.0: MPI_Four\n", "limit MPI_Three: x\n", "nonsense\n") {
	($status, $made) = generate($header, write_file("$tmp/bad.txt", $bad), $source);
	isnt($status, 0, "refused: $bad");
	like($made, qr/bad\.txt/, '... naming the file');
}
done_testing();

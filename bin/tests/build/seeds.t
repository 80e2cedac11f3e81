# SPDX-License-Identifier: BSD-3-Clause
#
# The seeds of the fuzz targets that are kept are those that seeds.pl makes; others may lie beside them.
use strict;
use warnings;

use File::Find ();
use File::Temp ();
use FindBin ();

use Test::More;

my $tests = "$FindBin::Bin/..";
my $made  = File::Temp->newdir('ftmpi-seeds-XXXXXX', TMPDIR => 1);

sub content
{
	my ($file) = @_;
	open(my $in, '<:raw', $file) or return;
	local $/ = undef;
	return scalar <$in>;
}

is(system('perl', "-I$tests/../lib", "$tests/fuzz/seeds.pl", "$made"), 0, 'they are made');

my @names;
File::Find::find({no_chdir => 1, wanted => sub { push @names, substr($_, length("$made") + 1) if -f }}, "$made");
cmp_ok(scalar @names, '>', 100, 'there are many');
my @stale = grep { (content("$tests/data/fuzz/$_") // '') ne content("$made/$_") } sort @names;
is("@stale", '', 'each is kept as it is made (perl bin/tests/fuzz/seeds.pl bin/tests/data/fuzz)');

done_testing();

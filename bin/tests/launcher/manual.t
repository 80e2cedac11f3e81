#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The manual page is in step with the options.
use strict;
use warnings;

use FindBin ();
use Test::More;

use FTMPI::Manual  ();
use FTMPI::Options ();
use FTMPI::Version ();

my $root = "$FindBin::RealBin/../../..";

sub text_of
{
	my ($path) = @_;
	open my $file, '<', "$root/$path" or die "$path: $!";
	local $/;
	return scalar <$file>;
}

my $page = text_of('doc/man/ftmpirun.1');
ok($page eq FTMPI::Manual::page(), 'doc/man/ftmpirun.1 is what bin/ftmpirun -man prints');
for my $entry (FTMPI::Options::table()) {
	for my $name (@{ $entry->{names} }) {
		(my $escaped = "-$name") =~ s/-/\\-/g;
		like($page, qr/\Q$escaped\E/, "it has -$name");
	}
}

# The knobs of a rank: X(id, "NAME", default, least, most, "text").
my $knobs = text_of('lib/base/knob.h');
my $about = text_of('doc/man/ftmpi.7');
my @knobs = $knobs =~ /X\(KNOB_\w+,\s*"(\w+)",\s*([^,]+),[^"]*"([^"]+)"\)/g;
ok(@knobs >= 3, 'lib/base/knob.h has knobs');
while (my ($name, $default, $text) = splice @knobs, 0, 3) {
	$default = $1 << $2 if $default =~ /^(\d+) << (\d+)\z/;
	like($about, qr/^\.B \Q$name\E\n\Q$text\E\.\nDefault: $default\.\n/m, "ftmpi(7) has $name");
}

my $version = FTMPI::Version::NUMBER;
for my $name (qw(ftmpirun.1 ftmpicc.1 ftmpifort.1 ftmpi-ckpt.1 ftmpi.7)) {
	like(text_of("doc/man/$name"), qr/^\.TH [\w-]+ \d "" "FTMPI \Q$version\E"$/m,
		"$name has the version");
}
like(text_of('Makefile'), qr/^VERSION\s*:?=\s*\Q$version\E$/m, 'so has the Makefile');

SKIP: {
	skip 'no man here', 5 if !grep { -x "$_/man" } split /:/, $ENV{PATH};
	for my $name (qw(ftmpirun.1 ftmpicc.1 ftmpifort.1 ftmpi-ckpt.1 ftmpi.7)) {
		my $said = `LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l $root/doc/man/$name 2>&1 >/dev/null`;
		is($said, '', "$name is well formed");
	}
}
done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The manual page is in step with the options.
use strict;
use warnings;

use File::Temp ();
use FindBin ();
use Test::More;

use FTMPI::Cli::Manual         ();
use FTMPI::Cli::Options        ();
use FTMPI::Cli::OtherLaunchers ();
use FTMPI::Version             ();

my $root = "$FindBin::RealBin/../../..";

sub text_at
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!";
	local $/;
	return scalar <$file>;
}

sub text_of { my ($path) = @_; return text_at("$root/$path") }

my $page = text_of('doc/man/ftmpirun.1');
ok($page eq FTMPI::Cli::Manual::page(), 'doc/man/ftmpirun.1 is what bin/ftmpirun -man prints');
like(text_of('libexec/install.pl'), qr{^\t\$file->\("\$at->\{DOCDIR\}", +0644, .*glob 'doc/\*\.md'\);$}m, 'make install has the documents');
for my $name (qw(ftmpirun.1 ftmpi.7)) {
	like(text_of("doc/man/$name"), qr{^\.I share/doc/ftmpi/images\.md$}m, "$name names it");
}
for my $entry (FTMPI::Cli::Options::table()) {
	for my $name (@{ $entry->{names} }) {
		(my $escaped = "-$name") =~ s/-/\\-/g;
		like($page, qr/\Q$escaped\E/, "it has -$name");
	}
}

for my $row (FTMPI::Cli::OtherLaunchers::table()) {
	for my $name (@{ $row->[0] }) {
		(my $escaped = "-$name") =~ s/-/\\-/g;
		like($page, qr/^\.B (?:\S+, )*\Q$escaped\E(?:,|$)/m, "it has -$name of other launchers");
		ok(!eval { FTMPI::Cli::Options::parse("-$name", 1); 1 }, '... which is refused');
	}
}

# A script of a rank runs anew when the rank begins again: one that opens a file with > would empty it.
unlike(text_of("doc/man/$_"), qr/[^>]>out\./, "$_ appends what ranks print") for qw(ftmpirun.1 ftmpi.7);

# The knobs of a rank: X(id, "NAME", default, least, most, "text").
my $knobs = text_of('lib/base/knob.h');
my $about = text_of('doc/man/ftmpi.7');
my @knobs = $knobs =~ /X\(KNOB_\w+,\s*"(\w+)",\s*([^,]+),[^"]*"([^"]+)"\)/g;
ok(@knobs >= 3, 'lib/base/knob.h has knobs');
while (my ($name, $default, $text) = splice @knobs, 0, 3) {
	$default = $1 << $2 if $default =~ /^(\d+) << (\d+)\z/;
	like($about, qr/^\.B \Q$name\E\n\Q$text\E\.\nDefault: $default\.\n/m, "ftmpi(7) has $name");
}

# Every other variable that the library, the launcher and the compilers ask for. FTMPI_BOOT is the launcher's way to send an agent.
my %asked = map { $_ => 1 } map { /getenv\("(FTMPI_\w+)"\)/g, /(?:ENV|env->)\{'?(FTMPI_\w+)/g, /variable => '(FTMPI_\w+)'/g }
	map { text_at($_) } glob("$root/lib/*/*.c"), glob("$root/lib/*/*/*.c"), glob("$root/bin/lib/FTMPI/*.pm"), glob("$root/bin/lib/FTMPI/*/*.pm"), glob("$root/bin/lib/FTMPI/*/*/*.pm");
delete $asked{FTMPI_BOOT};
ok(keys %asked >= 12, 'variables are asked for');
like($about, qr/^\.B (?:FTMPI_\w+, )*$_\b/m, "ftmpi(7) has $_") for sort keys %asked;

my $version = FTMPI::Version::NUMBER;
for my $name (qw(ftmpirun.1 ftmpicc.1 ftmpifort.1 ftmpi-ckpt.1 ftmpi-top.1 ftmpi.7)) {
	like(text_of("doc/man/$name"), qr/^\.TH [\w-]+ \d "" "FTMPI \Q$version\E"$/m,
		"$name has the version");
}
like(text_of('Makefile'), qr/^VERSION\s*:?=\s*\Q$version\E$/m, 'so has the Makefile');

# A page for each call, made from ftmpi.h; and what it says is what the header says.
my $made   = File::Temp->newdir('ftmpi-manual-XXXXXX', TMPDIR => 1);
my $header = text_of('include/ftmpi.h');
my @calls  = $header =~ /^\w+ (FTMPI_\w+)\(/mg;
my @pages  = split /\n/, `$^X $root/doc/man/gen_calls.pl $root/include/ftmpi.h $made`;
is($?, 0, 'pages of the calls are made');
is_deeply([ sort map { m{/(\w+)\.3\z} } @pages ], [ sort @calls ], 'one for each call of ftmpi.h');
like(text_at("$made/FTMPI_CKPT_Unprotect.3"), qr/^\.SH SYNOPSIS\n.*^int FTMPI_CKPT_Unprotect\(int id\);\n.*^Forget this id/ms, 'with its text');
for my $case ([ 'FTMPI_Progress', 'any thread at any time' ], [ 'FTMPI_Restore', 'any\none thread at a time' ]) {
	my ($call, $who) = @$case;
	my $page = text_at("$made/$call.3");
	my ($notes) = $page =~ /^\.SH NOTES\n(.*?)^\.SH /ms;
	like($notes, qr/\A\.PP\nThread rule: between [^.]* by $who\b.* What is said of\s/s, "the notes of $call begin with its thread rule");
	is(() = $page =~ /Thread rule/g, 1, '... which is there once');
}

SKIP: {
	skip 'no man here', 5 + @pages if !grep { -x "$_/man" } split /:/, $ENV{PATH};
	for my $name (qw(ftmpirun.1 ftmpicc.1 ftmpifort.1 ftmpi-ckpt.1 ftmpi-top.1 ftmpi.7)) {
		my $said = `LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l $root/doc/man/$name 2>&1 >/dev/null`;
		is($said, '', "$name is well formed");
	}
	for my $page (@pages) {
		is(`LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l $page 2>&1 >/dev/null`, '', "$page is well formed");
	}
}
done_testing;

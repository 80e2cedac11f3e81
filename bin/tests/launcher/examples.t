#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Every manual page has examples: commands are understood, and what a program does with a call is compiled and run.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use File::Path       ();
use File::Temp       ();
use Test::More;
use Text::ParseWords ();

use FTMPI::Cli::Options ();
use LauncherTest;

my $root = "$FindBin::RealBin/../../..";
my $dir  = File::Temp->newdir('ftmpi-examples-XXXXXX', TMPDIR => 1);    # in a string it is its path

File::Path::make_path("$dir/runs/20261121-203610-1a2b3c4d");

# The examples of a page: its lines that are not filled.
sub examples
{
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!";
	local $/;
	my ($section) = <$file> =~ /^\.SH EXAMPLES\n(.*?)(?=^\.SH |\z)/ms or return '';
	my $text = join '', $section =~ /^\.nf\n(.*?)^\.fi$/msg;
	$text =~ s/^\\&//mg;
	return $text =~ s/\\([-e])/$1 eq 'e' ? '\\' : '-'/ger;
}

# The first pipeline of the line: variables before it and what follows are the shell's.
sub command
{
	my ($line) = @_;
	$line =~ s/ +&& .*| +# .*//;
	my @words = Text::ParseWords::shellwords($line);
	shift @words while @words && $words[0] =~ /^[A-Z_]+=/;
	return @words;
}

# How each command shows that it understands its words.
my %UNDERSTANDS = (
	ftmpirun => sub { my $got = FTMPI::Cli::Options::parse(@_); return $got->{prog} || $got->{configfile} },
	(map { my $name = $_; $name => sub { return system("$root/bin/$name -show @_ >/dev/null") == 0 } } qw(ftmpicc ftmpicxx ftmpifort)),
	# in a folder without a line, which is no error of the command line
	'ftmpi-ckpt' => sub {
		my @words = map { s{^(?:/shared/runs|work)(?=/|\z)}{$dir/runs}r } @_;
		return system("$ENV{FTMPI_PROGRAMS}/ftmpi-ckpt @words >/dev/null 2>&1") >> 8 != 2;
	},
);

for my $path (glob "$root/doc/man/*.[1-9]") {
	my ($page) = $path =~ m{([^/]+)\z};
	my @lines = split /\n/, examples($path);
	ok(scalar @lines, "$page has examples");
	for my $line (grep { /^\S/ } @lines) {
		my ($name, @words) = command($line);
		my $understands = $UNDERSTANDS{$name} // next;
		ok(eval { $understands->(@words) }, "$page: $line") or diag ref $@ ? $@->text : $@;
	}
}
ok(!eval { $UNDERSTANDS{ftmpirun}->(qw(-n 4 -bogus p)) }, 'a mistake of ftmpirun would be seen');
ok(!$UNDERSTANDS{'ftmpi-ckpt'}->('-bogus'), '... and of ftmpi-ckpt');

# Pages of calls. Those that have the same example share a program.
my @pages = split /\n/, `$^X $root/doc/man/gen_calls.pl $root/include/ftmpi.h $dir`;
cmp_ok(scalar @pages, '>=', 15, 'pages of calls are made');
my (%pages_of, @codes);
for my $path (@pages) {
	my ($call) = $path =~ m{(\w+)\.3\z};
	my $code = examples($path);
	like($code, qr/\b$call\(/, "the example of $call has it");
	push @codes, $code if !$pages_of{$code};
	push @{ $pages_of{$code} }, $call;
}
for my $i (0 .. $#codes) {
	my $source = "$dir/example$i.c";
	open my $out, '>', $source or die "$source: $!";
	print $out "#include <ftmpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\nMPI_Init(&argc, &argv);\n{\n$codes[$i]}\nreturn MPI_Finalize();\n}\n";
	close $out or die "$source: $!";
	my $name = join ', ', @{ $pages_of{ $codes[$i] } };
	is(`$root/bin/ftmpicc -Wall -Wextra -Werror -o $dir/example$i $source 2>&1`, '', "$name: the example is compiled");
	my $job = ftmpirun([ qw(-n 2 -workdir), "$dir/work", "$dir/example$i" ]);
	is("$job->{status} $job->{err}", '0 ', '... and runs');
}
nobody_left();
done_testing;

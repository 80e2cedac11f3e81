#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The commands that the compiler wrappers run, and that they find their tree.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Cwd qw(abs_path);
use Test::More;

use FTMPI::Compiler ();
use LauncherTest;

my $paths = { include => '/p/include', lib => '/p/lib', fortran => '/p/finclude' };
my $libs  = '-L/p/lib -Wl,-rpath,/p/lib -lftmpi';

sub made
{
	my ($language, $env, @words) = @_;
	my (undef, @command) = FTMPI::Compiler::command($language, $paths, $env, @words);
	return "@command";
}

is(made('c', {}, qw(-O2 a.c -o a)), "cc -I/p/include -O2 a.c -o a $libs", 'compile and link');
is(made('cxx', {}, 'a.cc'), "c++ -I/p/include a.cc $libs", 'C++');
for my $word (qw(-c -S -E -M -MM -fsyntax-only)) {
	is(made('c', {}, $word, 'a.c'), "cc -I/p/include $word a.c", "$word does not link");
}
is(made('c', {}, qw(-MD a.c)), "cc -I/p/include -MD a.c $libs", '-MD does');
is(made('c', {}, qw(-v)), 'cc -I/p/include -v', 'nothing to link');
is(made('c', {}, qw(-o x -I y --version)), 'cc -I/p/include -o x -I y --version',
	'... also with words of options');
is(made('c', {}, '-Wl,-z', '-lm'), "cc -I/p/include -Wl,-z -lm $libs", 'a library is something');
is(made('c', {}, '-show'), "cc -I/p/include $libs", '-show');
is(made('c', {}, qw(-show -c a.c)), 'cc -I/p/include -c a.c', '-show -c');
is(made('c', {}, '-compile-info'), 'cc -I/p/include', '-compile-info');
is(made('c', {}, '-link-info'), "cc $libs", '-link-info');
is(made('c', { FTMPI_CC => 'ccache gcc-12' }, qw(-c a.c)), 'ccache gcc-12 -I/p/include -c a.c',
	'FTMPI_CC');
is(made('cxx', { FTMPI_CXX => 'clang++' }, qw(-c a.c)), 'clang++ -I/p/include -c a.c', 'FTMPI_CXX');
is(made('c', {}, qw(-ftmpi-static a.c)),
	'cc -I/p/include a.c /p/lib/libftmpi.a -levent_core -lsodium -lxxhash -lpthread',
	'-ftmpi-static');
for my $lib (qw(/usr/lib /lib64 /usr/lib/x86_64-linux-gnu)) {
	my (undef, @command) = FTMPI::Compiler::command('c', { %$paths, lib => $lib }, {}, 'a.c');
	is("@command", "cc -I/p/include a.c -L$lib -lftmpi", "no path to $lib, which programs search anyway");
}
my $fixed = '-I/p/finclude -fallow-argument-mismatch';
my $flibs = $libs =~ s/-lftmpi/-lftmpifort -lftmpi/r;
is(made('fortran', {}, qw(-O2 a.f90)), "gfortran $fixed -O2 a.f90 $flibs", 'Fortran');
is(made('fortran', {}, qw(-c a.f)), "gfortran $fixed -c a.f", '... compile');
is(made('fortran', {}, '-v'), "gfortran $fixed -v", '... nothing to link');
is(made('fortran', { FTMPI_FC => 'flang -O1' }, 'a.f'), "flang -O1 -I/p/finclude a.f $flibs", 'FTMPI_FC');
is(made('fortran', {}, qw(-ftmpi-static a.f)),
	"gfortran $fixed a.f /p/lib/libftmpifort.a /p/lib/libftmpi.a -levent_core -lsodium -lxxhash -lpthread",
	'... -ftmpi-static');
for my $word (qw(-show --show -showme --showme)) {
	is(made('c', {}, $word, 'a.c'), "cc -I/p/include a.c $libs", $word);
}
is(made('c', {}, $_), 'cc -I/p/include', $_) for qw(-compile_info --compile-info);
is(made('c', {}, $_), "cc $libs", $_) for qw(-link_info --link_info);
my %alone = (
	command => 'ccache gcc-12',
	compile => '-I/p/include',
	link    => $libs,
	incdirs => '/p/include',
	libdirs => '/p/lib',
	libs    => 'ftmpi',
);
for my $what (sort keys %alone) {
	is(made('c', { FTMPI_CC => 'ccache gcc-12' }, "$_-showme:$what"), $alone{$what}, "$_-showme:$what") for '', '-';
}
like(made('c', {}, '-showme:version'), qr/^FTMPI \d+\.\d+\.\d+ \(Language: C\)\z/, '-showme:version');
is(made('fortran', {}, '-showme:compile'), $fixed, 'Fortran: -showme:compile');
is(made('fortran', {}, '-showme:link'), $flibs, '... :link');
is(made('fortran', {}, '-showme:libs'), 'ftmpifort ftmpi', '... :libs');
is((FTMPI::Compiler::command('c', $paths, {}, '-showme:nonsense'))[0], 'unknown', 'a question without an answer');
my %language = (ftmpicc => 'c', mpicc => 'c', ftmpicxx => 'cxx', mpicxx => 'cxx', 'mpic++' => 'cxx', mpiCC => 'cxx',
	map { $_ => 'fortran' } qw(ftmpifort mpifort mpif77 mpif90));
is(FTMPI::Compiler::language($_), $language{$_}, "the language of $_") for sort keys %language;
is(FTMPI::Compiler::quoted(q(a'b c)), q('a'\''b c'), 'a word for a shell');

my $bin  = abs_path("$FindBin::RealBin/../..");
my $root = abs_path("$bin/..");
delete $ENV{FTMPI_LIBDIR};
is(wait_end(begin([ "$bin/ftmpicc", '-compile-info' ]))->{out}, "cc -I$root/include\n",
	'in the source tree');
like(wait_end(begin([ "$bin/ftmpicxx", '-link-info' ]))->{out}, qr{^c\+\+ -L\Q$root\E/build/lib },
	'... C++');
is(wait_end(begin([ "$bin/ftmpifort", '-compile-info' ]))->{out},
	"gfortran -I$root/build/include -fallow-argument-mismatch\n", '... Fortran');
is(wait_end(begin([ "$bin/ftmpifort", '-compile-info' ], env => { FTMPI_LIBDIR => '/b/lib' }))->{out},
	"gfortran -I/b/include -fallow-argument-mismatch\n", '... built elsewhere');
like(wait_end(begin([ "$bin/ftmpicc", '-show' ], env => { FTMPI_LIBDIR => '/other' }))->{out},
	qr{-L/other -Wl,-rpath,/other }, 'FTMPI_LIBDIR');

# An installed tree, reached by a link.
my $prefix = abs_path(scratch()) . '/prefix';
my $copied = system 'sh', '-c',
	'mkdir -p "$2/bin" "$2/share/ftmpi" "$2/include" && cp "$1/ftmpicc" "$2/bin" &&'
	. ' cp -r "$1/lib/FTMPI" "$2/share/ftmpi" && ln -s ftmpicc "$2/bin/ftmpicxx" && ln -s "$2/bin/ftmpicc" "$2/link"',
	'sh', $bin, $prefix;
is($copied, 0, 'a tree as it is installed');
delete $ENV{PERL5LIB};
is(wait_end(begin([ "$prefix/link", '-show' ]))->{out},
	"cc -I$prefix/include -L$prefix/lib -Wl,-rpath,$prefix/lib -lftmpi\n",
		'... is found through a link');
like(wait_end(begin([ "$prefix/bin/ftmpicxx", '-show' ]))->{out}, qr/^c\+\+ /, '... and C++');
my $job = wait_end(begin([ "$bin/ftmpicc", 'x.c' ], env => { FTMPI_CC => '/no/such/cc' }));
is($job->{err},
	"ftmpicc: cannot run the compiler /no/such/cc: No such file or directory; set FTMPI_CC\n",
	'no compiler');
is($job->{status}, 1, '... status');
is(wait_end(begin([ "$bin/ftmpicc", '-c', '/no/such/file.c' ]))->{status}, 1,
	'the status of the compiler');

done_testing;

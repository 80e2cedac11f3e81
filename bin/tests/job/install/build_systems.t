# SPDX-License-Identifier: BSD-3-Clause
#
# The installed commands by the names that every MPI has: CMake, meson and Autoconf find compilers and
# launcher of FTMPI with the one folder in PATH, though another MPI comes after it there, and what they
# build runs. All are there or none, and none is taken from another MPI.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Greeting ();
use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(run_quiet);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

my $dir    = File::Temp->newdir('ftmpi-build-XXXXXX', TMPDIR => 1);
my $prefix = "$dir/prefix";
my $folder = "$prefix/libexec/ftmpi/bin";
my @names  = qw(mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90 mpiexec mpirun);

# Another MPI, of which nothing works.
write_file("$dir/other/$_", "#!/bin/sh\necho \"another MPI was used: \$0\" >&2\nexit 99\n") for @names;
chmod 0755, map { "$dir/other/$_" } @names;
write_file("$dir/otherpc/$_.pc", "Name: other\nDescription: another\nVersion: 4.1.4\nCflags: -I/another\nLibs: -lanother\n")
	for qw(ompi-c ompi-cxx ompi-fort);

my %clean = (FTMPI_LIBDIR => undef, PERL5LIB => undef, MAKEFLAGS => undef, MAKELEVEL => undef, CC => undef, CXX => undef,
	FC => undef, LD_LIBRARY_PATH => undef, PKG_CONFIG_PATH => "$prefix/libexec/ftmpi/pkgconfig:$dir/otherpc");

# A line of the shell, in a folder, with ours before the other in PATH.
sub run_there
{
	my ($in, $line, $name) = @_;
	my $job = FTMPI::Test::Job->run(['sh', '-c', $line], dir => "$dir/$in",
		env => {%clean, PATH => "$folder:$dir/other:$ENV{PATH}"});
	$job->is_status(0, $name // $line);
	unlike($job->out . $job->err, qr/another MPI was used/, '... without the other MPI');
	return $job;
}

sub greets
{
	my ($in, $program) = @_;
	my $job = run_there($in, "mpirun -n 2 $program");
	is_deeply([sort split /\n/, $job->out], [map { "$_ of 2" } 0, 1], "$in: $program runs") or diag($job->saw);
	return;
}

sub make
{
	my ($line) = @_;
	return FTMPI::Test::Job->run(['sh', '-c', "make -s -C '" . root() . "' PREFIX='$prefix' $line"],
		env => {MAKEFLAGS => undef, MAKELEVEL => undef});
}

sub missing { my ($in) = @_; return grep { !-x "$in/$_" } @names }

make('install')->is_status(0, 'make install');
is_deeply([missing($folder)], [], 'the folder has all names') or BAIL_OUT('nothing to test');
is_deeply([grep { -e "$prefix/bin/$_" } @names], [], 'bin has none of them');

for my $in (qw(plain cmake meson autoconf)) {
	write_file("$dir/$in/greet.c",   FTMPI::Test::Greeting::C);
	write_file("$dir/$in/greet.cc",  FTMPI::Test::Greeting::C);
	write_file("$dir/$in/greet.f90", FTMPI::Test::Greeting::F90);
	write_file("$dir/$in/greet.f",   FTMPI::Test::Greeting::F77);
}

# ---- by themselves ----

for my $case (['mpicc', 'c'], ['mpicxx', 'cc'], ['mpic++', 'cc'], ['mpiCC', 'cc'], ['mpifort', 'f90'], ['mpif90', 'f90'],
	['mpif77', 'f']) {
	my ($name, $suffix) = @$case;
	run_there('plain', "$name -o $name.greet greet.$suffix");
	greets('plain', "./$name.greet");
}
my $job = run_there('plain', 'cc -o pc greet.c $(pkg-config --cflags --libs ompi-c)', 'pkg-config, with the path to the library');
greets('plain', './pc');
$job = run_there('plain', "man -w mpicc | xargs readlink -f");
like($job->out, qr{/share/man/man1/ftmpicc\.1$}m, 'the manual page');

# ---- CMake ----

write_file("$dir/cmake/CMakeLists.txt", <<'T');
cmake_minimum_required(VERSION 3.16)
project(greet C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C CXX Fortran)
message(STATUS "found ${MPI_C_COMPILER} ${MPI_CXX_COMPILER} ${MPI_Fortran_COMPILER} ${MPIEXEC_EXECUTABLE}")
message(STATUS "Fortran: ${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
enable_testing()
foreach(what c.c.C cxx.cc.CXX fortran.f90.Fortran)
  string(REPLACE "." ";" words ${what})
  list(GET words 0 name)
  list(GET words 1 suffix)
  list(GET words 2 language)
  add_executable(${name} greet.${suffix})
  target_link_libraries(${name} MPI::MPI_${language})
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${name}>)
endforeach()
T
$job = run_there('cmake', 'cmake -S . -B out && cmake --build out', 'CMake');
$job->out_like(qr{^-- found \Q$folder\E/mpicc \Q$folder\E/mpi(?:cxx|c\+\+|CC) \Q$folder\E/mpif(?:ort|90) \Q$folder\E/mpiexec$}m,
	'CMake finds all of one MPI');
$job->out_like(qr{^-- Fortran: TRUE TRUE TRUE$}m, '... and all three ways of Fortran');
run_there('cmake', 'cd out && ctest --output-on-failure', 'what CMake builds runs, with its launcher');
greets('cmake', './out/fortran');

# ---- meson ----

write_file("$dir/meson/meson.build", <<'T');
project('greet', 'c', 'cpp', 'fortran')
foreach what : [['c', 'greet.c', 'c'], ['cxx', 'greet.cc', 'cpp'], ['fortran', 'greet.f90', 'fortran']]
  greet = executable(what[0], what[1], dependencies: dependency('mpi', language: what[2], method: get_option('how')))
  test(what[0], find_program('mpiexec'), args: ['-n', '2', greet])
endforeach
T
write_file("$dir/meson/meson_options.txt", "option('how', type: 'string', value: 'auto')\n");
for my $how (qw(auto config-tool)) {
	run_there('meson', "meson setup -Dhow=$how $how && ninja -C $how && meson test -C $how", "meson, $how");
	greets('meson', "./$how/c");
	greets('meson', "./$how/fortran");
}

# ---- Autoconf ----

write_file("$dir/autoconf/configure.ac", <<'T');
AC_INIT([greet], [1])
AM_INIT_AUTOMAKE([foreign])
m4_foreach([language], [[C], [C++], [Fortran], [Fortran 77]],
	[AC_LANG_PUSH(language) AX_MPI([], [AC_MSG_ERROR([no MPI])]) AC_LANG_POP(language)])
AC_CHECK_PROGS([MPIEXEC], [mpiexec mpirun])
AC_MSG_NOTICE([found $MPICC $MPICXX $MPIFC $MPIF77 $MPIEXEC])
CC=$MPICC CXX=$MPICXX FC=$MPIFC F77=$MPIF77
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
T
write_file("$dir/autoconf/Makefile.am", <<'T');
bin_PROGRAMS = c cxx fortran f77
c_SOURCES = greet.c
cxx_SOURCES = greet.cc
cxx_CXXFLAGS = -O1
fortran_SOURCES = greet.f90
fortran_FCFLAGS = -O1
f77_SOURCES = greet.f
f77_FFLAGS = -O1
T
$job = run_there('autoconf', 'autoreconf -i >log 2>&1 || { cat log; exit 1; }; ./configure && make', 'Autoconf');
$job->out_like(qr/found mpicc mpic\+\+ mpif90 mpif77 mpiexec$/m, 'AX_MPI finds all of one MPI');
greets('autoconf', "./$_") for qw(c cxx fortran f77);

# ---- MPI_NAMES, uninstall ----

make('install MPI_NAMES=1')->is_status(0, 'make install MPI_NAMES=1');
is_deeply([missing("$prefix/bin")], [], 'bin has all names');
ok(-e "$prefix/share/man/man1/mpicc.1", '... and their pages');
make('install')->is_status(0, 'make install without it');
is_deeply([grep { -e "$prefix/bin/$_" } @names], [], 'takes them away');
write_file("$dir/prefix/bin/mpif90", 'of another MPI');
isnt((my $refused = make('install MPI_NAMES=1'))->{status}, 0, 'MPI_NAMES=1 beside a command of another MPI is refused');
like($refused->err, qr{/bin/mpif90 is another MPI's}, '... which is named');
is_deeply([grep { -l "$prefix/bin/$_" } @names], [], '... and none of the names is there');
make('uninstall')->is_status(0, 'make uninstall');
my (undef, $left) = run_quiet('find', $prefix, '!', '-type', 'd');
is($left, "$prefix/bin/mpif90\n", 'leaves what is not ours, and nothing else');

done_testing();

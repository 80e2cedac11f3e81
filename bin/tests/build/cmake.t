# SPDX-License-Identifier: BSD-3-Clause
#
# CMake finds an installed FTMPI: by find_package(FTMPI), also after its tree was moved, and by find_package(MPI) with FTMPI's
# compilers. What it builds runs.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Greeting ();
use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(must_run);
use FTMPI::Version ();

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

my $dir = File::Temp->newdir('ftmpi-cmake-XXXXXX', TMPDIR => 1);
my %clean = map { $_ => undef } qw(FTMPI_LIBDIR PERL5LIB MAKEFLAGS MAKELEVEL CC CXX FC LD_LIBRARY_PATH CMAKE_PREFIX_PATH);

sub shell
{
	my ($line) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', $line ], dir => "$dir", env => {%clean});
}

shell("make -s -C '" . root() . "' install PREFIX='$dir/first' libdir='$dir/first/lib/some-linux-gnu' FORTRANDIR='$dir/first/lib/some-linux-gnu/fortran' DESTDIR=")->is_status(0, 'make install');
must_run('mv', "$dir/first", "$dir/moved");
my $prefix = "$dir/moved";

for my $project (qw(config findmpi)) {
	write_file("$dir/$project/greet.$_", FTMPI::Test::Greeting::C) for qw(c cc);
	write_file("$dir/$project/greet.f90", FTMPI::Test::Greeting::F90);
}

sub greets
{
	my ($program) = @_;
	my $job = shell("$prefix/bin/ftmpirun -n 2 $program");
	is_deeply([ $job->{status}, sort split /\n/, $job->out ], [ 0, '0 of 2', '1 of 2' ], "$program runs") or diag($job->saw);
	return;
}

# ---- find_package(FTMPI) ----

my ($series) = FTMPI::Version::NUMBER =~ /^(\d+\.\d+)\./;
write_file("$dir/config/CMakeLists.txt", <<'T' =~ s{SERIES}{$series}r);
cmake_minimum_required(VERSION 3.16)
project(greet C CXX Fortran)
set(CMAKE_LIBRARY_ARCHITECTURE some-linux-gnu)
find_package(FTMPI SERIES REQUIRED COMPONENTS C CXX Fortran)
find_package(FTMPI REQUIRED)
message(STATUS "version ${FTMPI_VERSION} in ${FTMPI_DIR}")
add_executable(c greet.c)
target_link_libraries(c PRIVATE FTMPI::FTMPI)
add_executable(cxx greet.cc)
target_link_libraries(cxx PRIVATE FTMPI::FTMPI)
add_executable(fortran greet.f90)
target_link_libraries(fortran PRIVATE FTMPI::Fortran)
enable_testing()
foreach(name c cxx fortran)
  add_test(NAME ${name} COMMAND FTMPI::ftmpirun -n 2 $<TARGET_FILE:${name}>)
endforeach()
T
my $job = shell("cmake -S config -B config/out -DCMAKE_PREFIX_PATH=$prefix && cmake --build config/out && cd config/out && ctest --output-on-failure");
$job->is_status(0, 'find_package(FTMPI): configured, built, run');
my $number = FTMPI::Version::NUMBER;
$job->out_like(qr{^-- version \Q$number\E in \Q$prefix\E/lib/some-linux-gnu/cmake/FTMPI$}m, '... of the tree that was moved');
$job->out_like(qr{100% tests passed, 0 tests failed out of 3}, '... by the launcher that it found');
greets("./config/out/$_") for qw(c cxx fortran);

# Whether CMake takes the package, and what it says.
sub asked
{
	my ($words) = @_;
	write_file("$dir/ask/CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(ask NONE)\nfind_package(FTMPI $words)\nmessage(STATUS \"answer: \${FTMPI_FOUND}\")\n");
	my $asked = shell("rm -rf ask/out; cmake -S ask -B ask/out -DFTMPI_DIR=$prefix/lib/some-linux-gnu/cmake/FTMPI 2>&1");
	return $asked->out =~ /^-- answer: (\w+)$/m ? ($1, $asked->out) : ('none', $asked->out);
}

is((asked($_))[0], 1, "version '$_' is there") for '', $series, $number, "$number EXACT";
isnt((asked($_))[0], 1, "version '$_' is not") for "$series.99", '99', $series =~ s/\d+\z/99/r;
my ($found, $said) = asked('REQUIRED COMPONENTS Java');
is($found, 'none', 'a component that is not there');
like($said, qr/this FTMPI has no component Java \(there are C and CXX, and Fortran/, '... is named');
unlink "$prefix/lib/some-linux-gnu/cmake/FTMPI/FTMPIFortran.cmake" or die "unlink: $!\n";
is((asked('COMPONENTS C CXX'))[0], 1,      'without the Fortran library there is C');
isnt((asked('COMPONENTS Fortran'))[0], 1, '... and no Fortran');

# ---- find_package(MPI) ----

write_file("$dir/findmpi/CMakeLists.txt", <<'T');
cmake_minimum_required(VERSION 3.16)
project(greet C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C CXX Fortran)
message(STATUS "libraries: ${MPI_C_LIBRARIES}")
foreach(what c.c.C cxx.cc.CXX fortran.f90.Fortran)
  string(REPLACE "." ";" words ${what})
  list(GET words 0 name)
  list(GET words 1 suffix)
  list(GET words 2 language)
  add_executable(${name} greet.${suffix})
  target_link_libraries(${name} MPI::MPI_${language})
endforeach()
T
my $compilers = join ' ', "-DMPI_C_COMPILER=$prefix/bin/ftmpicc", "-DMPI_CXX_COMPILER=$prefix/bin/ftmpicxx", "-DMPI_Fortran_COMPILER=$prefix/bin/ftmpifort",
	"-DMPIEXEC_EXECUTABLE=$prefix/bin/ftmpirun";
$job = shell("cmake -S findmpi -B findmpi/out $compilers && cmake --build findmpi/out");
$job->is_status(0, "find_package(MPI) with FTMPI's compilers: configured and built");
$job->out_like(qr{^-- libraries: \Q$prefix\E/lib/some-linux-gnu/libftmpi\.so$}m, '... with its library');
greets("./findmpi/out/$_") for qw(c cxx fortran);

done_testing();

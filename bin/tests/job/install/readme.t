# SPDX-License-Identifier: BSD-3-Clause
#
# The commands of README.md, as they stand there, in a folder that has this tree's bin/; and what
# `make install` installs.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Basename qw(dirname);
use File::Temp ();
use Test::More;

use FTMPI::Agent::Elf ();
use FTMPI::FixedAddresses ();
use FTMPI::Test::Document ();
use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job qw(program root sanitized);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');

my $root   = root();
my $secret;
my $dir    = File::Temp->newdir('ftmpi-readme-XXXXXX', TMPDIR => 1);
my $readme = FTMPI::Test::Document->new('README.md', dir => $dir);

sub readme_line { return $readme->command(@_) }
sub run_there   { return $readme->run(@_) }

my $hello = <<'C';
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("hello from %d of %d, %d arguments\n", rank, size, argc);
	return MPI_Finalize();
}
C

# What a file asks for beside the C library, without versions.
sub libraries
{
	my ($path) = @_;
	return sort grep { !/^(?:libc|libm|libpthread|ld-.*)\z/ } map { s/(?:-[0-9.]+)?\.so.*//r } FTMPI::Agent::Elf::needed($path);
}

sub greetings
{
	my ($size, $arguments) = @_;
	return map { "hello from $_ of $size, $arguments arguments" } 0 .. $size - 1;
}

sub said
{
	my ($job, $name, @lines) = @_;
	is_deeply([ sort split /\n/, $job->out ], [ sort @lines ], "$name: what it printed")
		or diag($job->saw);
	$job->is_status(0, "$name: its status");
	return;
}

sub installed_fortran
{
	my ($prefix, $with) = @_;
	write_file("$dir/hello.f90", <<'F');
program hello
  use ftmpi_f08
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print '(a,i0,a,i0,a,i0,a)', 'hello from ', rank, ' of ', size, ', ', command_argument_count() + 1, ' arguments'
  call MPI_Finalize()
end program hello
F
	for my $how ('', '-ftmpi-static') {
		run_there("$with $prefix/bin/ftmpifort $how -o fortran hello.f90")->is_status(0, "the installed ftmpifort $how");
		said(run_there("$with $prefix/bin/ftmpirun -n 2 ./fortran"), "Fortran $how", greetings(2, 1));
	}
	# by hand: what MPI_Init takes out of the words, Fortran does not see
	said(run_there("$secret; ./fortran a -ftmpi . 0 2 0 localhost 1 localhost & ./fortran b -ftmpi . 1 2 0 localhost 1 localhost; wait"),
		'Fortran by hand', greetings(2, 2));
	return;
}

# The loop with checkpoints, as it stands there, in a function.
sub compiles_loop
{
	my ($loop) = $readme->text =~ /^    (#include <ftmpi\.h>\n.*?^    \}\n)/ms or return fail('README has the loop');
	$loop =~ s/^    //mg;
	$loop =~ s/(#include.*\n)/$1void compute(double *field, int step);\nvoid solve(double *field, MPI_Count cells, int steps);\n
		void solve(double *field, MPI_Count cells, int steps)\n{ int step = 0, due = 0;\n/;
	write_file("$dir/loop.c", "$loop}\n");
	run_there('bin/ftmpicc -Wall -Wextra -c loop.c')->is_status(0, 'the loop with checkpoints compiles');
	return;
}

symlink "$root/bin", "$dir/bin" or die "symlink: $!\n";
symlink dirname(dirname(program('plain_laplace'))), "$dir/build" or die "symlink: $!\n";
write_file("$dir/hello.c",  $hello);
write_file("$dir/machines", "# this one\nlocalhost slots=16\n");

compiles_loop();
run_there(readme_line('bin/ftmpicc -o hello'))->is_status(0, 'it compiles');
said(run_there(readme_line('bin/ftmpirun -n 4')), 'on this machine', greetings(4, 1));
said(run_there(readme_line('bin/ftmpirun machines')), 'with a machine file', greetings(16, 2));
said(run_there('./hello'), 'alone', greetings(1, 1));
said(run_there(readme_line('bin/ftmpirun -coord msglog')), 'with message logging', greetings(4, 1));

my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
SKIP: {
	skip($why, 4) if defined $why;
	my $with_images = run_there(readme_line('bin/ftmpirun -image'));
	$with_images->is_status(0, 'with images');
	like($with_images->out, qr/^laplace: right, /m, 'with images: the answer');
	my @lines = glob "$dir/work/*/line-*.manifest";
	cmp_ok(scalar @lines, '>', 0, 'with images: it runs for long enough to make a recovery line') or diag($with_images->saw);
}

$secret = readme_line('(umask 077; head -c 32 /dev/urandom');
my ($first, $second) = map {
	my $line = readme_line("./hello -ftmpi . $_");
	$line =~ s/host[AB]/localhost/g;
	$line
} 0, 1;
said(run_there("$secret; $first & $second; wait"), 'by hand', greetings(2, 1));

subtest 'make install, and uninstall' => sub {
	my $to = "$dir/to";
	run_there("make -s -C '$root' install PREFIX=/opt/ftmpi DESTDIR='$to'")->is_status(0, 'install');
	my $prefix = "$to/opt/ftmpi";
	ok(-e "$prefix/$_", "it installs $_")
		for qw(bin/ftmpirun bin/ftmpicc bin/ftmpicxx bin/ftmpi-ckpt bin/ftmpi-report share/ftmpi/FTMPI/Report/Course.pm include/mpi.h include/ftmpi.h lib/libftmpi.a
		lib/libftmpi.so lib/libmpi_abi.so.1 lib/pkgconfig/ftmpi.pc libexec/ftmpi/bin/mpiexec libexec/ftmpi/bin/mpicc libexec/ftmpi/ftmpi-keeper
		share/man/man1/ftmpirun.1 share/man/man1/ftmpicc.1
		share/man/man1/ftmpi-ckpt.1 share/man/man1/ftmpi-report.1 share/man/man1/ftmpi-top.1 share/man/man3/FTMPI_Restore.3 share/man/man7/ftmpi.7
		share/doc/ftmpi/examples/heat.c share/doc/ftmpi/examples/heat.py share/ftmpi/python/ftmpi.py share/doc/ftmpi/examples/plate.c share/doc/ftmpi/tutorial.md share/doc/ftmpi/porting.md share/doc/ftmpi/faq.md share/doc/ftmpi/images.md share/doc/ftmpi/msglog.md share/doc/ftmpi/keeper.md);
	my $with = "env -u FTMPI_LIBDIR -u PERL5LIB";
	run_there("$with $prefix/bin/ftmpicc -o there hello.c")->is_status(0, 'the installed compiler');
	said(run_there("$with $prefix/bin/ftmpirun -n 3 ./there"), 'installed', greetings(3, 1));
	said(run_there("$with $prefix/libexec/ftmpi/bin/mpiexec -n 2 ./there"), 'mpiexec', greetings(2, 1));
	run_there("$with $prefix/bin/ftmpicc -ftmpi-static -o still hello.c")->is_status(0, 'statically');
	said(run_there("$with $prefix/bin/ftmpirun -n 2 ./still"), 'static', greetings(2, 1));
	run_there("$with $prefix/bin/ftmpicc -static -o alone hello.c 2>notes")->is_status(0, 'with nothing shared');
	said(run_there("$with $prefix/bin/ftmpirun -n 2 ./alone"), 'with nothing shared', greetings(2, 1));
	said(run_there("$with PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/share/ftmpi/python /usr/bin/python3 -c 'import ftmpi; print(ftmpi.version().split()[0], ftmpi.library()._name)'"),
		'the installed module of Python', "FTMPI $prefix/lib/libftmpi.so.0");
	my @from_system = qw(libevent_core libsodium libxxhash);
	is_deeply([ libraries("$dir/there") ], ['libftmpi'], 'a program needs the library on other hosts');
	is_deeply([ libraries("$prefix/lib/libftmpi.so.0") ], \@from_system, '... which needs what README says');
	is_deeply([ libraries("$dir/still") ], \@from_system, '... as does one with -ftmpi-static');
	is_deeply([ FTMPI::Agent::Elf::needed("$dir/alone") ], [], '... and one with -static nothing');
	said(run_there("$with $prefix/bin/ftmpi-ckpt list bin"), 'ftmpi-ckpt',
		'there are no recovery lines and no checkpoints in bin');
	run_there("PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --libs ftmpi | grep -- '-Wl,-rpath,/opt/ftmpi/lib -lftmpi'")
		->is_status(0, 'pkg-config knows it');
	run_there("make -s -C '$root' uninstall PREFIX=/opt/ftmpi DESTDIR='$to'")
		->is_status(0, 'uninstall');
	is(scalar(grep { -f || -l } glob "$prefix/*/* $prefix/*/*/* $prefix/*/*/*/* $prefix/*/*/*/*/*"), 0, 'nothing is left');
};

done_testing();

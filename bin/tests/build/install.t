# SPDX-License-Identifier: BSD-3-Clause
#
# `make install` puts everything where the variables say, and what is installed finds itself there; `make uninstall` leaves the
# tree as it was.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(must_run);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');

my $dir = File::Temp->newdir('ftmpi-install-XXXXXX', TMPDIR => 1);
my $fortran = -e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";
my %clean   = (map { $_ => undef } qw(FTMPI_LIBDIR PERL5LIB MAKEFLAGS MAKELEVEL PREFIX DESTDIR LD_LIBRARY_PATH));

sub make
{
	my ($line) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', "make -s -C '" . root() . "' $line" ], env => {%clean});
}

sub shell
{
	my ($line) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', $line ], dir => "$dir", env => {%clean});
}

# Every path with its kind, mode, time and target.
sub tree { return must_run('find', $_[0], '-printf', '%P %y %m %T@ %l\n') =~ s/^ d .*$//mr =~ s/ d (\d+) \S+/ d $1/gr }

write_file("$dir/greet.c", <<'C');
#include <ftmpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("rank %d\n", rank);
	return MPI_Finalize();
}
C
write_file("$dir/greet.f90", "program greet\nuse mpi_f08\ninteger :: rank\ncall MPI_Init()\ncall MPI_Comm_rank(MPI_COMM_WORLD, rank)\n"
	. "print '(a,i0)', 'rank ', rank\ncall MPI_Finalize()\nend program greet\n");

# What is there compiles and runs, by the wrappers and by pkg-config.
sub works
{
	my ($name, $prefix, $lib, $include, $abi) = @_;
	like(shell("$prefix/bin/ftmpicc -show")->out, qr{^cc -I\Q$include\E -L\Q$lib\E -Wl,-rpath,\Q$lib\E -lftmpi$}m, "$name: the wrapper knows the places");
	my @builds = ("$prefix/bin/ftmpicc -o greet greet.c", "$prefix/bin/ftmpicc -ftmpi-static -o greet greet.c",
		"cc -o greet greet.c \$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs ftmpi)",
		$fortran ? ("$prefix/bin/ftmpifort -o greet greet.f90", "gfortran -o greet greet.f90 \$(PKG_CONFIG_PATH=$prefix/libexec/ftmpi/pkgconfig pkg-config --cflags --libs ompi-fort)") : ());
	for my $build (@builds) {
		my $job = shell("rm -f greet; $build && $prefix/libexec/ftmpi/bin/mpirun -n 2 ./greet");
		is_deeply([ $job->{status}, sort split /\n/, $job->out ], [ 0, 'rank 0', 'rank 1' ], "$name: " . $build =~ s{\Q$dir\E}{}gr) or diag($job->saw);
	}
	is(shell("$prefix/bin/ftmpirun -n 1 -coord msglog -workdir work ./greet")->out, "rank 0\n", "$name: the keeper is found");
	is(shell("readlink -f $abi/libmpi_abi.so.1")->out, must_run('readlink', '-f', "$lib/libftmpi.so.0"), "$name: libmpi_abi.so.1");
	return;
}

# ---- places ----

my $own = "$dir/own";
for my $case (
	[ 'in one prefix', "PREFIX='$dir/one' DESTDIR=", "$dir/one", "$dir/one/lib", "$dir/one/include", "$dir/one/lib", "$dir/one/share/man", "$dir/one/share/doc/ftmpi" ],
	[ "by GNU's names", "prefix='$dir/gnu' libdir='$dir/gnu/lib/some-linux-gnu' includedir='$dir/gnu/include/some' mandir='$dir/gnu/man' docdir='$dir/gnu/doc'",
		"$dir/gnu", "$dir/gnu/lib/some-linux-gnu", "$dir/gnu/include/some", "$dir/gnu/lib/some-linux-gnu", "$dir/gnu/man", "$dir/gnu/doc" ],
	[ 'in folders of all kinds', "PREFIX='$dir/all' LIBDIR='$own/lib64' INCLUDEDIR='$own/inc' FORTRANDIR='$own/mod' ABIDIR='$own/abi' DATADIR='$own/very/far/data'",
		"$dir/all", "$own/lib64", "$own/inc", "$own/abi", "$own/very/far/data/man", "$own/very/far/data/doc/ftmpi" ],
) {
	my ($name, $words, $prefix, $lib, $include, $abi, $man, $doc) = @$case;
	make("install $words")->is_status(0, "$name: make install");
	works($name, $prefix, $lib, $include, $abi);
	ok(-f "$man/man1/ftmpirun.1" && -f "$man/man3/FTMPI_Restore.3" && -f "$doc/images.md", "$name: pages and documents");
	is(shell("find -L $prefix -type l")->out, '', "$name: no link leads nowhere");
	my ($completions) = grep { -d } map { "$_/bash-completion/completions" } "$prefix/share", "$own/very/far/data";
	my $aside = "$prefix/libexec/ftmpi";
	for my $command (glob "$prefix/bin/* $aside/bin/*") {
		my ($of) = $command =~ m{([^/]+)\z};
		my $file = ($command =~ m{^\Q$aside\E/} ? "$aside/share/bash-completion/completions" : $completions) . "/$of";
		like(shell("PATH=$aside/bin:$prefix/bin:\$PATH bash -c '. $file; complete -p $of'")->out, qr/^complete .*-F _ftmpi\w+ \Q$of\E$/m, "$name: bash completes $of");
	}
	make("uninstall $words")->is_status(0, "$name: make uninstall");
	is(shell("find $prefix $own 2>&1 | grep -v 'No such file'")->out, '', "$name: nothing is left");
}
is(shell("find $dir -mindepth 1 -maxdepth 1 -type d ! -name work")->out, '', 'no folder is left');

my $job = make("install PREFIX=/usr LIBDIR=/usr/lib/some-linux-gnu DESTDIR='$dir/to'");
$job->is_status(0, "in the system's folders");
unlike(read_file("$dir/to/usr/lib/some-linux-gnu/pkgconfig/ftmpi.pc"), qr/rpath/, "... no program gets a path to the system's folder");
like(read_file("$dir/to/usr/lib/some-linux-gnu/pkgconfig/ftmpi.pc"), qr/^libdir=\$\{prefix\}\/lib\/some-linux-gnu$/m, '... the folder of the library');
ok(!-e "$dir/to/$dir", '... DESTDIR is in front of all');
must_run('mv', "$dir/to", "$dir/moved");
like(shell("moved/usr/bin/ftmpicc -show")->out, qr{-I$dir/moved/usr/include -L$dir/moved/usr/lib/some-linux-gnu }, '... a tree that was moved finds itself');

# ---- a tree with things in it ----

my $full = "$dir/full";
write_file("$full/$_", "of another\n") for qw(bin/other lib/libother.so lib/pkgconfig/other.pc share/man/man1/other.1 share/man/man3/FTMPI_other.3 share/ftmpi/own share/doc/ftmpi/own.md
	libexec/ftmpi/bin/own include/own.h);
mkdir $_ or die "$_: $!\n" for "$full/lib/cmake", "$full/empty";
my $before = tree($full);
my $there  = "PREFIX='$full' MPI_NAMES=1";
shell("umask 077; make -s -C '" . root() . "' install $there")->is_status(0, 'install under a strict umask');
is(shell("find $full -newer greet.c ! -type l ! -perm -444 ; find $full -type d ! -perm -555")->out, '', '... everybody may read it');
ok(-l "$full/bin/mpicc", '... with the names of other MPIs');
like(shell("PATH=$full/bin:\$PATH bash -c '. $full/share/bash-completion/completions/mpirun; complete -p mpirun'")->out, qr/ -F _ftmpirun mpirun$/, '... which bash completes');
make("install PREFIX='$full'")->is_status(0, 'install once more, without the names');
ok(!-e "$full/bin/mpicc" && !-l "$full/bin/mpicc", '... takes the names away');
make("uninstall PREFIX='$full'")->is_status(0, 'uninstall');
is(tree($full), $before, '... the tree is as before');
$job = make("uninstall PREFIX='$full'");
isnt($job->{status}, 0, 'uninstall where nothing is installed');
like($job->err, qr{^nothing is uninstalled: there is no \Q$full\E/share/ftmpi/installed, which `make install` writes}m, '... says so');
is(tree($full), $before, '... and touches nothing');

# what is no longer what was installed
make("install PREFIX='$full'")->is_status(0, 'install again');
unlink "$full/lib/libftmpi.so" or die "unlink: $!\n";
symlink 'libother.so', "$full/lib/libftmpi.so" or die "symlink: $!\n";
$job = make("uninstall PREFIX='$full'");
$job->is_status(0, 'uninstall beside a link that somebody changed');
like($job->err, qr{^\Q$full\E/lib/libftmpi\.so stays: it is not what `make install` made$}m, '... says that the link stays');
is(readlink("$full/lib/libftmpi.so") // '', 'libother.so', '... and it does');
unlink "$full/lib/libftmpi.so";
is(tree($full), $before, '... the rest is gone');

# broken off after half of it
write_file("$full/lib/cmake/FTMPI", 'in the way');
$job = make("install PREFIX='$full'");
isnt($job->{status}, 0, 'an installation that cannot end');
like($job->err, qr{\Q$full\E/lib/cmake/FTMPI}, '... names what is in the way');
unlink "$full/lib/cmake/FTMPI";
ok(-f "$full/share/ftmpi/installed", '... is there in part');
make("uninstall PREFIX='$full'")->is_status(0, '... and can be uninstalled');
is(tree($full), $before, '... wholly');

# ---- refused ----

for my $case (
	[ 'include/mpi.h',          '',            'with another PREFIX' ],
	[ 'lib/libmpi_abi.so.1',    '',            'with another PREFIX' ],
	[ 'share/man/man1/mpicc.1', 'MPI_NAMES=1', 'without MPI_NAMES' ],
	$fortran ? [ 'include/mpi_f08.mod', '', 'with another PREFIX' ] : (),
) {
	my ($path, $words, $advice) = @$case;
	write_file("$full/$path", 'of another MPI');
	my $was = tree($full);
	$job = make("install PREFIX='$full' $words");
	isnt($job->{status}, 0, "$path of another MPI");
	like($job->err, qr{^\Q$full/$path\E is another MPI's: remove that, or install $advice$}m, '... is named');
	is(tree($full), $was, '... and nothing is installed');
	unlink "$full/$path";
}
for my $case ([ 'PREFIX=some', qr/^PREFIX is 'some', which has to be an absolute path$/m ], [ 'PREFIX=/a/../b', qr/^PREFIX has \.\. in it/m ],
	[ "PREFIX='$full' libdir=lib", qr/^LIBDIR is 'lib', which has to be an absolute path$/m ]) {
	$job = make("install $case->[0] DESTDIR='$dir/none'");
	isnt($job->{status}, 0, "$case->[0] is refused");
	like($job->err, $case->[1], '... with a sentence');
}
for my $line ("file\t/etc/passwd", "file\t$full/../empty", "folder\tempty", "link\t$full/bin/other", "everything\t$full/bin/other") {
	write_file("$full/share/ftmpi/installed", "file\t$full/bin/other\n$line\n");
	$job = make("uninstall PREFIX='$full'");
	isnt($job->{status}, 0, "a list with the line '$line'" =~ s/\t/ /gr);
	like($job->err, qr/has a line that `make install` did not write with these places: \Q$line\E$/m, '... is refused');
	ok(-e "$full/bin/other", '... before anything is removed');
}

done_testing();

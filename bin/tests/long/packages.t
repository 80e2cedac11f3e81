# SPDX-License-Identifier: BSD-3-Clause
#
# The Debian packages as users get them, on a Debian that has nothing else: `make deb`, debootstrap, apt-get install; programs in C, C++ and
# Fortran are built and run, ranks are killed and come back; and when the packages are removed nothing is left.
# Debian's packages come from where apt gets them here.
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

plan skip_all => 'debootstrap needs root' if $>;
plan skip_all => 'no package has sanitized programs' if sanitized('pi');

my $dir = File::Temp->newdir('ftmpi-packages-XXXXXX', TMPDIR => 1);
my $os  = "$dir/os";
my %clean = map { $_ => undef } grep { !/^(?:PATH|HOME|TMPDIR|https?_proxy)\z/i } keys %ENV;

sub shell
{
	my ($line, $name) = @_;
	my $job = FTMPI::Test::Job->run([ 'sh', '-c', $line ], env => {%clean}, deadline => 1200);
	$job->is_status(0, $name // $line) or BAIL_OUT('the rest needs that: ' . $job->saw);
	return $job;
}

# A line of the shell there; what is mounted for it is gone with it.
sub there
{
	my ($line) = @_;
	return ('unshare', '--mount', 'sh', '-c', 'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && mount -t devpts devpts "$1/dev/pts" && exec chroot "$1" sh -c "cd /root && $2"',
		'there', $os, $line);
}

sub start_there { return FTMPI::Test::Job->start([ there($_[0]) ], env => { %clean, DEBIAN_FRONTEND => 'noninteractive', LC_ALL => 'C' }, deadline => 1200) }

sub run_there
{
	my ($line, $name) = @_;
	my $job = start_there($line);
	$job->finish;
	$job->is_status(0, $name // $line);
	return $job;
}

# Files and folders but for what apt and dpkg keep for themselves.
sub tree
{
	return must_run('sh', '-c', "cd '$os' && find . -xdev \\( -path ./root -o -path ./tmp -o -path ./proc -o -path ./dev -o -path './var/lib/dpkg' -o -path './var/lib/apt' -o -path './var/cache/*'"
		. " -o -path './var/log' -o -path './etc/ld.so.cache' \\) -prune -o -printf '%p %y %s %l\\n' | sed 's/ d [0-9]* \$/ d/' | sort");
}

# ---- the packages, and a Debian ----

shell("make -s -C '" . root() . "' deb DEB='$dir/deb'", 'make deb, whose packages lintian finds no error in');
my @names = qw(libftmpi0 ftmpi-bin libftmpi-dev ftmpi-fortran);
is(scalar(grep { -f } map { glob "$dir/deb/${_}_*.deb" } @names), scalar(@names), 'four packages');

my ($mirror, $release) = split ' ', (grep { m{/debian/? \w+$} } split /\n/, must_run(qw(apt-get indextargets --no-release-info --format), '$(REPO_URI) $(RELEASE)', 'Identifier: Packages', 'Component: main'))[0] // 'none';
ok(defined $release, 'apt knows where Debian is') or BAIL_OUT('no Debian');
shell("unshare --mount debootstrap --variant=minbase '$release' '$os' '$mirror'", 'debootstrap');
must_run('sh', '-c', "cp -L /etc/resolv.conf '$os/etc' && cp /etc/apt/apt.conf.d/*proxy* '$os/etc/apt/apt.conf.d' 2>&1 || :");
run_there('apt-get -qq update && apt-get -qq install -y --no-install-recommends gcc g++ gfortran libc6-dev cmake make pkg-config man-db', 'compilers');
my $before = tree();
is_deeply([ grep { m{mpi[^/a-z]*(?:\.|$| )}i && !m{^\./usr/share/cmake} } split /\n/, $before ], [], 'no MPI is there');

must_run('sh', '-c', "mkdir -p '$os/root/deb' && cp " . join(' ', map { "'$dir'/deb/${_}_*.deb" } @names) . " '$os/root/deb'");
run_there('apt-get -qq install -y --no-install-recommends ./deb/*.deb', 'apt installs them, and what they need');
is(run_there('dpkg -l | grep -c "^ii  \\(lib\\)\\?ftmpi"')->out, "4\n", 'all four are installed');
run_there('dpkg --verify libftmpi0 libftmpi-dev ftmpi-bin ftmpi-fortran && dpkg --audit');

# ---- programs ----

write_file("$os/root/hello.$_", FTMPI::Test::Greeting::C) for qw(c cc);
write_file("$os/root/hello.f90", FTMPI::Test::Greeting::F90 =~ s/mpi_f08/ftmpi_f08/r);
write_file("$os/root/hello.f", FTMPI::Test::Greeting::F77);
write_file("$os/root/CMakeLists.txt", <<'T');
cmake_minimum_required(VERSION 3.16)
project(hello C CXX Fortran)
find_package(FTMPI REQUIRED COMPONENTS C CXX Fortran)
add_executable(c hello.c)
target_link_libraries(c FTMPI::FTMPI)
add_executable(fortran hello.f90)
target_link_libraries(fortran FTMPI::Fortran)
T

sub greets
{
	my ($build, $program, $run) = @_;
	my $job = run_there(($build ? "$build && " : '') . ($run // 'ftmpirun') . " -n 2 ./$program", $build || $program);
	is_deeply([ grep { / of / } sort split /\n/, $job->out ], [ '0 of 2', '1 of 2' ], '... runs') or diag($job->saw);
	return;
}

for my $how ('', '-ftmpi-static ') {
	greets("ftmpicc ${how}-o hello hello.c",     'hello');
	greets("ftmpicxx ${how}-o hello hello.cc",   'hello');
	greets("ftmpifort ${how}-o hello hello.f90", 'hello');
}
greets('ftmpifort -o hello hello.f',                                                            'hello');
greets('ftmpicc -static -o hello hello.c 2>notes',                                              'hello');
greets('cc -o hello hello.c $(pkg-config --cflags --libs ftmpi)',                               'hello');
greets('gfortran -o hello hello.f90 $(pkg-config --cflags --libs ftmpifort)',                   'hello');
greets('PATH=/usr/libexec/ftmpi/bin:$PATH && mpicc -o hello hello.c && mpif90 -o hello hello.f90', 'hello', 'mpirun');
greets('cmake -S . -B out && cmake --build out',                                                'out/c');
greets('',                                                                                      'out/fortran');
unlike(run_there('ftmpicc -o hello hello.c && grep -a -c /usr/lib hello || :')->out, qr/^[1-9]/m, 'no path of the system is written into a program');

# a program of another MPI 5 ABI, as far as its start: what it asks for is libmpi_abi.so.1
write_file("$os/root/abi.c", 'int ' . join(', ', map { "$_(void)" } qw(MPI_Init MPI_Comm_rank MPI_Comm_size MPI_Finalize)) . ";\n"
	. join '', map { "int $_(void) { return 1; }\n" } qw(MPI_Init MPI_Comm_rank MPI_Comm_size MPI_Finalize));
my ($triplet) = must_run(qw(dpkg-architecture -qDEB_HOST_MULTIARCH)) =~ /(\S+)/;
greets("mkdir -p other && cc -fPIC -shared -Wl,-soname,libmpi_abi.so.1 -o other/libmpi_abi.so abi.c && cc -I/usr/include/$triplet/ftmpi -o foreign hello.c -Lother -lmpi_abi",
	'foreign', "LD_LIBRARY_PATH=/usr/lib/$triplet/ftmpi ftmpirun");

like(run_there("man -w $_")->out, qr{^/usr/share/man/man\d/}, "man $_") for qw(ftmpirun ftmpicc ftmpicxx ftmpifort ftmpi-ckpt FTMPI_Restore ftmpi);
like(run_there('PATH=/usr/libexec/ftmpi/bin:$PATH; man -w mpicc')->out, qr{ftmpicc\.1\.gz$}, 'man mpicc');

# ---- ranks that die ----

run_there('ftmpicc -O2 -o heat /usr/share/doc/ftmpi/examples/heat.c -lm', 'the example compiles');
my $steps = 3_000_000;    # some seconds: many checkpoints
my $plain = run_there("ftmpirun -n 2 ./heat $steps");
my ($answer) = $plain->out =~ /^(after $steps steps the rod has \S+)$/m;
ok(defined $answer, 'heat has an answer') or diag($plain->saw);
for my $case (
	[ 'its own checkpoints', '-ckpt-interval 0.05',                     qr/^ftmpirun: line 1 is committed$/m, qr/restart 1 of 3 from line \d+\.$/m ],
	[ 'images',              '-image -ckpt-interval 0.2',               qr/^ftmpirun: line 1 is committed$/m, qr/restart 1 of 3 from line \d+\.$/m ],
	[ 'message logging',     '-coord msglog -image -ckpt-interval 0.2', qr/^ftmpirun: checkpoint 2 of rank \d is committed$/m, qr/^ftmpirun: rank \d goes on from its checkpoint [1-9]/m ],
) {
	my ($name, $options, $saved, $back) = @$case;
	my $job = start_there("rm -rf work; exec ftmpirun -vv -n 2 $options -workdir work ./heat $steps");
	ok($job->wait_for(err => $saved), "$name: there is something to go back to");
	my ($victim) = grep { (readlink("/proc/$_/exe") // '') =~ m{/heat\z} } $job->pids;
	ok($victim && kill(KILL => $victim), "$name: a rank is killed") or diag($job->saw);
	$job->finish;
	$job->is_status(0, $name);
	$job->err_like(qr/rank \d on \S+ was killed by signal 9/, "$name: the launcher noticed");
	$job->err_like($back, "$name: and the rank came back");
	like($job->out, qr/^\Q$answer\E$/m, "$name: the same answer") or diag($job->saw);
	$job->none_left($name);
}
like(run_there('ftmpi-ckpt list work')->out, qr/^there are no recovery lines/m, 'ftmpi-ckpt: a job that ends well leaves none');

# ---- away again ----

run_there('apt-get -qq purge -y --autoremove -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false libftmpi0 libftmpi-dev ftmpi-bin ftmpi-fortran', 'apt removes them');
my %was = map { $_ => 1 } split /\n/, $before;
my %is  = map { $_ => 1 } split /\n/, tree();
is_deeply([ grep { !$was{$_} } sort keys %is ], [], 'nothing is left');
is_deeply([ grep { !$is{$_} } sort keys %was ], [], '... and nothing else is gone');
is(must_run('sh', '-c', "grep -c '$dir' /proc/self/mountinfo || :"), "0\n", 'nothing is mounted');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# A program of another MPI under ftmpirun, and a program of ours under the launcher of another MPI: without a
# check each process would be a job of one rank and end well. The other MPI is a library that has its name and
# little else.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

my $dir = File::Temp->newdir('ftmpi-foreign-XXXXXX', TMPDIR => 1);
my $pi  = program('pi');

sub run
{
	my (@words) = @_;
	my $env = ref $words[-1] ? pop @words : {};
	return FTMPI::Test::Job->run([@words], dir => "$dir", env => $env, deadline => 60);
}

# `direct` asks for libmpi.so.40, `through` for a library that asks for it, `module` for one that is named as mpi4py's. They print and, given a
# word, wait for the file of that name.
write_file("$dir/mpi.c", 'int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }');
write_file("$dir/third.c", 'int MPI_Init(int *, char ***); int third(void) { return MPI_Init(0, 0); }');
write_file("$dir/main.c", <<'C');
#include <stdio.h>
#include <unistd.h>
int BEGIN();
int main(int argc, char **argv)
{
	BEGIN(0, 0);
	puts("alone");
	while (argc > 1 && access(argv[1], F_OK))
		usleep(1000);
	return 0;
}
C
my ($failed, undef, $why) = run_quiet('sh', '-c', <<'SH', 'sh', "$dir");
set -e; cd "$1"
cc -shared -fPIC -o libmpi.so.40 -Wl,-soname,libmpi.so.40 mpi.c
cc -shared -fPIC -o libthird.so third.c ./libmpi.so.40
cc -DBEGIN=MPI_Init -o direct main.c ./libmpi.so.40 -Wl,-rpath,"$1"
mkdir mpi4py && cc -shared -fPIC -o mpi4py/MPI.cpython-311-x86_64-linux-gnu.so third.c ./libmpi.so.40 -Wl,-rpath,"$1"
cc -DBEGIN=third -o module main.c ./mpi4py/MPI.cpython-311-x86_64-linux-gnu.so -Wl,-rpath,"$1/mpi4py" -Wl,--allow-shlib-undefined
cc -DBEGIN=third -o through main.c ./libthird.so -Wl,-rpath,"$1" -Wl,--allow-shlib-undefined
SH
is($failed, 0, 'the programs of another MPI are there') or BAIL_OUT('nothing to run');
my %env = (LD_LIBRARY_PATH => "$dir");

# ---- under ftmpirun ----

{
	my $job = run(ftmpirun(), '-n', 3, './direct', \%env);
	$job->is_status(1, 'a program of another MPI');
	is($job->out, '', '... is not run');
	like($job->err, qr{\Aftmpirun: host \S+: cannot run \./direct: it is a program of another MPI \(it needs libmpi\.so\.40\)[^\n]*\n\z},
		'... with one sentence');
	$job->none_left('a program of another MPI');
	$job = run(ftmpirun(), '-n', 3, './direct', {%env, FTMPI_SINGLETON => 1});
	$job->well(qr/\A(?:alone\n){3}\z/, 'FTMPI_SINGLETON=1 lets it run');
}

# Starts it with -v, and lets it go on when the launcher has been told what is loaded there.
sub noticed
{
	my ($name, @command) = @_;
	my $job = FTMPI::Test::Job->start([ftmpirun(), '-vv', @command], dir => "$dir", env => \%env, deadline => 60);
	ok($job->wait_for(err => qr/rank 0 on \S+ has loaded libmpi\.so\.40(?: \(by mpi4py\))? of another MPI/), "$name: it is noticed");
	write_file("$dir/go", '');
	$job->finish;
	unlink "$dir/go";
	$job->none_left($name);
	return $job;
}

for my $command (['./through', 'go'], ['sh', '-c', './through go; true'], ['sh', '-c', './direct go & wait']) {
	my $job = noticed("@$command", '-n', 2, @$command);
	$job->is_status(1, "@$command: the end of it");
	my @said = $job->err =~ /^ftmpirun: no rank has called FTMPI's MPI_Init, but rank 0 on \S+ had loaded libmpi\.so\.40/mg;
	is(scalar @said, 1, "@$command: one sentence");
}

{
	my $job = noticed('a script with mpi4py', '-n', 2, './module', 'go');
	$job->is_status(1, 'a script with mpi4py');
	$job->err_like(qr/^ftmpirun: no rank has called FTMPI's MPI_Init, but rank 0 on \S+ had loaded libmpi\.so\.40 \(by mpi4py\)[^\n]*: build mpi4py with ftmpicc \(doc\/python\.md/m,
		'a script with mpi4py');
}

{
	my $job = noticed('a helper of a script', '-n', 2, 'sh', '-c', "./through go && $pi 1000");
	$job->is_status(0, 'a helper of a script, and then a program of ours');
	like($job->out, qr/^pi: right, .* 2 ranks,/m, '... which does its work');
	unlike($job->err, qr/job of one: compile/, '... and no complaint');
}

# ---- ours, under the launcher of another ----

for my $several (['OMPI_COMM_WORLD_SIZE=4'], ['PMI_SIZE=4'], ['PMIX_RANK=2'], ['SLURM_STEP_NUM_TASKS=4', 'SLURM_PROCID=0']) {
	my %there = map { split /=/ } @$several;
	my $job = run($pi, 1000, \%there);
	$job->is_status(1, "@$several");
	is($job->out, '', '... nothing is computed');
	like($job->err, qr/\Aftmpi: MPI_Init: [^\n]*\(\Q$several->[0]\E\)[^\n]*ftmpirun[^\n]*\n\z/, '... with a sentence');
	run($pi, 1000, {%there, FTMPI_SINGLETON => 1})->well(qr/^pi: right, .* 1 ranks?,/m, '... unless it is meant');
	run(ftmpirun(), '-n', 2, $pi, 1000, \%there)->well(qr/^pi: right, .* 2 ranks,/m, '... and under ftmpirun');
}
run($pi, 1000, {SLURM_NTASKS => 16, SLURM_PROCID => 0})->well(qr/^pi: right/m, 'in the shell of a batch script');

done_testing();

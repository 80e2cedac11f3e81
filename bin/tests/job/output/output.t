# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks print is seen when they print it, and is not lost when a rank aborts or is killed: C, C++
# and Fortran, through pipes and, with -pty, through a terminal.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(ftmpirun root sanitized);
use FTMPI::Test::Process qw(run_quiet);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');

my $dir = File::Temp->newdir('ftmpi-output-XXXXXX', TMPDIR => 1);

sub content
{
	my ($name) = @_;
	open(my $in, '<', "$dir/$name") or return "$name: $!";
	local $/;
	return <$in> // '';
}

sub compiled
{
	my ($compiler, $source) = @_;
	my ($name) = $source =~ /^(\w+)/;
	my $job = FTMPI::Test::Job->run([root() . "/bin/$compiler", '-o', $name, $source, '-lpthread'], dir => "$dir");
	return is($job->{status}, 0, "$source compiles") || diag($job->saw);
}

# Words one after the other say what it does. It waits for the file "go".
write_file("$dir/says.c", <<'C');
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *reads(void *arg)
{
	char line[8];
	fprintf(stderr, "reads\n");
	fgets(line, sizeof line, stdin);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	FILE *file;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		if (!strcmp(word, "init"))
			MPI_Init(NULL, NULL);
		else if (!strcmp(word, "chooses"))
			setvbuf(stdout, NULL, _IOFBF, 65536);
		else if (!strcmp(word, "terminal"))
			printf("%d %d\n", isatty(1), isatty(2));
		else if (!strcmp(word, "waits")) {
			fprintf(stderr, "waits\n");
			while (access("go", F_OK))
				usleep(1000);
		} else if (!strcmp(word, "file")) {
			file = fopen("written", "w");
			fprintf(file, "in a file");
		} else if (!strcmp(word, "reads"))
			pthread_create(&thread, NULL, reads, NULL);
		else if (!strcmp(word, "abort"))
			MPI_Abort(MPI_COMM_WORLD, 3);
		else if (!strcmp(word, "wrong"))
			MPI_Barrier(MPI_COMM_NULL);
		else if (!strcmp(word, "kill"))
			raise(SIGKILL);
		else
			printf("%s%s", word, word[0] == '-' ? "" : "\n");
	}
	return MPI_Finalize();
}
C

write_file("$dir/unsynced.cc", <<'C');
#include <mpi.h>
#include <iostream>
int main()
{
	std::ios::sync_with_stdio(false);
	MPI_Init(NULL, NULL);
	std::cout << "a line\n" << "the rest";
	std::clog << "a word of clog";
	MPI_Abort(MPI_COMM_WORLD, 3);
}
C

write_file("$dir/units.f90", <<'F');
program units
  use mpi_f08
  logical :: there
  call MPI_Init()
  write(*, '(a)') 'a record'
  open(17, file='unit17')
  write(17, '(a)') 'in unit 17'
  there = .false.
  do while (.not. there)
    inquire(file='go', exist=there)
  end do
  write(*, '(a)', advance='no') 'the rest'
  call MPI_Abort(MPI_COMM_WORLD, 3)
end program units
F

# Starts it, lets `seen` look while it waits, lets it go on, and ends it.
sub watched
{
	my ($name, $seen, @command) = @_;
	my $job = FTMPI::Test::Job->start([ftmpirun(), @command], dir => "$dir", deadline => 60);
	$seen->($job);
	write_file("$dir/go", '');
	$job->finish;
	unlink "$dir/go";
	$job->none_left($name);
	return $job;
}

compiled('ftmpicc', 'says.c') or BAIL_OUT('nothing to run');

{
	my $job = watched('lines', sub { ok($_[0]->wait_for(out => qr/^two\n/m), 'lines are seen while the rank waits') },
		'-n', 1, './says', qw(one init two -part file waits abort));
	$job->is_status(3, 'MPI_Abort');
	is($job->out, "one\ntwo\n-part", 'the part of a line before MPI_Abort is not lost');
	is(content('written'), 'in a file', '... nor what other streams held');
}

{
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 1, './says', qw(init chooses line -part wrong)], dir => "$dir");
	is($job->out, "line\n-part", 'before the fatal error handler');
}

{
	my $job = watched('killed', sub { $_[0]->wait_for(err => qr/^waits$/m) }, '-n', 1, './says', qw(init line waits kill));
	is($job->out, "line\n", 'before a kill');
}

{
	my $job = watched('its own choice', sub { $_[0]->wait_for(err => qr/^waits$/m) },
		'-n', 1, './says', qw(init chooses kept waits kill));
	is($job->out, '', 'a program that has chosen another way keeps it');
}

{
	my $job = watched('a file', sub {
			$_[0]->wait_for(err => qr/^waits$/m);
			is(content('file'), '', 'what a script has redirected is left as it is');
		}, '-n', 1, 'sh', '-c', 'exec ./says init kept waits >file');
	is(content('file'), "kept\n", '... and arrives');
}

# the lock of standard input is held for ever
{
	my $job = watched('a thread that reads', sub { $_[0]->wait_for(err => qr/^reads$/m) },
		'-n', 2, 'sh', '-c', 'mkfifo in.$FTMPI_RANK; exec ./says init chooses line reads waits abort <>in.$FTMPI_RANK');
	$job->is_status(3, 'MPI_Abort while a thread reads standard input');
	like($job->out, qr/^line$/m, '... whose standard output is not lost');
}

# a library in C++ that has never made std::cout
{
	my $made = FTMPI::Test::Job->run(['sh', '-c', root() . '/bin/ftmpicc -o uses says.c -lpthread -Wl,--no-as-needed'
		. ' $(c++ -print-file-name=libstdc++.so)'], dir => "$dir");
	$made->is_status(0, 'a program in C with a library in C++');
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 1, './uses', qw(init line -part abort)], dir => "$dir");
	$job->is_status(3, '... aborts as others do');
	is($job->out, "line\n-part", '... and prints as others do');
}

if (compiled('ftmpicxx', 'unsynced.cc')) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 1, './unsynced'], dir => "$dir");
	$job->is_status(3, 'C++');
	is($job->out, "a line\nthe rest", 'C++: std::cout before MPI_Abort');
	like($job->err, qr/a word of clog/, 'C++: std::clog');
}

SKIP: {
	my ($none) = run_quiet('sh', '-c', 'command -v gfortran');
	skip 'there is no gfortran', 1 if $none;
	compiled('ftmpifort', 'units.f90') or skip 'not compiled', 1;
	my $job = watched('Fortran', sub { ok($_[0]->wait_for(out => qr/^a record$/m), 'Fortran: records are seen') },
		'-n', 1, './units');
	is($job->out, "a record\nthe rest", 'Fortran: unit 6 before MPI_Abort');
	is(content('unit17'), "in unit 17\n", 'Fortran: another unit');
}

# ---- a terminal ----

{
	my $job = FTMPI::Test::Job->run([ftmpirun(), qw(-n 2 ./says init terminal)], dir => "$dir");
	$job->well(qr/\A(?:0 0\n){2}\z/, 'pipes');
	$job = FTMPI::Test::Job->run([ftmpirun(), qw(-n 2 -pty ./says init terminal)], dir => "$dir");
	$job->well(qr/\A(?:1 0\n){2}\z/, '-pty: standard output is a terminal');
	$job = watched('-pty', sub { ok($_[0]->wait_for(out => qr/^line$/m), '-pty: lines are seen') },
		qw(-n 1 -pty ./says init line waits abort));
	$job->is_status(3, '-pty: MPI_Abort');
	my $bytes = join '', map { chr } 0 .. 255;
	write_file("$dir/bytes", $bytes x 2000);
	$job = FTMPI::Test::Job->run([ftmpirun(), qw(-n 1 -pty cat bytes)], dir => "$dir");
	$job->is_status(0, '-pty: all bytes');
	ok($job->out eq $bytes x 2000, '-pty: all bytes arrive as they are');
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::PlainPrograms;

# Programs that call MPI alone (bin/tests/programs/plain), and others that have an answer when nothing disturbs them: how
# each is run, and what it says.

use strict;
use warnings;

use List::Util qw(uniq);

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job  qw(ftmpirun program);

# Arguments of a run of a second and a half, or of so many `times` that, by four ranks on two idle processors; files
# go to the folder.
my %plain = (
	plain_objects  => sub { my ($times, $folder) = @_; return (int 600 * $times, $folder) },
	plain_inflight => sub { return int 900 * $_[0] },
	plain_threads  => sub { return int 4000 * $_[0] },
	plain_openmp   => sub { return int 2000 * $_[0] },
	plain_unit     => sub { my ($times, $folder) = @_; return (int 6000 * $times, $folder) },
	plain_depths   => sub { my ($times, $folder) = @_; return (int 300 * $times, $folder, _library('plain_part.so')) },
	plain_types    => sub { return int 8000 * $_[0] },
	plain_gauss    => sub { return 200 + int 1200 * $_[0] ** (1 / 3) },
	plain_laplace  => sub { return (400, '-steps', int 2000 * $_[0]) },
	plain_neurons  => sub { return (64, '-steps', int 7000 * $_[0]) },
	plain_disks    => sub { return (16, '-sweeps', int 2500 * $_[0]) },
	plain_matmul   => sub { return (512, '-times', 2 + int 14 * $_[0]) },
	plain_pi       => sub { return (int(400_000_000 * $_[0]), qw(-every 1000000)) },
	plain_cgs      => sub { my ($times, $folder) = @_; return (_plate(50 + int 250 * sqrt $times, $folder), qw(-tol 1e-6)) },
	plain_mail     => sub { return ('-steps', int 1200 * $_[0]) },
);
$plain{"plain_laplace_$_"} = $plain{plain_laplace} for qw(archive fixed static);

# The equations of a plate of so many points along an edge, in a file that is written once.
sub _plate
{
	my ($edge, $folder) = @_;
	my $path = "$folder/plate-$edge.mtx";
	return $path if -e $path;
	my @entries;
	for my $i (1 .. $edge * $edge) {
		push @entries, "$i $i 4";
		push @entries, "$i @{[ $i - 1 ]} -1" if ($i - 1) % $edge;
		push @entries, "$i @{[ $i - $edge ]} -1" if $i > $edge;
	}
	my $size = join ' ', $edge * $edge, $edge * $edge, scalar @entries;
	return write_file($path, join "\n", '%%MatrixMarket matrix coordinate real symmetric', $size, @entries, '');
}

# A library for a program to open.
sub _library { my ($name) = @_; return program('plain_depths') =~ s{bin/[^/]+\z}{lib/$name}r }

# What was not built: not every system has a Fortran compiler, OpenMP or a libc.a.
my %may_lack = map { $_ => 1 } qw(plain_unit plain_types plain_openmp plain_laplace_static);

# Programs that have calls of FTMPI's, which they are not told to use, and such as have none.
my %other = (
	pi         => $plain{plain_pi},
	cgs        => $plain{plain_cgs},
	mail       => $plain{plain_mail},
	mixed      => sub { return ('-steps', int 80 * $_[0]) },
	passnum    => sub { return int 120_000 * $_[0] },
	collective => sub { return (int 60_000 * $_[0], qw(-every 500)) },
	randtest   => sub { return ('-lines', '-cases', int 500 * $_[0]) },
	halo       => sub { return int 20_000 * $_[0] },
	pingpong   => sub { return ('-rounds', int 40_000 * $_[0]) },
	load       => sub { return ('alltoall', '-rounds', int 4000 * $_[0]) },
	threads    => sub { return (int(1500 * $_[0]), qw(-lines -deadline 1000)) },
	threads_many => sub { return (qw(each -blocks 2 -longest 1000 -rounds), int 1500 * $_[0]) },
	(map { $_ => sub { return '-lines' } } qw(datatypes p2p)),
	map { $_ => sub { return () } }
		qw(init_calls environment info_objects repeated nonblocking comms comms_exhausted graphs intercomm neighbors onesided),
);

# Over before a line can be expected.
my %brief = map { $_ => 1 } qw(init_calls environment info_objects repeated comms comms_exhausted graphs intercomm neighbors onesided);

sub is_brief { return exists $brief{ $_[0] } }

# Those that send the same again when they have gone back, whatever comes first. (The program collective sends the time.)
my %sends_the_same = map { $_ => 1 } keys %plain, qw(pi cgs mail mixed passnum pingpong load);

# Under which a program can go back to a line (doc/coord.md, Limits).
sub protocols { return ('blocking', $sends_the_same{ $_[0] } ? 'eventlog' : ()) }

# Some run on so many ranks alone: each rank of threads_many has twice as many threads as there are ranks.
my %ranks = (pingpong => 2, threads_many => 4);

sub ranks { my ($program, $wanted) = @_; return $ranks{$program} // $wanted }

# Options of ftmpirun: three threads that wait for each other on one processor leave little to the launcher.
sub options { return $_[0] eq 'plain_openmp' ? qw(-bind none) : () }

sub is_plain { return exists $plain{ $_[0] } }

sub plain { return grep { !$may_lack{$_} || _is_there($_) } sort keys %plain }
sub others { return sort keys %other }

# Those that were not built, to be said.
sub lacking { return grep { !_is_there($_) } sort keys %may_lack }

sub _is_there { my ($name) = @_; return eval { program($name); 1 } }

sub arguments
{
	my ($program, $times, $folder) = @_;
	return ($plain{$program} // $other{$program} // die "there is no program $program\n")->($times, $folder);
}

# ---- what they say ----

# Without times. A rank that goes back to a line may print again what it has printed since: so each line once.
sub said
{
	my ($text) = @_;
	return join '', sort { $a cmp $b } uniq map { s/, (?:[\d.]+ s|time [\d.]+)$//r } $text =~ /^.*\n?/mg;
}

my %answers;

# The same program undisturbed, in an ordinary job: (what it says, how many seconds it takes).
sub undisturbed { return undisturbed_on([], @_) }

# ... on other hosts than this one alone, which these options name: sums of several hosts are made in another order.
sub undisturbed_on
{
	my ($hosts, $program, $ranks, @args) = @_;
	return @{ $answers{"@$hosts $program $ranks @args"} //= do {
		my $job = FTMPI::Test::Job->run([ ftmpirun(), @$hosts, '-n', $ranks, program($program), @args ]);
		die "$program fails undisturbed\n" . $job->saw if $job->status || !length $job->out;
		[ said($job->out), $job->took ];
	} };
}

1;

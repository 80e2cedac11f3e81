# SPDX-License-Identifier: BSD-3-Clause
#
# The implementations that are measured, in the order of their turns: how each is compiled, started
# and asked for its version. Both peers are forced onto TCP on this host.
package FTMPI::Bench::Peers;

use strict;
use warnings;

use FTMPI::Bench::Process ();

my @PROGRAM = qw(mpibench.c ops.c own.c beating.c strided.c kernel.c cg.c transpose.c halo.c sort.c);

# `%d` is the number of ranks. What of a user's environment would change a measurement is taken out
# of it, `env` put in. By the test mark the tests find what is left behind.
my $FOREIGN = qr/^(?:FTMPI_(?!LIBDIR\z|TEST_MARK\z)|OMPI_|PMIX_|PRTE_|UCX_|MPICH_|MPIR_|HYDRA_)/;

sub all
{
	my ($root) = @_;
	return (
		{
			name    => 'floor',
			cc      => ['cc'],
			sources => ['floor.c'],
			run     => [],
		},
		{
			name    => 'FTMPI',
			cc      => ["$root/bin/ftmpicc"],
			sources => \@PROGRAM,
			run     => [ "$root/bin/ftmpirun", '-n', '%d' ],
			version => [ [ "$root/bin/ftmpirun", '-version' ], qr/(\d+\.[\d.]+)/ ],
		},
		{
			name    => 'Open MPI',
			cc      => ['mpicc.openmpi'],
			sources => \@PROGRAM,
			run     => [
				qw(mpirun.openmpi --oversubscribe --mca pml ob1 --mca btl), 'tcp,self',
				qw(--mca btl_tcp_if_include lo --mca coll ^sm -np %d)
			],
			env => { OMPI_ALLOW_RUN_AS_ROOT => 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM => 1 },
			version => [ [qw(mpirun.openmpi --version)], qr/(\d+\.[\d.]+)/ ],
		},
		{
			name    => 'MPICH',
			cc      => ['mpicc.mpich'],
			sources => \@PROGRAM,
			run     => [qw(mpiexec.mpich -n %d)],
			env     => { UCX_TLS => 'tcp,self', UCX_NET_DEVICES => 'lo', MPIR_CVAR_NOLOCAL => 1 },
			version => [ [qw(mpiexec.mpich --version)], qr/Version:\s*(\S+)/ ],
		},
	);
}

# Those among them that are compared with us.
sub rivals { return grep { $_ ne 'floor' && $_ ne 'FTMPI' } @_ }

sub environment
{
	my ($peer) = @_;
	my %env = map { $_ => $ENV{$_} } grep { $_ !~ $FOREIGN } keys %ENV;
	return { %env, %{ $peer->{env} // {} } };
}

# Compile its program into the folder; dies with a sentence.
sub build
{
	my ($peer, $from, $into, $limit) = @_;
	$peer->{exe} = "$into/" . lc($peer->{name} =~ s/ //gr);
	my $done = FTMPI::Bench::Process::run(
		command => [ @{ $peer->{cc} }, qw(-O2 -w -o), $peer->{exe},
			(map { m{^/} ? $_ : "$from/$_" } @{ $peer->{sources} }), '-lm' ],
		env   => environment($peer),
		dir   => $into,
		limit => $limit,
	);
	return if $done->{state} eq 'ended';
	die "cannot build the program for $peer->{name}: $done->{why}"
		. " (make bench builds FTMPI and installs the peers)\n";
}

sub version
{
	my ($peer, $dir, $limit) = @_;
	my ($command, $pattern) = @{ $peer->{version} };
	my $said = FTMPI::Bench::Process::run(command => $command, env => environment($peer), dir => $dir,
		limit => $limit);
	my ($number) = join("\n", @{ $said->{out} }) =~ $pattern;
	return $number // '?';
}

# The command line that measures NAME:BYTES... on so many ranks.
sub command
{
	my ($peer, $ranks, $seconds, @what) = @_;
	return [ (map { s/%d/$ranks/r } @{ $peer->{run} }), $peer->{exe}, $seconds, @what ];
}

1;

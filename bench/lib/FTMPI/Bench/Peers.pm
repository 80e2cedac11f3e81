# SPDX-License-Identifier: BSD-3-Clause
#
# The implementations that are measured, in the order of their turns: how each is compiled, started
# and asked for its version.
package FTMPI::Bench::Peers;

use strict;
use warnings;

use FTMPI::Bench::Process ();

my @PROGRAM = qw(mpibench.c ops.c own.c beating.c matching.c strided.c kernel.c cg.c transpose.c halo.c sort.c);

# What of a user's environment would change a measurement is taken out of it, `env` put in. By the test mark
# the tests find what is left behind.
my $FOREIGN = qr/^(?:FTMPI_(?!LIBDIR\z|TEST_MARK\z)|OMPI_|PMIX_|PRTE_|UCX_|MPICH_|MPIR_|HYDRA_)/;

my %AS_ROOT = (OMPI_ALLOW_RUN_AS_ROOT => 1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM => 1);

# Each with its command line and environment over TCP on this host; with those that stand in their place
# when it chooses the transport (`default`), and on the hosts of FTMPI::Bench::Hosts (`gbit`). %ranks
# is their number, %ssh a program in place of ssh, %hosts a file with a line for each host (`host`:
# how, with its name and ranks). --oversubscribe changes nothing where each rank has a core.
#
# Hosts that are namespaces share a kernel, and UCX takes them for one host: it is told to use TCP
# between ranks that MPICH itself does not see on one host.
sub all
{
	my ($root) = @_;
	my $ftmpirun = "$root/bin/ftmpirun";
	my @tcp      = _has_transport($ftmpirun) ? qw(-transport tcp) : ();
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
			run     => [ $ftmpirun, @tcp, '-n', '%ranks' ],
			default => { run => [ $ftmpirun, '-n', '%ranks' ] },
			gbit    => {
				run  => [ $ftmpirun, '-ssh', '%ssh', '-machinefile', '%hosts', '-n', '%ranks' ],
				host => '%s slots=%d',
			},
			version => [ [ $ftmpirun, '-version' ], qr/(\d+\.[\d.]+)/ ],
		},
		{
			name    => 'Open MPI',
			cc      => ['mpicc.openmpi'],
			sources => \@PROGRAM,
			run     => [
				qw(mpirun.openmpi --oversubscribe --mca pml ob1 --mca btl), 'tcp,self',
				qw(--mca btl_tcp_if_include lo --mca coll ^sm -np %ranks)
			],
			env     => \%AS_ROOT,
			default => { run => [qw(mpirun.openmpi --oversubscribe -np %ranks)], env => \%AS_ROOT },
			gbit    => {
				run  => [qw(mpirun.openmpi --mca plm_rsh_agent %ssh --hostfile %hosts -np %ranks)],
				env  => \%AS_ROOT,
				host => '%s slots=%d',
			},
			version => [ [qw(mpirun.openmpi --version)], qr/(\d+\.[\d.]+)/ ],
		},
		{
			name    => 'MPICH',
			cc      => ['mpicc.mpich'],
			sources => \@PROGRAM,
			run     => [qw(mpiexec.mpich -n %ranks)],
			env     => { UCX_TLS => 'tcp,self', UCX_NET_DEVICES => 'lo', MPIR_CVAR_NOLOCAL => 1 },
			default => { run => [qw(mpiexec.mpich -n %ranks)] },
			gbit    => {
				run  => [qw(mpiexec.mpich -launcher ssh -launcher-exec %ssh -f %hosts -n %ranks)],
				env  => { UCX_TLS => 'tcp,self' },
				host => '%s:%d',
			},
			version => [ [qw(mpiexec.mpich --version)], qr/Version:\s*(\S+)/ ],
		},
	);
}

# True when this ftmpirun can be told what ranks of one host talk over. One that cannot knows nothing but TCP.
my %has_transport;

sub _has_transport
{
	my ($ftmpirun) = @_;
	return $has_transport{$ftmpirun} if defined $has_transport{$ftmpirun};
	my $help = '';
	if (-x $ftmpirun && open my $in, '-|', $ftmpirun, '-h') {
		local $/;
		$help = <$in> // '';
		close $in;
	}
	return $has_transport{$ftmpirun} = $help =~ /^ +-transport\b/m ? 1 : 0;
}

# The same peer over this transport: tcp, default or gbit.
sub over
{
	my ($peer, $transport) = @_;
	return $transport eq 'tcp' ? $peer : { %$peer, env => {}, %{ $peer->{$transport} } };
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

# The command line that measures NAME:BYTES... `given`: ranks, and for hosts ssh and hosts.
sub command
{
	my ($peer, $given, $seconds, @what) = @_;
	return [ (map { s/%(\w+)/$given->{$1}/gr } @{ $peer->{run} }), $peer->{exe}, $seconds, @what ];
}

1;

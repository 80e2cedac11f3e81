# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of another MPI: under ftmpirun each rank of such a program would be a job of one, and end with
# status 0. A program whose file asks for the library of another MPI is not run at all. The library may also
# come through another library, or a script may run the program: so the agent looks which libraries its
# processes have loaded while ranks have not called MPI_Init. Such a library alone is no failure, for a program
# may use it for other purposes, or a script may still run a program of FTMPI: the launcher decides when all
# ranks have ended.
package FTMPI::Agent::ForeignMpi;

use strict;
use warnings;

use FTMPI::Agent::Elf   ();
use FTMPI::Agent::Sweep ();

# When to look, in seconds after the ranks were started; then every LATER. A program is told of again
# when it has been seen for LONG.
my @LOOKS = (0.05, 0.15, 0.4, 1, 2, 5);
use constant { LATER => 10, LONG => 5 };

# Lines of /proc/PID/maps that are read.
use constant MAPS_MAX => 65536;

my $OTHERS = qr/^lib(?:p?mpi(?:ch|chf90|f|fort|cxx|_cxx|_mpifh|_usempi\w*|_abi|_cray|_ibm|_gnu\w*|_intel\w*)?)\.so(?:\.|\z)/;
my $OURS   = qr/^libftmpi\.so(?:\.|\z)/;

# mpi4py's module, as Python names it: what a script imports that is linked with an MPI.
my $MPI4PY = qr/^MPI\.[\w.-]+\.so\z/;

# The first of these libraries that is another MPI's, if none is ours; and by whom, where that is mpi4py.
sub library
{
	my (@names) = @_;
	return if grep { /$OURS/ } @names;
	my ($other) = grep { /$OTHERS/ } @names;
	return $other if !defined $other || !grep { /$MPI4PY/ } @names;
	return "$other (by mpi4py)";
}

sub _allowed { return ($ENV{FTMPI_SINGLETON} // '') eq '1' }

# Why this program is not to be run, or nothing. libmpi_abi.so is what a program of any MPI asks for.
sub refuses
{
	my ($path) = @_;
	return if _allowed();
	my $library = library(grep { !/^libmpi_abi\.so/ } FTMPI::Agent::Elf::needed($path)) // return;
	return "it is a program of another MPI (it needs $library), and each rank would be a job of one:"
		. ' compile it with ftmpicc, or start it with the launcher of that MPI; FTMPI_SINGLETON=1 runs it';
}

# loop; tell => sub (message to the launcher); ranks: FTMPI::Agent::Ranks; session: number of ours, or undef.
sub new
{
	my ($class, %arg) = @_;
	return bless {%arg}, $class;
}

# Ranks have been started.
sub watch
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{timer});
	@$self{qw(began seen)} = (FTMPI::Loop::now(), undef);
	$self->_look_later(@LOOKS) if !_allowed();
	return;
}

sub _look_later
{
	my ($self, @looks) = @_;
	my $elapsed = FTMPI::Loop::now() - $self->{began};
	shift @looks while @looks && $looks[0] < $elapsed;
	my $wait = @looks ? $looks[0] - $elapsed : LATER;
	$self->{timer} = $self->{loop}->after($wait, sub { $self->_look(@looks) });
	return;
}

# One that is seen is enough for all ranks of the host.
sub _look
{
	my ($self, @looks) = @_;
	delete $self->{timer};
	my %waited = map { $_->{pid} => $_->{rank} } $self->{ranks}->not_in_mpi;
	return if !%waited && !@looks;    # but some may not have been started yet
	my ($rank, $library) = %waited ? $self->_find(\%waited) : ();
	if (defined $library) {
		my $now = FTMPI::Loop::now();
		my $first = $self->{seen} // $now;
		my $long  = $now - $first >= LONG;
		$self->{tell}->('FOREIGN', $rank, $long ? 1 : 0, $library) if $long || !defined $self->{seen};
		return if $long;
		$self->{seen} = $first;
	}
	$self->_look_later(@looks);
	return;
}

# Of the process of a rank, or of one that it has started: (rank, library).
sub _find
{
	my ($self, $waited) = @_;
	my %groups = defined $self->{session} ? FTMPI::Agent::Sweep::groups($self->{session}) : ();
	for my $group (sort { $a <=> $b } keys %$waited) {
		for my $pid ($group, @{ $groups{$group} // [] }) {
			my $library = library(_loaded($pid));
			return ($waited->{$group}, $library) if defined $library;
		}
	}
	return;
}

# The names of the files that the process has mapped. One that waits for a disk may hold its map, and whoever
# reads it would wait, too.
sub _loaded
{
	my ($pid) = @_;
	return if FTMPI::Agent::Sweep::state_of($pid) =~ /^[DZX]?\z/;
	open my $maps, '<', "/proc/$pid/maps" or return;
	my %names;
	while (my $line = <$maps>) {
		last if $. > MAPS_MAX;
		$names{$1} = 1 if $line =~ m{/([^/\n]+)$};
	}
	return sort keys %names;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The batch system around ftmpirun: what its job gives where the user did not say it (hosts, slots, ranks), and whether agents
# are started by its means or by ssh.
package FTMPI::Cli::Batch;

use strict;
use warnings;

use FTMPI::Cli::Allocation ();
use FTMPI::Error           ();

# What each system has in place of ssh, if it has something. (PBS has nothing that carries standard input.)
my %COMMAND = (slurm => 'srun', lsf => 'blaunch');

# The batch system that the environment shows, or nothing. (Where there is none, perl need not compile all this: see FTMPI::Cli.)
sub kind { my ($wanted) = @_; return scalar FTMPI::Cli::Allocation::kind(\%ENV, $wanted) }

# Takes from the job what the options do not say: n, then; and allocation: what FTMPI::Cli::Allocation::find says, and
# launcher: slurm, pbs, lsf or ssh.
sub take
{
	my ($options) = @_;
	my $wanted = $options->{launcher} // 'auto';
	my $named  = $wanted =~ /^(?:slurm|pbs|lsf)\z/ ? $wanted : undef;
	my $kind   = kind($named);
	_refuse_outside($named) if $named && !$kind;
	my $launcher = $named // ($wanted eq 'ssh' || $options->{ssh} || !$kind || !_has($kind) ? 'ssh' : $kind);
	FTMPI::Error::usage("-ssh has no meaning with -launcher $named") if $named && $options->{ssh} && $named ne 'pbs';
	$options->{launcher} = $launcher;
	return if !$kind;
	_refuse_beside_others() if $kind eq 'slurm';
	my $names_hosts = $options->{host} || defined $options->{machinefile};
	return if $names_hosts && (defined $options->{n} || defined $options->{ppn}) && $launcher eq 'ssh';
	$options->{allocation} = FTMPI::Cli::Allocation::find($kind, \%ENV, \&_read);
	$options->{n} //= $options->{allocation}{ranks} if !$names_hosts && !defined $options->{ppn};
	return;
}

sub _refuse_outside
{
	my ($kind) = @_;
	my ($id, $hosts) = FTMPI::Cli::Allocation::variables($kind);
	my $name = FTMPI::Cli::Allocation::system_name($kind);
	FTMPI::Error::usage("-launcher $kind: this is not inside a job of $name (there are no $id and $hosts)");
}

# `srun -n 4 ftmpirun ./prog` would be four jobs.
sub _refuse_beside_others
{
	my ($number, $all) = FTMPI::Cli::Allocation::beside_others(\%ENV) or return;
	FTMPI::Error::usage("this is process $number of the $all that srun has started: ftmpirun is started once in a job, without srun, and starts the ranks itself");
}

sub _has
{
	my ($kind) = @_;
	my $command = $COMMAND{$kind} // return 1;
	return scalar grep { -x "$_/$command" && !-d _ } split /:/, $ENV{PATH} // '';
}

sub _read
{
	my ($path, $most) = @_;
	open my $file, '<:raw', $path or return;
	my $text = '';
	return defined read($file, $text, $most + 1) ? $text : undef;
}

# The hosts that the user has named, with the names that the job has for them; all must be in it where agents are started by its
# means. is_local: sub (name).
sub within
{
	my ($allocation, $hosts, $is_local) = @_;
	my %short;
	push @{ $short{ _short($_->{name}) } }, $_->{name} for @{ $allocation->{hosts} };
	for my $host (@$hosts) {
		next if $allocation->{known}{ $host->{name} } || $is_local->($host->{name});
		my @same = grep { _is_same($_, $host->{name}) } @{ $short{ _short($host->{name}) } // [] };
		_refuse_host($allocation, $host->{name}) if @same != 1;
		$host->{name} = $same[0];
	}
	return $hosts;
}

sub _short { return $_[0] =~ s/\..*//sr }

# One of them is the other without its domain.
sub _is_same { my ($a, $b) = @_; return $a !~ /\./ || $b !~ /\./ }

sub _refuse_host
{
	my ($allocation, $name) = @_;
	my @names = map { $_->{name} } @{ $allocation->{hosts} };
	my $all = @names > 8 ? join(', ', @names[ 0 .. 6 ]) . ' and ' . (@names - 7) . ' more' : join ', ', @names;
	FTMPI::Error::usage("host $name is not in $allocation->{name}, which has $all; with -launcher ssh other hosts can be used");
}

1;

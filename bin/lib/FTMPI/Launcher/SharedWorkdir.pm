# SPDX-License-Identifier: BSD-3-Clause
#
# Finds out whether all hosts share the work directory, once the program is known to make checkpoints. The
# host of rank 0, which commits recovery lines, makes a file there (FTMPI::Probe); each other host that gets
# ranks looks for the file; the file is removed. Pure: `tell` sends a request, `say` tells the user what was
# found. The job goes on meanwhile; a host that is lost, or does not answer, is not waited for.
package FTMPI::Launcher::SharedWorkdir;

use strict;
use warnings;

use FTMPI::Probe ();

# workdir; kept: what ranks keep there, if not a recovery line; tell => sub (host, order, number: of the question, which has a file of its own, as that of the one before may
# not be removed yet); say => sub (sentence);
# name => sub (host).
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, known => {}, waiting => {}, asked => 0 }, $class;
	$self->{kept} //= 'recovery line';
	return $self;
}

# maker: the host of rank 0; others: the other hosts that have ranks. A host is asked once.
sub ask
{
	my ($self, $maker, @others) = @_;
	return if defined $self->{maker};
	my @new = grep { !$self->{known}{$_} } @others;
	return if !@new;
	@$self{qw(maker made)} = ($maker, 0);
	$self->{known}{$_} = 1 for @new;
	$self->{waiting} = { map { $_ => 1 } @new };
	$self->{tell}->($maker, FTMPI::Probe::MAKE, ++$self->{asked});
	return;
}

# How often.
sub asked { return $_[0]{asked} }

# A PROBED of that host; why: what was wrong, or ''.
sub answered
{
	my ($self, $host, $order, $why) = @_;
	my $maker = $self->{maker};
	return if !defined $maker;
	if ($order == FTMPI::Probe::MAKE && $host == $maker && !$self->{made}) {
		$self->_made($why);
	} elsif ($order == FTMPI::Probe::LOOK && $self->{made} && delete $self->{waiting}{$host}) {
		$self->_apart($host, $why) if $why ne '';
		$self->_finish if !%{ $self->{waiting} };
	}
	return;
}

# This host will not answer any more.
sub lost
{
	my ($self, $host) = @_;
	my $maker = $self->{maker} // return;
	if ($host == $maker) {
		delete $self->{known}{$_} for keys %{ $self->{waiting} };
		$self->{waiting} = {};
		$self->{maker} = undef;
	} elsif (delete $self->{waiting}{$host} && !%{ $self->{waiting} }) {
		$self->_finish;
	}
	return;
}

sub _made
{
	my ($self, $why) = @_;
	if ($why ne '') {
		my $name = $self->{name}->($self->{maker});
		$self->{say}->("host $name cannot write in the work directory $self->{workdir} ($why): no $self->{kept}"
				. ' can be made there.');
		$self->{maker} = undef;
		return;
	}
	$self->{made} = 1;
	$self->{tell}->($_, FTMPI::Probe::LOOK, $self->{asked}) for sort { $a <=> $b } keys %{ $self->{waiting} };
	return;
}

sub _apart
{
	my ($self, $host, $why) = @_;
	my ($one, $other) = map { $self->{name}->($_) } $self->{maker}, $host;
	$self->{say}->("host $other does not see what host $one writes in the work directory $self->{workdir}"
			. " ($why): $self->{kept}s of this job cannot be restored; -workdir names a directory that all"
			. ' hosts share.');
	return;
}

sub _finish
{
	my ($self) = @_;
	$self->{tell}->($self->{maker}, FTMPI::Probe::REMOVE, $self->{asked});
	$self->{maker} = undef;
	return;
}

1;

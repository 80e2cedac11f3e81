# SPDX-License-Identifier: BSD-3-Clause
#
# No two builds of a program in one job: not on two hosts, not before and after a restart. The files that
# agents have opened are compared before a rank is started; the programs that ranks execute, which a wrapper
# may have chosen, are compared when they call MPI_Init. Different programs under different names are the
# user's business.
# Pure.
package FTMPI::Launcher::Builds;

use strict;
use warnings;

# What comes with the system (an interpreter, a wrapper like env) need not be the same on all hosts.
my $SYSTEM = qr{^/(?:usr/)?s?bin/};

# accept: nothing is compared (-accept-binary).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, opened => {}, rank => {}, path => {} }, $class;
}

# An agent has opened this for the program of a part of the job; name: that the user gave, which another part may give
# to another program. Returns what is wrong with that, or nothing.
sub opened
{
	my ($self, $host, $part, $name, $path, $id) = @_;
	return if $self->{accept} || $path =~ $SYSTEM;
	my $first = $self->{opened}{$part} //= { host => $host, id => $id };
	return if $first->{id} eq $id;
	return "host $host: the program $name is not the file any more that the job began with"
		if $host eq $first->{host};
	return "host $host: the program $name is another file than on host $first->{host}; all hosts need the same"
		. ' (-accept-binary lets them differ)';
}

# A rank executes this. Returns what is wrong with that, or nothing.
sub runs
{
	my ($self, $rank, $who, $path, $hash) = @_;
	return if $self->{accept};
	my $before = $self->{rank}{$rank} //= $hash;
	return "$who runs another build of $path than before the restart; the job is ended." if $before ne $hash;
	return if $path =~ $SYSTEM;
	my $first = $self->{path}{$path} //= { who => $who, hash => $hash };
	return if $first->{hash} eq $hash;
	return "$who and $first->{who} run different builds of $path; the job is ended"
		. ' (-accept-binary lets them differ).';
}

1;

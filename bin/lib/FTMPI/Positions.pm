# SPDX-License-Identifier: BSD-3-Clause
#
# Where a stream of a rank was when the rank stood still for its checkpoints (message logging): how many bytes it had printed,
# or read, since its beginning, by the number of the checkpoint. Kept are the newest checkpoint that is committed and all later
# ones, MOST at most. Pure.
package FTMPI::Positions;

use strict;
use warnings;

use List::Util ();

use constant MOST => 8;

sub new
{
	my ($class) = @_;
	return bless { at => {}, committed => 0 }, $class;
}

# The rank stands for its checkpoint n; bytes: undef where nobody knows.
sub note
{
	my ($self, $n, $bytes) = @_;
	my $at = $self->{at};
	$at->{$n} = $bytes;
	my @others = sort { $a <=> $b } grep { $_ != $self->{committed} } keys %$at;
	delete $at->{ shift @others } while keys %$at > MOST;
	return;
}

# The rank goes back behind this one no more.
sub committed
{
	my ($self, $n) = @_;
	my $at = $self->{at};
	return if !exists $at->{$n} || $n < $self->{committed};
	$self->{committed} = $n;
	delete @$at{ grep { $_ < $n } keys %$at };
	return;
}

# A job goes on from checkpoint n of an earlier launcher's: there its stream is where it is now.
sub begins
{
	my ($self, $n, $bytes) = @_;
	return if !$n || %{ $self->{at} };
	$self->note($n, $bytes);
	$self->committed($n);
	return;
}

# The newest that is known to be committed; 0: none is.
sub newest { return $_[0]{committed} }

# Bytes at checkpoint n, or undef. Number 0 is the rank's beginning.
sub of { my ($self, $n) = @_; return $n ? $self->{at}{$n} : 0 }

# The least number of bytes at a checkpoint that is known, committed or not; undef: there is none.
sub least { my ($self) = @_; return List::Util::min(grep { defined } values %{ $self->{at} }) }

# All that is known, as text, and from that: "n=BYTES:n=BYTES".
sub text
{
	my ($self) = @_;
	my $at = $self->{at};
	return join ':', map { "$_=$at->{$_}" } grep { defined $at->{$_} } sort { $a <=> $b } keys %$at;
}

sub from_text
{
	my ($class, $text) = @_;
	my $self = $class->new;
	/^([0-9]{1,10})=([0-9]{1,15})\z/ and $self->note($1 + 0, $2 + 0) for split /:/, $text;
	return $self;
}

1;

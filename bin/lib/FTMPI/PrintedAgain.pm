# SPDX-License-Identifier: BSD-3-Clause
#
# What a rank prints behind the checkpoint of its data that it came back to (message logging). It may print something else than it did then, as of
# what it has printed because it made that checkpoint: so lines are left out as long as they are those that were printed, and from the
# first one that is not all is printed. The beginning of a line that may be one of them is held back. Pure.
package FTMPI::PrintedAgain;

use strict;
use warnings;

# expected: what was printed there.
sub new { my ($class, $expected) = @_; return bless { expected => $expected, held => '' }, $class }

# It has printed these bytes. Returns what of it all is to be printed now, and how much is left out.
sub take
{
	my ($self, $bytes) = @_;
	$self->{held} .= $bytes;
	my $left_out = 0;
	$left_out += $self->_leave_out(length $1) while length $self->{expected} && $self->{held} =~ /\A([^\n]*\n)/ && $self->_is_expected($1);
	return ('', $left_out) if length $self->{expected} && $self->_is_expected($self->{held}) && $self->{held} !~ /\n/;
	$left_out += $self->_leave_out(length $self->{expected}) if index($self->{held}, $self->{expected}) == 0;
	my $held = $self->{held};
	@$self{qw(expected held)} = ('', '');
	return ($held, $left_out);
}

sub _is_expected { my ($self, $text) = @_; return index($self->{expected}, $text) == 0 }

sub _leave_out
{
	my ($self, $n) = @_;
	substr $_, 0, $n, '' for @$self{qw(expected held)};
	return $n;
}

# How much is held back. When nothing comes any more that was printed before.
sub held { return length $_[0]{held} }

# Nothing is compared any more.
sub is_over { return !length $_[0]{expected} }

1;

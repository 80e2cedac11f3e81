# SPDX-License-Identifier: BSD-3-Clause
#
# How long a program stood still for each recovery line, from the lines that are read: of rank 0 (gaps.c) and of
# ftmpirun -vv. Pure.
package FTMPI::Bench::Gaps;

use strict;
use warnings;

use List::Util qw(max);

# So many words of rank 0 that are read after "is committed" still tell of that line: the two come on different ways.
use constant LATE => 2;

sub new { return bless { longest => 0, late => 0, ms => [] }, shift }

# One line of either stream. A recovery line that comes before the late words of another one counts as the same: the program may
# not have come to any step between them.
sub see
{
	my ($self, $text) = @_;
	$self->{late} = LATE if $text =~ /^ftmpirun: line \d+ is committed/;
	my ($ms) = $text =~ /^gap (\d+\.\d+)\z/ or return;
	$self->{longest} = max($self->{longest}, $ms + 0);
	return if !$self->{late} || --$self->{late};
	push @{ $self->{ms} }, $self->{longest};
	$self->{longest} = 0;
	return;
}

# Milliseconds of each line of which all is known: the longest gap since the one before it.
sub ms { return @{ $_[0]{ms} } }

1;

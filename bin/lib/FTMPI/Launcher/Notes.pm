# SPDX-License-Identifier: BSD-3-Clause
#
# What happens to a job, in the words of its run record (doc/record.md), on its way from where it is decided to those
# who show it and write it down. Those who decide have nothing to do with that.
package FTMPI::Launcher::Notes;

use strict;
use warnings;

# Kept until somebody takes them. Of more the first ones stay, which tell how the job began, and the last ones; others are counted.
use constant { NOTES_MAX => 1024, FIRST => 3 };

sub new { return bless { notes => [], dropped => 0, now => 0, longest => 0 }, shift }

# Seconds that a line has taken, from when it was asked for: the longest.
sub longest_line { return $_[0]{longest} }

# What time it is, of the monotonic clock, for all that is added until it is told again.
sub at { $_[0]{now} = $_[1]; return }

sub add
{
	my ($self, $event, %fields) = @_;
	$self->{asked} = $self->{now} if $event eq 'line_requested';
	$self->_measure if $event eq 'line_committed';
	delete $self->{asked} if $event =~ /^(?:line_refused|run|restart)\z/;
	my $notes = $self->{notes};
	push @$notes, [ $self->{now}, $event, \%fields ];
	return if @$notes <= NOTES_MAX;
	# what ranks have sent they tell again
	my ($told) = grep { $notes->[$_][1] eq 'sent' } FIRST .. $#$notes;
	splice @$notes, $told // FIRST, 1;
	$self->{dropped}++ if !defined $told;
	return;
}

sub _measure
{
	my ($self) = @_;
	my $asked = delete $self->{asked} // return;
	$self->{longest} = $self->{now} - $asked if $self->{now} - $asked > $self->{longest};
	return;
}

# [time, event, fields] each, in their order.
sub take
{
	my ($self) = @_;
	my @taken = splice @{ $self->{notes} };
	splice @taken, FIRST, 0, [ $taken[ FIRST - 1 ][0], 'dropped', { count => $self->{dropped} } ] if $self->{dropped};
	$self->{dropped} = 0;
	return @taken;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Stdin, which an ordinary start does without (FTMPI::Later): it is given again, or what was read of it is kept.
package FTMPI::Launcher::Stdin;

use strict;
use warnings;

use FTMPI::Launcher::Stdin ();

# Rank 0 is about to begin again: nothing is sent meanwhile, and what its agent tells concerns the old process.
sub hold
{
	my ($self) = @_;
	@$self{qw(held awaited)} = (1, 0);
	$self->{loop}->off_read(\*STDIN);
	return;
}

# It has begun again, and gets everything from so many bytes on, or from the beginning.
sub rewind
{
	my ($self, $from) = @_;
	$from //= 0;
	return if $from < $self->{base} && !$self->_begins_at($from);
	@$self{qw(held over given under_way awaited)} = (0, 0, $from, 0, 0);
	delete $self->{sums}{$_} for grep { $_ > $from } keys %{ $self->{sums} };
	$self->{check} = $from if defined $self->{expected}{$from};
	return if !$self->_is_the_same;
	$self->_open;
	return;
}

# Can what is kept be counted from there on? At a terminal, where what was typed to a job before is not given again.
sub _begins_at
{
	my ($self, $from) = @_;
	if ($self->{typed}) {
		$self->{seen} -= $self->{base} - $from;
		@$self{qw(base needed)} = ($from, $from);
		return 1;
	}
	$self->{on_gone}->($from);
	return 0;
}

# It has begun again, and is going to say from where it goes on, if not from the beginning.
sub await_line { @{ $_[0] }{qw(held awaited)} = (1, 1); return }

# It goes on from a line of which nobody knew, as its process before was killed when it had made that. Not where it was given input since:
# then nothing can be done for it, and this returns false.
sub await_late
{
	my ($self) = @_;
	return 1 if $self->{awaited};
	return 0 if $self->{given};
	$self->hold;
	$self->await_line;
	return 1;
}

sub _is_typed_from
{
	my ($self, $from) = @_;
	@$self{qw(base seen typed)} = ($from, $from, 1);
	return;
}

# Where there is no input that matters to nobody.
sub _tell_unsure
{
	my ($self) = @_;
	$self->{on_unsure}->($self->{line}) if delete $self->{unsure};
	return;
}

# The job goes on from a line of another one: of what that had read, the sums by bytes. Before go_on.
sub expects { my ($self, $sums) = @_; $self->{expected} = { %{ $sums // {} } }; return }

# The image for this line has read so much; undef: nobody knows.
sub noted
{
	my ($self, $line, $bytes) = @_;
	my $noted = $self->{noted};
	$noted->{$line} = $bytes;
	my @lines = sort { $b <=> $a } keys %$noted;
	delete @$noted{ splice @lines, NOTED } if @lines > NOTED;
	return;
}

# That line was committed: nobody goes back to before it, unless it is damaged.
sub committed
{
	my ($self, $line) = @_;
	my $noted = $self->{noted};
	my $bytes = delete $noted->{$line};
	delete @$noted{ grep { $_ < $line } keys %$noted };
	return if !defined $bytes;
	$self->{needed} = $bytes;
	$self->{on_lost}->($self->{lost} = 0) if $self->{lost} && $bytes >= $self->{base};
	$self->_keep_sum($bytes);
	return;
}

sub _keep_sum
{
	my ($self, $bytes) = @_;
	my $sums = $self->{sums};
	return if !$self->{on_sums} || exists $sums->{$bytes};
	$sums->{$bytes} = ($bytes > $self->{seen} ? $self->{expected}{$bytes} : $self->_sum($bytes)) // return;
	my @positions = sort { $b <=> $a } keys %$sums;
	delete @$sums{ splice @positions, SUMS } if @positions > SUMS;
	$self->{on_sums}->($sums);
	return;
}

# Of the input from its beginning; undef: that is not kept.
sub _sum
{
	my ($self, $bytes) = @_;
	return undef if $self->{typed};
	if ($bytes < $self->{summed}) {
		return undef if $self->{base};
		delete $self->{sum};
		$self->{summed} = 0;
	}
	$self->_sum_to($bytes) or return undef;
	return $self->{sum}->clone->hexdigest;
}

sub _sum_to
{
	my ($self, $to) = @_;
	my $from = $self->{summed};
	return 0 if $from < $self->{base} || $to > $self->{base} + length $self->{kept};
	$self->{sum} //= eval { require Digest::SHA; Digest::SHA->new(256) } // return 0;
	$self->{sum}->add(substr $self->{kept}, $from - $self->{base}, $to - $from);
	$self->{summed} = $to;
	return 1;
}

# Is what came so far the input that the image has read? Until all of that has come it may be.
sub _is_the_same
{
	my ($self) = @_;
	my $bytes = $self->{check};
	return 1 if !defined $bytes || $self->{seen} < $bytes;
	delete $self->{check};
	my $sum = $self->_sum($bytes);
	return 1 if !defined $sum || $sum eq $self->{expected}{$bytes};
	$self->close;
	$self->{on_other}->($self->{line}, $bytes);
	return 0;
}

# But for the sum of it, where that is wanted.
sub _forget_to
{
	my ($self, $to) = @_;
	return if $to <= $self->{base};
	$self->_sum_to($to) if $self->{on_sums} && $self->{summed} < $to;
	substr $self->{kept}, 0, $to - $self->{base}, '';
	$self->{base} = $to;
	return;
}

1;

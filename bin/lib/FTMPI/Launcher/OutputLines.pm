# SPDX-License-Identifier: BSD-3-Clause
#
# Makes lines of the bytes that ranks write, so that no line of one rank is cut by another rank's. Pure: the
# caller tells which bytes came at what time, and is told what to write. A partial line is held until its
# end comes, the rank ends, or the line is LINE_MAX long. A partial line of the interactive rank may be a
# prompt: it is shown when nothing at all came for IDLE seconds. The caller asks for that only while somebody
# may answer, for a line whose writer merely got no processor would be cut by the next line then.
package FTMPI::Launcher::OutputLines;

use strict;
use warnings;

use constant { LINE_MAX => 65536, IDLE => 0.1 };

# tag: whether each line begins with its rank; stamp => sub: what else each line begins with, or undef; interactive: the rank whose
# prompts are shown, or undef.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, held => {}, open => {}, last => 0 }, $class;
}

# What to write now that these bytes came ('' for nothing yet).
sub add
{
	my ($self, $rank, $stream, $bytes, $now) = @_;
	$self->{last} = $now;
	my $held = \($self->{held}{$rank}{$stream} //= '');
	$$held .= $bytes;
	my $end = rindex($$held, "\n") + 1;
	$end = length $$held if length($$held) - $end >= LINE_MAX;
	return $self->_show($rank, $stream, substr $$held, 0, $end, '');
}

# The rank has ended: what it left without an end of line, as [stream, text] each. goes_on: its next process goes on with its
# standard output where that ends.
sub finish
{
	my ($self, $rank, $goes_on) = @_;
	my $held = $self->{held}{$rank} or return;
	my @texts;
	for my $stream (grep { !$goes_on || $_ != 1 } sort keys %$held) {
		my $text = $self->_show($rank, $stream, delete $held->{$stream});
		$text .= "\n" if delete $self->{open}{$rank}{$stream};
		push @texts, [ $stream, $text ] if length $text;
	}
	return @texts;
}

# Those that may have left something.
sub ranks { my ($self) = @_; return sort { $a <=> $b } keys %{ $self->{held} } }

# When idle() will have something to say, or undef.
sub idle_time
{
	my ($self) = @_;
	my $held = $self->{held}{ $self->{interactive} // '' } or return;
	return (grep { length } values %$held) ? $self->{last} + IDLE : undef;
}

sub idle
{
	my ($self, $now) = @_;
	my $due = $self->idle_time;
	return if !defined $due || $now < $due;
	my $rank = $self->{interactive};
	my $held = $self->{held}{$rank};
	my @texts;
	for my $stream (grep { length $held->{$_} } sort keys %$held) {
		push @texts, [ $stream, $self->_show($rank, $stream, $held->{$stream}) ];
		$held->{$stream} = '';
	}
	return @texts;
}

# With tags or stamps: each line that begins in this text gets them; `open` remembers that the last did not
# end.
sub _show
{
	my ($self, $rank, $stream, $text) = @_;
	return $text if !length $text || !($self->{tag} || $self->{stamp});
	my $head = ($self->{tag} ? "[$rank] " : '') . ($self->{stamp} ? $self->{stamp}->() . ' ' : '');
	my $open = $self->{open}{$rank}{$stream};
	$self->{open}{$rank}{$stream} = $text !~ /\n\z/;
	$text =~ s/^/$head/mg;
	substr $text, 0, length $head, '' if $open;
	return $text;
}

1;

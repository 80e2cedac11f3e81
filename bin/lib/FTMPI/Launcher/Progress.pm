# SPDX-License-Identifier: BSD-3-Clause
#
# -progress: on a terminal one line at its bottom that is written again each second, and makes way for what the job prints;
# elsewhere a line of its own each minute.
package FTMPI::Launcher::Progress;

use strict;
use warnings;

use FTMPI::Launcher::StatusLine ();

use constant { TURN => 1, PLAIN_TURN => 60, TIOCGWINSZ => 0x5413, WIDTH => 80 };

use constant CLEAR => "\r\e[K";

# loop; waits => sub: something that was written before is not there yet; put => sub (text, for standard error); state => sub: as FTMPI::Launcher::Overview shows it.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, shown => 0, at_start => 1, terminal => -t STDERR && ($ENV{TERM} // 'dumb') ne 'dumb' ? 1 : 0 }, $class;
	$self->_again;
	return $self;
}

sub _again
{
	my ($self) = @_;
	$self->{timer} = $self->{loop}->after($self->{terminal} ? TURN : PLAIN_TURN, sub { $self->_turn });
	return;
}

sub _turn
{
	my ($self) = @_;
	if ($self->{terminal}) {
		$self->_show;
	} else {
		$self->{put}->('ftmpirun: ' . FTMPI::Launcher::StatusLine::text($self->{state}->()) . "\n");
	}
	$self->_again;
	return;
}

# Behind a prompt there is no room for it, and who holds the output (Ctrl-S) is not to find thousands of it.
sub _show
{
	my ($self) = @_;
	return if !$self->{at_start} || $self->{waits}->();
	my $text = FTMPI::Launcher::StatusLine::text($self->{state}->(), _width());
	$self->{put}->(CLEAR . $text);
	$self->{shown} = 1;
	return;
}

sub _width
{
	my $size = "\0" x 8;
	ioctl STDERR, TIOCGWINSZ, $size or return WIDTH;
	return (unpack 'SS', $size)[1] || WIDTH;
}

# What is written, with what makes room for it before. Where only one of the two streams is the terminal the other one leaves the line alone.
sub make_way
{
	my ($self, $stream, $text) = @_;
	return $text if !$self->{terminal} || !length $text || !-t ($stream == 1 ? \*STDOUT : \*STDERR);
	$text = CLEAR . $text if $self->{shown};
	@$self{qw(shown at_start)} = (0, $text =~ /\n\z/ ? 1 : 0);
	return $text;
}

# Nothing is shown any more: the line that makes that so.
sub finish
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{timer});
	$self->{put}->(CLEAR) if $self->{shown};
	$self->{shown} = 0;
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# -progress: on a terminal one line at its bottom that is written again each second, with what the job prints above it;
# elsewhere a line of its own each minute.
#
# The cursor stands at the beginning of the line: a terminal that is made narrower wraps the line, and the cursor stays where it
# begins; and what the terminal shows of itself (^C) does not make it longer.
package FTMPI::Launcher::Progress;

use strict;
use warnings;

use FTMPI::Unread        ();
use FTMPI::Launcher::StatusLine ();
use FTMPI::Loop                 ();
use FTMPI::Terminal             ();

# Seconds; the line that follows what the job prints is no older than FRESH.
use constant { TURN => 1, PLAIN_TURN => 60, FRESH => 0.1 };

# loop; waits => sub: something that was written before is not there yet; put, put_at_once => sub (text, for standard error); state => sub: as FTMPI::Launcher::Overview shows it.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, shown => 0, at_start => 1, hidden => 0, terminal => FTMPI::Terminal::is_one(\*STDERR) }, $class;
	$self->{loop}->on_signal('WINCH', sub { $self->_resized }) if $self->{terminal};
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

sub _resized { my ($self) = @_; $self->_show if $self->{shown}; return }

# Behind a prompt there is no room for it, and who holds the output (Ctrl-S) is not to find thousands of it.
sub _show
{
	my ($self) = @_;
	return if $self->{hidden} || !$self->{at_start} || $self->{waits}->() || _reader_is_behind() || FTMPI::Terminal::is_others(\*STDERR);
	$self->_make;
	$self->{put}->(FTMPI::Terminal::CLEAR . $self->{line});
	$self->{shown} = 1;
	return;
}

sub _make
{
	my ($self) = @_;
	my ($columns) = FTMPI::Terminal::size(\*STDERR);
	$self->{line} = FTMPI::Terminal::CUT . FTMPI::Launcher::StatusLine::text($self->{state}->(), $columns) . "\r" . FTMPI::Terminal::WRAP;
	$self->{made} = FTMPI::Loop::now();
	return;
}

# Of a pipe (| tee): it may be about to print on this terminal what it is given.
sub _reader_is_behind { return -p STDOUT && FTMPI::Unread::bytes(\*STDOUT) }

# What is written, with what makes room for it before, and the line behind it. Where standard output is a pipe its reader may print on this terminal,
# too, so the line goes first.
sub make_way
{
	my ($self, $stream, $text) = @_;
	return $text if !$self->{terminal} || $self->{hidden} || !length $text;
	my $shown = $self->{shown};
	if (!-t ($stream == 1 ? \*STDOUT : \*STDERR)) {
		return $text if $stream != 1 || !-p STDOUT;
		$self->{put_at_once}->(FTMPI::Terminal::CLEAR) if $shown;
		@$self{qw(shown at_start)} = (0, $text =~ /\n\z/ ? 1 : 0);
		return $text;
	}
	$self->{at_start} = $text =~ /\n\z/ ? 1 : 0;
	$text = FTMPI::Terminal::CLEAR . $text if $shown;
	$self->{shown} = $shown && $self->{at_start} && !$self->{waits}->() ? 1 : 0;
	return $text if !$self->{shown};
	$self->_make if FTMPI::Loop::now() - $self->{made} > FRESH;
	return $text . $self->{line};
}

# The terminal is somebody else's until show_again.
sub hide
{
	my ($self) = @_;
	$self->{put}->(FTMPI::Terminal::CLEAR) if $self->{shown};
	@$self{qw(shown hidden)} = (0, 1);
	return;
}

# Whoever had the terminal has left it at the beginning of a line.
sub show_again
{
	my ($self) = @_;
	@$self{qw(hidden at_start)} = (0, 1);
	$self->_show if $self->{terminal};
	return;
}

# Nothing is shown any more.
sub finish
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{timer});
	$self->hide;
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The whole terminal, for a text that is shown again and again: the terminal's second screen, as an editor uses it, so that the first one
# is there again as it was at the end, while this process is suspended, and when a signal ends it.
package FTMPI::Cli::Screen;

use strict;
use warnings;

use Time::HiRes ();

use FTMPI::Terminal ();

use constant { ENTER => "\e[?1049h\e[H", LEAVE => "\e[?1049l", HOME => "\e[H", CLEAR_LINE => "\e[K", CLEAR_BELOW => "\e[J" };

# Seconds from one look to the next whether the terminal is this process's.
use constant TURN => 0.5;

my @ENDS = qw(INT TERM HUP QUIT);

# Of standard output.
sub new
{
	my ($class) = @_;
	my $self = bless { in => 0, came => {} }, $class;
	for my $name (grep { ($SIG{$_} // '') ne 'IGNORE' } @ENDS, 'TSTP') {
		$SIG{$name} = sub { $self->{came}{$name} = 1 };
	}
	$SIG{WINCH} = $SIG{CONT} = sub { };    # another look
	return $self;
}

# A text of whole lines, of which those are left out that have no room.
sub show
{
	my ($self, $text) = @_;
	$self->_await_turn;
	my ($columns, $rows) = FTMPI::Terminal::size(\*STDOUT);
	my @lines = map { FTMPI::Terminal::fitted($_, $columns) } split /\n/, $text;
	splice @lines, $rows - 1, @lines, '...' if @lines > $rows;
	_write(($self->{in} ? '' : ENTER) . HOME . FTMPI::Terminal::CUT . join("\n", map { $_ . CLEAR_LINE } @lines) . CLEAR_BELOW . FTMPI::Terminal::WRAP);
	$self->{in} = 1;
	return;
}

# So many seconds, or until the terminal has another size.
sub wait
{
	my ($self, $seconds) = @_;
	Time::HiRes::sleep($seconds) if !%{ $self->{came} };
	$self->_signals;
	return;
}

sub leave
{
	my ($self) = @_;
	_write(LEAVE) if $self->{in};
	$self->{in} = 0;
	return;
}

sub _signals
{
	my ($self) = @_;
	my $came = $self->{came};
	for my $name (grep { delete $came->{$_} } @ENDS) {
		$self->leave;
		$SIG{$name} = 'DEFAULT';
		kill $name, $$;
	}
	$self->_stop('STOP') if delete $came->{TSTP};
	return;
}

# In the background it is stopped, as what reads the terminal would be.
sub _await_turn
{
	my ($self) = @_;
	while (FTMPI::Terminal::is_others(\*STDOUT)) {
		$self->_stop('TTOU');
		$self->_signals;
		# where the shell has gone, or the signal is ignored, nobody was stopped
		Time::HiRes::sleep(TURN) if FTMPI::Terminal::is_others(\*STDOUT);
	}
	return;
}

sub _stop
{
	my ($self, $name) = @_;
	$self->leave;
	kill $name, $$;
	return;
}

# At once, as signals are looked at between two writes.
sub _write
{
	my ($bytes) = @_;
	while (length $bytes) {
		my $n = syswrite STDOUT, $bytes;
		return if !defined $n && !$!{EINTR};
		substr $bytes, 0, $n // 0, '';
	}
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Failures on this host that the user asks for, to practise them (INJECT in doc/control.md, doc/practice.md). What is done is told,
# and so is what could not be done, as the rank was not there; a host that is lost tells nothing.
package FTMPI::Agent::Injection;

use strict;
use warnings;

use POSIX ();

use FTMPI::Agent::Sweep ();
use FTMPI::Control      ();
use FTMPI::Loop         ();

# Seconds without a word from a launcher for which a host that is lost is nobody any more; bytes read at once.
use constant { FORGOTTEN_TIME => 60, CHUNK => 65536 };

my %DO = (
	FTMPI::Control::INJECT_KILL()      => sub { my ($self, $rank) = @_; $self->{ranks}->signal_rank($rank, 'KILL') },
	FTMPI::Control::INJECT_STOP()      => sub { my ($self, $rank, undef, $ms) = @_; $self->_stop($rank, $ms) },
	FTMPI::Control::INJECT_DISK_FULL() => sub { my ($self, undef, undef, $ms) = @_; $self->{ranks}->disk_full($ms); 1 },
	FTMPI::Control::INJECT_CUT()       => sub { my ($self, @what) = @_; $self->{ranks}->cut(@what) },
	FTMPI::Control::INJECT_SILENCE()   => sub { $_[0]->_lose_host(1) },
	FTMPI::Control::INJECT_END()       => sub { $_[0]->_lose_host(0) },
);

# loop; tell => sub (message to the launcher); ranks: FTMPI::Agent::Ranks; sweep => sub, which kills all that runs here; channel => sub: the handle to read.
sub new { my ($class, %arg) = @_; return bless {%arg}, $class }

# Returns what is wrong, or nothing.
sub obey
{
	my ($self, $id, $what, @how) = @_;
	my $do = $DO{$what} // return "an order to inject $what, which is no failure";
	$self->{tell}->('INJECTED', $id, $do->($self, @how) ? 1 : 0);
	return;
}

# It goes on after so many ms, if it is still there.
sub _stop
{
	my ($self, $rank, $ms) = @_;
	my $ranks   = $self->{ranks};
	my $process = $ranks->signal_rank($rank, 'STOP') or return 0;
	$self->{loop}->after($ms / 1000, sub { $ranks->continue_process($rank, $process) });
	return 1;
}

# All that runs here is gone, and nobody says so. Who is silent holds what the host had open, as nobody is told of a host without power
# either, until the launcher gives it up.
sub _lose_host
{
	my ($self, $is_silent) = @_;
	$self->{sweep}->();
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP QUIT);
	_read_to_end($self->{channel}->()) if $is_silent;
	POSIX::_exit(1);
	return;
}

sub _read_to_end
{
	my ($handle) = @_;
	while (1) {
		my $readable = '';
		vec($readable, fileno $handle, 1) = 1;
		my $n = select $readable, undef, undef, FORGOTTEN_TIME;
		next if $n < 0 && $!{EINTR};
		return if $n <= 0;
		my $got = sysread $handle, my $bytes, CHUNK;
		return if defined $got ? !$got : !($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	}
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::OneRank;

# One rank whose agent is the test: it is started as an agent would start it, and told what the test
# wants. The other ranks of its job have sockets that listen, and nobody behind them.
#
#	my $rank = FTMPI::Test::OneRank->start([program('reexec'), 'init', 'pause'], size => 2);
#	$rank->tell_start(0);
#	my ($name, @fields) = $rank->hear;

use strict;
use warnings;

use Fcntl qw(F_DUPFD);
use POSIX ();
use Socket qw(:all);
use Test::More ();
use Time::HiRes qw(time);

use FTMPI::Control ();
use FTMPI::Test::Process qw(patience wait_readable wait_gone);
use FTMPI::Wire ();

use constant {DEADLINE => $ENV{FTMPI_TEST_DEADLINE} // 60, BEAT_FD => 61, CONTROL_FD => 62, LISTEN_FD => 63, ABOVE => 64};

# Options: size (1), rank (0), env (a hash), dir, verbosity, settings (beside restarts); sockets (those
# of another rank of the same job).
sub start
{
	my ($class, $command, %option) = @_;
	my $self = bless {
		size => 1, rank => 0, %option,
		command => $command,
		wire    => FTMPI::Wire->new,
		out     => '',
		err     => '',
		until   => time + patience(DEADLINE),
	}, $class;
	$self->{sockets} //= {map { $_ => [map { listener() } 1 .. $self->{size}] } qw(listen beat)};
	socketpair($self->{control}, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die "pair: $!\n";
	pipe($self->{out_fh}, my $out) or die "pipe: $!\n";
	pipe($self->{err_fh}, my $err) or die "pipe: $!\n";
	$self->{open} = {map { $_ => $self->{"${_}_fh"} } qw(out err)};
	$self->{pid} = fork() // die "fork: $!\n";
	$self->become($theirs, $out, $err) if !$self->{pid};
	return $self;
}

sub listener
{
	my $s;
	socket($s, AF_INET, SOCK_STREAM, 0) && bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK))
		&& listen($s, 64)
		or die "cannot listen: $!\n";
	return $s;
}

sub port_of { return (unpack_sockaddr_in(getsockname $_[0]))[0] }

# At which this rank of the job listens.
sub port { return port_of($_[0]{sockets}{listen}[$_[1]]) }

sub sockets { return $_[0]{sockets} }

# In the table of the next START.
sub use_sockets { $_[0]{sockets} = $_[1]; return }

# The child's way to the program. Whatever else is open is close-on-exec.
sub become
{
	my ($self, $control, $out, $err) = @_;
	my $rank = $self->{rank};
	setpgrp(0, 0);
	my @place = ([$self->{sockets}{beat}[$rank], BEAT_FD], [$control, CONTROL_FD],
		[$self->{sockets}{listen}[$rank], LISTEN_FD]);
	$_->[0] = fcntl($_->[0], F_DUPFD, ABOVE) for @place;
	POSIX::dup2($_->[0], $_->[1]) for @place;
	POSIX::close($_->[0]) for @place;
	POSIX::dup2(POSIX::open('/dev/null', POSIX::O_RDONLY()), 0);
	POSIX::dup2(fileno($out), 1);
	POSIX::dup2(fileno($err), 2);
	@ENV{qw(FTMPI_BEAT_FD FTMPI_CONTROL_FD FTMPI_LISTEN_FD)} = (BEAT_FD, CONTROL_FD, LISTEN_FD);
	@ENV{qw(FTMPI_RANK FTMPI_SIZE)} = ($rank, $self->{size});
	my $env = $self->{env} // {};
	@ENV{keys %$env} = values %$env;
	chdir($self->{dir}) or POSIX::_exit(126) if defined $self->{dir};
	exec { $self->{command}[0] } @{$self->{command}} or syswrite(STDERR, "cannot run: $!\n");
	POSIX::_exit(127);
}

sub pid { return $_[0]{pid} }
sub out { return $_[0]{out} }
sub err { return $_[0]{err} }

# ---- what the agent says ----

sub start_message
{
	my ($self, $epoch) = @_;
	my $table = join '', map {
		FTMPI::Wire::pack_fields('sshhuu', 'here', '127.0.0.1', $self->port($_), port_of($self->{sockets}{beat}[$_]), 0, 2)
	} 0 .. $self->{size} - 1;
	return FTMPI::Control::encode('START', 's' x 16, $epoch, $self->{rank}, $self->{size}, 'k' x 32,
		$self->{rank}, $self->{size}, $self->{verbosity} // 0, '/tmp', 'session',
		["restarts=$epoch", @{$self->{settings} // []}], $table);
}

sub say_bytes
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	my $n = syswrite($self->{control}, $bytes) // 0;
	die "only $n of " . length($bytes) . " bytes were taken\n" if $n != length $bytes;
	return;
}

sub tell_start   { $_[0]->say_bytes($_[0]->start_message($_[1])); return }
sub tell_restart { $_[0]->say_bytes(FTMPI::Control::encode('RESTART', $_[1])); return }

# ---- what the rank says ----

# Takes in what is there to be read; false when nothing came in time or all is closed.
sub take
{
	my ($self) = @_;
	my %handle = (%{$self->{open}}, $self->{control} ? (control => $self->{control}) : ());
	return 0 if !%handle;
	my %ready = map { fileno($_) => 1 } wait_readable($self->{until}, values %handle);
	for my $which (grep { $ready{fileno($handle{$_})} } sort keys %handle) {
		my $n = sysread($handle{$which}, my $bytes, 65536);
		if ($which eq 'control') {
			$n ? $self->{wire}->feed($bytes) : delete $self->{control};
		} else {
			$n ? ($self->{$which} .= $bytes) : delete $self->{open}{$which};
		}
	}
	return scalar %ready;
}

# The next message; nothing (with a note) when none comes. That nobody beats beside it is no news.
sub hear
{
	my ($self) = @_;
	for (;;) {
		my ($type, $body) = $self->{wire}->next_frame;
		if (defined $type) {
			my @message = FTMPI::Control::decode('rank', $type, $body);
			return @message if $message[0] !~ /^(?:SUSPECT|LOADED|RUNS)\z/;
			next;
		}
		next if !$self->{wire}->error && $self->{control} && $self->take;
		Test::More::diag('waited for a message in vain: ' . ($self->{wire}->error // ''), $self->saw);
		return;
	}
}

# The texts of the next `n` messages.
sub hear_texts
{
	my ($self, $n) = @_;
	return join ', ', map { join ' ', $self->hear } 1 .. $n;
}

# The texts of all messages before the one of this text.
sub hear_until
{
	my ($self, $text) = @_;
	my @texts;
	while (my @message = $self->hear) {
		return join ', ', @texts if "@message" eq $text;
		push @texts, "@message";
	}
	return join ', ', @texts, 'and no more';
}

# Wait until what it printed on 'out' or 'err' matches; returns what was captured, and forgets it all.
sub wait_for
{
	my ($self, $which, $pattern) = @_;
	for (;;) {
		if ($self->{$which} =~ $pattern) {
			my $text = $1;
			$self->{$which} = substr $self->{$which}, $+[0];
			return $text;
		}
		next if $self->take;
		Test::More::diag("waited for $pattern on $which in vain", $self->saw);
		return;
	}
}

# Its last state: the word has been seen that again says then.
sub is_ready { return defined $_[0]->wait_for(out => qr/(^ready\n)/m) }

sub saw
{
	my ($self) = @_;
	return "\ncommand: @{$self->{command}}\n--- out ---\n$self->{out}\n--- err ---\n$self->{err}\n";
}

# ---- its end ----

# Its wait status when it ends by itself; undef (with a note) when it does not.
sub ended
{
	my ($self) = @_;
	1 while (%{$self->{open}} || $self->{control}) && $self->take;
	if (wait_gone($self->{until}, $self->{pid})) {
		Test::More::diag('it does not end', $self->saw);
		return;
	}
	waitpid(delete $self->{pid}, 0);
	return $?;
}

sub end
{
	my ($self) = @_;
	return if !$self->{pid};
	kill 'KILL', -$self->{pid}, $self->{pid};
	waitpid(delete $self->{pid}, 0);
	return;
}

sub DESTROY
{
	local ($?, $@, $!);
	$_[0]->end;
	return;
}

1;

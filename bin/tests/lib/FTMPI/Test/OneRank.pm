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

use constant {DEADLINE => $ENV{FTMPI_TEST_DEADLINE} // 60, BEAT_FD => 61, CONTROL_FD => 62, LISTEN_FD => 63, ABOVE => 80, NEXT_FDS => 71};

# Options: size (1), rank (0), env (a hash), dir, workdir, verbosity, settings (beside restarts); sockets (those
# of another rank of the same job). wakes: the program has the sockets of a second agent, too, from NEXT_FDS
# on; next_sockets: those of another rank that another agent has (go_over); next_hosts: where that one says that
# the ranks are (all are 'here').
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
	$self->make_next if $self->{wakes};
	pipe($self->{out_fh}, my $out) or die "pipe: $!\n";
	pipe($self->{err_fh}, my $err) or die "pipe: $!\n";
	$self->{open} = {map { $_ => $self->{"${_}_fh"} } qw(out err)};
	$self->{pid} = fork() // die "fork: $!\n";
	$self->become($theirs, $out, $err) if !$self->{pid};
	delete $self->{next_theirs};
	return $self;
}

sub make_next
{
	my ($self) = @_;
	$self->{next_sockets} //= {map { $_ => [map { listener() } 1 .. $self->{size}] } qw(listen beat)};
	socketpair($self->{next_control}, $self->{next_theirs}, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die "pair: $!\n";
	return;
}

# The test is the second agent from here on. The first is still there.
sub go_over
{
	my ($self) = @_;
	$self->{first_control} = $self->{control};
	$self->{session}       = 'later';
	$self->{hosts}         = $self->{next_hosts} if $self->{next_hosts};
	$self->{control} = delete $self->{next_control};
	$self->{sockets} = $self->{next_sockets};
	$self->{wire}    = FTMPI::Wire->new;
	return;
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

sub next_sockets { return $_[0]{next_sockets} }

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
	push @place, [$self->{next_sockets}{beat}[$rank], NEXT_FDS], [$self->{next_theirs}, NEXT_FDS + 1],
		[$self->{next_sockets}{listen}[$rank], NEXT_FDS + 2]
		if $self->{wakes};
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
	my $hosts = $self->{hosts} // [('here') x $self->{size}];
	my %node  = map { $hosts->[$_] => $_ } reverse 0 .. $#$hosts;
	my $table = join '', map {
		FTMPI::Wire::pack_fields('sshhuu', $hosts->[$_], '127.0.0.1', $self->port($_), port_of($self->{sockets}{beat}[$_]),
			$node{$hosts->[$_]}, 2)
	} 0 .. $self->{size} - 1;
	return FTMPI::Control::encode('START', 's' x 16, $epoch, $self->{rank}, $self->{size}, 'k' x 32,
		$self->{rank}, $self->{size}, $self->{verbosity} // 0, $self->{workdir} // '/tmp', $self->{session} // 'session',
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

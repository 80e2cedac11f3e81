# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Flood;

# A process that does nothing but connect to some ranks of a job, again and again. It closes none of
# its connections; when it has as many as it may it makes another one for each that a rank closes.
# So whoever comes after it waits until all of them are gone, if the rank lets anybody wait.

use strict;
use warnings;

use IO::Handle ();
use POSIX ();
use Socket qw(getaddrinfo AI_NUMERICHOST SOCK_STREAM);
use Time::HiRes qw(time);

use FTMPI::Test::Process  qw(wait_readable wait_gone);
use FTMPI::Test::Stranger qw(hello);

use constant { KEEP_MOST => 2000, TELL => 250, SECONDS => 60 };

# What each of them says: of `to`, a rank of this job.
my %words = (
	silent   => sub { '' },
	noisy    => sub { "GET / HTTP/1.1\r\n\r\n" },
	greeting => sub {
		my ($ring, $to) = @_;
		return hello($ring->key, ($to + 2) % $ring->{ranks}, $to);
	},
);

# At these ranks of the job.
sub start
{
	my ($class, $ring, $kind, @ranks) = @_;
	pipe(my $count, my $told)  or die "pipe: $!\n";
	pipe(my $alive, my $owner) or die "pipe: $!\n";
	my $self = bless {count => $count, owner => $owner, made => 0}, $class;
	my @to = map { address_of($ring, $_, $words{$kind}) } @ranks;
	$self->{pid} = fork() // die "cannot fork: $!\n";
	if (!$self->{pid}) {
		close($owner);
		$told->autoflush(1);
		eval { flood($told, $alive, @to); 1 } or print STDERR "# flood: $@";
		POSIX::_exit(0);
	}
	return $self;
}

# Until the other end of `alive` is closed.
sub flood
{
	my ($told, $alive, @to) = @_;
	my $most = keep_most();
	my (@open, $made);
	local $SIG{PIPE} = 'IGNORE';
	for (;;) {
		push @open, connect_to(@{$to[$made++ % @to]}) // ();
		print $told "$made\n" if $made % TELL == 0;
		while (@open >= $most) {
			my @ready = wait_readable(time + SECONDS, $alive, $open[0]);
			return if !@ready || grep { $_ == $alive } @ready;
			shift @open if !sysread($open[0], my $said, 1000);
		}
		return if $made % TELL == 0 && wait_readable(time, $alive);
	}
}

sub keep_most
{
	my $most = POSIX::sysconf(POSIX::_SC_OPEN_MAX()) - 100;
	return $most < KEEP_MOST ? $most : KEEP_MOST;
}

sub address_of
{
	my ($ring, $rank, $say) = @_;
	my ($error, $to) = getaddrinfo($ring->at($rank), {flags => AI_NUMERICHOST,
			socktype => SOCK_STREAM});
	die "$error\n" if $error;
	return [$to, $say->($ring, $rank)];
}

# Without waiting for anything.
sub connect_to
{
	my ($to, $words) = @_;
	socket(my $s, $to->{family}, SOCK_STREAM | Socket::SOCK_NONBLOCK(), 0) or die "socket: $!\n";
	connect($s, $to->{addr}) or $!{EINPROGRESS} or return;
	syswrite($s, $words) if length $words;
	return $s;
}

# Wait until it has made about as many as it can keep; returns how many.
sub wait_full
{
	my ($self) = @_;
	return $self->wait_for(keep_most() - keep_most() % TELL);
}

# Wait until it has made so many connections; returns how many it has, 0 when it does not.
sub wait_for
{
	my ($self, $want) = @_;
	my $until = time + SECONDS;
	while ($self->{made} < $want) {
		return 0 if !wait_readable($until, $self->{count});
		sysread($self->{count}, my $text, 65536) or return 0;
		$self->{made} = $1 if $text =~ /(\d+)\n\z/;
	}
	return $self->{made};
}

# Ends it; returns how many connections it has made.
sub stop
{
	my ($self) = @_;
	close(delete $self->{owner});
	while (wait_readable(time + SECONDS, $self->{count})) {
		sysread($self->{count}, my $text, 65536) or last;
		$self->{made} = $1 if $text =~ /(\d+)\n\z/;
	}
	kill 'KILL', $self->{pid} if wait_gone(time + SECONDS, $self->{pid});
	waitpid($self->{pid}, 0);
	return $self->{made};
}

1;

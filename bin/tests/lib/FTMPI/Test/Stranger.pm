# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Stranger;

# A process that is no rank and connects to ranks all the same. It knows the handshake and the
# frames of doc/wire.md, and as much of the job (session, secret) as the test lets it know.

use strict;
use warnings;

use Errno qw(EAGAIN EINPROGRESS EINTR EWOULDBLOCK);
use Exporter qw(import);
use IO::Handle ();
use Socket qw(getaddrinfo getnameinfo AI_NUMERICHOST NI_NUMERICHOST NI_NUMERICSERV PF_INET
	SOCK_STREAM SOL_SOCKET SO_REUSEADDR SOMAXCONN pack_sockaddr_in unpack_sockaddr_in
	INADDR_LOOPBACK);

use FTMPI::Test::Blake2  qw(blake2b);
use FTMPI::Test::Process qw(wait_readable);

our @EXPORT_OK = qw(call port_of say_to heard hear_end last_words open_here hello challenge proof frame
	hand_key CHALLENGE PROOF VERDICT);

use constant { MAGIC => 'FMPI', CHALLENGE => 60, PROOF => 32, VERDICT => 8 };

# ---- sockets ----

# A connection to host and port.
sub call
{
	my ($host, $port) = @_;
	my ($error, $to) = getaddrinfo($host, $port,
		{flags => AI_NUMERICHOST, socktype => SOCK_STREAM});
	die "$host port $port: $error\n" if $error;
	socket(my $s, $to->{family}, SOCK_STREAM, 0) or die "socket: $!\n";
	connect($s, $to->{addr}) or die "connect to $host port $port: $!\n";
	$s->blocking(0);
	return $s;
}

# The port at our end.
sub port_of
{
	my ($s) = @_;
	my ($error, undef, $port) = getnameinfo(getsockname($s), NI_NUMERICHOST | NI_NUMERICSERV);
	die "getnameinfo: $error\n" if $error;
	return $port;
}

# That the other side may have hung up is no error here.
sub say_to
{
	my ($s, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	syswrite($s, $bytes) if length $bytes;
	return;
}

# The next `n` bytes that the other side says; fewer when it hangs up, undef when it does neither
# before the time `until`.
sub heard
{
	my ($s, $n, $until) = @_;
	my $text = '';
	while (length $text < $n) {
		return undef if !wait_readable($until, $s);
		my $got = sysread($s, $text, $n - length $text, length $text);
		next if !defined $got && ($!{EAGAIN} || $!{EINTR} || $!{EWOULDBLOCK});
		return $text if !$got;
	}
	return $text;
}

# All that the other side says until it hangs up, undef when it does not before the time `until`.
sub hear_end { return heard($_[0], 1 << 20, $_[1]) }

# The same in hexadecimal digits, for a comparison that can be read when it fails.
sub last_words
{
	my $said = hear_end(@_);
	return defined $said ? unpack('H*', $said) : 'still open';
}

# A listening socket on this machine, and its port.
sub open_here
{
	my ($port) = @_;
	socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
	setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1) if $port;
	bind($s, pack_sockaddr_in($port // 0, INADDR_LOOPBACK)) or return;
	listen($s, SOMAXCONN) or die "listen: $!\n";
	return ($s, (unpack_sockaddr_in(getsockname $s))[0]);
}

# ---- what is said ----

# job: session, secret, epoch.
sub hello
{
	my ($job, $from, $to, %other) = @_;
	my %h = (magic => MAGIC, version => 7, %$job, from => $from, to => $to, %other);
	my $nonce = join '', map { chr int rand 256 } 1 .. 24;
	return pack('a4 v v a16 V V V V V a24', @h{qw(magic version)}, 0, @h{qw(session epoch from to)}, 0, 0,
		$nonce);
}

sub challenge
{
	my ($job, $hello) = @_;
	my $nonce = join '', map { chr int rand 256 } 1 .. 24;
	return MAGIC . $nonce . blake2b($job->{secret}, pack('a8', 'accept') . $hello . $nonce);
}

sub proof
{
	my ($job, $hello, $challenge) = @_;
	my $nonce = substr $challenge, 4, 24;
	return blake2b($job->{secret}, pack('a8', 'connect') . $hello . $nonce);
}

# The key and the session of a job started by hand with this text in its secret file.
sub hand_key
{
	my ($text) = @_;
	my $secret = blake2b(pack('a32', 'ftmpi started by hand'), $text);
	return {secret => $secret, session => substr(blake2b($secret, 'session'), 0, 16), epoch => 0};
}

my %KIND = (EAGER => 1, RTS => 2, CTS => 3, DATA => 4, CREDIT => 5, BYE => 6, WITHDRAW => 7,
	WITHDRAWN => 8, OFFER => 9, TAKEN => 10, MEMORY => 11, DECLINED => 12, PULLED => 13, SYNC => 14,
	MATCHED => 15, OPEN => 16);

# A frame's header. envelope => [context, tag, source, stamp].
sub frame
{
	my ($kind, %f) = @_;
	my @envelope = @{$f{envelope} // [0, 0, 0, 0]};
	return pack('C x3 V Q< Q< Q< Q< V Q< l< l< V', $KIND{$kind} // $kind, $f{epoch} // 0,
		map({ $f{$_} // 0 } qw(seq length id peer_id credit)), @envelope);
}

1;

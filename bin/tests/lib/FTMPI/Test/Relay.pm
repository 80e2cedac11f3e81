# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Relay;

# A process between ranks: who connects to it is connected to another port, and all that both sides
# say is carried and kept.

use strict;
use warnings;

use IO::Handle ();
use POSIX ();
use Socket qw(SHUT_WR);
use Time::HiRes qw(time);

use FTMPI::Test::Process  qw(wait_readable wait_gone);
use FTMPI::Test::Stranger qw(call);

use constant SECONDS => 60;

# listener => port to connect to, in pairs.
sub start
{
	my ($class, @pairs) = @_;
	pipe(my $kept,  my $keeper) or die "pipe: $!\n";
	pipe(my $alive, my $owner)  or die "pipe: $!\n";
	my $self = bless {kept => $kept, owner => $owner}, $class;
	$self->{pid} = fork() // die "cannot fork: $!\n";
	if (!$self->{pid}) {
		close($owner);
		eval { relay($keeper, $alive, @pairs); 1 } or print STDERR "# relay: $@";
		POSIX::_exit(0);
	}
	return $self;
}

# Until the other end of `alive` is closed.
sub relay
{
	my ($keeper, $alive, @pairs) = @_;
	my (%to, %other, $calls);
	$keeper->autoflush(1);
	while (my ($listener, $port) = splice @pairs, 0, 2) {
		$to{$listener} = [$listener, $port];
	}
	for (;;) {
		my @all = ($alive, map({ $_->[0] } values %to), map { $_->{from} } values %other);
		for my $ready (wait_readable(time + SECONDS, @all)) {
			return if $ready == $alive;
			if ($to{$ready}) {
				accept(my $in, $ready) or next;
				my $out = eval { call('127.0.0.1', $to{$ready}[1]) } // next;
				$out->blocking(1);
				$calls++;
				$other{$in}  = {from => $in,  to => $out, tag => pack('V C', $calls, 0)};
				$other{$out} = {from => $out, to => $in,  tag => pack('V C', $calls, 1)};
			} else {
				carry($keeper, \%other, $ready);
			}
		}
	}
}

sub carry
{
	my ($keeper, $other, $from) = @_;
	my $way = $other->{$from};
	local $SIG{PIPE} = 'IGNORE';
	if (!sysread($from, my $bytes, 65536)) {
		shutdown($way->{to}, SHUT_WR);
		delete $other->{$from};
	} else {
		print {$way->{to}} $bytes;
		$way->{to}->flush;
		print $keeper $way->{tag}, pack('V/a*', $bytes);
	}
	return;
}

# Ends it; returns what was said in each connection that was made through it, in their order, as
# [by the one who called, by the one who was called].
sub stop
{
	my ($self) = @_;
	my ($all, @said) = ('');
	close(delete $self->{owner});
	while (wait_readable(time + SECONDS, $self->{kept})) {
		sysread($self->{kept}, $all, 65536, length $all) or last;
	}
	waitpid($self->{pid}, 0);
	while (length $all) {
		my ($call, $side, $bytes) = unpack 'V C V/a*', $all;
		$said[$call - 1][$side] .= $bytes;
		substr $all, 0, 9 + length $bytes, '';
	}
	return @said;
}

1;

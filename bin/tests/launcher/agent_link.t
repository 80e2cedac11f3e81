#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# When an agent counts as lost: its timers, without a clock.
use strict;
use warnings;

use Test::More;

use FTMPI::Control             ();
use FTMPI::Launcher::AgentLink ();

# A loop whose timers are called by hand, and a channel that keeps what is sent.
package Loop;
sub new    { return bless { timers => [] }, shift }
sub after  { my ($self, $seconds, $call) = @_; push @{ $self->{timers} }, $call; return $call }
sub cancel { my ($self,
	$call) = @_; @{ $self->{timers} } = grep { $_ != ($call // 0) } @{ $self->{timers} }; return }
sub drop   { return }
sub fire   { my ($self) = @_; (shift @{ $self->{timers} })->(); return }

package Channel;
sub new        { return bless { sent => 0, ended => 0 }, shift }
sub send_bytes { $_[0]{sent}++; return }
sub ended      { return $_[0]{ended} }
sub close      { $_[0]{ended} = 1; return }

package main;

my ($owed, @lost, @frames) = (0);
my $loop = Loop->new;
my $host = FTMPI::Launcher::AgentLink->new(
	loop     => $loop,
	name     => 'h',
	period   => 5,
	patience => sub { 20 },
	credit   => 1000,
	on_owed  => sub { $owed++ },
	on_frame => sub { push @frames, $_[1] },
	on_lost  => sub { push @lost, $_[1] });
my $channel = $host->{channel} = Channel->new;

sub comes
{
	my (undef, $type, undef, $body) = unpack 'V v v a*', FTMPI::Control::encode(@_);
	$host->_frame($type, $body);
	return;
}

comes('HERE', 2, '', ['lo'], ['127.0.0.1']);
is($channel->{sent}, 1, 'a host that is here is asked whether it still is');
for (1 .. 10) {
	comes('PONG');
	$loop->fire;
}
is($channel->{sent}, 11, 'again and again while it answers');
is($host->silence, 0, '... and it is not silent');
is("@lost", '', '... and it is not lost');
# Output is paid for in large pieces.
comes('OUT', 0, 1, 'x' x 249);
$host->settle;
is($owed, 0, 'a little output is no reason to give it credit');
is($channel->{sent}, 11, '... and it gets none');
comes('OUT', 0, 2, 'x');
is($owed, 1, 'a quarter of what it had is one');
$host->settle;
is($channel->{sent}, 12, '... it gets that');
$host->settle;
comes('OUT', 0, 2, 'x');
is("$owed $channel->{sent}", '1 12', '... once');

$loop->fire for 1 .. 3;
comes('STARTED', 0, 1);
$loop->fire for 1 .. 4;
is("@lost", '', 'whatever it says is an answer');
is($host->silence, 15, 'what was asked and not answered is silence');
$loop->fire;
is("@lost", 'no answer for 20 s', 'four questions without an answer are enough');
ok($channel->{ended}, '... the channel is closed');
is(scalar @{ $loop->{timers} }, 0, '... and nothing is asked any more');

# A host that is short of processors is so until it has been heard without that for a while.
my $now = 50;
{
	no warnings 'redefine';
	*FTMPI::Loop::now = sub { return $now };
}
comes('PONG');
is($host->lenient, 0, 'a host is not to be silent for longer than others');
$host->starves(0.2, 0);
is($host->lenient, 6, '... but when something there is late');
$host->starves(0.1, 0);
is($host->lenient, 6, '... by the most that it was');
$now = 109;
comes('PONG');
$now = 1000;
is($host->lenient, 6, '... as long as it is not heard');
comes('PONG');
is($host->lenient, 0, '... or heard soon after that');
$host->starves(0.1, 0);
is($host->lenient, 3, 'what was before is forgotten');

done_testing;

# SPDX-License-Identifier: BSD-3-Clause
#
# Whether a process that is asked for a sign of life each second is well, and what is done when it does not answer. Pure:
# it has no clock. The caller's turns of a second are counted, not time: while the caller was stopped itself nobody is
# to blame.
#
#	not for SILENT turns, and it is stopped, by a signal or by a debugger   it is killed
#	not for SILENT turns otherwise                                          that is said, once, and when it answers again
#	not for HUNG turns in a row in which it does not wait for its disk      it is killed
#
# What waits for its disk is not killed for that: it would not go before the disk is done, and the next one had to
# wait for the same disk.
package FTMPI::Launcher::Pulse;

use strict;
use warnings;

use constant { SILENT => 5, HUNG => 30 };

# Why it does not go on, by its state in /proc.
my %REASON = (D => 'it waits for its disk', t => 'a debugger holds it');

# silent, hung: turns, in place of the constants.
sub new
{
	my ($class, %arg) = @_;
	return bless { silent => SILENT, hung => HUNG, %arg, open => 0, said => 0, killed => 0 }, $class;
}

# A question waits for its answer: there is no other one until then.
sub is_open { return $_[0]{open} }

sub asked
{
	my ($self) = @_;
	@$self{qw(open turns awake)} = (1, 0, 0);
	return;
}

# True when it is to be said that it answers again.
sub answered
{
	my ($self) = @_;
	my $was_said = $self->{said} && !$self->{killed};
	@$self{qw(open said)} = (0, 0);
	return $was_said;
}

# A second has gone by, and the question is open. state: of the process, its letter in /proc, or nothing when it has gone.
# What is to be done, or nothing: [kill => words], [say => words].
sub turn
{
	my ($self, $state) = @_;
	$state //= 'X';
	my $turns = ++$self->{turns};
	$self->{awake} = $state =~ /[DXZ]/ ? 0 : $self->{awake} + 1;
	return if $turns < $self->{silent};
	return $self->_say("was killed, and is still there after $turns s", $state) if $self->{killed};
	return $self->_kill("was stopped, and does not answer for $turns s") if $state =~ /[Tt]/;
	return $self->_kill("hangs, and does not answer for $turns s") if $self->{awake} >= $self->{hung};
	return $self->_say("does not answer for $turns s", $state);
}

# It may stay all the same, in its debugger's hands, say: it is counted anew how long.
sub _kill
{
	my ($self, $words) = @_;
	@$self{qw(turns killed said)} = (0, 1, 0);
	return [ kill => $words ];
}

sub _say
{
	my ($self, $words, $state) = @_;
	return if $self->{said}++;
	my $reason = $REASON{$state};
	return [ say => $words . (defined $reason ? ": $reason" : '') ];
}

1;

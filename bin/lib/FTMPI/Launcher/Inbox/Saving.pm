# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Inbox, which an ordinary start does without (FTMPI::Later): what ranks and agents tell of recovery lines,
# checkpoints, input that was read, and of failures.
package FTMPI::Launcher::Inbox;

use strict;
use warnings;

use FTMPI::Launcher::Inbox     ();
use FTMPI::Error               ();
use FTMPI::Launcher::Sentences ();

# ---- agents ----

sub _restarting_all
{
	my ($self, $agent, $epoch) = @_;
	$self->{step}->('host ' . $agent->name . ' begins again');
	$self->{event}->('restarting_all', $agent->index, $epoch);
	return;
}

sub _strained
{
	my ($self, $agent, $ms, $load) = @_;
	return if !$self->{plan}{starved_limit};
	$self->{event}->('strained', $agent->index, $ms, $agent->starves($ms / 1000, $load));
	return;
}

sub _injected
{
	my ($self, undef, $id, $done) = @_;
	$self->{injected}->($id, $done);
	return;
}

# ---- processes of ranks ----

# What the agent saw of a rank.
sub _condition
{
	my ($self, $agent, $rank, $number, $load) = @_;
	my $word = FTMPI::Condition::word($number);
	$self->{event}->('condition', $rank, $word,
		$word eq 'starved' ? $agent->starves($self->{plan}{timeout_heartbeat} / 1000, $load) : undef);
	return;
}

# It goes on from there. What it had printed by then and never came here will not come.
sub _had_printed
{
	my ($self, $rank, $bytes) = @_;
	$self->{printed}{$rank} = $bytes if $bytes > ($self->{printed}{$rank} // 0);
	return;
}

# How many bytes of its standard output have come, and had been printed at its checkpoints, for the agent that takes the rank: "BYTES:n=BYTES:...".
sub printed
{
	my ($self, $rank) = @_;
	return join ':', $self->{printed}{$rank} // 0, grep { length } $self->_positions($rank)->text;
}

# How much of it the image for a line, or a checkpoint of its own, has read; or from where on rank 0 goes on now, by the line that it
# has named before, or, where it has named none, begins.
sub _input
{
	my ($self, undef, $rank, $line, $low, $high) = @_;
	my $stdin = $self->{stdin}->();
	return if !$stdin || $rank != 0 || !$self->{plan}{image};
	my $bytes = $low == 0xffffffff && $high == 0xffffffff ? undef : $low + $high * 2**32;
	return $stdin->noted($line, $bytes) if $line;
	$stdin->go_on(delete $self->{back}, $bytes);
	return;
}

# ---- recovery lines and the work directory ----

sub _probed
{
	my ($self, $agent, $order, $why) = @_;
	$self->{workdir}->answered($agent->index, $order, FTMPI::Error::clean($why));
	return;
}

sub _line
{
	my ($self, undef, undef, $number) = @_;
	return if $self->{plan}{alone};
	$self->{event}->('line', $number);
	$self->{workdir}->keep_record;
	$self->{on_folder}->();
	my $stdin = $self->{stdin}->();
	$stdin->committed($number) if $stdin;
	return;
}

# ---- what is for the record ----

sub _cost
{
	my ($self, undef, $rank, $lines, $us, $longest) = @_;
	$self->{note}->('cost', rank => $rank, lines => $lines, seconds => $us / 1e6, longest => $longest / 1e6);
	return;
}

# Of a line, or of a rank's own checkpoint.
sub _size
{
	my ($self, undef, $rank, $n, $low, $high) = @_;
	$self->{note}->('size', ($self->{plan}{alone} ? (rank => $rank) : ()), number => $n, bytes => $low + $high * 2**32);
	return;
}

sub _progress
{
	my ($self, undef, $rank, $millionths, $text) = @_;
	$self->{note}->('progress', rank => $rank, fraction => $millionths > 1e6 ? 1 : $millionths / 1e6, text => FTMPI::Error::clean($text));
	return;
}

sub _refused
{
	my ($self, undef, $rank, $n, $why) = @_;
	$self->{note}->('line_refused', rank => $rank, ($self->{plan}{alone} ? 'number' : 'line') => $n, why => FTMPI::Error::clean($why));
	return;
}

# What is only for that is compiled when the first rank tells it; later in the job its file may be gone.
sub _traffic
{
	my ($self, $agent, $rank, $epoch, $line, $ranks, $blocks, $words) = @_;
	return if !eval { require FTMPI::Launcher::Traffic; 1 };
	my $sent = FTMPI::Launcher::Traffic::packed($self->{plan}{size}, $ranks, $blocks, $words);
	if (!defined $sent) {
		$agent->refuse('it sent news that make no sense');
		return;
	}
	$self->{note}->('sent', rank => $rank, epoch => $epoch, line => $line == FTMPI::Launcher::Traffic::ALL() ? undef : $line, sent => $sent);
	return;
}

# Behind the LINE that tells the number of the line. Under message logging, of the rank's own checkpoint n.
sub _saved
{
	my ($self, undef, $rank, $n, $committed) = @_;
	if ($self->{plan}{alone}) {
		my $stdin = $self->{stdin}->();
		$self->_positions($rank)->committed($n) if $committed;
		$stdin->committed($n) if $stdin && $committed && $rank == 0;
		$self->{event}->('saved', $rank, $n, $committed);
		$self->{on_folder}->() if $committed;
		return;
	}
	$self->{event}->('saved', $rank, $n, $committed);
	return;
}

# Rank 0 says soon from where on.
sub _input_goes_on
{
	my ($self, $number, $session) = @_;
	my $stdin = $self->{stdin}->();
	return if !$stdin || !$self->{plan}{image};
	my $workdir = $self->{workdir};
	$self->{back} = ($self->{plan}{alone} ? 'its checkpoint' : 'line') . " $number";
	$stdin->expects($workdir->input_sums($session)) if $self->{plan}{goes_on} || $session ne $workdir->session;
	$self->{event}->('cannot', FTMPI::Launcher::Sentences::input_given($self->{back})) if !$stdin->await_late;
	return;
}

# Under message logging, a rank that begins again alone. With data it has come to its checkpoint n in the middle of its program, and what it has printed by then
# its agent tells next.
sub _goes_on
{
	my ($self, $rank, $n) = @_;
	my ($positions, $image) = ($self->_positions($rank), $self->{plan}{image});
	my $known = $positions->newest;
	$positions->begins($n, $image ? $self->{printed}{$rank} // 0 : undef) if $self->{plan}{goes_on};
	return $self->{event}->('cannot', FTMPI::Launcher::Sentences::checkpoint_gone($self->{job}->hosts->who($rank), $n, $known)) if $n < $known;
	$positions->committed($n);
	$self->{event}->('goes_on', $rank, $n);
	if ($image) {
		$self->_image_goes_on($rank, $n);
	} else {
		$self->{restored}{$rank} = $n;
	}
	return;
}

# Its output and its input go on from where they were.
sub _image_goes_on
{
	my ($self, $rank, $n) = @_;
	my $stdin = $self->{stdin}->();
	$self->_had_printed($rank, $self->_positions($rank)->of($n) // 0);
	return if $rank != 0;
	return $self->_input_goes_on($n, $self->{workdir}->session) if $n;
	$stdin->go_on if $stdin;
	return;
}

# A line that is older than the one that -restore named has its reason in what ranks have said of that.
sub _restored
{
	my ($self, undef, $rank, $number, $session) = @_;
	return $self->_goes_on($rank, $number) if $self->{plan}{alone};
	$session = FTMPI::Error::clean($session);
	$self->{workdir}->restored($session, $number);
	$self->{event}->('restored', $number, $session);
	$self->_input_goes_on($number, $session);
	my $expected = delete $self->{expected} // return;
	$self->{say}->("line $number of session $session is restored instead of line $expected->{line}.")
		if $session eq $expected->{session} && $number != $expected->{line};
	my ($parts, @notes) = $self->{plan}{on_restored}->($session);
	$self->{workdir}->restored_parts($parts);
	$self->{say}->($_) for @notes;
	return;
}

1;

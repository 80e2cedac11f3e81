# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher, which an ordinary start does without (FTMPI::Later): ranks begin again: all of them, one alone, those of a host that
# is lost; and the keeper, which message logging needs for that.
package FTMPI::Launcher;

use strict;
use warnings;

use FTMPI::Launcher ();

# ---- agents ----

sub _agent_lost
{
	my ($self, $agent, $why) = @_;
	my ($index, $name, $was_here) = ($agent->index, $agent->name, defined $agent->here);
	my $words = length $why ? " ($why)" : '';
	$self->{workdir}->lost($index);
	$self->_event('host_lost', $index, $was_here ? "lost the connection to host $name$words"
		: "host $name: cannot start: $why", $was_here);
	return;
}

# It would be lost by now for its silence, but it gets no processor.
sub _bears
{
	my ($self, $agent, $load) = @_;
	$self->_event('bears', $agent->index, $load) if $self->{fleet}->is_current($agent);
	return;
}

# ---- ranks ----

# Where ranks tell it what must outlive them: on this machine, which the job does not outlive either, or where the user wants it. (Other jobs need not wait
# for perl to compile it.)
sub _start_keeper
{
	my ($self) = @_;
	my $plan = $self->{plan};
	return if $self->{keeper};
	my $address;
	if (!$plan->{keeper_hosts} || grep { $_->{local} } @{ $plan->{keeper_hosts} }) {
		$address = $self->_own_address // return;
		# hosts that come later may reach this machine in another way
		$address = $address =~ /:/ ? '::' : '0.0.0.0' if grep { !$_->{local} } @{ $plan->{hosts} };
	}
	require FTMPI::Launcher::Keeper;    # and FTMPI::Launcher::KeeperHost
	$self->{keeper} = FTMPI::Launcher::Keeper->new(
		loop      => $self->{loop},
		hosts     => $plan->{keeper_hosts} && [ map { FTMPI::Launcher::KeeperHost->new(%$_, ssh => $plan->{ssh}) } @{ $plan->{keeper_hosts} } ],
		folder    => FTMPI::KeeperFolder::path($plan->{workdir}, $self->{session_name}),
		ranks     => $plan->{size},
		limit     => $plan->{outcome_limit},
		address   => $address,
		session   => $self->{session},
		secret    => $self->{secret},
		verbose   => $plan->{verbosity} > 1,
		debug     => $plan->{debug},
		goes_on   => $plan->{goes_on},
		stays     => $self->_can_go_on,
		say       => sub { $self->_say(@_) },
		log       => sub { $self->_log(@_) },
		on_ready  => sub { $self->_keeper_ready(@_) },
		on_failed => sub { $self->_event('cannot', @_) },
		on_cannot => sub { $self->_event('keeper_lost', @_) });
	return;
}

# The incarnations of ranks that go on are newer than all that the keeper, or a file of theirs, has seen. (The keeper counts from 1.)
sub _keeper_ready
{
	my ($self, $seen) = @_;
	my $plan = $self->{plan};
	my @next;
	if ($plan->{goes_on}) {
		$self->{owns} = 1;
		my $gone = $plan->{goes_on}{is_gone}->();
		return $self->_event('cannot', $gone) if defined $gone;
		my $files = FTMPI::RankFolders::incarnations($self->{workdir}->folder);
		@next = map { List::Util::max(1, $seen->{$_} // 0, 1 + ($files->{$_} // 0)) } 0 .. $plan->{size} - 1;
	}
	$self->_event('keeper_ready', @next);
	return;
}

# Where the ranks reach this machine, as far as their hosts are here; else the job ends.
sub _own_address
{
	my ($self) = @_;
	my $address = eval { $self->{fleet}->own_address($self->{job}->hosts->used) };
	return $address if defined $address;
	die $@ if !ref $@;
	$self->_event('cannot', $@->text);
	return;
}

# The same for the keeper, which listens at its first port as long as the job runs.
sub _keeper_at
{
	my ($self) = @_;
	return $self->{keeper}->at if !$self->{keeper}->host->is_here;
	my ($port)  = $self->{keeper}->at =~ /:([0-9]+)\z/;
	my $address = $self->_own_address // return;
	return $address =~ /:/ ? "[$address]:$port" : "$address:$port";
}

# In an image job rank 0 says from which line it goes on, and from where on in its input, before anything of its program runs; or
# that it begins at its beginning, as it may where no line is known.
sub _rewind_input
{
	my ($self) = @_;
	my ($stdin, $plan, $line) = (@$self{qw(stdin plan)}, $self->{job}->recovery->line);
	if (!$plan->{image} || !(defined $line || defined $plan->{restoring})) {
		$stdin->rewind;
		return;
	}
	$stdin->await_line;
	return;
}

# One rank alone, in its next incarnation.
sub _rerun
{
	my ($self, $rank, $incarnation) = @_;
	$self->_tell_home($rank, 'RERUN', $rank, $incarnation, join ',', $self->{job}->incarnations);
	$self->_repeat_input if $rank == 0;
	return;
}

# Rank 0 alone reads again from the beginning, or, if it may have an image, from where it says that it goes on.
sub _repeat_input
{
	my ($self) = @_;
	my $stdin = $self->{stdin};
	return $stdin->rewind if !$self->{plan}{image} || !$self->{job}->may_have_checkpoint(0);
	$stdin->hold;
	$stdin->await_line;
	return;
}

# Ranks that begin again alone on other hosts. What an agent that is lost has sent of their output is not printed again.
sub _take
{
	my ($self, @ranks) = @_;
	my ($job, $inbox) = @$self{qw(job inbox)};
	my $hosts   = $job->hosts;
	my $all     = join ',', $job->incarnations;
	my @more    = ("incarnations=$all", 'printed=' . join ',', map { "$_:" . $inbox->printed($_) } @ranks);
	$self->_step('ranks begin on other hosts');
	$self->{injector}->before_run(0) if $self->{injector};
	$self->_note('moved', hosts => _hosts(map { [ $hosts->name($_), $self->{plan}{hosts}[$_]{slots}, $hosts->ranks($_) ] } $hosts->used));
	$self->{fleet}->take(sub { $hosts->ranks($_[0]) }, $self->_run_head($job->epoch, @more), \@ranks, $all, $hosts->used);
	$self->_repeat_input if grep { $_ == 0 } @ranks;
	return;
}

sub _restart_all
{
	my ($self, $index, $epoch) = @_;
	$self->{stdin}->hold if $self->{stdin};
	$self->{fleet}->tell($index, 'RESTART_ALL', $epoch);
	return;
}

1;

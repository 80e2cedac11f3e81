# SPDX-License-Identifier: BSD-3-Clause
#
# A job in a test's hands, event by event: the real FTMPI::Launcher::Job; what it asks for is kept as lines.
package Story;

use strict;
use warnings;

use FTMPI::Cli::Machines     ();
use FTMPI::Launcher::Job     ();
use FTMPI::Launcher::Verdict ();

# A job of n ranks on hosts such as a:2,b:2,c, the launcher being on the first.
sub new
{
	my ($class, $hosts, $n, %arg) = @_;
	my $plan = FTMPI::Cli::Machines::place(FTMPI::Cli::Machines::parse_list('-host', $hosts), $n);
	$plan->[0]{local} = 1;
	my $self = bless { told => [], silent => {}, now => 0 }, $class;
	$self->{job} = FTMPI::Launcher::Job->new(
		hosts   => $plan,
		silent  => sub { $self->{silent}{ $_[0] } // 0 },
		lenient => sub { $self->{starved}{ $_[0] } ? 60 : 0 },
		verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => $n, starved => delete $arg{limit} // 0),
		%arg);
	return $self;
}

# An event; agents answer at once, but for those of `mute`. A rank that is to begin again alone does, unless it is `slow`;
# `shows`: actions that are kept, too.
sub tell
{
	my ($self, @event) = @_;
	$self->{job}->at($self->{now});
	my @answers;
	for my $action ($self->{job}->event(@event)) {
		my ($name, @data) = @$action;
		next if $name =~ /^(?:log|gone|observe_all)\z/ && !$self->{shows}{$name};
		push @answers, $self->_answers($name, @data);
		my @shown = $name eq 'bind' ? map { join ' ', "$_->[0]:", @$_[ 1 .. $#$_ ] } @data : @data;
		push @{ $self->{told} }, join ' ', $name, grep { defined } @shown;
	}
	$self->tell(@$_) for @answers;
	return $self;
}

sub _answers
{
	my ($self, $name, @data) = @_;
	my @hosts = $name eq 'bind' ? map { $_->[0] } @data : $data[0];
	return if grep { defined && $self->{mute}{$_} } @hosts;
	return [ here => $data[0] ] if $name eq 'start';
	return map { [ ports => $_->[0] ] } @data if $name eq 'bind';
	return [ restarting_all => @data ] if $name eq 'restart_all';
	return ['keeper_ready'] if $name eq 'keeper';
	return [ started => $data[0] ] if $name eq 'rerun' && !$self->{slow};
	return map { [ started => $_ ] } @data if $name eq 'take' && !$self->{slow};
	return;
}

# Everything is running, and all ranks have said that the program makes checkpoints.
sub begun
{
	my ($self, $uses) = @_;
	$self->tell('begin');
	return $self->born($uses // 1);
}

sub born
{
	my ($self, $uses) = @_;
	for my $rank (0 .. $self->{job}->hosts->size - 1) {
		$self->tell('program', $rank, $uses) if defined $uses;
		$self->tell('inited', $rank);
	}
	return $self;
}

# What was said and done since last asked.
sub told { my ($self) = @_; return splice @{ $self->{told} } }

1;

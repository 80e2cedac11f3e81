# SPDX-License-Identifier: BSD-3-Clause
#
# The hosts of a job: which of them are well, which ranks each host has, and which answers of agents are
# awaited before all ranks can be told to run. Pure.
#
#	spare   no agent is there, and none was asked for
#	coming  an agent was asked for
#	well    its agent is here
#	bad     it has failed, and is used again only after it has been tried again
#
# Ranks on a host that is well stay there. A host without ranks delays nobody.
#
# Actions: [start => host], [bind => hosts], [restart_all => host, epoch], [drop => host] for a host that is out
# of reach, [dismiss => host] for one that can be reached and is not wanted any more.
package FTMPI::Launcher::HostTable;

use strict;
use warnings;

use FTMPI::Later qw(FTMPI::Launcher::Placement);

# Seconds after which a host that failed is tried again.
use constant RETRY_TIME => 30;

# { name, slots, local, ranks } each, in the order of the machine file.
sub new
{
	my ($class, @hosts) = @_;
	my $self = bless { hosts => [], home => [], homeless => [] }, $class;
	for my $host (@hosts) {
		my @ranks = @{ $host->{ranks} };
		$self->{home}[$_] = @{ $self->{hosts} } for @ranks;
		push @{ $self->{hosts} },
			{ %$host, ranks => \@ranks, state => 'spare', unbound => [], told_restart => 0, ports => 0 };
	}
	return $self;
}

sub size     { return scalar @{ $_[0]{home} } }
sub count    { return scalar @{ $_[0]{hosts} } }
sub state    { return $_[0]{hosts}[ $_[1] ]{state} }
sub name     { return $_[0]{hosts}[ $_[1] ]{name} }
sub is_local { return $_[0]{hosts}[ $_[1] ]{local} }
sub ranks    { return @{ $_[0]{hosts}[ $_[1] ]{ranks} } }
sub home     { return $_[0]{home}[ $_[1] ] }

# A rank in words.
sub who { my ($self, $rank) = @_; return "rank $rank on $self->{hosts}[ $self->{home}[$rank] ]{name}" }

# Whether this rank is (or was last) at this host.
sub has { my ($self, $host, $rank) = @_; return ($self->{home}[$rank] // -1) == $host }

# Hosts that have ranks.
sub used { my ($self) = @_; return grep { @{ $self->{hosts}[$_]{ranks} } } 0 .. $#{ $self->{hosts} } }

sub begin
{
	my ($self) = @_;
	return map { $self->_start($_, 0) } $self->used;
}

# A new agent has bound nothing yet. Each host gets at most one in an epoch.
sub _start
{
	my ($self, $index, $epoch) = @_;
	my $host = $self->{hosts}[$index];
	@$host{qw(state told_restart ports tried)} = ('coming', 0, 0, $epoch);
	$host->{unbound} = [ @{ $host->{ranks} } ];
	return [ start => $index ];
}

# Answers.

sub here  { my ($self, $index) = @_; $self->{hosts}[$index]{state} = 'well'; return }
sub ports { my ($self, $index) = @_; my $host = $self->{hosts}[$index]; $host->{ports}-- if $host->{ports}; return }
sub restarting { my ($self, $index) = @_; $self->{hosts}[$index]{told_restart} = 0; return }

# Hosts of which an answer is awaited.
sub late
{
	my ($self) = @_;
	my $hosts = $self->{hosts};
	return grep { my $host = $hosts->[$_]; $host->{state} ne 'well' || $host->{told_restart} || $host->{ports} }
		$self->used;
}

# The next requests to agents. Sockets are bound when all agents are here, because the addresses of all hosts
# are chosen together.
sub ask
{
	my ($self) = @_;
	my @used = $self->used;
	return if grep { $self->state($_) ne 'well' } @used;
	my @hosts = grep { @{ $self->{hosts}[$_]{unbound} } } @used;
	return if !@hosts;
	my @orders;
	for my $index (@hosts) {
		my $host = $self->{hosts}[$index];
		$host->{ports}++;
		push @orders, [ $index, splice @{ $host->{unbound} } ];
	}
	return [ bind => @orders ];
}

# Failures.

sub lost
{
	my ($self, $index, $now) = @_;
	my $host = $self->{hosts}[$index];
	@$host{qw(state since told_restart ports unbound)} = ('bad', $now, 0, 0, []);
	return;
}

sub is_full { return $_[0]{hosts}[ $_[1] ]{full} }

# It goes on with the ranks that it has, but cannot take these, nor any more.
sub refuses
{
	my ($self, $index, @ranks) = @_;
	my $host = $self->{hosts}[$index];
	my %those = map { $_ => 1 } @ranks;
	@{ $host->{$_} } = grep { !$those{$_} } @{ $host->{$_} } for qw(ranks unbound);
	@$host{qw(ports full)} = (0, 1);
	push @{ $self->{homeless} }, @ranks;
	return;
}

# Every agent that has ranks is to begin again.
sub restart
{
	my ($self, $epoch) = @_;
	my @well = grep { $self->state($_) eq 'well' } $self->used;
	$self->{hosts}[$_]{told_restart} = 1 for @well;
	return map { [ restart_all => $_, $epoch ] } @well;
}

# New places for the ranks of hosts that are bad: a list of actions and { host => [ranks] }; or
# nothing when there is no place.
sub rehouse
{
	my ($self, $epoch) = @_;
	my @lost  = sort { $a <=> $b } @{ $self->{homeless} }, map { $self->ranks($_) } grep { $self->state($_) eq 'bad' } $self->used;
	my $place = FTMPI::Launcher::Placement::find(\@lost, [ map { $self->_view($_, $epoch) } @{ $self->{hosts} } ]);
	return if !$place;
	$_->{ranks} = [] for grep { $_->{state} eq 'bad' } @{ $self->{hosts} };
	$self->{homeless} = [];
	my %moved;
	for my $rank (@lost) {
		my $host = $self->{hosts}[ $place->{$rank} ];
		push @$_, $rank for $host->{ranks}, $host->{unbound}, $moved{ $place->{$rank} } //= [];
		$self->{home}[$rank] = $place->{$rank};
	}
	my @new = grep { $self->state($_) =~ /^(?:spare|bad)\z/ } sort { $a <=> $b } keys %moved;
	return ([ map { $self->_start($_, $epoch) } @new ], \%moved);
}

sub _view
{
	my ($self, $host, $epoch) = @_;
	my $load = $host->{state} eq 'bad' ? 0 : @{ $host->{ranks} };
	my $kind = $host->{state} ne 'bad' ? ($load ? 'used' : 'spare')
		: $host->{tried} < $epoch ? 'last' : 'none';
	$kind = 'none' if ($host->{state} eq 'coming' && !$load) || $host->{full};
	return { kind => $kind, slots => $host->{slots}, load => $load };
}

# Hosts that failed some time ago and have no ranks are tried again beside all else.
sub probe
{
	my ($self, $now, $epoch) = @_;
	my @old = grep { my $host = $self->{hosts}[$_]; $host->{state} eq 'bad'
			&& !@{ $host->{ranks} } && $now - $host->{since} >= RETRY_TIME } 0 .. $#{ $self->{hosts} };
	return map { $self->_start($_, $epoch) } @old;
}

# Which of two hosts that do not reach each other can be done without: the one with fewer ranks, but not the
# launcher's own host. Returns nothing when there is no place for its ranks.
sub dispensable
{
	my ($self, @pair) = @_;
	my ($host) = sort { $self->ranks($a) <=> $self->ranks($b) || $b <=> $a }
		grep { !$self->is_local($_) } @pair;
	return if !defined $host;
	my @others = grep { $_ != $host && $self->state($_) =~ /^(?:well|spare)\z/ } 0 .. $#{ $self->{hosts} };
	return @others ? $host : undef;
}

1;

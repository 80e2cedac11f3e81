# SPDX-License-Identifier: BSD-3-Clause
#
# What to think of ranks that show no life. Ranks observe each other by heartbeats, and tell whom they
# do not hear any more (SUSPECT); the launcher hears of each host's agent how long it has been silent.
# Suspicions are gathered for a moment, so that a host that fell silent as a whole is seen as one; the
# word of one beside the suspect needs no other. Pure: it has no clock.
#
# The happy path: a rank was stopped. Those who observe it say so; its host's agent is well; it is
# fenced. Other courses:
#
#	its host's agent is silent, too      the host has failed
#	the observer's own host is silent    its word does not count while that is so
#	two hosts that are well suspect      they do not reach each other: a restart, without one of
#	ranks of each other                  the two if possible
#	only some of those who should        the way to one of them is broken: a restart, when no other
#	observe it say so                    word has come for a while
package FTMPI::Verdict;

use strict;
use warnings;

# Observers of each rank, when there are so many others.
use constant OBSERVERS => 2;

# period, timeout: of heartbeats, in seconds; size: number of ranks.
sub new
{
	my ($class, %arg) = @_;
	my $full = $arg{size} - 1 < OBSERVERS ? $arg{size} - 1 : OBSERVERS;
	return bless { %arg, full => $full, said => {} }, $class;
}

# How long to wait for more before judge(), and again as long as it is not settled.
sub gather_time { return $_[0]{period} / 2 }

# Another epoch: nobody is suspected.
sub clear { $_[0]{said} = {}; return }

# Observer did not hear of this rank for so many ms.
sub suspect
{
	my ($self, $observer, $rank, $ms, $now) = @_;
	my $case = $self->{said}{$rank} //= { since => $now, ms => 0, by => {} };
	$case->{by}{$observer} = 1;
	$case->{ms} = $ms if $ms > $case->{ms};
	return;
}

# What this rank was suspected of is settled.
sub forget { delete $_[0]{said}{ $_[1] }; return }

sub is_open { return scalar %{ $_[0]{said} } }

# home: sub (rank) -> its host; silent: sub (host) -> seconds since its agent was heard.
# Returns one of
#	[host => hosts, ms]          these hosts have failed
#	[fence => rank, ms]          it is stopped, or hangs
#	[link => blamed, host, host, ms]  these two do not reach each other; one of the blamed may go
#	[apart => observer, rank, ms]  one of those who should hear it does not
# or nothing yet.
sub judge
{
	my ($self, $now, $home, $silent) = @_;
	my $said  = $self->{said};
	my $limit = $self->{timeout} / 2;
	my %mute;
	my $is_mute = sub { $mute{ $_[0] } //= $silent->( $_[0] ) >= $limit ? 1 : 0 };
	my @suspects = sort { $a <=> $b } keys %$said;
	my %gone = map { $home->($_) => $said->{$_}{ms} } grep { $is_mute->($home->($_)) } @suspects;
	if (%gone) {
		my ($ms) = sort { $b <=> $a } values %gone;
		return [ 'host', [ sort { $a <=> $b } keys %gone ], $ms ];
	}
	my %word = map { $_ => [ grep { !$is_mute->($home->($_)) } sort { $a <=> $b } keys %{ $said->{$_}{by} } ] }
		@suspects;
	my $pair = _pair(\%word, $home);
	return [ link => @$pair, _longest($said) ] if $pair;
	for my $rank (grep { @{ $word{$_} } } @suspects) {
		return [ fence => $rank, $said->{$rank}{ms} ] if $self->_is_sure($rank, $word{$rank}, $home);
	}
	for my $rank (grep { @{ $word{$_} } } @suspects) {
		my $case = $said->{$rank};
		return [ apart => $word{$rank}[0], $rank, $case->{ms} ]
			if $now - $case->{since} >= $limit;
	}
	return;
}

sub _longest
{
	my ($said) = @_;
	my ($ms) = sort { $b <=> $a } map { $_->{ms} } values %$said;
	return $ms;
}

# All who can know say so, or one beside it, to whom no cable leads.
sub _is_sure
{
	my ($self, $rank, $observers, $home) = @_;
	return 1 if @$observers >= $self->{full};
	return scalar grep { $home->($_) == $home->($rank) } @$observers;
}

# Two hosts of which each suspects ranks of the other, and of them the one that has this with most
# others, or both: ([hosts to blame], one, other). A rank that is suspected beside it is left out.
sub _pair
{
	my ($word, $home) = @_;
	my (%from, %degree, @pairs);
	for my $rank (keys %$word) {
		my $there = $home->($rank);
		my @here  = map { $home->($_) } @{ $word->{$rank} };
		next if grep { $_ == $there } @here;
		$from{$_}{$there} = 1 for @here;
	}
	for my $one (sort { $a <=> $b } keys %from) {
		for my $other (grep { $_ > $one && $from{$_}{$one} } sort { $a <=> $b } keys %{ $from{$one} }) {
			push @pairs, [ $one, $other ];
			$degree{$_}++ for $one, $other;
		}
	}
	return if !@pairs;
	my ($most) = sort { $degree{$b} <=> $degree{$a} || $a <=> $b } keys %degree;
	my ($pair) = grep { $_->[0] == $most || $_->[1] == $most } @pairs;
	my @blame = grep { $degree{$_} == $degree{$most} } @$pair;
	return [ \@blame, @$pair ];
}

1;

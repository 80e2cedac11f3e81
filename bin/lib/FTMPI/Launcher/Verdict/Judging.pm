# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Verdict, which an ordinary start does without (FTMPI::Later): from what is said of ranks and hosts that show no life
# to a judgement.
package FTMPI::Launcher::Verdict;

use strict;
use warnings;

use FTMPI::Launcher::Verdict ();

# How long to wait for more before judge(), and again as long as it is not settled.
sub gather_time
{
	my ($self) = @_;
	my $rest = grep { ($self->_word($_) // '') ne 'starved' } keys %{ $self->{said} };
	return $rest ? $self->{period} / 2 : $self->{timeout} / 4;
}

# Seconds between the two looks of an agent: a rank that is well has beaten meanwhile.
sub look_time { return 1.5 * $_[0]{period} }

# For how many seconds a rank or host without a processor may be silent.
sub starved_limit { return $_[0]{starved} }

# Observer did not hear of this rank for so many ms.
sub suspect
{
	my ($self, $observer, $rank, $ms, $now) = @_;
	my $case = $self->{said}{$rank} //= { since => $now, ms => 0, by => {} };
	$case->{by}{$observer} //= $now;
	$case->{ms} = $ms if $ms > $case->{ms};
	return;
}

# It hears it again. Those that do not, do not since they said so.
sub heard
{
	my ($self, $observer, $rank) = @_;
	my $case = $self->{said}{$rank} // return;
	delete $case->{by}{$observer};
	($case->{since}) = sort { $a <=> $b } values %{ $case->{by} };
	$self->forget($rank) if !%{ $case->{by} };
	return;
}

sub is_open { return scalar %{ $_[0]{said} } }

# The ranks whose agents are to be asked now: those of which nothing was told for half the timeout.
sub to_ask
{
	my ($self, $now) = @_;
	return if !$self->{starved};
	my ($said, $words) = @$self{qw(said words)};
	my %about = map { $_ => 1 } map { ($_, keys %{ $said->{$_}{by} }) } keys %$said;
	delete @$words{ grep { !$about{$_} } keys %$words };
	my $is_old = sub { !$_[0] || (!$_[0]{asked} && $now - $_[0]{at} >= $self->{timeout} / 2) };
	my @ask = sort { $a <=> $b } grep { $is_old->($words->{$_}) } keys %about;
	$words->{$_}{asked} = 1 for @ask;
	return @ask;
}

# An agent's answer. tracer: the debugger that held it then, in words, or undef.
sub told
{
	my ($self, $rank, $word, $now, $tracer) = @_;
	my $before = $self->{words}{$rank} // return;
	my $changed = defined $before->{word} && $before->{word} ne $word ? $now : $before->{changed};
	my $since = ($before->{word} // '') eq $word ? $before->{since} : $now;
	$self->{words}{$rank} = { word => $word, at => $now, changed => $changed, since => $since, tracer => $tracer };
	return;
}

# Whether a rank has been excused for so long that the user should know. A rank that is late now and then is
# no news.
sub is_worth_telling
{
	my ($self, $rank, $now) = @_;
	my $case = $self->{said}{$rank};
	return $case && $now - $case->{since} >= $self->{timeout};
}

# Nothing, while no answer has come.
sub _word
{
	my ($self, $rank) = @_;
	return $self->{starved} ? ($self->{words}{$rank} // {})->{word} : 'unknown';
}

# home: sub (rank) -> its host; silent: sub (host) -> seconds since its agent was heard; lenient: sub (host)
# -> for how many it may be silent because it is short of processors, or 0.
# Returns one of
#	[host => hosts, ms]          these hosts have failed
#	[fence => rank, ms, word, tracer]  it is stopped, or hangs; tracer: if a debugger holds it
#	[link => blamed, host, host, ms]  these two do not reach each other; one of the blamed may go
#	[apart => observer, rank, ms]  this observer should hear the rank, and does not
# or nothing yet.
sub judge
{
	my ($self, @how) = @_;
	my ($first) = $self->judgements(@how);
	return $first;
}

# All of them, for where nothing can be done about the first: the most serious comes first.
sub judgements
{
	my ($self, $now, $home, $silent, $lenient) = @_;
	my @all;
	my $said  = $self->{said};
	my $limit = $self->{timeout} / 2;
	my %mute;
	my $is_mute = sub { $mute{ $_[0] } //= $silent->( $_[0] ) >= $limit ? 1 : 0 };
	my $is_gone = sub {
		return $is_mute->( $_[0] ) && $silent->( $_[0] ) >= $lenient->( $_[0] );
	};
	my @suspects = sort { $a <=> $b } keys %$said;
	my %gone = map { $home->($_) => $said->{$_}{ms} } grep { $is_gone->($home->($_)) } @suspects;
	if (%gone) {
		my ($ms) = sort { $b <=> $a } values %gone;
		push @all, [ 'host', [ sort { $a <=> $b } keys %gone ], $ms ];
	}
	my %is = map { $_ => $self->_condition($_, $now) } @suspects;
	for my $rank (grep { $is{$_} =~ /^(?:stopped|hung|too long)\z/ } @suspects) {
		my $case = $said->{$rank};
		my @tracer = grep { defined } $self->{words}{$rank}{tracer};
		push @all, $is{$rank} ne 'too long' ? [ fence => $rank, $case->{ms}, $is{$rank}, @tracer ]
			: [ fence => $rank, $case->{ms} + int(1000 * ($now - $case->{since}) + 0.5), 'starved' ];
	}
	my %word;
	for my $rank (grep { $is{$_} =~ /^(?:runs|unknown)\z/ && $self->_is_settled($_, $now) } @suspects) {
		$word{$rank} = [ grep { !$is_mute->($home->($_)) && $self->_counts($_, $rank, $now) }
				sort { $a <=> $b } keys %{ $said->{$rank}{by} } ];
	}
	my $pair = _pair(\%word, $home);
	push @all, [ link => @$pair, _longest($said) ] if $pair;
	my @believed = grep { @{ $word{$_} // [] } } @suspects;
	for my $rank (grep { $is{$_} eq 'unknown' } @believed) {
		push @all, [ fence => $rank, $said->{$rank}{ms}, 'unknown' ] if $self->_is_sure($rank, $word{$rank}, $home);
	}
	for my $rank (@believed) {
		my ($observer) = grep { $now - $self->_since($_, $rank, $now) >= ($is{$rank} eq 'runs' ? $self->{timeout} : $limit) }
			@{ $word{$rank} };
		push @all, [ apart => $observer, $rank, $said->{$rank}{ms} ] if defined $observer;
	}
	return @all;
}

# From when on this observer does not hear the rank though both run; an old word may come late. One that
# is believed after so long (_counts) need not run all the time.
sub _since
{
	my ($self, $observer, $rank, $now) = @_;
	my ($said, $words) = @$self{qw(said words)};
	my $case  = $said->{$rank}{since};
	my @about = $now - $case >= $self->{starved} ? $rank : ($rank, $observer);
	my @times = ($case, map { ($words->{$_} // {})->{since} // $case } @about);
	my ($latest) = sort { $b <=> $a } @times;
	return $latest;
}

# What is known of a suspect: a word, `unasked` while none has come, `excused`, or `too long`. An agent
# that is not silent but does not answer is not waited for without end either. One that was starved now and then only is not
# heard for another reason.
sub _condition
{
	my ($self, $rank, $now) = @_;
	my $word = $self->_word($rank);
	my $is_long = $now - $self->{said}{$rank}{since} >= $self->{starved};
	return $is_long ? 'unknown' : 'unasked' if !defined $word;
	return $is_long && $now - $self->{words}{$rank}{since} >= $self->{starved} / 2 ? 'too long' : 'excused' if $word eq 'starved';
	return $is_long ? 'unknown' : 'excused' if $word eq 'gone';
	return $word;
}

# What its agent says has been so for a while: one that gets a processor again has beats on the way, or
# to read.
sub _is_settled
{
	my ($self, $rank, $now) = @_;
	my $changed = ($self->{words}{$rank} // {})->{changed};
	return !defined $changed || $now - $changed >= $self->{timeout};
}

# The report of an observer that should have received the beats. One that only gets too little of a processor, and beats,
# is believed after as long as such may be silent.
sub _counts
{
	my ($self, $observer, $rank, $now) = @_;
	my $said = $self->{said};
	return 1 if $now - $said->{$rank}{since} >= $self->{starved} && (!$self->{starved} || !$said->{$observer});
	return ($self->_word($observer) // '') =~ /^(?:runs|unknown)\z/ && $self->_is_settled($observer, $now);
}

sub _longest
{
	my ($said) = @_;
	my ($ms) = sort { $b <=> $a } map { $_->{ms} } values %$said;
	return $ms;
}

# All observers suspect the rank, or one on its own host does, which needs no cable to hear it.
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

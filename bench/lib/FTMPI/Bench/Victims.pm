# SPDX-License-Identifier: BSD-3-Clause
#
# A job under message logging whose ranks are killed, as the lines of ftmpirun -vv tell of them.
package FTMPI::Bench::Victims;

use strict;
use warnings;

use File::Temp ();
use List::Util qw(first min shuffle);

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();
use FTMPI::Bench::Watch   ();

use constant RESTARTS => 1_000_000;

# peer: ours; dir (for the work directory), limit; what (for sentences), ranks; program: its words; options: more of
# ftmpirun's, if any; do: a function that is given the job, and does to it what shall be done until it ends. Returns the job
# when it has ended well; dies with a sentence.
sub run
{
	my ($class, %arg) = @_;
	my $work = File::Temp->newdir('msglog-XXXXXX', DIR => $arg{dir});
	my $self = bless { what => $arg{what}, ranks => $arg{ranks}, pid => {}, come => {}, lines => [] }, $class;
	my $done = eval {
		$self->{started} = FTMPI::Bench::Watch::now();
		$self->{watch} = FTMPI::Bench::Watch->new(
			command => [ $arg{peer}{run}[0], qw(-vv -coord msglog -max-restarts), RESTARTS, @{ $arg{options} // [] },
				'-workdir', "$work", '-n', $arg{ranks}, @{ $arg{program} } ],
			env   => FTMPI::Bench::Peers::environment($arg{peer}),
			dir   => $arg{dir},
			limit => $arg{limit},
		);
		$arg{do}->($self);
		$self->{watch}->finish($self->{what}, sub { $self->see(@_) });
		1;
	};
	my $why = $@;
	FTMPI::Bench::Process::stop();    # what still runs would write into the folder while it is removed
	die $why if !$done;
	$self->{ended} = $self->{watch}->ended;
	return $self;
}

# One line of either stream, and when it was read. "begun": all ranks have called MPI_Init.
sub see
{
	my ($self, $moment, $text) = @_;
	push @{ $self->{lines} }, [ $moment, $text ];
	$self->{pid}{$1} = $2 if $text =~ /^ftmpirun: rank (\d+) on \S+ is process (\d+)\b/;
	$self->{come}{$1} = 1 if $text =~ /^ftmpirun: the keeper: rank (\d+), incarnation \d+, has come\b/;
	$self->{begun} //= $moment if keys %{ $self->{come} } == $self->{ranks};
	return;
}

# Waits until all ranks have begun. When that was.
sub begun
{
	my ($self) = @_;
	$self->{watch}->follow("$self->{what}, the start", sub { $self->see(@_) }, sub { defined $self->{begun} });
	return $self->{begun};
}

# Seconds from there to the end of the job.
sub seconds { my ($self) = @_; return $self->{ended} - $self->{begun} }

# ... and from the start of ftmpirun.
sub whole { my ($self) = @_; return $self->{ended} - $self->{started} }

sub wait_until { my ($self, $moment) = @_; $self->{watch}->follow_until($moment, sub { $self->see(@_) }); return }

# Waits for such a line, or so many of them, one after the other.
sub wait_for
{
	my ($self, $pattern, $count) = @_;
	$self->{watch}->follow("$self->{what}, the wait for $pattern", sub { $self->see(@_) },
		sub { scalar(grep { $_->[1] =~ $pattern } @{ $self->{lines} }) >= ($count // 1) });
	return;
}

# When the first such line was read.
sub moment
{
	my ($self, $pattern) = @_;
	my $line = first { $_->[1] =~ $pattern } @{ $self->{lines} };
	return $line ? $line->[0] : undef;
}

# All lines until now.
sub texts { my ($self) = @_; return map { $_->[1] } @{ $self->{lines} } }

# What the pattern has matched in the lines.
sub matched { my ($self, $pattern) = @_; return map { $_ =~ $pattern } $self->texts }

# How often a rank began again.
sub restarts { my ($self) = @_; return scalar grep { $_->[1] =~ /^ftmpirun: rank \d+ on \S+ is process / } @{ $self->{lines} } }

# Kills so many of these ranks at once, chosen at random, as soon as so many are there. When that was; undef when the job
# was over before.
sub kill_some
{
	my ($self, $count, @ranks) = @_;
	my @there;
	$self->{watch}->follow("$self->{what}, the wait for ranks", sub { $self->see(@_) },
		sub { @there = grep { $self->{pid}{$_} } @ranks; return @there >= $count || $self->{watch}->has_ended });
	@there = (shuffle @there)[ 0 .. min($count, scalar @there) - 1 ];
	my $moment = FTMPI::Bench::Watch::now();
	my $killed = kill 'KILL', delete @{ $self->{pid} }{@there};
	return $killed == $count ? $moment : undef;
}

1;

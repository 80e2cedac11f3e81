# SPDX-License-Identifier: BSD-3-Clause
#
# A job whose lines are read as they come, each with the moment when it was there.
package FTMPI::Bench::Watch;

use strict;
use warnings;

use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC time);

use FTMPI::Bench::Process ();

use constant SHOWN => 5;    # last lines in a sentence of what went wrong

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# command, env, dir; limit: seconds that each wait may take.
sub new
{
	my ($class, %arg) = @_;
	return bless { limit => $arg{limit}, job => FTMPI::Bench::Process::start(%arg), lines => [], last => [] },
		$class;
}

# Calls on_line->(moment, text) with each line until done->() is true; dies with a sentence.
sub follow
{
	my ($self, $what, $on_line, $done) = @_;
	my $end = time + $self->{limit};
	until ($done->()) {
		if (my $line = shift @{ $self->{lines} }) {
			$on_line->(@$line);
			next;
		}
		$self->_fail($what, 'the job ended') if $self->{job}{gone};
		$self->_fail($what, "nothing came of it in $self->{limit} s")
			if !FTMPI::Bench::Process::take($self->{job}, $end);
		$self->_cut(now());
	}
	return;
}

# When that was.
sub ended { my ($self) = @_; return $self->{ended} }

sub has_ended { my ($self) = @_; return $self->{job}{gone} }

# The same until that moment, or the end of the job.
sub follow_until
{
	my ($self, $moment, $on_line) = @_;
	while ((my $left = $moment - now()) > 0) {
		last if $self->{job}{gone};
		FTMPI::Bench::Process::take($self->{job}, time + $left);
		$self->_cut(now());
		$on_line->(@$_) for splice @{ $self->{lines} };
	}
	return;
}

# The same with all lines until the job ends, which it has to do well.
sub finish
{
	my ($self, $what, $on_line) = @_;
	$self->follow($what, $on_line, sub { $self->{job}{gone} });
	$self->{ended} = now();
	FTMPI::Bench::Process::stop();
	$self->_cut(now());
	$on_line->(@$_) for splice @{ $self->{lines} };
	$self->_fail($what, 'the job failed') if $self->{job}{status};
	return;
}

# Whole lines of both streams.
sub _cut
{
	my ($self, $moment) = @_;
	for my $stream (qw(err out)) {
		while ($self->{job}{$stream} =~ s/\A([^\n]*)\n//) {
			push @{ $self->{lines} }, [ $moment, $1 ];
			push @{ $self->{last} },  $1;
		}
	}
	splice @{ $self->{last} }, 0, -SHOWN if @{ $self->{last} } > SHOWN;
	return;
}

sub _fail
{
	my ($self, $what, $why) = @_;
	die "$what: $why; last it said: " . join(' / ', @{ $self->{last} }) . "\n";
}

sub stop { FTMPI::Bench::Process::stop(); return }

1;

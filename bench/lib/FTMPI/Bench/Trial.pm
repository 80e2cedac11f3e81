# SPDX-License-Identifier: BSD-3-Clause
#
# One fault and what follows, from the lines that are read: of the ranks (struck.c) and of ftmpirun -vv.
# Pure: lines and moments in, seconds out. Moments are CLOCK_MONOTONIC, which all processes of a
# machine share.
package FTMPI::Bench::Trial;

use strict;
use warnings;

use List::Util qw(max);

# What ftmpirun says when it knows.
my %NOTICE = (
	killed  => qr/was killed by signal 9/,
	stopped => qr/^rank \d+ on \S+ show(?:s|ed) no life for/,
	silent  => qr/^host .* shows? no life for/,
);
# The same in other words: the fault was noticed, but not for what it was.
my $OTHERWISE = qr/was killed by signal|no life for|do not reach each other|is not heard by|lost the connection/;

# fault: killed, stopped or silent, or '' for the first start; ranks: how many; at: when it was struck;
# life: how often they will have been restarted then; more than that is counted, too.
sub new
{
	my ($class, %arg) = @_;
	return bless { life => 0, at => 0, wanted => $arg{life} // 0, %arg, pid => {}, moments => {} }, $class;
}

# One line of either stream, and when it was read.
sub see
{
	my ($self, $moment, $text) = @_;
	return $self->_runs(split / /, $1) if $text =~ /^running (\d+(?: \d+){6})\z/;
	return if $text !~ s/^ftmpirun: //;
	$self->{told} //= $moment if $text =~ /^all are told to run/;
	return if !length $self->{fault} || defined $self->{noticed} || $text !~ $OTHERWISE;
	$self->{noticed}   = $moment;
	$self->{otherwise} = $text if $text !~ $NOTICE{ $self->{fault} };
	return;
}

# What a rank of an older life still says does not count.
sub _runs
{
	my ($self, $rank, $pid, $life, @moments) = @_;
	return if $life < $self->{life} || $rank >= $self->{ranks};
	@$self{qw(life pid)} = ($life, {}) if $life > $self->{life};
	$self->{pid}{$rank} = $pid;
	$self->{moments}{$rank} = [ map { $_ / 1e9 } @moments ];
	return;
}

# All ranks run.
sub is_done { my ($self) = @_; return keys %{ $self->{pid} } == $self->{ranks} }

sub pids { return %{ $_[0]{pid} } }

# How often the ranks have been restarted in this trial more than once.
sub more_restarts { return $_[0]{life} - $_[0]{wanted} }

# How often in all.
sub life { return $_[0]{life} }

# What was said of it, if that was not what had happened.
sub otherwise { return $_[0]{otherwise} }

# Seconds from the fault until: noticed; told (the ranks are ordered to run again); main, inited, restored and
# computed, of the last rank. An image keeps moments from before the fault, which say nothing of it.
sub seconds
{
	my ($self) = @_;
	my %moment = (noticed => $self->{noticed}, told => $self->{told});
	my @names = qw(main inited restored computed);
	for my $which (0 .. $#names) {
		$moment{ $names[$which] } = max(map { $_->[$which] } values %{ $self->{moments} });
	}
	return map { $_ => $moment{$_} - $self->{at} } grep { ($moment{$_} // 0) > $self->{at} } keys %moment;
}

1;

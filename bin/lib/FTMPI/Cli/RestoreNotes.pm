# SPDX-License-Identifier: BSD-3-Clause
#
# The sentences that tell from which recovery line -restore goes on, and which other line the user may have
# meant. Pure, but for reading the records of sessions.
package FTMPI::Cli::RestoreNotes;

use strict;
use warnings;

use POSIX ();

use FTMPI::Cli::Sessions       ();
use FTMPI::Error               ();
use FTMPI::Launcher::Record    ();
use FTMPI::Launcher::Sentences ();

# Seconds by which clocks may differ without a word.
use constant CLOCKS_DIFFER => 5;

# Bytes of arguments that a note shows.
use constant ARGUMENTS_MAX => 200;

sub _when { return POSIX::strftime('%Y-%m-%d %H:%M:%S', localtime $_[0]) }

# "3 minutes ago"; a clock that was set back makes lines of a time to come.
sub age
{
	my ($seconds) = @_;
	return 'by a clock that was ahead of this one' if $seconds < -CLOCKS_DIFFER;
	$seconds = 0 if $seconds < 0;
	for ([ day => 86400 ], [ hour => 3600 ], [ minute => 60 ]) {
		my ($unit, $length) = @$_;
		return FTMPI::Launcher::Sentences::count(int $seconds / $length, $unit) . ' ago' if $seconds >= 2 * $length;
	}
	return FTMPI::Launcher::Sentences::count($seconds, 'second') . ' ago';
}

sub _line
{
	my ($line) = @_;
	return "line $line->{line} of session $line->{session}";
}

# Sentences about this line, which is gone on from at `now`. workdir: for the records and the lines of
# other sessions; parts: of the job that goes on, as records have them.
sub sentences
{
	my ($workdir, $line, $now, $parts) = @_;
	my $record = FTMPI::Launcher::Record::load("$workdir/$line->{session}");
	my @said   = '-restore: going on from ' . _line($line) . ', committed ' . _when($line->{time}) . ' ('
		. age($now - $line->{time}) . ').';
	push @said, "note: session $line->{session} has finished (" . _when($record->{end}[1])
		. ', status 0): only what its program did after that line is done again.'
		if FTMPI::Launcher::Record::is_finished($record);
	my $other = _further($workdir, $line, $record, { parts => $parts });
	push @said, "note: session $other->{session}, which did not finish, has come further, to line $other->{line} ("
		. _when($other->{time}) . "): -restore=$other->{session} goes on from that."
		if $other;
	return @said;
}

# Programs go on from images with the arguments of these, which are those that the first job of all was given: a list for
# each part of the job, undef where a record did not have the room. Nothing when they are not known: the line is of data, or
# a record has gone.
sub _image_arguments
{
	my ($workdir, $line, $parts) = @_;
	return if $line->{kind} ne 'image';
	my @ancestry = _ancestry($workdir, $line->{session});
	my $record   = FTMPI::Launcher::Record::load("$workdir/$ancestry[-1]") or return;
	my @before   = @{ $record->{parts} };
	return if @before != @$parts;
	my @arguments = map { [ @{$_}[ 2 .. $#$_ ] ] } @before;
	return map { @$_ && $_->[-1] eq FTMPI::Launcher::Record::REST ? undef : $_ } @arguments;
}

# The parts of a job that goes on from this line as its record is to have them: with the arguments that its programs have.
sub parts
{
	my ($workdir, $line, $parts) = @_;
	my @then = _image_arguments($workdir, $line, $parts);
	return [ map { $then[$_] ? [ @{ $parts->[$_] }[ 0, 1 ], @{ $then[$_] } ] : $parts->[$_] } 0 .. $#$parts ];
}

# What is said of arguments that have no effect. Which line the ranks go on from is known when they have told: before, the
# note might be about another session.
sub arguments
{
	my ($workdir, $line, $parts) = @_;
	my @arguments = _image_arguments($workdir, $line, $parts);
	for my $i (0 .. $#arguments) {
		my @then = @{ $arguments[$i] // next };
		my (undef, undef, @now) = @{ $parts->[$i] };
		next if join("\0", @then) eq join("\0", @now);
		my $words = @then ? join ' ', @then : 'none';
		$words = substr($words, 0, ARGUMENTS_MAX) . ' ...' if length $words > ARGUMENTS_MAX;
		return 'note: the arguments are those of the image (' . FTMPI::Error::clean($words) . '); those given now have no effect.';
	}
	return;
}

# Of the sessions that did not finish, with as many ranks and lines of this kind, the one that has come further than this line;
# none that this one's job began with; and, where this line is of the command that goes on, none of another command, unless that
# went on from this session. record, now: this session's, and that of the command.
sub _further
{
	my ($workdir, $line, $record, $now) = @_;
	my %before = map { $_ => 1 } _ancestry($workdir, $line->{session});
	my @all    = FTMPI::Cli::Sessions::sessions($workdir);
	my %record = map { $_ => scalar FTMPI::Launcher::Record::load("$workdir/$_") } @all;
	my %done   = _done($workdir, %record);
	if ($record && FTMPI::Launcher::Record::is_same_command($record, $now)) {
		@all = grep { !$record{$_} || FTMPI::Launcher::Record::is_same_command($record{$_}, $now)
				|| grep { $_ eq $line->{session} } _ancestry($workdir, $_) } @all;
	}
	my @others = grep { $_->{size} == $line->{size} && $_->{line} > $line->{line} && $_->{kind} eq $line->{kind} }
		FTMPI::Cli::Sessions::newest_lines($workdir, grep { !$before{$_} && !$done{$_} } @all);
	my ($furthest) = sort { $b->{line} <=> $a->{line} || $b->{time} <=> $a->{time} } @others;
	return $furthest;
}

# Of these sessions with their records those that have finished, and what they went on from.
sub _done
{
	my ($workdir, %record) = @_;
	return map { $_ => 1 } map { _ancestry($workdir, $_) } grep { FTMPI::Launcher::Record::is_finished($record{$_}) } keys %record;
}

# A session, the one that its job went on from, and so on.
sub _ancestry
{
	my ($workdir, $session) = @_;
	my @found;
	my %seen;
	while (defined $session && !$seen{$session}++) {
		push @found, $session;
		my $record = FTMPI::Launcher::Record::load("$workdir/$session") or last;
		$session = $record->{from} ? $record->{from}[0] : undef;
	}
	return @found;
}

# The sessions of the same command that it has not finished.
sub unfinished
{
	my ($workdir, $record) = @_;
	my %other = map { $_ => scalar FTMPI::Launcher::Record::load("$workdir/$_") } FTMPI::Cli::Sessions::sessions($workdir);
	my %done  = _done($workdir, %other);
	return grep { $other{$_} && !$done{$_} && FTMPI::Launcher::Record::is_same_command($other{$_}, $record) } keys %other;
}

# What is said when a job begins at its beginning though there is a line of the same command that did not
# finish: a user who forgot -restore is told now.
sub forgotten
{
	my ($workdir, $record) = @_;
	my ($last) = FTMPI::Cli::Sessions::newest_lines($workdir, unfinished($workdir, $record));
	return if !$last;
	return 'note: the job begins at its beginning; -restore would go on from ' . _line($last) . ', '
		. 'which the same command did not finish.';
}

# The same under message logging.
sub forgotten_alone
{
	my ($workdir, $record) = @_;
	my $session = FTMPI::Cli::Sessions::left_alone($workdir, $record) // return;
	return 'note: the job begins at its beginning; -restore would go on from the checkpoints of the ranks in session '
		. "$session, which the same command did not finish.";
}

1;

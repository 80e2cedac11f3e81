# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Sentences, which an ordinary start does without (FTMPI::Later): of failures, restarts and lines.
package FTMPI::Launcher::Sentences;

use strict;
use warnings;

use FTMPI::Launcher::Sentences ();

# No rank has come to MPI_Init, and this one has another MPI's library: while they run, and at the end.
sub foreign_note
{
	my ($who, $library) = @_;
	return "note: no rank has called FTMPI's MPI_Init yet, and $who has loaded $library of another MPI: if it is"
		. ' a program of that, each rank is a job of one.';
}

sub foreign
{
	my ($who, $library) = @_;
	my $compile = $library =~ /mpi4py/ ? 'build mpi4py with ftmpicc (doc/python.md says how)' : 'compile the program with ftmpicc';
	return "no rank has called FTMPI's MPI_Init, but $who had loaded $library of another MPI, so each was a job of"
		. " one: $compile, or set FTMPI_SINGLETON=1 if that is meant.";
}

# Why a rank shows no life, in a few words, from what its agent saw; tracer: the process that held it then.
sub cause
{
	my ($word, $tracer) = @_;
	return "held by a debugger: $tracer; with -debug ranks may be" if defined $tracer;
	return ($word // '') eq 'starved' ? 'it gets no processor; -starved-limit' : 'stopped or hung';
}

# How a rank ended; silent: for how many ms it had shown no life when it was fenced, and what its agent
# saw then; tracer: see cause().
sub ended
{
	my ($who, $how, $silent, $word, $tracer) = @_;
	return "$who $how" if !defined $silent;
	return "$who showed no life for $silent ms (" . cause($word, $tracer) . ') and '
		. ($how =~ /^was killed/ ? 'was killed' : $how);
}

# Load in hundredths, of a host with so many cores.
sub load
{
	my ($load, $cores) = @_;
	return sprintf 'load %.2f on %d core%s', $load / 100, $cores, $cores == 1 ? '' : 's';
}

# A rank, or an agent, that gets no processor is excused.
sub starved
{
	my ($who, $load, $seconds) = @_;
	return "$who gets too little of a processor ($load): ranks of this host, and its agent, may be silent for up to $seconds s"
		. ' (-starved-limit)';
}

# A judgement of FTMPI::Launcher::Verdict.
sub judged
{
	my ($hosts, $what, @data) = @_;
	if ($what eq 'host') {
		my ($silent, $ms) = @data;
		return 'host ' . join(', ', map { $hosts->name($_) } @$silent) . " shows no life for $ms ms";
	}
	return $hosts->who($data[0]) . " shows no life for $data[1] ms (" . cause(@data[ 2, 3 ]) . ')' if $what eq 'fence';
	return 'hosts ' . join(' and ', map { $hosts->name($_) } @data[ 1, 2 ])
		. " do not reach each other for $data[3] ms" if $what eq 'link';
	return $hosts->who($data[1]) . ' is not heard by ' . $hosts->who($data[0]) . " for $data[2] ms";
}

# Where ranks go.
sub moved
{
	my ($hosts, $moved) = @_;
	return join '', map { '; ' . numbered('rank', sort { $a <=> $b } @{ $moved->{$_} }) . (@{ $moved->{$_} } == 1 ? ' goes' : ' go')
			. ' to ' . $hosts->name($_) } sort { $a <=> $b } keys %$moved;
}

sub from
{
	my ($line, $restoring) = @_;
	return "line $line" if defined $line;
	return $restoring // BEGINNING;
}

# Of a job that was ended from outside; restored, restoring: the line that it went on from itself, or was
# to, or undef.
sub goes_on
{
	my ($session, $line, $restored, $restoring) = @_;
	return "-restore goes on from line $line of session $session." if defined $line;
	return "-restore goes on from line $restored->{line} of session $restored->{session}." if $restored;
	return "-restore goes on from $restoring." if defined $restoring;
	return 'no recovery line was made from which -restore could go on.';
}

# The same under message logging, where each rank has checkpoints.
sub goes_on_alone
{
	my ($session, $has_checkpoint) = @_;
	return "-restore goes on from the ranks' checkpoints (session $session)." if $has_checkpoint;
	return 'no rank has made a checkpoint from which -restore could go on.';
}

sub restart
{
	my ($row, $max, $from) = @_;
	return "restart $row of $max from $from";
}

# Under message logging: row: of this rank.
sub alone
{
	my ($row, $max) = @_;
	return "it begins again alone (restart $row of $max)";
}

sub moved_alone
{
	my ($count, $row, $max) = @_;
	return ($count == 1 ? 'begins' : 'begin') . " again alone (restart $row of $max)";
}

# saves: ranks have checkpoints of their own.
sub too_often_alone
{
	my ($max, $saves) = @_;
	my $restarts = $max == 1 ? 'restart' : "$max restarts";
	$restarts .= ' without a new checkpoint' if $saves;
	return "; after its $restarts (-max-restarts) the job is ended.";
}

sub all_back
{
	my ($seconds) = @_;
	return sprintf 'all ranks that failed have called MPI_Init again, %.0f ms after the first failure was noticed', 1000 * $seconds;
}

sub too_often
{
	my ($max) = @_;
	my $restarts = $max == 1 ? '1 restart' : "$max restarts in a row";
	return "; $restarts (-max-restarts) brought no new recovery line, so the job is ended.";
}

sub last_words
{
	my ($words) = @_;
	return '' if !defined $words || !length $words;
	return qq(; its last words: "$words");
}

sub all_run
{
	my ($n, $seconds, $restored) = @_;
	my $ranks = $n == 1 ? 'the rank runs' : "all $n ranks run";
	my $line = $restored ? " (line $restored->{line})" : '';
	return sprintf '%s again, %.0f ms after the failure was noticed%s.', $ranks, 1000 * $seconds, $line;
}

# Why there is no recovery line this time, or no checkpoint of this rank. why: the rank's own sentence.
sub not_held
{
	my ($who, $why, $what) = @_;
	$why =~ s/\.\z//;
	return 'no ' . ($what // 'recovery line') . " is made now: $who: $why.";
}

sub not_come
{
	my ($who, $seconds, $what) = @_;
	return 'no ' . ($what // 'recovery line') . " is made now: $who did not come to a safe point within $seconds s (-image-patience).";
}

# The first after one or more that were not; number: as rank 0 has told, or undef.
sub made_again
{
	my ($number) = @_;
	return 'recovery lines are made again: ' . (defined $number ? "line $number" : 'one') . ' is committed.';
}

sub not_heard_of
{
	my ($seconds) = @_;
	return "rank 0 has not said within $seconds s whether the recovery line was committed.";
}

sub checkpoint_not_heard_of
{
	my ($who, $n, $seconds) = @_;
	return "$who has not said within $seconds s whether its checkpoint $n is committed.";
}

# The newest checkpoint of a rank is not there when it begins again.
sub checkpoint_gone
{
	my ($who, $n, $newest) = @_;
	return "$who " . ($n ? "goes on from its checkpoint $n" : 'begins at its beginning')
		. ", but its checkpoint $newest is committed: was the work directory changed, or is it another one on that host (-workdir)? The job is ended.";
}

# by: who asks for a line, or for a checkpoint of each rank: SIGUSR2, SIGTERM or an option.
sub no_line_now
{
	my ($by) = @_;
	return "$by has no effect now: a recovery line can be made from the time when all ranks have called MPI_Init until the first calls MPI_Finalize.";
}

sub no_checkpoint_now
{
	my ($by) = @_;
	return "$by has no effect now: ranks can be asked for checkpoints from the time when all have called MPI_Init until all have called MPI_Finalize.";
}

# without: the ranks that have no checkpoint of that.
sub all_asked
{
	my ($by, @without) = @_;
	return "$by: every rank has a checkpoint." if !@without;
	return "$by: all other ranks have a checkpoint, but not " . numbered('rank', @without) . '.';
}

# Of these, what: line 7, or its checkpoint 7.
sub input_unsure
{
	my ($what) = @_;
	return "it is not known how much of its standard input rank 0 had read in $what: it is given all of it again.";
}

sub input_short
{
	my ($what, $read, $there) = @_;
	return "rank 0 had read $read bytes of its standard input in $what, and now "
		. ($there ? 'only ' . count($there, 'byte') . ' came' : 'none came') . ': the same input has to be given again. Rank 0 gets no more.';
}

sub input_other
{
	my ($what, $read) = @_;
	return "the standard input is another one than that of which rank 0 had read $read bytes in $what: give the same again, or"
		. ' none (< /dev/null) where rank 0 needs no more. The job is ended, and what it could go on from stays.';
}

sub input_gone
{
	my ($read) = @_;
	return "rank 0 goes on behind byte $read of its standard input, and what follows that is not kept any more (64 MiB are): the job is ended."
		. ' Go on with -restore, and the same input.';
}

sub input_given
{
	my ($what) = @_;
	return "rank 0 was given standard input from its beginning, and goes on from $what, which was made as its process was killed: the job is"
		. ' ended. Go on with -restore, and the same input.';
}

# Nothing is forgotten before a rank has a checkpoint.
sub keeper_full
{
	my ($limit) = @_;
	return "message logging: the outcomes of all ranks (which message came first, what a test said) take $limit bytes, and there is no room for"
		. ' more (-outcome-limit); the job is ended.';
}

sub keeper_port
{
	my ($at, $tries) = @_;
	return "message logging: the keeper had to begin again, and $tries times could not listen at $at, where ranks look for it, as when another program"
		. ' has that port; the job is ended.';
}

sub not_bound
{
	my ($host, $seconds) = @_;
	return "host $host did not bind sockets for its new ranks within $seconds s";
}

sub no_answer
{
	my ($host, $seconds) = @_;
	return "host $host did not answer the order to begin again within $seconds s";
}

1;

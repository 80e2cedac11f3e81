# SPDX-License-Identifier: BSD-3-Clause
#
# The sentences in which the launcher tells the user of failures and restarts. Pure.
package FTMPI::Launcher::Sentences;

use strict;
use warnings;

use FTMPI::Later rest => qw(Failures);

# Ends of sentences, when there is no restart.
use constant {
	BEGINNING      => 'the beginning',
	NO_CHECKPOINTS => '; the program makes no checkpoints (FTMPI_Perform_Checkpoint), so the job cannot go'
		. ' on; -restart-from-start would begin again; with -image its processes would have been saved.',
	INPUT_LOST => '; rank 0 was given more standard input than is kept for a restart (64 MiB), so the job'
		. ' is ended.',
	NOT_ASKED_FOR => '-restore: the program has not asked for its recovery line (FTMPI_Restore), so it began at its'
		. ' beginning.',
	NO_CALL => 'note: no recovery line was made, as the program has not called FTMPI_Perform_Checkpoint; with -image its'
		. ' processes would have been saved.',
	NO_HOST => '; no host is left, so the job is ended.',
	NO_IMAGES => 'SIGUSR2 has no effect without -image: with that it begins a recovery line of process images, and with -ckpt-interval FTMPI_Checkpoint_due tells the program to make one.',
	NO_IMAGES_ALONE => 'SIGUSR2 has no effect without -image: the program says itself when its ranks make checkpoints (FTMPI_Perform_Checkpoint).',
	NO_INIT => 'note: no recovery line was made, as no rank has called MPI_Init.',
	NO_INTERVAL => 'note: -image without -ckpt-interval: recovery lines are made when SIGUSR2 comes to ftmpirun, and by the'
		. ' program\'s own calls.',
	NO_CHECKPOINT => 'note: no rank has made a checkpoint (-ckpt-interval).',
	NO_CHECKPOINT_CALL => 'note: no rank has made a checkpoint, as the program has not called FTMPI_Perform_Checkpoint; with -image its'
		. ' processes would have been saved.',
	NO_CHECKPOINT_INIT => 'note: no rank has made a checkpoint, as none has called MPI_Init.',
	NO_CHECKPOINT_INTERVAL => 'note: -image without -ckpt-interval: ranks make checkpoints when SIGUSR2 comes to ftmpirun, and when -log-limit wants that.',
	NO_LINE_FITS => 'the ranks have found no recovery line that they can go on from, so the job is ended',
};

# Words behind the program that ftmpirun knows as its options.
sub passed
{
	my (@words) = @_;
	return "note: ftmpirun passes @words to the program, since options of ftmpirun come before the program; where that is meant,"
		. ' write -- before the program.';
}

# 0, 1, 2, 5 as "0-2 5".
sub ranges
{
	my (@ranges);
	for my $n (@_) {
		if (@ranges && $ranges[-1][1] == $n - 1) {
			$ranges[-1][1] = $n;
		} else {
			push @ranges, [ $n, $n ];
		}
	}
	return join ' ', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

# 1 rank, 2 ranks
sub count
{
	my ($n, $noun) = @_;
	return $n == 1 ? "1 $noun" : "$n ${noun}s";
}

# rank 1, ranks 1-3 5
sub numbered
{
	my ($noun, @numbers) = @_;
	return @numbers == 1 ? "$noun $numbers[0]" : "${noun}s " . ranges(@numbers);
}

1;

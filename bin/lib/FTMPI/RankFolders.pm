# SPDX-License-Identifier: BSD-3-Clause
#
# Where each rank has the checkpoints that it makes alone (message logging; lib/ckpt/rank_folder.h). The launcher removes them when the job
# has ended well, all or none: first the record of the job, without which -restore does not go on. So it does when no rank has any.
package FTMPI::RankFolders;

use strict;
use warnings;

sub _names { my ($folder) = @_; opendir my $dir, $folder or return; return readdir $dir }

# [rank, number, incarnation] of each file of a checkpoint; number 0: the rank began at its beginning. Names with numbers that no job
# comes to are none.
sub _files
{
	my ($session) = @_;
	my @found;
	for my $folder (grep { /\Arank-[0-9]{5,9}\z/ } _names($session)) {
		my ($rank) = $folder =~ /([0-9]+)\z/;
		push @found, map { /\Ackpt-([0-9]{8,10})\.i([0-9]{4,9})\z/ ? [ $rank + 0, $1 + 0, $2 + 0 ] : () } _names("$session/$folder");
	}
	return @found;
}

# Ranks that have a checkpoint. session: the folder of the job's session.
sub with_checkpoint
{
	my ($session) = @_;
	my %has   = map { $_->[1] ? ($_->[0] => 1) : () } _files($session);
	my @ranks = sort { $a <=> $b } keys %has;
	return @ranks;
}

# { rank => the newest incarnation of which there is a file }.
sub incarnations
{
	my ($session) = @_;
	my %newest;
	for (_files($session)) {
		my ($rank, undef, $incarnation) = @$_;
		$newest{$rank} = $incarnation if $incarnation > ($newest{$rank} // -1);
	}
	return \%newest;
}

# All ranks have ended, and nothing goes on in this session: its records go, too.
sub remove
{
	my ($session) = @_;
	unlink map { "$session/$_" } qw(job.record job.input);
	for my $folder (map { "$session/$_" } grep { /\Arank-[0-9]{5,}\z/ } _names($session)) {
		unlink map { "$folder/$_" } grep { /\Ackpt-[0-9]{8,}\.i[0-9]{4,}(?:\.tmp)?\z/ } _names($folder);
		rmdir $folder;
	}
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks were writing when they were ended. A file of a recovery line has another name until it is
# whole (doc/ckpt-format.md); where the job goes on the next line's commit removes what is left of
# them, so this is for the end. Only files that these ranks alone write, in this epoch, are touched:
# others may go on elsewhere.
package FTMPI::Unfinished;

use strict;
use warnings;

sub _names
{
	my ($folder) = @_;
	opendir my $dir, $folder or return;
	return readdir $dir;
}

# Lines of this epoch, as folders.
sub _lines
{
	my ($session, $epoch) = @_;
	return map { "$session/$_" } grep { /\Aline-\d{8}\.e(\d+)\z/ && $1 == $epoch } _names($session);
}

# session: a folder; ranks: numbers.
sub remove
{
	my ($session, $epoch, @ranks) = @_;
	my %mine = map { $_ => 1 } @ranks;
	for my $line (_lines($session, $epoch)) {
		unlink map { "$line/$_" } grep { /\Arank-(\d{5,})\.ckpt\.tmp\z/ && $mine{ $1 + 0 } } _names($line);
		unlink "$line.manifest.tmp" if $mine{0};
	}
	return;
}

1;

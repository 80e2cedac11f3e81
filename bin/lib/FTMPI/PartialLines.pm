# SPDX-License-Identifier: BSD-3-Clause
#
# Removes the files of recovery lines that ranks were writing when they were ended. Such a file has a temporary
# name until it is whole (doc/ckpt-format.md). While the job goes on, the commit of the next line removes these
# files, so this is for the end. Only files that the given ranks alone write are touched, of this epoch and
# those before, which are over: files of a later epoch may be in use elsewhere. The folder of a session
# without any line is removed as well.
package FTMPI::PartialLines;

use strict;
use warnings;

sub _names
{
	my ($folder) = @_;
	opendir my $dir, $folder or return;
	return readdir $dir;
}

# Lines of this epoch and those before, as folders.
sub _lines
{
	my ($session, $epoch) = @_;
	return map { "$session/$_" } grep { /\Aline-\d{8}\.e(\d+)\z/ && $1 <= $epoch } _names($session);
}

# A folder of a session that holds nothing but the word that epochs have begun which are over: there is no
# line that a late rank of them could replace or take away. When something else is there, or appears
# meanwhile, it stays.
sub remove_barren
{
	my ($session, $epoch) = @_;
	my @names = grep { !/\A\.\.?\z/ } _names($session);
	return if grep { !(/\Aepoch-(\d{4,})\z/ && $1 <= $epoch) } @names;
	unlink map { "$session/$_" } @names;
	rmdir $session;
	return;
}

# session: a folder; ranks: numbers.
sub remove
{
	my ($session, $epoch, @ranks) = @_;
	my %mine = map { $_ => 1 } @ranks;
	for my $line (_lines($session, $epoch)) {
		unlink map { "$line/$_" } grep { /\Arank-(\d{5,})\.ckpt\.tmp\z/ && $mine{ $1 + 0 } } _names($line);
		unlink "$line.manifest.tmp" if $mine{0};
		rmdir $line;
	}
	remove_barren($session, $epoch);
	return;
}

1;

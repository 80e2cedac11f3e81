# SPDX-License-Identifier: BSD-3-Clause
#
# Where each rank has the checkpoints that it makes alone (message logging; lib/ckpt/alone.h). A rank removes its own at the end of
# a job that ends well; the launcher removes those of any other, as nothing goes on from them later.
package FTMPI::RankFolders;

use strict;
use warnings;

# session: the folder of the job's session. All ranks have ended.
sub remove
{
	my ($session) = @_;
	opendir my $dir, $session or return;
	for my $folder (map { "$session/$_" } grep { /\Arank-[0-9]{5,}\z/ } readdir $dir) {
		opendir my $files, $folder or next;
		unlink map { "$folder/$_" } grep { /\Ackpt-[0-9]{8,}\.i[0-9]{4,}(?:\.tmp)?\z/ } readdir $files;
		rmdir $folder;
	}
	return;
}

1;

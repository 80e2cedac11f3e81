# SPDX-License-Identifier: BSD-3-Clause
#
# Where the keeper of a job under message logging has its files (doc/keeper.md), and that they go with the job: the
# launcher removes them at its end, and, when the launcher was killed, an agent that sees the work directory.
package FTMPI::KeeperFolder;

use strict;
use warnings;

use Fcntl qw(LOCK_EX LOCK_NB);

# In seconds.
use constant LOOK_TIME => 0.02;

sub path
{
	my ($workdir, $session) = @_;
	return "$workdir/keeper-$session";
}

# The keeper has ended, or is about to: no rank is left that tells it anything. What is there and not its own stays.
sub remove
{
	my ($folder) = @_;
	opendir my $dir, $folder or return;
	unlink map { "$folder/$_" } grep { /\A(?:lock|rank-[0-9]{5,}\.events(?:\.new)?)\z/ } readdir $dir;
	rmdir $folder;
	return;
}

# The same, if no keeper is there: else the job goes on without this agent, or the keeper removes it. One that removes nothing has as many
# seconds to end as is said. Returns whether it is gone.
sub remove_left
{
	my ($folder, $seconds) = @_;
	open my $lock, '+<', "$folder/lock" or return !-e $folder;
	until (flock $lock, LOCK_EX | LOCK_NB) {
		return 0 if ($seconds -= LOOK_TIME) < 0;
		select undef, undef, undef, LOOK_TIME;
	}
	remove($folder);
	return 1;
}

# Whether a keeper that is said to be there is: it has the lock, wherever it runs, if its host shares the folder and locks with this
# one.
sub is_locked
{
	my ($folder) = @_;
	open my $lock, '+<', "$folder/lock" or return 0;
	return !flock($lock, LOCK_EX | LOCK_NB) && $!{EWOULDBLOCK};
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The keeper of a job under message logging when it is not killed: it is stopped, so that no process ends and no
# connection breaks, and ranks wait for it; it is full; its launcher is gone.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Process qw(patience wait_gone wait_until);

FTMPI::Test::Fault::alone();

sub keepers { my ($fault) = @_; return grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $fault->job->pids }

sub stopped
{
	my $fault = FTMPI::Test::Choices->start;
	$fault->wait_for(out => qr/^round 20$/m);
	my %ranks   = $fault->pids;
	my @keepers = keepers($fault);
	is(scalar @keepers, 1, 'there is a keeper');
	kill 'STOP', @keepers;
	$fault->wait_for(err => qr/^ftmpirun: the keeper \(process \d+\) was stopped, and does not answer for 5 s; it was killed, and is started again\.$/m);
	my @left = wait_gone(time + patience(60), @keepers);
	is("@left", '', 'it is killed');
	is_deeply({ $fault->pids }, \%ranks, 'the ranks are the same processes');
	$fault->open_gate;
	$fault->survived('the keeper is stopped', 0);
	unlike($fault->job->err, qr/was killed by signal/, '... and its end is not told once more');
	return;
}

sub full
{
	my $fault = FTMPI::Test::Choices->start(rounds => 100_000, run => [qw(-outcome-limit 64K)]);
	$fault->gave_up('the keeper is full', 1,
		qr/^ftmpirun: message logging: the outcomes of all ranks \(.*\) take 65536 bytes, and there is no room for more \(-outcome-limit\); the job is ended\.$/m,
		lines => 0);
	return;
}

# A process that is stopped does not see that its standard input has ended.
sub launcher_gone
{
	my $fault = FTMPI::Test::Choices->start;
	$fault->wait_for(out => qr/^round 20$/m);
	my @keepers = keepers($fault);
	kill 'STOP', @keepers;
	kill 'KILL', $fault->job->pid;
	my @left = wait_gone(time + patience(60), @keepers);
	is("@left", '', 'a keeper that is stopped ends with its launcher');
	$fault->job->finish;
	my @files;
	wait_until(patience(60), sub { @files = $fault->files; !@files });
	is("@files", '', '... and leaves no file');
	$fault->clear('the launcher is killed while the keeper is stopped');
	return;
}

stopped();
full();
launcher_gone();
done_testing();

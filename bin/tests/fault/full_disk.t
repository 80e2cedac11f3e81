# SPDX-License-Identifier: BSD-3-Clause
#
# Work directories that are full, become full, or become read-only: the job goes on without new
# lines, says why, and the lines that are there stay whole. One that is read-only from the beginning
# is refused. Under a protocol that waits for nobody, too.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(data_file);
use FTMPI::Test::Process qw(must_run);

FTMPI::Test::Fault::alone();

# Mounts stay until a case is over.
sub at_rest { return FTMPI::Test::Alone::at_rest($_[0], FTMPI::Test::Fault::directory()) }

sub mounted
{
	my (@how) = @_;
	my $dir = File::Temp::tempdir('mount-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	must_run('mount', @how, $dir);
	return $dir;
}

sub start
{
	my ($coord, $dir, $program, @args) = @_;
	return FTMPI::Test::Fault->start(program => $program, workdir => $dir, coord => $coord,
		args => [@args, qw(-sure -trace)], rest => \&at_rest);
}

sub pi { my ($coord, $dir, @args) = @_; return start($coord, $dir, 'pi', qw(400000 -every 10000 -ckpt 10), @args) }

# How many lines it made, and how many it could not make.
sub lines
{
	my ($fault) = @_;
	my $made = () = $fault->job->out =~ /^line after/mg;
	my $not  = () = $fault->job->out =~ /^no line after/mg;
	return ($made, $not);
}

sub over
{
	my ($fault, $name) = @_;
	must_run('umount', $fault->workdir);
	rmdir $fault->workdir or die $fault->workdir . ": $!\n";
	at_rest($name);
	return;
}

sub full
{
	my ($coord) = @_;
	my $dir = mounted(qw(-t tmpfs -o size=64k tmpfs));
	must_run('sh', '-c', 'mkdir "$1/other"; cat /dev/zero >"$1/other/fill"; test -s "$1/other/fill"', 'sh', $dir);
	my $fault = pi($coord, $dir);
	$fault->job->finish;
	unlink "$dir/other/fill";
	rmdir "$dir/other";
	$fault->survived("$coord: a full disk", restarts => 0, lines => 0, keep => 1);
	is(join(' ', lines($fault)), '0 4', '... no line is made') or diag($fault->job->saw);
	$fault->job->err_like(qr/No space left on device/, '... and says so');
	over($fault, "$coord: a full disk");
}

# Room for two lines, and for four pages more, of which the run record, the status file and its next version take one each when they come.
# Those of pi have a file of one page for each rank and a
# manifest of one: two files of the third line find room, and the manifest none. Those of cgs have files
# of 3 and 5 pages: none finds room, and the manifest would.
sub becomes_full
{
	my ($coord, $size, $program, @args) = @_;
	my $name  = "$coord: a disk that becomes full, $program";
	my $dir   = mounted('-t', 'tmpfs', '-o', "size=$size", 'tmpfs');
	my $fault = start($coord, $dir, $program, @args);
	$fault->all_held;
	is(join(' ', lines($fault)), '2 1', "$name: two lines are made, the third is not") or diag($fault->job->saw);
	my @line = $fault->job->out =~ /^line after round (\d+)/mg;
	$fault->kill_ranks(1);
	$fault->survived($name, restarts => 1, keep => 1);
	$fault->job->out_like(qr/^restored after round $line[-1]$/m, '... the newest is restored');
	$fault->job->err_like(qr/No space left on device/, '... and it says so');
	over($fault, $name);
}

# Files may be 512 bytes long, which is less than a rank's (ulimit -f); the kernel sends a signal beside the
# error, which would end the rank.
sub limited
{
	my ($coord) = @_;
	my $name  = "$coord: a limit of file lengths";
	my $fault = FTMPI::Test::Fault->start(program => 'pi', coord => $coord,
		args   => [qw(400000 -every 10000 -ckpt 10 -sure -trace)],
		inside => sub { ('sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', @_) });
	$fault->job->finish;
	$fault->survived($name, restarts => 0, lines => 0);
	is(join(' ', lines($fault)), '0 4', '... no line is made') or diag($fault->job->saw);
	$fault->job->err_like(qr/File too large/, '... and says so');
	return;
}

sub read_only
{
	my ($coord) = @_;
	my $under = File::Temp::tempdir('mount-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	my $dir   = mounted('--bind', $under);
	must_run('mount', '-o', 'remount,bind,ro', $dir);
	my $fault = pi($coord, $dir);
	$fault->gave_up("$coord: a read-only disk", 2, qr/\Aftmpirun: the work directory \S+ cannot be written: Read-only file system\n\z/,
		lines => 0, keep => 1);
	over($fault, "$coord: a read-only disk");
	rmdir $under;
}

# It becomes read-only after the second line; the restart needs only to read.
sub becomes_read_only
{
	my ($coord) = @_;
	my $under = File::Temp::tempdir('mount-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	my $dir   = mounted('--bind', $under);
	my $fault = pi($coord, $dir, qw(-hold 25));
	$fault->all_held;
	must_run('mount', '-o', 'remount,bind,ro', $dir);
	$fault->kill_ranks(2);
	$fault->survived("$coord: a disk that becomes read-only", restarts => 1, keep => 1);
	$fault->job->out_like(qr/^restored after round 20$/m, '... a line is restored');
	is(join(' ', lines($fault)), '2 2', '... and none is made after that') or diag($fault->job->saw);
	must_run('umount', $dir);
	File::Path::remove_tree($under, $dir);
	FTMPI::Test::Alone::at_rest("$coord: a disk that becomes read-only");
}

for my $coord (qw(blocking eventlog)) {
	full($coord);
	becomes_full($coord, '56k', 'pi', qw(400000 -every 10000 -ckpt 10 -hold 35));
	becomes_full($coord, '136k', 'cgs', data_file('bcsstk13.mtx'), qw(-ckpt 100 -hold 350));
	becomes_read_only($coord);
}
limited($_) for qw(blocking eventlog);
read_only('eventlog');

done_testing();

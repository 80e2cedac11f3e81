# SPDX-License-Identifier: BSD-3-Clause
#
# Lines that were damaged, or are somebody else's: a restore takes the newest that is whole, or ends
# with a sentence. (Files and manifests of a newer version: bin/tests/unit/test_ckpt_damage.c.)
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Copy ();
use File::Path ();
use File::Temp ();
use POSIX      ();
use Test::More;

use FTMPI::Test::Alone   ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(program);
use FTMPI::Test::Process qw(must_run);

FTMPI::Test::Fault::alone();

my @args = qw(400000 -every 10000);
my ($coord, $made, $session);    # of the cases that run

# The lines stay until all cases are over.
sub at_rest { return FTMPI::Test::Alone::at_rest($_[0], FTMPI::Test::Fault::directory()) }

# A work directory with the lines after rounds 10 and 20.
sub make_lines
{
	$made = FTMPI::Test::Fault->start(program => 'pi', coord => $coord,
		args => [@args, qw(-ckpt 10 -sure -hold 25)]);
	$made->all_held;
	$made->job->signal('KILL');
	$made->job->finish;
	$made->job->none_left("$coord: the lines are made");
	FTMPI::Test::Alone::remember();    # its files stay
	($session) = map { m{\A([^/]+)/line-00000002\.manifest\z} ? $1 : () } $made->files;
	ok($session, "$coord: two lines") or BAIL_OUT($made->job->saw . join ' ', $made->files);
	return;
}

sub copy
{
	my $dir = File::Temp::tempdir('work-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	must_run('cp', '-a', $made->workdir . '/.', $dir);
	return $dir;
}

# The file of a rank, or the manifest, of a line.
sub file
{
	my ($dir, $line, $rank) = @_;
	return sprintf '%s/%s/line-%08d.manifest', $dir, $session, $line if !defined $rank;
	return sprintf '%s/%s/line-%08d.e0000/rank-%05d.ckpt', $dir, $session, $line, $rank;
}

sub flip
{
	my ($path, $at) = @_;
	my $bytes = read_file($path);
	substr($bytes, $at, 1) ^= "\x10";
	write_file($path, $bytes);
	return;
}

sub truncated { my ($path, $by) = @_; return write_file($path, substr read_file($path), 0, -$by) }

sub restore
{
	my ($dir, %option) = @_;
	return FTMPI::Test::Fault->start(program => 'pi', coord => $coord, args => [@args, '-trace'], workdir => $dir, rest => \&at_rest,
		%option, run => [defined $option{named} ? "-restore=$option{named}" : '-restore', @{$option{run} // []}]);
}

# What is read is the same under both protocols: each has every second case of those that are many.
sub is_others { my ($case) = @_; return ($case + ($coord eq 'eventlog')) % 2 }

my $damages;

# The line before is taken, and the damage named; the tool finds it too.
sub falls_back
{
	my ($what, $sentence, $do) = @_;
	return if is_others($damages++);
	my ($name, $dir) = ("$coord: $what", copy());
	$do->($dir);
	my ($status, $text) = FTMPI::Test::Fault::tool('verify', $dir);
	is($status >> 8, 1, "$name: ftmpi-ckpt verify") or diag($text);
	my $fault = restore($dir);
	$fault->job->finish;
	is(FTMPI::Test::Fault::answer($fault->job->out) // 'none', $made->undisturbed, "$name: the right answer")
		or diag($fault->job->saw);
	$fault->job->is_status(0, $name);
	$fault->job->out_like(qr/^restored after round 10$/m, $name);
	$fault->job->err_like($sentence, $name);
	$fault->clear($name);
	return;
}

sub damages
{
	my $size = -s file($made->workdir, 2, 3);
	my $name = qr/line-00000002\S*rank-00003\.ckpt/;
	falls_back('a truncated file', $name, sub { truncated(file($_[0], 2, 3), 1) });
	falls_back('an empty file', $name, sub { write_file(file($_[0], 2, 3), '') });
	falls_back('a file that is missing', $name, sub { unlink file($_[0], 2, 3) });
	falls_back('a file of another rank', $name,
		sub { File::Copy::copy(file($_[0], 2, 2), file($_[0], 2, 3)) });
	falls_back('a file of another line', $name,
		sub { File::Copy::copy(file($_[0], 1, 3), file($_[0], 2, 3)) });
	falls_back('a file that grew', $name, sub { write_file(file($_[0], 2, 3), read_file(file($_[0], 2, 3)) . "\0") });
	falls_back("byte $_ of $size", $name, do { my $at = $_; sub { flip(file($_[0], 2, 3), $at) } })
		for 0, 9, 40, int($size / 2), $size - 3;
	falls_back('half a manifest', qr/line-00000002\.manifest/,
		sub { truncated(file($_[0], 2), int(length(read_file(file($_[0], 2))) / 2)) });
	falls_back('an empty manifest', qr/line-00000002\.manifest/, sub { write_file(file($_[0], 2), '') });
	falls_back('a flipped manifest', qr/line-00000002\.manifest/, sub { flip(file($_[0], 2), 40) });
	falls_back('a pipe of the name of a manifest', qr/line-00000002\.manifest/, sub {
		unlink file($_[0], 2);
		POSIX::mkfifo(file($_[0], 2), 0600) or die "mkfifo: $!\n";
	});
	return;
}

# What is only short on one rank, the manifest or its own file: the job begins again and takes the newest line.
# What cannot be read for a moment is read again.
my @shortages = (
	['EMFILE', 20, 1, qr/^rank 3 on \S+: line 2 of \N* cannot be restored now: \N*: Too many open files; raise/m],
	['ENOMEM', 20, 1, qr/ cannot be restored now: \N*: Cannot allocate memory; make/],
	['EACCES', 20, 0, qr/^rank 3 on \S+: line 2 of \N* cannot be read, and is tried again: \N*: Permission denied; allow/m],
	['EIO',    20, 0, qr/ cannot be read, and is tried again: \N*: Input\/output error/],
	['ESTALE', 20, 0, qr/ cannot be read, and is tried again: \N*: Stale file handle/],
);

sub shortages
{
	my @points = qw(restore-manifest restore-read);
	for my $i (0 .. $#shortages) {
		my ($error, $round, $restarts, $sentence) = @{ $shortages[$i] };
		for my $k (0 .. $#points) {
			next if is_others($i + $k);
			my $point = $points[$k];
			my $name  = "$coord: $error at $point";
			my $fault = restore(copy(), env => {FTMPI_FAULT => "$point:3:0:1:$error"});
			$fault->survived($name, restarts => $restarts);
			$fault->job->out_like(qr/^restored after round $round$/m, $name);
			$fault->job->err_like($sentence, $name);
		}
	}
	return;
}

# The folder itself.
sub unlisted
{
	for my $error (qw(EIO ESTALE)) {
		my $name  = "$coord: $error at restore-list";
		my $fault = restore(copy(), env => {FTMPI_FAULT => "restore-list:0:0:1:$error"});
		$fault->survived($name, restarts => 0);
		$fault->job->out_like(qr/^restored after round 20$/m, $name);
	}
	return;
}

# What cannot be read for long is given up, and the line before taken; where nothing can be read the job ends.
sub unreadable
{
	my $name  = "$coord: a file that cannot be read five times";
	my $fault = restore(copy(), env => {FTMPI_FAULT => join ',', ('restore-read:3:0:1:EIO') x 5});
	$fault->survived($name, restarts => 0);
	$fault->job->out_like(qr/^restored after round 10$/m, $name);
	$fault->job->err_like(qr/line 2 of \N* cannot be restored: \N*: Input\/output error/, $name);
	refused('files that can never be read', qr/none of the 2 recovery lines can be restored/, \&nothing,
		env => {FTMPI_FAULT => 'restore-read:3:0:*:EACCES'});
	return;
}

# The newest session has well-made manifests, but no line that is whole: the next one is taken, and that is said.
sub another_session
{
	my ($dir, $name, $other) = (copy(), "$coord: a session without a whole line", '20991231-235959-00000000');
	must_run('cp', '-a', "$dir/$session", "$dir/$other");
	flip(file($dir, $_, 1) =~ s{/\Q$session\E/}{/$other/}r, 50) for 1, 2;
	my $fault = restore($dir);
	$fault->job->finish;
	is(FTMPI::Test::Fault::answer($fault->job->out) // 'none', $made->undisturbed, "$name: the right answer")
		or diag($fault->job->saw);
	$fault->job->out_like(qr/^restored after round 20$/m, $name);
	$fault->job->err_like(qr/goes on from a line of another session: line 2 of session \Q$session\E/, $name);
	$fault->clear($name);
	refused('... that is named', qr/none of the 2 recovery lines can be restored/, sub {
			must_run('cp', '-a', "$_[0]/$session", "$_[0]/$other");
			flip(file($_[0], $_, 1) =~ s{/\Q$session\E/}{/$other/}r, 50) for 1, 2;
		}, named => $other);
	return;
}

# The clock was set back: lines that are made now count as the newest all the same. Their times stand
# still until the clock is there: they do not run away from it, however many lines there are.
sub clock_set_back
{
	my $name = "$coord: a clock that was set back";
	my $dir  = File::Temp::tempdir('work-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	my $then = time + 86400;
	must_run('env', "CKPT_LINE_TIME=$then", program('ckpt_line'), "$dir/20991231-235959-00000000", 7, 0, 4, 'pi');
	my $fault = FTMPI::Test::Fault->start(program => 'pi', coord => $coord, workdir => $dir,
		args => [@args, qw(-ckpt 10 -sure -trace)]);
	$fault->job->finish;
	$fault->job->err_like(qr/the clock of this host is \d+ s behind the newest recovery line/, $name);
	my (undef, $table) = FTMPI::Test::Fault::tool('list', '-table', $dir);
	my @times = $table =~ /^(?!20991231)\S+\t\d+\t\d+\t(\d+)\t/mg;
	ok(@times > 1 && !(grep { $_ != $then + 1 } @times), "$name: no line is later than it has to be")
		or diag($table);
	$fault = restore($dir);
	$fault->job->finish;
	$fault->job->out_like(qr/^restored after round 40$/m, $name);
	$fault->job->err_like(qr/is of a time that is yet to come/, "$name, and it is told");
	$fault->clear($name);
	return;
}

# Lines that are made faster than one a second are not of a time to come.
sub many_lines
{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', coord => $coord,
		args => [qw(400000 -every 5000 -ckpt 1 -sure)]);
	$fault->job->finish;
	my $now  = time;
	my $text = (FTMPI::Test::Fault::tool('list', '-table', $fault->workdir))[1];
	my @times = map { (split /\t/)[3] } split /\n/, $text;
	is(scalar(@times), 2, 'of many lines two are kept') or diag($fault->job->saw);
	is(join(' ', grep { $_ > $now } @times), '', "... and none is of a time after $now");
	$fault->clear('many lines');
	return;
}

# Whatever byte it is, the tool sees it.
sub every_byte
{
	my $dir  = copy();
	my $path = file($dir, 2, 1);
	my $bytes = read_file($path);
	my @unseen;
	for (my $at = 0; $at < length $bytes; $at += 23) {
		flip($path, $at);
		my ($status) = FTMPI::Test::Fault::tool('verify', $dir);
		push @unseen, $at if $status >> 8 != 1;
		write_file($path, $bytes);
	}
	is("@unseen", '', "$coord: a flipped byte is seen wherever it is");
	File::Path::remove_tree($dir);
	return;
}

# status 1 and a sentence, nothing restored
sub refused
{
	my ($case, $sentence, $do, %option) = @_;
	my $what = "$coord: $case";
	my $dir = copy();
	$do->($dir);
	my $fault = restore($dir, %option);
	$fault->job->finish;
	is($fault->job->status, 1, "$what: refused") or diag($fault->job->saw);
	$fault->job->err_like($sentence, $what);
	unlike($fault->job->out, qr/right|restored/, "$what: nothing runs");
	unlike($fault->job->err, qr/; restart \d/, "$what: nothing is restarted");
	$fault->clear($what);
	return;
}

sub nothing { return }

sub refusals
{
	refused('every line is damaged', qr/line-00000001.*rank-00001\.ckpt/s,
		sub { flip(file($_[0], $_, 1), 50) for 1, 2 });
	refused('another number of ranks', qr/\b4\b.*\b3\b|\b3\b.*\b4\b/, \&nothing, ranks => 3);
	refused('another program', qr/program.*-accept-binary/s, \&nothing, program => 'mail',
		args => ['-trace']);
	refused('lines of two other programs', qr/ line 4 \N*\(two; this is pi\).* line 3 \N*\(one; this is pi\).*none of the 2 recovery lines/s, sub {
			my ($dir) = @_;
			File::Path::remove_tree("$dir/$session");
			must_run(program('ckpt_line'), "$dir/$session", 3, 0, 4, 'one');
			must_run(program('ckpt_line'), "$dir/$session", 4, 0, 4, 'two');
		});
	refused('a newer version', qr/version/, sub {
			for my $line (1, 2) {
				my $manifest = read_file(file($_[0], $line));
				$manifest =~ s/\A(\N*?)(\d+)\n/$1 . ($2 + 1) . "\n"/e;
				$manifest =~ s/^check \N*\n\z//m;
				write_file(file($_[0], $line), $manifest);
				my ($check) = qx{xxhsum -H3 <'@{[ file($_[0], $line) ]}'} =~ /\b([0-9a-f]{16})\b/
					or die "xxhsum does not tell the checksum\n";
				write_file(file($_[0], $line), "${manifest}check $check\n");
			}
		});
	return;
}

# The program was built anew: refused, unless the user says that it is well.
sub another_program
{
	my $own = FTMPI::Test::Fault::directory() . '/bin';
	mkdir $own or die "$own: $!\n";
	File::Copy::copy(program('pi'), "$own/pi") or die "$own/pi: $!\n";
	chmod 0755, "$own/pi";
	open(my $out, '>>:raw', "$own/pi") or die "$own/pi: $!\n";
	print $out "\0";
	close $out;
	my @command = (FTMPI::Test::Job::ftmpirun(), '-coord', $coord, '-restore', '-n', 4);
	my $dir = copy();
	my $job = FTMPI::Test::Job->run([@command, '-workdir', $dir, "$own/pi", @args, '-trace']);
	isnt($job->status, 0, 'a program that was built anew: refused') or diag($job->saw);
	$job->err_like(qr/-accept-binary/, 'a program that was built anew');
	is(scalar(() = $job->err =~ /^rank \d+ on \S+: line \d+ .* cannot be restored/mg), 1, '... in one sentence of all ranks and lines') or diag($job->saw);
	$job->err_like(qr/^rank 0 on \S+: none of the 2 recovery lines can be restored: the job cannot go on$/m, '... that were tried');
	$job->err_like(qr/^ftmpirun: the ranks have found no recovery line that they can go on from, so the job is ended\.$/m, '... and no rank is blamed');
	$job->none_left('a program that was built anew');
	$job = FTMPI::Test::Job->run([@command, '-accept-binary', '-workdir', $dir, "$own/pi", @args, '-trace']);
	$job->out_like(qr/^restored after round 20$/m, '... with -accept-binary');
	is(FTMPI::Test::Fault::answer($job->out) // 'none', $made->undisturbed, '... with -accept-binary')
		or diag($job->saw);
	File::Path::remove_tree($dir, $own);
	at_rest('a program that was built anew');
	return;
}

for my $name (qw(blocking eventlog)) {
	($coord, $damages) = ($name, 0);
	make_lines();
	damages();
	shortages();
	unlisted();
	another_session();
	clock_set_back() if $coord eq 'blocking';
	many_lines()     if $coord eq 'blocking';
	unreadable() if $coord eq 'blocking';
	every_byte();
	refusals();
	another_program();
	$made->clear("$coord: the lines");
}

done_testing();

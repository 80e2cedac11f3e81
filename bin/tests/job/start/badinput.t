# SPDX-License-Identifier: BSD-3-Clause
#
# Bad input to ftmpirun gets one sentence that names the thing, status 2 (usage) or 1, and nobody
# is left running.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

my $dir = File::Temp->newdir('ftmpi-badinput-XXXXXX', TMPDIR => 1);
my $pi  = program('pi');

sub file
{
	my ($name, @lines) = @_;
	open(my $out, '>', "$dir/$name") or die "$dir/$name: $!\n";
	print $out map { "$_\n" } @lines;
	close($out) or die "$dir/$name: $!\n";
	return "$dir/$name";
}

# An ssh that refuses as ssh does when nobody listens.
my $refuse = file('refuse', '#!/bin/sh',
	'echo "ssh: connect to host $1 port 22: Connection refused" >&2', 'exit 255');
chmod 0755, $refuse;

sub refused
{
	my ($name, $status, $pattern, @args) = @_;
	my $job = FTMPI::Test::Job->run([ftmpirun(), @args], deadline => 60);
	$job->is_status($status, $name);
	$job->err_like(qr/^ftmpirun: .*$pattern/m, $name);
	is($job->out, '', "$name: nothing on stdout");
	my $lines = () = $job->err =~ /\n/g;
	cmp_ok($lines, '<=', $status == 2 ? 2 : 1, "$name: one sentence") or diag($job->saw);
	$job->none_left($name);
	return;
}

# ---- usage: status 2 ----

refused('no arguments',           2, qr/./);
refused('no program',             2, qr/program/i, '-n', 2);
refused('an unknown option',      2, qr/-nonsense/, '-nonsense', '-n', 2, $pi);
refused('no number of ranks',     2, qr/'?lots'?/, '-n', 'lots', $pi);
refused('no ranks at all',        2, qr/-n|0/, '-n', 0, $pi);
refused('-n without its number',  2, qr/-n\b/, '-n');
refused('-restore of nothing',    1, qr/no recovery line in \Q$dir\E/, '-restore', '-workdir', "$dir",
	'-n', 2, $pi);
refused('another -coord',         2, qr/'stopping' is none of auto, blocking/, '-coord', 'stopping', '-n', 2, $pi);
refused('a machine file that is not there', 2, qr{/nowhere/machines.*No such file},
	'-machinefile', '/nowhere/machines', '-n', 2, $pi);
refused('a machine file that is a folder', 2, qr{\Q$dir\E}, '-machinefile', "$dir", '-n', 2, $pi);

my %bad_lines = (
	'slots that are no number' => 'localhost slots=many',
	'no slots'                 => 'localhost slots=0',
	'an unknown word'          => 'localhost speed=9',
	'two hosts on a line'      => 'localhost otherhost',
);
for my $name (sort keys %bad_lines) {
	my $path = file('machines', '# machines', 'localhost', '', $bad_lines{$name});
	refused("machine file: $name", 2, qr/\Q$path\E.*\b(?:line )?4\b/, '-machinefile', $path,
		'-n', 2, $pi);
}
refused('a machine file without hosts', 2, qr{\Q$dir\E/empty}, '-machinefile',
	file('empty', '# nobody'), '-n', 2, $pi);

my $machines = file('two', 'localhost slots=2');
refused('more ranks than slots with -no-oversubscribe', 2, qr/slots/, '-no-oversubscribe',
	'-machinefile', $machines, '-n', 3, $pi);
refused('a work directory that is a file', 2, qr/\Q$machines\E/, $machines, 2, $machines, $pi);
refused('a work directory that cannot be made', 2, qr{/proc/nowhere}, $machines, 2,
	'/proc/nowhere', $pi);
refused('a bad -x', 2, qr/-x/, '-x', '=value', '-n', 2, $pi);
refused('bad ports', 2, qr/-ports/, '-ports', '9-5', '-n', 2, $pi);
refused('bad -timeout', 2, qr/-timeout/, '-timeout', 'soon', '-n', 2, $pi);
refused('a work directory that cannot be written', 2, qr{/proc .*written}, $machines, 2, '/proc',
	$pi);

# ---- the run itself: status 1 ----

refused('a program that is not there', 1,
	qr{cannot run /nowhere/program: No such file or directory}, '-n', 2, '/nowhere/program');
refused('a program that may not be run', 1, qr{cannot run \Q$machines\E: Permission denied},
	'-n', 2, $machines);
refused('a working directory that is not there', 1, qr{/nowhere}, '-wdir', '/nowhere', '-n', 2,
	$pi);
refused('an unknown host', 1, qr/no-such-host\.invalid.*(?:resolve|known)/i, '-host',
	'no-such-host.invalid', '-n', 1, $pi);
refused('a host that refuses ssh', 1, qr/somehost.*Connection refused/, '-ssh', $refuse, '-host',
	'somehost', '-n', 1, $pi);
refused('an ssh that is not there', 1, qr{/nowhere/ssh}, '-ssh', '/nowhere/ssh', '-host',
	'somehost', '-n', 1, $pi);
refused('one port for two ranks', 1, qr/-ports|\b45001\b/, '-ports', '45001-45001', '-n', 2, $pi);

# ---- more ranks than slots runs, with a note ----

my $job = FTMPI::Test::Job->run([ftmpirun(), '-machinefile', $machines, '-n', 5, $pi, 1000]);
$job->is_status(0, 'more ranks than slots');
$job->out_like(qr/^pi: right, .* 5 ranks/m, 'more ranks than slots');
$job->err_like(qr/\Aftmpirun: [^\n]*\b5\b[^\n]*\b2\b[^\n]*\n\z/, 'more ranks than slots');
$job = FTMPI::Test::Job->run([ftmpirun(), '-n', 5, $pi, 1000]);
$job->well(qr/^pi: right/m, 'no note when no slots were named');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that run inside something else: a shell, env, valgrind, gdb.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program sanitized);
use FTMPI::Test::Process qw(run_quiet);

my $dir = File::Temp->newdir('ftmpi-wrapped-XXXXXX', TMPDIR => 1);
my $pi  = program('pi');

sub installed
{
	my ($tool) = @_;
	my ($status) = run_quiet('sh', '-c', 'command -v "$1"', 'sh', $tool);
	return $status == 0;
}

sub content
{
	my ($path) = @_;
	open(my $in, '<', $path) or return "$path: $!";
	local $/;
	return <$in> // '';
}

{
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, 'sh', '-c',
			"exec $pi 10000 >out.\$FTMPI_RANK"], dir => "$dir");
	$job->well(qr/\A\z/, 'a shell that becomes the program');
	like(content("$dir/out.0"), qr/^pi: right, .* 4 ranks/m, 'rank 0 wrote its own file');
	is(content("$dir/out.$_"), '', "and so did rank $_") for 1 .. 3;
}

{
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, 'sh', '-c', "$pi 10000; echo after \$?"]);
	$job->well(qr/^pi: right, .* 3 ranks/m, 'a shell that waits for the program');
	my @after = $job->out =~ /^after 0$/mg;
	is(scalar @after, 3, 'every shell went on after it');
}

{
	my $job =
		FTMPI::Test::Job->run([ftmpirun(), '-n', 2, 'env', 'SOMETHING=else', 'nice', $pi, 10000]);
	$job->well(qr/^pi: right, .* 2 ranks/m, 'env and nice');
}

{
	my $script = "$dir/script";
	open(my $out, '>', $script) or die "$script: $!\n";
	print $out "#!/bin/sh\ncase \$FTMPI_RANK in 1) exit 6;; esac\nexec \"\$@\"\n";
	close($out);
	chmod 0755, $script;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, $script, $pi, 10000], deadline => 30);
	$job->is_status(6, 'a wrapper that gives up');
	$job->err_like(qr/^ftmpirun: rank 1 on \S+ exited with status 6\b/m, 'a wrapper that gives up');
	$job->none_left('a wrapper that gives up');
}

SKIP: {
	skip 'valgrind and gdb do not run sanitized programs', 2 if sanitized('pi');
	skip 'valgrind is not installed', 1 if !installed('valgrind');
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, 'valgrind', '-q', '--error-exitcode=99',
			program('collective'), 20, '-every', 10]);
	$job->well(qr/^collective: right, .* 2 ranks/m, 'valgrind, which finds nothing');
}

SKIP: {
	skip 'gdb does not run sanitized programs', 1 if sanitized('pi');
	skip 'gdb is not installed', 1 if !installed('gdb');
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, 'gdb', '-q', '-batch', '-nx', '-ex', 'run',
			'--args', $pi, 10000]);
	$job->is_status(0, 'gdb -batch');
	# in the middle of a line of gdb's own, perhaps
	$job->out_like(qr/pi: right, .* 2 ranks/, 'gdb -batch');
	$job->none_left('gdb -batch');
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Memory of each kind is what it was in a process that came back, and in one that did so twice.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::AskedLine qw(make_line);
use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job qw(ftmpirun program sanitized);
use FTMPI::Test::Process qw(run_quiet);

use constant RANKS => 2;

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

# so that the environment has pages of its own
$ENV{FILL} = 'x' x 100_000;
my $dir = File::Temp->newdir('ftmpi-regions-XXXXXX', TMPDIR => 1);

sub comes_back
{
	my ($kind, @command) = @_;
	my $over = "$dir/over-$kind";
	my $job  = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -workdir), "$dir", @command, $over ]);
	ok($job->wait_for(out => qr/^regions: rank 0 is there$/m), 'rank 0 is there');
	for my $time (1, 2) {
		last if !ok(make_line($job), "a line is made, for the time $time");
		my $pid = ($job->err =~ /^ftmpirun: rank 0 on \S+ is process (\d+)$/gm)[-1];
		kill 'KILL', $pid;
		last if !ok($job->wait_for(err => qr/^ftmpirun: all @{[RANKS]} ranks run again/m, $time), 'all go on');
	}
	write_file($over, '');
	$job->finish;
	$job->is_status(0, 'the end');
	$job->out_like(qr/^regions: right, $kind$/m, '... is right');
	unlike($job->{out}, qr/is there\n.*is there\n/s, '... and it did not begin again');
	$job->none_left($kind);
	return;
}

for my $kind (qw(code page far-page environment stack-limit over-data above-heap at-break shared shared-for-nothing grows longer longer-removed guard reserved)) {
	subtest $kind => sub { comes_back($kind, program('regions'), $kind) };
}

# Its soft limit is too low for what it has later.
subtest 'data-limit' => sub {
	comes_back('data-limit', qw(sh -c), 'ulimit -S -d 393216 && ulimit -H -d 2097152 && exec "$0" "$@"', program('regions'), 'data-limit');
};

# The process that loads the image is within dlopen then. With a sanitizer a program has it from the beginning.
subtest 'dlopen' => sub {
	plan skip_all => 'the library has a sanitizer, and the program none' if sanitized('regions');
	comes_back('dlopen', program('image_dlopen'), "$ENV{FTMPI_LIBDIR}/libftmpi.so");
};

done_testing();

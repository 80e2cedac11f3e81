# SPDX-License-Identifier: BSD-3-Clause
#
# Protocols that do not wait, when the disk is slower than the calls or a rank is late for its checkpoint: lines
# are committed one after the other all the same, and a rank holds few copies of its state.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(sanitized);

FTMPI::Test::Fault::alone();

use constant STATE_MIB => 16;
my $sanitized = sanitized('slow_lines');

# Runs it; what rank 0 says: lines made, calls refused.
sub slow_lines
{
	my ($name, $coord, $case, %option) = @_;
	my $fault = FTMPI::Test::Fault->start(program => 'slow_lines', coord => $coord, ranks => 2, run => $option{run} // [],
		args => [$case, '-state', STATE_MIB, @{$option{args} // []}], env => $option{env} // {},
		workdir => $option{workdir} // File::Temp::tempdir('work-XXXXXX', DIR => FTMPI::Test::Fault::directory()));
	my $job = $fault->job;
	$job->finish;
	$job->is_status(0, $name);
	$job->out_like(qr/^slow_lines: right$/m, $name);
	my ($made, $refused, $states) = $job->out =~ /^rank 0: (\d+) made, (\d+) refused, ([\d.]+) states$/m
		or die "$name\n" . $job->saw;
	$job->verdict($sanitized || $states <= $option{states}, "$name: rank 0 held at most $option{states} states, took $states");
	$fault->lines_whole($name);
	$fault->clear($name);
	return ($job, $made, $refused);
}

# A line is due only when the last one is written, and a commit goes before later parts: when line 20 is
# begun, line 18 is committed (with two ranks: what each had written before it began 19).
sub slow_disk
{
	my ($coord) = @_;
	my $name = "$coord: a disk slower than -ckpt-interval";
	my $dir  = File::Temp::tempdir('work-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	my ($job, undef, $refused) = slow_lines($name, $coord, 'disk', states => 4, workdir => $dir,
		run => [qw(-ckpt-interval 0.02)], args => ['-workdir', $dir],
		env => {FTMPI_FAULT => 'ckpt-flush:*:*:*:50ms,manifest-flush:*:*:*:50ms'});
	$job->out_like(qr/^rank 0: line 20 is begun, line (?:18|19|20) is committed$/m, "$name: lines are committed");
	is($refused, 0, "$name: no call is refused");
	return;
}

# A call beyond the bound makes no line, and each rank says so once.
sub refused
{
	my ($coord, $case) = @_;
	my $name = "$coord: calls faster than lines ($case)";
	my ($job, $made, $refused) = slow_lines($name, $coord, $case, states => 6,
		env => {FTMPI_FAULT => 'ckpt-flush:*:*:*:300ms'});
	cmp_ok($made, '>=', 4, "$name: some make a line") or diag($job->saw);
	cmp_ok($refused, '>', 0, "$name: some do not") or diag($job->saw);
	for my $rank (0, 1) {
		my @said = grep { /^rank $rank .*: line \d+ is not made: this rank holds \d+ copies/ } split /\n/, $job->err;
		is(scalar @said, 1, "$name: rank $rank says so once") or diag($job->saw);
	}
	return;
}

# Copies of what may belong to the line of a late rank are bounded, too: that line is given up.
sub flooded
{
	my ($coord) = @_;
	my $name = "$coord: a late rank sends much";
	my ($job) = slow_lines($name, $coord, 'flood', states => 256 / STATE_MIB + 6, args => [qw(-flood 480)]);
	$job->err_like(qr/line 1 is not made: messages .* take too much memory, as another rank is late/, $name);
	return;
}

slow_disk($_) for qw(eventlog tagging);
refused('eventlog', $_) for qw(calls late);
flooded('eventlog');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# A rank dies at every fault point of the sources, or the point fails. With FTMPI_TEST_EVERY (make
# check-long) every rank at every point, in the first and later passes, and also by being stopped.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(root);

FTMPI::Test::Fault::alone();

my $every = $ENV{FTMPI_TEST_EVERY};

# From a point to whether it can fail.
sub all_points
{
	my %points;
	for my $path (glob root() . '/lib/*/*.c') {
		open(my $in, '<', $path) or die "$path: $!\n";
		while (defined(my $line = <$in>)) {
			$points{$2} ||= $1 eq 'error' while $line =~ /\bfault_(point|error)\("([a-z-]+)"\)/g;
		}
	}
	return %points;
}

my %points = all_points();
cmp_ok(scalar keys %points, '>', 25, 'there are points') or diag(join ' ', sort keys %points);

# What rank 0 does alone.
sub of_rank_0 { return $_[0] =~ /^(?:manifest|prune)-/ }

# The epoch in which it is passed first. What is passed on the way to a restart, and in it, needs a
# first failure.
sub epoch { return $_[0] =~ /^restore-/ ? 1 : 0 }
sub in_restart { return $_[0] =~ /^rest/ }

sub strike
{
	my ($point, $rank, $pass, $action) = @_;
	my @faults = (join ':', $point, $rank, epoch($point), $pass, $action);
	unshift @faults, 'ckpt-end:3:0:3:kill' if in_restart($point);
	return FTMPI::Test::Fault->start(program => 'pi',
		args => [qw(400000 -every 10000 -ckpt 5 -trace)],
		env  => {FTMPI_FAULT => join ',', @faults});
}

# In a restart the second death may be noticed before the job runs again, or later.
sub dies
{
	my ($point, $rank, $pass, $action) = @_;
	my $name = "$action at $point of rank $rank, pass $pass";
	strike($point, $rank, $pass, $action)->survived($name, restarts => in_restart($point) ? [1, 2] : 1);
	return;
}

# That line is not made, and every rank knows, or old ones stay; the job goes on.
sub fails
{
	my ($point, $rank, $pass, $action) = @_;
	my $name  = "$action at $point of rank $rank, pass $pass";
	my $fault = strike($point, $rank, $pass, $action);
	$fault->survived($name, restarts => 0);
	$fault->job->err_like(qr/\w/, $name) if $point !~ /^prune-/;    # told with -v
	my $made = () = $fault->job->out =~ /^line after round \d+$/mg;
	my $not  = () = $fault->job->out =~ /^no line after round \d+$/mg;
	is("$made $not", $point =~ /^prune-/ ? '8 0' : '7 1', "$name: lines made and not made")
		or diag($fault->job->saw);
	return;
}

for my $point (sort keys %points) {
	my $rank = of_rank_0($point) ? 0 : 2;
	dies($point, $rank, 1, 'kill');
	fails($point, $rank, 2, 'ENOSPC') if $points{$point} && !in_restart($point);
}
# Where it is observed by the others, and where it is not, but by its agent.
dies($_, 1, 1, 'stop') for qw(ckpt-saved restore-begin),
	qw(init-started init-attached restart-exec finalize-begun finalize-done finalize-told);

if ($every) {
	for my $point (sort keys %points) {
		for my $rank (of_rank_0($point) ? 0 : (0, 1, 3)) {
			my @passes = $point =~ /^(?:ckpt|manifest)-/ ? (1, 3) : 1;
			dies($point, $rank, $_, 'kill') for @passes;
			dies($point, $rank, 1, 'stop');
			next if !$points{$point} || in_restart($point);
			fails($point, $rank, 3, $_) for qw(EIO EROFS EACCES);
		}
	}
}

done_testing();

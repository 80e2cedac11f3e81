# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::AskedLine;

# Recovery lines of an image job that SIGUSR2 asks for.
#
#	is(ask_for_line($job), 'given up', 'there is no line');
#	ok(make_line($job), 'a line is made');

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();
use Time::HiRes qw(time);

our @EXPORT_OK = qw(ask_for_line make_line);

# Refusals come at once: so many seconds between two requests.
use constant PAUSE => 0.05;

my $given_up = qr/^ftmpirun: the recovery line that SIGUSR2 asked for was given up\.$/m;

# It is asked for again: not all ranks are known to be in MPI_Init; a rank was late, or its line before is not written;
# or rank 0 has not said in time what became of it, as beside other work it may be.
my $again = qr/^ftmpirun: (?:SIGUSR2 has no effect now|no recovery line is made now|rank 0 has not said within)/m;

# What became of it: 'committed' or 'given up'; 'never over' when the job's end or deadline came before. With -v ftmpirun says of
# each line that it is committed, also when the launcher has ceased to wait for that. $expected, if it is given: what was
# said when that matches.
sub ask_for_line
{
	my ($job, $expected) = @_;
	$expected //= qr/(?!)/;
	my $talks     = grep { $_ eq '-vv' } @{ $job->{command} };
	my $committed = $talks ? qr/^ftmpirun: line \d+ is committed$/m : qr/^ftmpirun: the recovery line that SIGUSR2 asked for is committed\.$/m;
	my $seen = length $job->{err};
	ASK: while (time < $job->{until}) {
		$job->signal('USR2') or last;
		while (substr($job->{err}, $seen) !~ /$committed|$given_up|$again|$expected/) {
			$job->take($job->{until}) or last ASK;
		}
		my $said = substr $job->{err}, $seen;
		return $said if $said =~ $expected;
		return 'committed' if $said =~ $committed;
		return 'given up' if $said =~ $given_up;
		$seen = length $job->{err};
		my $next = time + PAUSE;
		1 while time < $next && $job->take($next);
	}
	Test::More::diag("a line was asked for in vain\n" . $job->saw);
	return 'never over';
}

# Asks until one is committed; false when none is before the job's end or deadline.
sub make_line
{
	my ($job) = @_;
	my $what = 'given up';
	$what = ask_for_line($job) while $what eq 'given up';
	return $what eq 'committed';
}

1;

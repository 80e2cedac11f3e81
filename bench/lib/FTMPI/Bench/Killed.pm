# SPDX-License-Identifier: BSD-3-Clause
#
# One job under message logging, of which ranks are killed at parts of its usual time.
package FTMPI::Bench::Killed;

use strict;
use warnings;

use FTMPI::Bench::Victims ();

use constant TRIES => 5;    # jobs until one lasts so long

# arg: what FTMPI::Bench::Victims->run takes, but for do; right: a pattern of the line with the answer. usual: what this has
# returned of the same job without kills; kills: [part of its usual time, how many ranks] each. Returns seconds, whole (from
# the start of ftmpirun), answer, restarts; dies, too, when the answer is not the usual one. A job that was over before all
# kills was faster than usual, and is run again (tries: how many were).
sub job
{
	my ($arg, $usual, @kills) = @_;
	my $left = @kills;
	my $job  = FTMPI::Bench::Victims->run(%$arg, do => sub {
		my ($job) = @_;
		my $begun = $job->begun;
		for my $kill (@kills) {
			my ($part, $count) = @$kill;
			$job->wait_until($begun + $part * $usual->{seconds});
			$job->kill_some($count, 0 .. $arg->{ranks} - 1) or last;
			$left--;
		}
	});
	my ($answer) = $job->matched($arg->{right});
	die "$arg->{what}: it printed no answer\n" if !defined $answer;
	die "$arg->{what}: the answer is '$answer', not '$usual->{answer}'\n" if $usual && $answer ne $usual->{answer};
	my $tries = 1 + ($usual ? $usual->{tries} // 0 : 0);
	die "$arg->{what}: $tries jobs were over before all kills\n" if $left && $tries >= TRIES;
	my %seconds = map { $_ => sprintf('%.3f', $job->$_) + 0 } qw(seconds whole);
	my $got     = { %seconds, tries => $left ? $tries : 0, answer => $answer, restarts => $job->restarts - $arg->{ranks} };
	return $left ? job($arg, $got, @kills) : $got;
}

1;

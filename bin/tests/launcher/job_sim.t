#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs in virtual time, struck by deaths, hangs, lost hosts and cut links, with late news and users who
# interrupt; and the same under message logging. perl job_sim.t FROM TO runs those seeds; one seed tells its stories.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use AloneSim ();
use JobSim   ();

my ($from, $to) = @ARGV ? (@ARGV, $ARGV[0])[ 0, 1 ] : (1, 3000);

# Stories of this kind that break a rule; ends: how often each status came; restarts of a story.
sub tell_all
{
	my ($class, $name, $restarts_of) = @_;
	my (@bad, %ends);
	my $restarts = 0;
	for my $seed ($from .. $to) {
		my $story = JobSim::run($seed, $class);
		diag $story->told if $from == $to;
		push @bad, join "\n", "seed $seed", $story->wrong, $story->told if $story->wrong;
		$ends{ $story->status // 'none' }++;
		$restarts += $restarts_of->($story);
	}
	is(scalar @bad, 0, "$name: every story keeps the rules") or diag join "\n\n", @bad[ 0 .. ($#bad < 2 ? $#bad : 2) ];
	note join ', ', map { "status $_: $ends{$_}" } sort keys %ends;
	return if @ARGV;
	cmp_ok($ends{0}, '>', 500, 'many ended well');
	cmp_ok($restarts, '>', 800, '... after restarts') or diag $restarts;
	is(scalar(grep { !$ends{$_} } 1, 3, 124, 130, 137, 139, 141), 0, 'and in every other way')
		or diag explain \%ends;
	return;
}

tell_all('JobSim', 'all begin again', sub { $_[0]->epoch });
tell_all('AloneSim', 'one begins again alone', sub { my $sum = 0; $sum += $_ for $_[0]{job}->incarnations; return $sum });
done_testing;

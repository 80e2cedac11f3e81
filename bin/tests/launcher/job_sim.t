#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs in virtual time, struck by deaths, hangs, lost hosts and cut links, with late news and users who
# interrupt. perl job_sim.t FROM TO runs those seeds; one seed alone tells its story.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use JobSim ();

my ($from, $to) = @ARGV ? (@ARGV, $ARGV[0])[ 0, 1 ] : (1, 3000);
my (@bad, %ends, $restarts);
for my $seed ($from .. $to) {
	my $story = JobSim::run($seed);
	diag $story->told if $from == $to;
	push @bad, join "\n", "seed $seed", $story->wrong, $story->told if $story->wrong;
	$ends{ $story->status // 'none' }++;
	$restarts += $story->epoch;
}
is(scalar @bad, 0, 'every story keeps the rules') or diag join "\n\n", @bad[ 0 .. ($#bad < 2 ? $#bad : 2) ];
note join ', ', map { "status $_: $ends{$_}" } sort keys %ends;
if (!@ARGV) {
	cmp_ok($ends{0}, '>', 500, 'many ended well');
	cmp_ok($restarts, '>', 800, '... after restarts') or diag $restarts;
	is(scalar(grep { !$ends{$_} } 1, 3, 124, 130, 137, 139, 141), 0, 'and in every other way')
		or diag explain \%ends;
}
done_testing;

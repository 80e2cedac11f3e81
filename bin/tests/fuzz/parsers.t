#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The kept inputs of the Perl fuzz targets, and some thousand mutations of them, the same in every run.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

use FTMPI::Error             ();
use FTMPI::Test::Fuzz        ();
use FTMPI::Test::FuzzTargets ();

use constant { RUNS => 1500, SEED => 4711 };

my $corpus = abs_path(dirname(__FILE__) . '/../data/fuzz');

for my $name (FTMPI::Test::FuzzTargets::names()) {
	my $target = FTMPI::Test::FuzzTargets::target($name, $corpus);
	my $fuzz   = FTMPI::Test::Fuzz->new(target => $target);
	cmp_ok(scalar @{ $target->{files} }, '>', 0, "$name has seeds");
	my @faults;
	for my $i (0 .. $#{ $target->{files} }) {
		my ($fault) = $fuzz->run_one($target->{seeds}[$i]);
		push @faults, "$target->{files}[$i]: $fault" if defined $fault;
	}
	is_deeply(\@faults, [], '... each of which ends in an answer or in one sentence');
	my $found = $fuzz->run(runs => RUNS, seed => SEED);
	is($found && $found->{fault}, undef, '... as do ' . RUNS . ' mutations')
		or diag('input: ' . unpack 'H*', $found->{input});
}

done_testing;

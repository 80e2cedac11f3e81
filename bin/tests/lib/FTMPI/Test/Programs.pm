# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Programs;

# The test programs: how each is run and what it prints when it is right.

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use FTMPI::Test::Job qw(program data_file);

our @EXPORT_OK = qw(check_program all_programs);

# arguments, and the pattern of the result for this many ranks
my %table = (
	init_calls => {args => ['one', 'two'], right => sub { qr/^init_calls: right, $_[0] ranks, 3 arg/m }},
	collective => {args => [200, '-every', 20],
		right => sub { qr/^collective: right, 10 rounds in 200 loops, $_[0] ranks/m }},
	passnum => {args => [300], right => \&passnum},
	pi      => {args => [200000, '-every', 50000],
		right => sub { qr/^pi: right, 3\.1\d+, .* 200000 samples, seed 1, $_[0] ranks/m }},
	cgs => {args => [data_file('494_bus.mtx')],
		right => sub { qr/^cgs: right, .* 494 rows, 1666 nonzeros, $_[0] ranks/m }},
	mail => {args => ['-steps', 40, '-bytes', 100000],
		right => sub { qr/^mail: right, checksum [0-9a-f]{8}, \d+ messages, 40 steps, seed 1, $_[0] ranks/m }},
	mixed => {args => ['-steps', 40, '-max', 200000],
		right => sub { qr/^mixed: right, checksum [0-9a-f]{8}, \d+ messages, 40 steps, seed 1, $_[0] ranks/m }},
);

sub all_programs { return sort keys %table }

sub passnum
{
	my ($p) = @_;
	my $number = 300 * $p * ($p + 1) / 2;
	return qr/^passnum: right, number $number after 300 loops, $p ranks/m;
}

# Every rank of init_calls says its part, once.
sub check_init_calls
{
	my ($job, $p) = @_;
	for my $rank (1 .. $p - 1) {
		my $number = 5 * $rank;
		my @sent = $job->out =~ /^Sent $number to master\.$/mg;
		my @got  = $job->out =~ /^Received $number from $rank\.$/mg;
		Test::More::is("@{[scalar @sent]} @{[scalar @got]}", '1 1', "rank $rank sent $number")
			or Test::More::diag($job->saw);
	}
	my @flags = $job->out =~ /^Finalized\? (?:No|Yes)$/mg;
	Test::More::is(scalar @flags, 2 * $p, "$p ranks asked MPI_Finalized twice");
	return;
}

# Run it with `launch` (a command that takes PROG ARGS) on p ranks and check all it says.
sub check_program
{
	my ($name, $p, $launch, %option) = @_;
	my $entry = $table{$name};
	my $job = FTMPI::Test::Job->run([@$launch, program($name), @{$entry->{args}}], %option);
	$job->well($entry->{right}->($p), "$name on $p ranks");
	check_init_calls($job, $p) if $name eq 'init_calls';
	return $job;
}

1;

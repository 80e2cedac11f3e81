# SPDX-License-Identifier: BSD-3-Clause
#
# Synchronous sends of image jobs: a line takes the messages that wait for their receives, and the sends wait on, in the
# job that goes on and in one that went back to the line. They are done when their receives are there, also when a rank
# died between a match and what its sender is told of it; and what nobody receives can be taken back as ever.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::AskedLine qw(make_line);
use FTMPI::Test::Fault      ();
use FTMPI::Test::File       qw(write_file);
use FTMPI::Test::Job        qw(ftmpirun program);
use FTMPI::Test::Process    qw(run_quiet);
use FTMPI::Test::TimedKills ();
use FTMPI::Test::Turns      qw(in_turn);

use constant { RANKS => 3 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

FTMPI::Test::Fault::alone();

my $dir = FTMPI::Test::Fault::directory();
my $jobs = 0;

# A job whose messages wait until $file is there.
sub waiting
{
	my ($coord, @options) = @_;
	my $folder = "$dir/" . ++$jobs;
	mkdir $_ or die "$_: $!\n" for $folder, "$folder/work";
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -coord), $coord, '-workdir', "$folder/work", @options,
		program('unmatched'), '-until', "$folder/there" ]);
	ok($job->wait_for(out => qr/^unmatched: all wait$/m), 'all wait');
	return ($job, "$folder/there");
}

# So many times more than now.
sub wait_for_more
{
	my ($job, $pattern, $more) = @_;
	my $times = () = $job->err =~ /$pattern/mg;
	$times += $more;
	return $job->wait_for(err => qr/$pattern/m, $times);
}

# Messages that wait are in such a line; those of a line of eventlog that is the first to have them come from beside the image.
sub lines { my ($job, $n) = @_; return ok(wait_for_more($job, '^ftmpirun: line \d+ is committed', $n), 'lines are made') }

sub strike
{
	my ($job, $rank) = @_;
	my %process = $job->err =~ /^ftmpirun: rank (\d+) on \S+ is process (\d+)\b/mg;
	kill 'KILL', $process{$rank};
	return ok(wait_for_more($job, ' is restored\b', 1), "rank $rank dies, and all go back to a line");
}

sub ends_well
{
	my ($job, $there) = @_;
	write_file($there, '');
	$job->finish;
	$job->is_status(0, 'it ends');
	$job->out_like(qr/^unmatched: right, @{[ RANKS ]} ranks$/m, '... with the answer');
	unlike($job->err, qr/WRONG/, '... and nothing was done too early');
	$job->none_left('the end');
	return;
}

for my $coord ('blocking', in_turn(0, 2, qw(eventlog tagging))) {
	subtest "$coord: lines, no failure" => sub {
		my ($job, $there) = waiting($coord, qw(-ckpt-interval 0.05));
		lines($job, 3);
		ends_well($job, $there);
	};
	subtest "$coord: back to the first line that has the messages" => sub {
		my ($job, $there) = waiting($coord);
		ok(make_line($job), 'a line is made') or diag($job->saw);
		strike($job, $_) for 0, 1;
		ok(make_line($job), 'they have looked at their sends, and a line is made') or diag($job->saw);
		ends_well($job, $there);
	};
	subtest "$coord: back to later lines" => sub {
		my ($job, $there) = waiting($coord, qw(-ckpt-interval 0.05));
		for my $rank (1, 2, 0) {
			lines($job, 2);
			strike($job, $rank);
		}
		lines($job, 1);
		ends_well($job, $there);
	};
}

# A rank that goes back behind a receive, which its sender knows of, does not under `blocking`.
my %how = (blocking => ['-strict'], eventlog => []);
for my $coord (sort keys %how) {
	my %job = (image => 1, program => 'unmatched', args => [ qw(-steps 1000), @{ $how{$coord} } ], coord => $coord, ranks => RANKS, interval => 0.02);
	FTMPI::Test::TimedKills::killed(%job, seed => $_, kills => 4) for in_turn(0, 2, 1, 2);
}

# What takes sends back prints what it prints undisturbed, however often lines are made.
my $undisturbed = FTMPI::Test::Job->run([ ftmpirun(), '-n', RANKS, program('datatypes') ])->out;
for my $coord (qw(blocking eventlog)) {
	mkdir "$dir/$coord" or die "$dir/$coord: $!\n";
	my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-image -ckpt-interval 0.01 -coord), $coord, '-workdir', "$dir/$coord", '-n', RANKS, program('datatypes') ]);
	$job->is_status(0, "datatypes, $coord: ends");
	is($job->out, $undisturbed, "datatypes, $coord: as undisturbed");
}

done_testing();

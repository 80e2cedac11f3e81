# SPDX-License-Identifier: BSD-3-Clause
#
# Ctrl-C and other signals at every moment of ftmpirun's life: while it starts a job, while the job runs, while
# it ends. A moment is the first call of each of its subs, and a run takes Ctrl-C at a quarter of them, SIGKILL at another, and
# a signal to ftmpirun alone at a half of those of a job; with
# FTMPI_TEST_EVERY (make check-long) every call, and there each signal at every moment.
# Whenever the signal comes, the job ends normally or with the status of the signal, prints nothing about it,
# and leaves nothing behind.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Alone  ();
use FTMPI::Test::Job    qw(ftmpirun program);
use FTMPI::Test::StopAt qw(stop_at of_a_job);
use FTMPI::Test::Turns  qw(in_turn);

FTMPI::Test::Alone::enter();

use constant AT_ONCE => 4;

my $files = 0;
my $every = $ENV{FTMPI_TEST_EVERY};
my $dir   = '/var/tmp/ends';
mkdir $dir or die "$dir: $!\n";
FTMPI::Test::Alone::remember();

my @short   = (ftmpirun(), '-n', 2, program('pi'), 1000);
my @endless = (ftmpirun(), '-n', 2, program('badcall'), 'hang');

# Start the command with these shots.
sub shoot
{
	my ($command, @shots) = @_;
	my $file = "$dir/fired." . ++$files;
	my $job  = FTMPI::Test::Job->start($command, env => stop_at($file, @shots), deadline => 60);
	$job->{fired} = $file;
	return $job;
}

# All moments of a job, in their order: names, or with FTMPI_TEST_EVERY numbers.
sub all_moments
{
	my ($command, @before) = @_;
	my $job = shoot($command, @before, 'list')->finish;
	my @all = FTMPI::Test::StopAt::moments($job->{fired});
	unlink $job->{fired};
	cmp_ok(scalar @all, '>', 50, "there are moments in @$command") or diag($job->saw);
	my @numbers = (1 .. @all);
	my %seen;
	return $every ? @numbers : grep { !$seen{$_}++ } @all;
}

# Run the command once for each moment, a few at once, and hand the ended job to `judge`, with the
# names of the moments that came.
sub at_each
{
	my ($command, $moments, $shots, $judge) = @_;
	my @left = @$moments;
	while (my @some = splice @left, 0, AT_ONCE) {
		my @jobs = map { [$_, shoot($command, $shots->($_))] } @some;
		for my $pair (@jobs) {
			my ($moment, $job) = @$pair;
			$job->finish;
			$judge->($job, $moment, FTMPI::Test::StopAt::moments($job->{fired}));
			unlink $job->{fired};
		}
		FTMPI::Test::Alone::at_rest("@some") or return;
	}
	return;
}

# The end that a signal brings, or the job's own when that was reached before: nothing between.
sub ended_by
{
	my ($job, $status, $name) = @_;
	my $good = !$job->{late} && $job->only_the_signal;
	$good &&= $job->status == $status || $job->status == 0 && $job->out =~ /^pi: right/m;
	return $job->verdict($good, "$name: status $status, or the job's own end; and no other word");
}

my @moments = all_moments(\@short);
cmp_ok(scalar @moments, '>', $every ? 300 : 80, 'there are many of them');

sub of_ctrl_c { return in_turn(0, 4, @_) }
sub of_kill   { return in_turn(2, 4, @_) }

subtest 'Ctrl-C' => sub {
	my $interrupted = 0;
	my @some = of_ctrl_c(@moments);
	at_each(\@short, \@some, sub { "INT:group:$_[0]" }, sub {
		my ($job, $moment, @came) = @_;
		ended_by($job, 130, "SIGINT to the group at $moment (@came)");
		$interrupted++ if $job->status == 130;
	});
	cmp_ok($interrupted, '>', @some / 2, 'most moments were before the end of the job');
};

# One handler has all three: they come in turns.
my @alone = (['INT', 130], ['TERM', 143], ['HUP', 129]);
my @talks = $every ? @moments : in_turn(0, 2, of_a_job(@moments));
for my $turn (0 .. $#alone) {
	my ($signal, $status) = @{$alone[$turn]};
	subtest "SIG$signal to ftmpirun alone" => sub {
		my @some = @talks[grep { $_ % @alone == $turn } 0 .. $#talks];
		at_each(\@short, \@some, sub { "$signal:self:$_[0]" },
			sub { ended_by($_[0], $status, "SIG$signal at $_[1]") });
	};
}

subtest 'SIGKILL to ftmpirun' => sub {
	at_each(\@short, [ of_kill(@moments) ], sub { "KILL:self:$_[0]" }, sub {
		my ($job, $moment, @came) = @_;
		my $status = @came ? 137 : 0;
		$job->verdict(!$job->{late} && $job->status == $status, "SIGKILL at $moment (@came)");
	});
};

# A rank that does not go: the first Ctrl-C when it runs, the second at each moment after that.
my $first = 'INT:group:FTMPI::Launcher::Stdin::new';
for my $second ('INT:group', 'KILL:self') {
	subtest "Ctrl-C, then $second" => sub {
		my $status = $second =~ /INT/ ? 130 : 137;
		my @after = all_moments(\@endless, $first);
		@after = $second =~ /INT/ ? of_ctrl_c(@after) : of_kill(@after);
		at_each(\@endless, \@after, sub { ($first, "$second:$_[0]") }, sub {
			my ($job, $moment, @came) = @_;
			my $want = @came > 1 ? $status : 130;
			my $good = !$job->{late} && $job->only_the_signal && $job->status == $want;
			$job->verdict($good, "... at $moment (@came): status $want, without a word");
		});
	};
}

done_testing();

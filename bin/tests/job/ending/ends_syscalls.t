# SPDX-License-Identifier: BSD-3-Clause
#
# Ctrl-C and SIGKILL between any two system calls of ftmpirun, from the reading of its command line
# to its exit: finer than ends_moments.t, which sees only what happens between its subs. Here every
# eighth call and all at the work directory; with FTMPI_TEST_EVERY (make check-long) every call.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Alone   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

use constant AT_ONCE => 4;

FTMPI::Test::Alone::enter();

my ($status, $text) = run_quiet(qw(strace -o /dev/null true));
plan skip_all => "strace cannot trace here: $text" if $status;

my $stride = $ENV{FTMPI_TEST_EVERY} ? 1 : 8;
my $dir    = '/var/tmp/work';
mkdir $dir or die "$dir: $!\n";
FTMPI::Test::Alone::remember();
my @run = (ftmpirun(), '-n', 2, '-workdir', $dir, program('pi'), 1000);

# The calls from the first one after the last module was read: [name, how often it came so far].
sub calls
{
	my ($trace) = ('/var/tmp/trace');
	my $job = FTMPI::Test::Job->run(['strace', '-o', $trace, @run]);
	open(my $in, '<', $trace) or BAIL_OUT("$trace: $!\n" . $job->saw);
	unlink $trace;
	my (%times, @calls);
	my (undef, @lines) = <$in>;    # the first call is the exec
	for my $line (@lines) {
		my ($name) = $line =~ /^(\w+)\(/ or next;
		@calls = () if $line =~ /\.pm", O_RDONLY/ && $line !~ /ENOENT/ && !grep { $_->[2] } @calls;
		push @calls, [$name, ++$times{$name}, index($line, $dir) >= 0];
	}
	return @calls;
}

my @all  = calls();
my @some = map { $all[$_] } grep { $_ % $stride == 0 || $all[$_][2] } 0 .. $#all;
cmp_ok(scalar @all, '>', 100, 'there are system calls');
cmp_ok(scalar(grep { $_->[2] } @all), '>', 0, '... some of them at the work directory');

for my $case (['INT', 130], ['KILL', 137]) {
	my ($signal, $want) = @$case;
	my @left = @some;
	while (my @now = splice @left, 0, AT_ONCE) {
		my @jobs = map {
			FTMPI::Test::Job->start(['strace', '-o', '/dev/null', '-e',
				"inject=$_->[0]:signal=$signal:when=$_->[1]", @run], deadline => 60)
		} @now;
		for my $job (map { $_->finish } @jobs) {
			my $good = !$job->{late} && $job->only_the_signal;
			$good &&= $job->status == $want || $job->status == 0 && $job->out =~ /^pi: right/m;
			$job->verdict($good, "SIG$signal: status $want, or the job's own end; and no other word");
		}
		my $names = join ', ', map { "$_->[0] $_->[1]" } @now;
		FTMPI::Test::Alone::at_rest("SIG$signal at $names");
	}
}

done_testing();

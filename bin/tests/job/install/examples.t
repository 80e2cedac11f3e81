# SPDX-License-Identifier: BSD-3-Clause
#
# The programs in examples/, compiled as their heads say: undisturbed, and with a rank killed after the first
# recovery line. The answer is the same, and the job went on from a line.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Alone ();
use FTMPI::Test::Job qw(ftmpirun root sanitized);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
FTMPI::Test::Alone::enter();

my $examples = root() . '/examples';
my $dir      = File::Temp->newdir('ftmpi-examples-XXXXXX', TMPDIR => 1);
my $steps    = 60000;
my %fortran  = map { $_ => 1 } -e "$ENV{FTMPI_LIBDIR}/libftmpifort.so" ? () : 'heat.f90';

# The line of the example's head that begins so, as words.
sub command
{
	my ($source, $begin) = @_;
	open my $in, '<', "$examples/$source" or die "$examples/$source: $!\n";
	my ($line) = grep { s/^\W*(?=\Q$begin\E )// } <$in>;
	ok(defined $line, "$source says how to: $begin") or return 'false';
	chomp $line;
	return split ' ', $line;
}

sub answer { my ($job) = @_; return $job->out =~ /^(after $steps steps the rod has \S+)$/m ? $1 : 'none' }

for my $case ([ 'heat.c', 'ftmpicc' ], [ 'heat.cpp', 'ftmpicxx' ], [ 'heat.f90', 'ftmpifort' ]) {
	my ($source, $compiler) = @$case;
	SKIP: {
		skip 'there is no gfortran', 1 if $fortran{$source};
		my (undef, @words) = command($source, $compiler);
		pop @words;
		FTMPI::Test::Job->run([ root() . "/bin/$compiler", @words, "$examples/$source" ], dir => "$dir")
			->is_status(0, "$source compiles");
		my $plain = FTMPI::Test::Job->run([ ftmpirun(), '-n', 4, './heat', $steps ], dir => "$dir");
		like(answer($plain), qr/ the rod has \d/, "$source: an answer");

		my (undef, @run) = command($source, 'ftmpirun');
		@run = map { /^1$/ ? '0.05' : /^200000$/ ? $steps : $_ } @run;
		my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', @run ], dir => "$dir");
		ok($job->wait_for(err => qr/line \d+ is committed/), "$source: a line");
		my ($victim) = grep { (readlink("/proc/$_/exe") // '') =~ m{/heat\z} } $job->pids;
		ok($victim && kill(KILL => $victim), "$source: a rank is killed") or diag $job->saw;
		$job->finish;
		$job->is_status(0, $source);
		$job->err_like(qr/restart 1 of 3 from line \d+/, "$source goes on from a line");
		$job->out_like(qr/^heat goes on at step [1-9]/m, "$source says so");
		is(answer($job), answer($plain), "$source: the same answer") or diag $job->saw;
		system('rm', '-rf', "$dir/work", "$dir/heat");
	}
}
done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# The programs that call MPI alone give the same right answer each time, on various numbers of ranks; and they do call
# nothing else.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job           qw(ftmpirun program);
use FTMPI::Test::PlainPrograms ();
use FTMPI::Test::Process       qw(must_run);

my $folder = File::Temp->newdir('ftmpi-plain-XXXXXX', TMPDIR => 1);
diag 'left out, as they could not be built: ' . join ' ', FTMPI::Test::PlainPrograms::lacking() if FTMPI::Test::PlainPrograms::lacking();

for my $name (FTMPI::Test::PlainPrograms::plain()) {
	subtest $name => sub {
		my @args = FTMPI::Test::PlainPrograms::arguments($name, 0.02, "$folder");
		for my $ranks (1, 3, 8) {
			my @said;
			for (1 .. ($ranks == 8 ? 2 : 1)) {
				my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', $ranks, program($name), @args ]);
				$job->well(qr/^\w+: right, [^\n]*\b$ranks ranks\b/m, "on $ranks ranks");
				push @said, FTMPI::Test::PlainPrograms::said($job->out);
			}
			is($said[0], $said[1], 'twice the same') if @said > 1;
		}
		return if $name =~ /_(?:archive|static)\z/;    # has all functions of the library
		unlike(must_run('nm', '-D', '--undefined-only', program($name)), qr/FTMPI_/, 'no call of FTMPI');
	};
}

subtest 'wrong arguments' => sub {
	for my $name (grep { /_(?:objects|inflight|threads|openmp|unit|types)\z/ } FTMPI::Test::PlainPrograms::plain()) {
		my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program($name), 'many' ]);
		$job->is_status(1, $name);
		$job->err_like(qr/^$name: rank \d: WRONG: .*number of steps/m, $name);
	}
};

done_testing();

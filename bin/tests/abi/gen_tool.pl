#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen_tool.pl HEADER SOURCE... >tool.c
#
# A tool in the manner of profilers: for every function that a SOURCE implements an MPI_X that counts
# and calls PMPI_X. When MPI ends each rank prints "tool RANK MPI_X COUNT" for what was called.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../../lib/mpi";

use Prototypes ();

my ($header, @sources) = @ARGV;
my $implemented = Prototypes::implemented(@sources);
my @functions = grep { $implemented->{ $_->[1] } } Prototypes::of(Prototypes::slurp($header));

print qq{#include <stdio.h>\n#include <mpi.h>\n\n};
print "enum {\n", (map { "\tCOUNT_$_->[1],\n" } @functions), "\tCOUNTS\n};\n\n";
print "static unsigned counts[COUNTS];\nstatic const char *const names[] = {\n",
	(map { qq{\t"$_->[1]",\n} } @functions), "};\n";
print <<'EOC';

static void print_counts(void)
{
	int rank = -1;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < COUNTS; i++)
		if (counts[i])
			fprintf(stderr, "tool %d %s %u\n", rank, names[i], counts[i]);
}
EOC

for my $function (@functions) {
	my ($result, $name, $parameters) = @$function;
	my $arguments = join ', ', Prototypes::parameter_names($name, $parameters);
	print "\n$result $name($parameters)\n{\n\t__atomic_fetch_add(&counts[COUNT_$name], 1, __ATOMIC_RELAXED);\n";
	print "\tprint_counts();\n" if $name eq 'MPI_Finalize';
	print "\treturn P$name($arguments);\n}\n";
}

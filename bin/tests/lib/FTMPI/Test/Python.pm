# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Python;

# Programs in Python under ftmpirun: those of bin/tests/programs/python, whose package mpi4py is a stand-in, as
# Debian's is built for another MPI.
#
#	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, script('kinds')], dir => $dir, env => environment());

use strict;
use warnings;

use Exporter   qw(import);
use Test::More ();

use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(run_quiet);

our @EXPORT_OK = qw(python script environment module_folder library);

# An interpreter with numpy: the first in PATH may be one of the user's own, without.
my $python;

sub python
{
	return $python //= (grep { !(run_quiet($_, '-c', 'import numpy'))[0] } qw(python3 /usr/bin/python3))[0]
		// Test::More::BAIL_OUT('there is no python3 with numpy: sh bin/tests/deps.sh deps');
}

# No interpreter starts with the library of a sanitizer, which has to be there first.
sub enter
{
	Test::More::plan(skip_all => 'no interpreter loads a sanitized library') if sanitized('pi');
	return;
}

sub library { return ($ENV{FTMPI_LIBDIR} // root() . '/build/lib') . '/libftmpi.so.0' }

sub module_folder { return root() . '/lib/python' }

sub script
{
	my ($name, @arguments) = @_;
	return (python(), $name =~ m{/} ? $name : root() . "/bin/tests/programs/python/$name.py", @arguments);
}

# For Job: the module and the stand-in are found, and nothing is written beside them.
sub environment
{
	my (%more) = @_;
	return {
		PYTHONPATH              => join(':', root() . '/bin/tests/programs/python', module_folder()),
		PYTHONDONTWRITEBYTECODE => 1,
		FTMPI_TEST_LIBRARY      => library(),
		%more,
	};
}

1;

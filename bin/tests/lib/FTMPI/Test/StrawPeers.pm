# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::StrawPeers;

# Peers of straw for bench/run, in place of Open MPI and MPICH: their compilers make nothing, their launchers
# print a figure for each row asked for. That of MPICH fails when it is asked for cg.

use strict;
use warnings;

sub script
{
	my ($path, $text) = @_;
	open(my $out, '>', $path) or die "cannot write $path: $!\n";
	print $out "#!/bin/sh\n$text\n";
	close($out) or die "cannot write $path: $!\n";
	chmod 0755, $path;
	return;
}

# Make them in the folder; returns the environment in which they are found and `folder`/tmp is for temporary files.
sub environment
{
	my ($folder) = @_;
	my $figures = 'for w; do case $w in *[a-z]:[0-9]*) echo "${w%:*} ${w#*:} 1000000";; esac; done';
	my $refuses = 'case " $* " in *" cg:"*) echo "cg: unknown 7 is off" >&2; exit 1;; esac';
	mkdir "$folder/$_" for qw(bin tmp);
	script("$folder/bin/mpicc.$_", 'exit 0') for qw(openmpi mpich);
	script("$folder/bin/mpirun.openmpi", $figures);
	script("$folder/bin/mpiexec.mpich", "$refuses\n$figures");
	return (TMPDIR => "$folder/tmp", PATH => "$folder/bin:$ENV{PATH}", FTMPI_LIBDIR => $ENV{FTMPI_LIBDIR});
}

1;

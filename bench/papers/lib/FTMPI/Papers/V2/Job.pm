# SPDX-License-Identifier: BSD-3-Clause
#
# A job of a program of this folder to which nothing is done.
package FTMPI::Papers::V2::Job;

use strict;
use warnings;

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();

# Its path; dies when it is not built.
sub program
{
	my ($arg, $name) = @_;
	my $exe = "$arg->{root}/build/bin/$name";
	die "$arg->{what}: $exe is not built (make all)\n" if !-x $exe;
	return $exe;
}

# peer: ours; root, dir, limit; what (for sentences), ranks. Options of ftmpirun, the program and its words. Returns what
# FTMPI::Bench::Process has of it when it has ended well; dies with a sentence.
sub run
{
	my ($arg, $options, $name, @words) = @_;
	my $done = FTMPI::Bench::Process::run(
		command => [ $arg->{peer}{run}[0], @$options, '-workdir', $arg->{dir}, '-n', $arg->{ranks}, program($arg, $name), @words ],
		env     => FTMPI::Bench::Peers::environment($arg->{peer}),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "$arg->{what}: $done->{why}\n" if $done->{state} ne 'ended';
	return $done;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Where and with what a run was made: the head of its results.
package FTMPI::Bench::Machine;

use strict;
use warnings;

use POSIX ();

use FTMPI::Bench::Peers ();
use FTMPI::Processors   ();

sub _line
{
	my ($file, $pattern) = @_;
	open my $in, '<', $file or return;
	while (<$in>) {
		return $1 if $_ =~ $pattern;
	}
	return;
}

# peers, dir (to run in), rounds, limit (seconds a job may take). Key and value each, as
# FTMPI::Bench::Results keeps them.
sub head
{
	my (%arg) = @_;
	my @versions = map { [ $_->{name}, FTMPI::Bench::Peers::version($_, $arg{dir}, $arg{limit}) ] }
		grep { $_->{version} } @{ $arg{peers} };
	return (
		[ date    => POSIX::strftime('%Y-%m-%d', gmtime) ],
		[ machine => _line('/proc/cpuinfo', qr/^model name\s*:\s*(.*\S)/) // (POSIX::uname())[4] ],
		[ cores   => FTMPI::Processors::count() ],
		[ system  => 'Linux ' . (POSIX::uname())[2] ],
		@versions,
		[ rounds => $arg{rounds} ],
		[ limit  => $arg{limit} ],
	);
}

1;

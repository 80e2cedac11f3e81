# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging on three hosts: ranks that are killed begin again alone on their own host, and connections
# between ranks that live are cut meanwhile.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use List::Util qw(shuffle);
use Test::More;

use FTMPI::Test::Choices     ();
use FTMPI::Test::Cluster     ();
use FTMPI::Test::Connections qw(cut ports);
use FTMPI::Test::Job         qw(sanitized);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

sub start
{
	return FTMPI::Test::Choices->start(ranks => 6,
		rounds => sanitized('choices') ? 60 : 120,
		run    => [ '-vv', '-ssh', $cluster->ssh, '-machinefile', $cluster->machine_file(map { "node$_ slots=2" } 1 .. 3) ],
		inside => sub { $cluster->host(4)->inside(@_) });
}

{
	my $fault = start();
	my $kills = $fault->kill_for_a_while(3, 60, sub { kill 'KILL', $_[0] });
	$fault->survived("$kills kills", [ 1, $kills ]);
}

# One connection after the other between any two hosts, and now and then a process.
for my $kills_too (0, 1) {
	my $fault = start();
	my ($cut, $kills, @ports) = (0, 0);
	$fault->kill_for_a_while(5, 20, sub {
		@ports = ports($fault->job) if !@ports;
		my ($one, $other) = shuffle(1 .. 3);
		$cut += cut($cluster->host($one), $cluster->host($other), @ports);
		$kills += kill 'KILL', $_[0] if $kills_too && rand() < 0.3;
		return 1;
	});
	my $name = "$cut connections are cut" . ($kills_too ? ", $kills kills" : '');
	cmp_ok($cut, '>', 3, $name);
	$fault->survived($name, [ $kills_too, $kills ]);
}

done_testing();

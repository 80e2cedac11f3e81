# SPDX-License-Identifier: BSD-3-Clause
#
# Image jobs on several hosts: ranks are killed at random moments, also while images are made, and a host is cut off at one. What the
# job prints is what it prints undisturbed. Every program that calls MPI alone, under both protocols.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Cluster       ();
use FTMPI::Test::Fault         ();
use FTMPI::Test::PlainPrograms ();
use FTMPI::Test::TimedKills    ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster  = FTMPI::Test::Cluster->new(hosts => 3);
my @hosts    = $cluster->hosts;
my $machines = $cluster->machine_file(map { $_->address . ' slots=2' } @hosts);

my $seed = 1;
for my $program (grep { !$ENV{PROGRAMS} || $_ =~ /$ENV{PROGRAMS}/ } FTMPI::Test::PlainPrograms::plain()) {
	for my $coord (FTMPI::Test::PlainPrograms::protocols($program)) {
		my $name = "$program, $coord, seed $seed";
		my $self = FTMPI::Test::TimedKills::start(image => 1, program => $program, coord => $coord, times => 3,
			hosts => [ '-ssh', $cluster->ssh, '-machinefile', $machines ]);
		$self->kill_at_random($seed, 2);
		ok($self->pass(30, qr/^ftmpirun: line \d+ is committed/m), "$name: a line is made");
		$self->pass(rand(3) * $self->{interval});
		# rank 0 is on the first host, ranks 2 and 3 on the second
		my $lost = $hosts[ $seed % 2 ];
		push @{ $self->{log} }, sprintf '%.3f s: %s is cut off', time - $self->{job}{begin}, $lost->name;
		$lost->cut;
		ok($self->pass(30, qr/^ftmpirun: all 4 ranks run again.*\(line [1-9]/m), "$name: all go on without " . $lost->name) or diag($self->saw);
		$self->kill_at_random($seed, $self->{kills} + 2);
		$self->{job}->finish;
		$lost->heal;
		$self->survived($name);
		$cluster->at_rest($name);
		$seed++;
	}
}

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A signal that finds a new process before its exec: it is that process's own.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib";
use POSIX ();
use Test::More;

use FTMPI::Agent::Spawn        ();
use FTMPI::Launcher::Bootstrap ();
use FTMPI::Loop                ();

# whoever started the tests may ignore it, and ftmpirun respects that
$SIG{INT} = 'DEFAULT';

my $loop = FTMPI::Loop->new;
my @came;
for my $name (qw(INT TERM)) {
	$loop->on_signal($name, sub { push @came, $name });
}

# Signals that wait for the loop.
sub told
{
	$loop->after(0, sub { });
	$loop->turn;
	return splice @came;
}

kill 'INT', $$;
is_deeply([ told() ], ['INT'], 'the loop tells signals');

for my $package (qw(FTMPI::Launcher::Bootstrap FTMPI::Agent::Spawn)) {
	no strict 'refs';
	no warnings 'redefine';
	my $become = \&{"${package}::_become"};
	*{"${package}::_become"} = sub { kill 'TERM', $$; goto &$become };
}
pipe my $reader, my $complaints or die "pipe: $!\n";
open my $listen, '<', '/dev/null' or die "/dev/null: $!\n";
my %plan = (
	rank   => 1, local_rank => 1, size   => 2, epoch => 0, session_name => 'x', path => '/bin/true',
	argv   => ['true'], listen => $listen, complaints => $complaints);
my %start = (
	'an agent' => sub { FTMPI::Launcher::Bootstrap::launch('true') },
	'a rank'   => sub { FTMPI::Agent::Spawn::start(\%plan) },
);
for my $who (sort keys %start) {
	my $process = $start{$who}->();
	waitpid $process->{pid}, 0;
	is($? & 127, POSIX::SIGTERM(), "SIGTERM before its exec ends $who");
	is_deeply([ told() ], [], '... and is not taken for one to its parent');
}

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What an agent is made of: all that it needs comes with it, and what it dies of is said.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use FTMPI::Launcher::Bootstrap ();
use FTMPI::Loop                ();
use FTMPI::Test::Process       qw(run_quiet patience);

# Modules by name, in their order; after what precedes them.
sub modules
{
	my ($payload) = @_;
	my ($count, @parts) = unpack 'V (V/a*)*', $payload;
	is(scalar @parts, 2 * $count, 'names and sources');
	return @parts;
}

require FTMPI::Agent;
my @parts = modules(FTMPI::Launcher::Bootstrap::payload());
my %there;
while (my ($name, $source) = splice @parts, 0, 2) {
	my @missing = grep { !$there{$_} } map { s{::}{/}gr . '.pm' } $source =~ /^use (FTMPI::[\w:]+)/mg;
	is("@missing", '', "$name comes after all that it uses");
	$there{$name} = 1;
}

# The launcher sends them, and need not compile them.
my $loaded = `$^X '-I$FindBin::RealBin/../../lib' -e 'require FTMPI::Cli; print join " ", keys %INC'`;
like($loaded, qr{FTMPI/Launcher/Bootstrap\.pm}, 'ftmpirun has its own modules');
unlike($loaded, qr{FTMPI/Agent}, '... and none of an agent');

# The first words on the channel, and what the agent says of it.
my @command = FTMPI::Launcher::Bootstrap::command({ local => 1, name => 'here', ranks => [0] });
my $agent = FTMPI::Launcher::Bootstrap::launch(@command);
my $broken = pack 'V V/a* V/a*', 1, 'FTMPI/Broken.pm', 'die "no such thing here\n"';
syswrite $agent->{out}, $broken;
alarm patience(60);
my $said = do { local $/; readline $agent->{err} };
waitpid $agent->{pid}, 0;
is($said, "no such thing here\n", 'an agent that cannot begin says why');

done_testing();

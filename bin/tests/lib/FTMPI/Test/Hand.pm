# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Hand;

# Ranks started by hand, with a secret that the test knows; the test itself can stand in for ranks
# that are not started.

use strict;
use warnings;

use Exporter qw(import);
use File::Temp ();

use FTMPI::Test::Job      ();
use FTMPI::Test::Stranger qw(call say_to heard hello challenge proof frame hand_key open_here CHALLENGE
	PROOF VERDICT);

our @EXPORT_OK = qw(free_ports start_rank hand_job attach_to answer verdict WELCOME);

use constant WELCOME => 1;

my $text = 'a secret that nobody guesses, 32+';
my $dir;

sub directory
{
	return $dir if $dir;
	$dir = File::Temp->newdir('ftmpi-hand-XXXXXX', TMPDIR => 1);
	open(my $out, '>', "$dir/secret") or die "$dir/secret: $!\n";
	print $out $text;
	close($out);
	return $dir;
}

# What the handshake of these ranks is made of.
sub hand_job { return hand_key($text) }

# The first of `n` ports in a row that are free now.
sub free_ports
{
	my ($n) = @_;
	for (my $base = 21000 + $$ % 1000 * 10; $base < 32000; $base += $n) {
		my @held = map { (open_here($_))[0] // () } $base .. $base + $n - 1;
		return $base if @held == $n;
	}
	die "no free ports\n";
}

# Starts this rank of `size`, all on this machine. Rank r listens on port `base` + r. more: words
# after the hosts.
sub start_rank
{
	my ($rank, $size, $base, $command, $env, @more) = @_;
	my $at = directory();
	return FTMPI::Test::Job->start(
		[@$command, '-ftmpi', "$at", $rank, $size, (map { ($_, '127.0.0.1') } 0 .. $size - 1), @more],
		env => {FTMPI_SECRET_FILE => "$at/secret", FTMPI_PORT_BASE => $base, %{ $env // {} }},
		deadline => 60);
}

sub verdict { return 'FMPI' . pack 'V', $_[0] }

# A connection to rank `to` at this port as rank `from`; nothing when it does not welcome us.
sub attach_to
{
	my ($port, $from, $to, $until) = @_;
	my $s     = call('127.0.0.1', $port);
	my $hello = hello(hand_job(), $from, $to);
	say_to($s, $hello);
	my $challenge = heard($s, CHALLENGE, $until) // return;
	say_to($s, proof(hand_job(), $hello, $challenge));
	my $verdict = heard($s, VERDICT, $until) // '';
	return if $verdict ne verdict(WELCOME);
	return $to < $from ? _declined($s, $until) : $s;
}

# The lower rank of one host offers memory first of all.
sub _declined
{
	my ($s, $until) = @_;
	my $offer = heard($s, length frame('OFFER'), $until) // '';
	die 'no offer of memory, but ' . unpack('H*', $offer) . "\n" if substr($offer, 0, 1) ne substr frame('OFFER'), 0, 1;
	say_to($s, frame('DECLINED'));
	return $s;
}

# The other side: of a connection that a rank made, the challenge is said and the proof heard.
# Returns the proof, and whether it is right.
sub answer
{
	my ($s, $hello, $until) = @_;
	my $challenge = challenge(hand_job(), $hello);
	say_to($s, $challenge);
	my $proof = heard($s, PROOF, $until) // '';
	return ($proof, $proof eq proof(hand_job(), $hello, $challenge));
}

1;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks at the same addresses at each start, whatever the limits of the host; and what an agent says where
# that cannot be.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use Config ();
use Test::More;

use AgentTest;
use FTMPI::FixedAddresses ();

use constant { MB => 1 << 20, NOT_RANDOM => 0x0040000 };

# prctl, by the kind of machine
my ($machine) = $Config::Config{archname} =~ /^(\w+)/;
my ($prctl, $personality) = $machine eq 'aarch64' ? (167, 92) : (157, 135);

my $own = own_personality();
my $why = FTMPI::FixedAddresses::refuses(8 * MB);
plan skip_all => $why if defined $why;

sub own_personality
{
	open my $file, '<', '/proc/self/personality' or die "/proc/self/personality: $!\n";
	chomp(my $bits = <$file>);
	return hex $bits;
}

my @command = ('sh', '-c', 'cat /proc/self/personality; echo stack $(ulimit -S -s) $(ulimit -H -s);'
	. ' sed -n "s/ .*libc.*/ libc/p;s/.*-\\([0-9a-f]*\\) .*stack.*/\\1 stack/p" /proc/self/maps; echo end');

# What ranks say of themselves: [personality, stack, hard limit of it, their addresses], and the agent.
sub ranks
{
	my ($count, @settings) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0 .. $count - 1);
	$agent->run(ranks => [ 0 .. $count - 1 ], command => \@command, settings => \@settings);
	my @found;
	for my $rank (0 .. $count - 1) {
		my @said = $agent->await_text($rank, qr/^([0-9a-f]+)\nstack (\S+) (\S+)\n(.*)^end$/ms);
		push @found, [ hex($said[0] // 0) & NOT_RANDOM, @said[1 .. 3] ];
	}
	$agent->end_well("@settings");
	return @found;
}

# Those of the stack, of this process and what it starts.
sub set_limits { return FTMPI::FixedAddresses::_call(1, 0, 3, pack('Q Q', @_), 0) == 0 }
my ($soft, $hard) = FTMPI::FixedAddresses::_stack_limits();

subtest 'nobody asks for it' => sub {
	is(FTMPI::FixedAddresses::refuses(8 * MB), undef, 'it could be');
	is(own_personality(), $own, 'an agent that asks stays as it is');
	my ($one) = ranks(1);
	is($one->[0], $own & NOT_RANDOM, 'a rank has its agent\'s personality');
	is($one->[1], $soft == ~0 ? 'unlimited' : $soft / 1024, '... and its stack');
};

subtest 'the same addresses' => sub {
	my @found = ranks(2, 'fixed-addresses=' . 16 * MB);
	is($found[0][0], NOT_RANDOM, 'addresses are not by chance');
	is($found[0][1], 16 * 1024, 'the stack is as large as was said');
	is($found[0][2], $hard == ~0 ? 'unlimited' : $hard / 1024, '... and may become as large as it could');
	like($found[0][3], qr/libc\n.*[0-9a-f]{4} stack\n/s, 'addresses are told');
	is_deeply($found[1], $found[0], 'the other rank has the same');
SKIP: {
		skip 'the limit of the stack is too low here to be another', 2 if $hard < 512 * MB;
		for my $limit (512 * MB, $hard) {
			set_limits($limit, $hard) or die "limit of the stack: $!\n";
			my ($other) = ranks(1, 'fixed-addresses=' . 16 * MB);
			is_deeply($other, $found[0], "the same where the agent's stack may have $limit bytes");
		}
		set_limits($soft, $hard);
	}
};

subtest 'what the setting may be' => sub {
	is(FTMPI::FixedAddresses::stack_of($_->[0]), $_->[1], 'bytes of "' . ($_->[0] // 'nothing') =~ s/\n/\\n/r . '"')
		for [ undef, 0 ], [ '', 0 ], [ 0, 0 ], [ 8388608, 8388608 ], [ '-1', 0 ], [ '8M', 0 ], [ "8\n", 0 ], [ '9' x 16, 0 ];
};

subtest 'what a job is to have' => sub {
	set_limits(4 * MB, $hard) or die "limit of the stack: $!\n";
	is(FTMPI::FixedAddresses::stack_here(), 4 * MB, 'what ftmpirun has itself');
SKIP: {
		skip 'the stack is limited here', 1 if $hard != ~0;
		set_limits(~0, $hard) or die "limit of the stack: $!\n";
		is(FTMPI::FixedAddresses::stack_here(), 1024 * MB, '... and a number where it has no limit');
	}
	set_limits($soft, $hard);
};

# The agent says this of a RUN, and begins nothing.
sub is_unfit
{
	my ($stack, $pattern) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0);
	$agent->run(ranks => [0], command => \@command, settings => ["fixed-addresses=$stack"]);
	ok($agent->await(qr/^UNFIT $pattern/), "it says why");
	is_deeply([ $agent->said(qr/^STARTED/) ], [], '... and starts no rank');
	$agent->end_well('unfit');
	return;
}

# From here on for good.
subtest 'the stack may not be as large' => sub {
	set_limits(8 * MB, 8 * MB) or die "limit of the stack: $!\n";
	is_unfit(8 * MB + 1, 'its ranks are to have a stack of 8388609 bytes, .*: there the limit is 8388608 \(ulimit -H -s\)');
	is((ranks(1, 'fixed-addresses=' . 8 * MB))[0][1], 8 * 1024, 'as large as it may be it can be');
};

# As the filter of a container does: personality may be asked for, but not changed.
sub filter_personality
{
	my @code = ([ 0x20, 0, 0, 0 ], [ 0x15, 0, 3, $personality ], [ 0x20, 0, 0, 16 ], [ 0x15, 1, 0, 0xffffffff ],
		[ 0x06, 0, 0, 0x00050001 ], [ 0x06, 0, 0, 0x7fff0000 ]);
	my $filter = join '', map { pack 'S C C L', @$_ } @code;
	my $program = pack 'S x6 P', scalar @code, $filter;
	return syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($prctl, 22, 2, $program) == 0;
}

subtest 'the kernel refuses it' => sub {
	plan skip_all => "there can be no filter here: $!" if !filter_personality();
	is_unfit(8 * MB, 'its ranks cannot be at the same addresses at each start, .*: personality there: Operation not permitted'
		. ' \(the filter of a container .*\)');
	is((ranks(1))[0][0], $own & NOT_RANDOM, 'without it ranks start');
};

done_testing;

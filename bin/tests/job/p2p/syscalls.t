# SPDX-License-Identifier: BSD-3-Clause
#
# How many system calls a message costs, as strace shows for rank 0. Over TCP: one to send it, one to receive it,
# and no question whether a socket is ready between a message and the answer to it. Through memory: none.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program sanitized);

plan skip_all => 'strace cannot follow a program with the thread sanitizer' if sanitized('pingpong');

my $dir = File::Temp->newdir('ftmpi-syscalls-XXXXXX', TMPDIR => 1);

# The system calls of rank 0's main thread: [name, result] each.
sub trace
{
	my ($transport, $rounds, @argument) = @_;
	my $trace = "$dir/trace";
	my $shell = 'test "$FTMPI_RANK" = 0 && exec strace -qq -o "$0" "$@"; exec "$@"';
	my $job   = FTMPI::Test::Job->run(
		[ ftmpirun(), '-transport', $transport, '-n', 2, 'sh', '-c', $shell, $trace, program('pingpong'), '-rounds', $rounds,
			@argument ],
		env => { FTMPI_SPIN_US => 1_000_000 });
	$job->well(qr/^pingpong: right, $rounds rounds$/m, "@argument: the messages are right");
	open my $in, '<', $trace or die "$trace: $!\n";
	return map { /^(\w+)\(.*= (-?\d+)/ ? [ $1, $2 ] : () } <$in>;
}

# Those over TCP while it works: what comes before, words to the agent among it, ends with the last file that is
# opened. The empty message at the start and the end of the work, a barrier's, are few among many.
sub calls_of
{
	my ($rounds, @argument) = @_;
	my @calls = trace('tcp', $rounds, @argument);
	my @sends = grep { $calls[$_][0] =~ /^send/ } 0 .. $#calls;
	die "strace saw no message among @{[ scalar @calls ]} calls\n" if @sends < $rounds;
	my ($opened) = grep { $calls[$_][0] eq 'openat' } reverse 0 .. $sends[ $#sends / 2 ];
	my ($first)  = grep { $_ > ($opened // -1) } @sends;
	return @calls[ $first .. $sends[-1] ];
}

sub count
{
	my ($test, @calls) = @_;
	return scalar grep { $test->(@$_) } @calls;
}

sub sent     { return $_[0] =~ /^(?:send|write)/ && $_[1] > 0 }
sub received { return $_[0] =~ /^(?:recv|read)/  && $_[1] > 0 }

# Rounds in which something else than the answer follows what was received.
sub detours
{
	my @calls = @_;
	my %seen;
	for my $i (grep { received(@{ $calls[$_] }) } 0 .. $#calls - 1) {
		$seen{ $calls[ $i + 1 ][0] }++ if !sent(@{ $calls[ $i + 1 ] });
	}
	return \%seen;
}

sub total
{
	my ($seen) = @_;
	my $sum = 0;
	$sum += $_ for values %$seen;
	return $sum;
}

for my $bytes (0, 8, 1000, 4000) {
	my $rounds = 2000;
	my @calls  = calls_of($rounds, '-bytes', $bytes);
	my ($sent, $received) = (count(\&sent, @calls), count(\&received, @calls));
	cmp_ok($sent, '<=', 1.01 * $rounds, "$bytes bytes: one call sends a message");
	ok($received > 0.99 * $rounds && $received < 1.01 * $rounds, "$bytes bytes: one call receives a message")
		or diag("$received calls received $rounds messages");
	my $detours = detours(@calls);
	cmp_ok(total($detours), '<=', 0.01 * $rounds, "$bytes bytes: the answer follows at once")
		or diag(join ', ', map { "$detours->{$_} $_" } sort keys %$detours);
}

{
	my ($rounds, $window) = (200, 64);
	my @calls = calls_of($rounds, '-window', $window);
	cmp_ok(count(\&sent, @calls), '<=', 2.1 * $rounds, 'a window of 64 messages: two calls send it');
}

# What the start and the end of a job take is the same for many rounds as for few. Looks at the sockets and
# yields are as many as the ranks wait, which is the machine's matter.
for my $bytes (0, 8, 4000) {
	my ($few, $many) = map { count(sub { sent(@_) || received(@_) }, trace('shm', $_, '-bytes', $bytes)) } 1, 5000;
	cmp_ok($many - $few, '<=', 250, "$bytes bytes through memory: no call sends or receives it");
}

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Standard input, output and error.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Digest::MD5 qw(md5_hex);
use Test::More;

use LauncherTest;

# Every rank writes numbered lines in pieces that end anywhere.
my $writer = text_file('writer', <<'EOS');
use strict;
my $rank = $ENV{FTMPI_RANK};
my ($lines, $stream) = @ARGV;
my $text = join '', map { "rank $rank line $_ " . ('x' x ($_ * 7 % 97)) . "\n" } 1 .. $lines;
my $handle = $stream eq 'err' ? \*STDERR : \*STDOUT;
my $size = 1;
while (length $text) {
	my $n = syswrite $handle, substr $text, 0, $size;
	die "write: $!" if !$n;
	substr $text, 0, $n, '';
	$size = $size * 31 % 8191;
}
EOS

sub expected
{
	my ($ranks, $lines) = @_;
	return join '', map {
		my $rank = $_;
		map { "rank $rank line $_ " . ('x' x ($_ * 7 % 97)) . "\n" } 1 .. $lines
	} 0 .. $ranks - 1;
}

# The lines of each rank, in the order in which they came.
sub by_rank
{
	my ($text) = @_;
	my %of;
	/^rank (\d+) line/ and $of{$1} .= $_ for split /^/, $text;
	return join '', map { $of{$_} } sort { $a <=> $b } keys %of;
}

for my $stream (qw(out err)) {
	my $job = ftmpirun([ '-n', 16, 'perl', $writer, 3000, $stream ]);
	is($job->{status}, 0, "16 ranks write to std$stream");
	is(length $job->{$stream}, length expected(16, 3000), '... all of it arrives');
	ok(by_rank($job->{$stream}) eq expected(16, 3000), '... every line whole and in order');
}
my $mixed = scratch() . '/mixed';
open my $both, '>', $mixed or die;
my $job = wait_end(begin([ 'sh', '-c', '"$@" 2>&1', 'sh', $FTMPIRUN, '-n', 4, 'sh', '-c',
	"perl $writer 2000 out & perl $writer 2000 err; wait" ], stdout_handle => $both));
open my $in, '<', $mixed or die;
my @lines = <$in>;
is(scalar @lines, 16000, 'both streams in one file: all lines');
my %whole = map { $_ => 1 } split /^/, expected(4, 2000);
is(scalar(grep { !$whole{$_} } @lines), 0, '... all whole');
$job = wait_end(begin([ 'sh', '-c', '"$@" 2>&1', 'sh', $FTMPIRUN, '-n', 4, 'sh', '-c',
	"perl $writer 2000 out & perl $writer 2000 err; wait" ]));
@lines = split /^/, $job->{out};
is(scalar(grep { $whole{$_} } @lines), 16000, 'both in one pipe: all lines, all whole');

is(ftmpirun([ qw(-n 1 printf), 'no end' ])->{out}, 'no end', 'a last line without an end');
is(join('', sort split /^/, ftmpirun([ qw(-n 3 -tag-output printf), 'a\nb' ])->{out}),
	"[0] a\n[0] b\n[1] a\n[1] b\n[2] a\n[2] b\n", '-tag-output');
my $bytes = join '', map { chr } 0 .. 255;
is(md5_hex(ftmpirun([qw(-n 1 cat)], stdin => $bytes x 40)->{out}), md5_hex($bytes x 40),
	'bytes are bytes');

# Input.
my $big = join '', map { "line $_\n" } 1 .. 200_000;
$job = ftmpirun([qw(-n 3 sh -c), 'if [ $FTMPI_RANK = 0 ]; then cat; else wc -c; fi'],
	stdin => $big);
is(length $job->{out}, 4 + length $big, 'input reaches rank 0');
like($job->{out}, qr/^0\n/m, '... the others read nothing');
$job = ftmpirun([qw(-n 2 true)], stdin => $big);
is($job->{status}, 0, 'a job that does not read its input ends');
$job = ftmpirun([ qw(-n 1 sh -c), 'exec <&-; sleep 0.3; echo done' ], stdin => $big);
is($job->{out}, "done\n", '... also one that closes it');
open my $file, '+<', text_file('big', $big x 4) or die;
$job = wait_end(begin([ $FTMPIRUN, qw(-n 1 sleep 0.5) ], stdin_handle => $file));
cmp_ok(sysseek($file, 0, 1), '<=', 400_000, '... and is not read far ahead');
$job = begin([ $FTMPIRUN, qw(-n 2 sh -c),
	'test $FTMPI_RANK = 1 && exit; printf "name? "; read n; echo "hello $n"' ],
	keep_open => 1);
ok(wait_for($job, 'out', qr/^name\? \z/), 'a prompt is shown before the answer');
syswrite $job->{feed}, "Bob\n";
is(wait_end($job)->{out}, "name? hello Bob\n", '... and goes on behind it');

# Without input nobody answers: it is no prompt, but a line whose end is late, and no other cuts it.
my ($half, $other) = map { scratch() . "/$_" } qw(half other);
$job = begin([ $FTMPIRUN, qw(-n 2 sh -c), <<"EOS" ]);
if [ \$FTMPI_RANK = 0 ]; then
	printf 'half '; touch '$half'; until [ -e '$other' ]; do sleep 0.05; done; echo 'a line'
else
	until [ -e '$half' ]; do sleep 0.05; done; sleep 0.4; echo 'other line'; touch '$other'
fi
EOS
is(join('', sort split /^/, wait_end($job)->{out}), "half a line\nother line\n", 'without input no line is cut');

# A reader that is slow, or goes away.
pipe my $reader, my $slow or die;
$job = begin([ $FTMPIRUN, qw(-n 2 sh -c),
	'if [ $FTMPI_RANK = 0 ]; then yes; else sleep 1; kill -9 $$; fi' ],
	stdout_handle => $slow);
close $slow;
ok(wait_for($job, 'err', qr/rank 1 on \S+ was killed by signal 9/),
	'a slow reader does not delay the news');
my $memory = 0;
if (open my $status, '<', "/proc/$job->{pid}/status") {
	($memory) = map { /^VmRSS:\s+(\d+)/ } <$status>;
}
cmp_ok($memory, '<', 100_000, '... and what waits for it is bounded');
my $kept = '';
1 while sysread $reader, $kept, 1 << 16, length $kept;
is(wait_end($job)->{status}, 137, '... and the status is right');
like($kept, qr/\A(?:y\n)+\z/, '... and the output whole');

pipe $reader, $slow or die;
$job = begin([ $FTMPIRUN, qw(-n 2 yes) ], stdout_handle => $slow);
close $slow;
sysread $reader, my $one, 10;
close $reader;
is(wait_end($job)->{status}, 141, 'a reader that goes away ends the job');
is($job->{err}, '', '... quietly');
SKIP: {
	open my $full, '>', '/dev/full' or skip 'no /dev/full', 1;
	$job = wait_end(begin([ $FTMPIRUN, qw(-n 2 sh -c), 'echo x; sleep 600' ],
		stdout_handle => $full));
	is($job->{err},
		"ftmpirun: cannot write to standard output: No space left on device; the job is ended.\n",
		'a full disk');
}
for my $closed ('<&-', '>&-', '2>&-', '<&- >&- 2>&-') {
	$job = wait_end(begin([ 'sh', '-c', "\"\$@\" $closed", 'sh', $FTMPIRUN, '-n', 2, 'echo',
		'x' ]));
	is($job->{status}, 0, "called with $closed");
}

nobody_left();
done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What users of other launchers are used to, in whole jobs: ranks for each host, a file of commands, and output in files. Hosts are
# names, over an ssh that runs the command here.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $ssh = fake_ssh();
delete $ENV{SSH_CONNECTION};
delete @ENV{ grep { /^(?:SLURM|PBS|LSB)/ } keys %ENV };

sub job { my (@words) = @_; return ftmpirun([ '-ssh', $ssh, @words ]) }

sub sorted { my ($job) = @_; return join '', sort split /^/, $job->{out} }

sub text_of
{
	my ($path) = @_;
	open my $file, '<', $path or return "$path: $!";
	local $/;
	return scalar(<$file>) // '';
}

# Where ranks are: "HOST RANKS" for each host, and what was told.
sub places
{
	my $job = job(@_, 'sh', '-c', 'echo $FAKE_HOST $FTMPI_RANK/$FTMPI_LOCAL_RANK');
	my %ranks;
	push @{ $ranks{$1} }, $2 while $job->{out} =~ /^(\w*) (\S+)$/mg;
	return "$job->{status} " . join(' ', map { "$_: " . join ',', sort @{ $ranks{$_} } } sort keys %ranks) . ($job->{err} =~ s/^/; /r =~ s/\n//r);
}

is(places(qw(-n 4 -host a:8,b:8 -ppn 2)), '0 a: 0/0,1/1 b: 2/0,3/1; ', '-ppn takes the place of slots');
is(places(qw(-n 3 -host a,b,c -ppn 2)), '0 a: 0/0,1/1 b: 2/0; ', '... also where there are fewer, and hosts are left over as spares');
is(places(qw(-host a,b:5 -npernode 2)), '0 a: 0/0,1/1 b: 2/0,3/1; ', '... without -n as many on every host');
is(places(qw(-n 5 -host a,b -map-by ppr:2:node)), '0 a: 0/0,1/1,4/2 b: 2/0,3/1; ftmpirun: note: 5 ranks share 4 slots.', '... round again, with a note');
is(places(qw(-n 5 -host a:2,b:4 -map-by node)), '0 a: 0/0,2/1 b: 1/0,3/1,4/2; ', '-map-by node');
is(places(qw(-n 3 -host a,b,c -ppn 2 -map-by node)), '0 a: 0/0 b: 1/0 c: 2/0; ', '... with -ppn');
my $job = job(qw(-n 5 -host a,b -no-oversubscribe -ppn 2 true));
is("$job->{status} $job->{err}", "2 ftmpirun: -ppn 2 is more than the 1 slot of host a (-no-oversubscribe)\n", '-no-oversubscribe counts the slots of hosts');
$job = job(qw(-n 5 -host a:2,b:2 -no-oversubscribe -ppn 2 true));
is("$job->{status} $job->{err}", "2 ftmpirun: 5 ranks are more than the 4 slots that there are (-no-oversubscribe)\n", '... and -ppn');
is(ftmpirun([ qw(-ppn 3 echo x) ])->{out}, "x\n" x 3, '-ppn on this machine');
is(ftmpirun([ qw(-ppn 70000 true) ])->{status}, 2, '... within bounds');

# A file of commands.
my $file = text_file('parts', <<'EOT');
# two programs

-n 2 -env A "b  c" sh -c 'echo $FTMPI_RANK $A$B $0' one\ word
  # and a third
	-n 1 -x B=d sh -c 'echo $FTMPI_RANK $A$B $0' x
EOT
$job = ftmpirun([ '-configfile', $file ]);
is("$job->{status} " . sorted($job) . $job->{err}, "0 0 b c one word\n1 b c one word\n2 d x\n", 'a file of commands');
is(sorted(ftmpirun([ '-tag-output', '--app', $file ])), "[0] 0 b c one word\n[1] 1 b c one word\n[2] 2 d x\n", '... with options before it');
for my $case ([ "-n 2 echo 'x\n", 'the file PATH, line 1: a quote has no end' ], [ "\n-n 2 true\ntrue\n", 'the file PATH, line 3: -n N is not given; try ftmpirun -help' ],
	[ "# nothing\n", 'the file PATH names no program; try ftmpirun -help' ], [ '#' x ((1 << 20) + 1), 'the file PATH is larger than 1048576 bytes' ])
{
	my ($text, $sentence) = @$case;
	my $path = text_file('wrong', $text);
	$job = ftmpirun([ '-configfile', $path ]);
	is("$job->{status} " . $job->{err} =~ s/\Q$path\E/PATH/r, "2 ftmpirun: $sentence\n", "refused: $sentence");
}
is(ftmpirun([ '-configfile', scratch() . '/none' ])->{err}, 'ftmpirun: cannot read the file ' . scratch() . "/none: No such file or directory\n", 'a file that is not there');

# Output in files.
my $out = scratch() . '/deep/out%';
my @words = ('sh', '-c', 'echo out $FTMPI_RANK; printf "no end" >&2');
$job = ftmpirun([ qw(-n 2 -output-filename), $out, @words ]);
is("$job->{status} $job->{out}$job->{err}", '0 ', 'with -output-filename ranks print nothing');
is(join('|', map { text_of("$out/rank.$_/stdout"), text_of("$out/rank.$_/stderr") } 0, 1), "out 0\n|no end|out 1\n|no end", '... but into files');
ftmpirun([ qw(-n 1 -tag-output -output-filename), $out, 'sh', '-c', 'printf "a\nb"' ]);
is(text_of("$out/rank.0/stdout") . text_of("$out/rank.0/stderr") . text_of("$out/rank.1/stdout"), "[0] a\n[0] b\nout 1\n", 'a new job empties its files');
$job = ftmpirun([ qw(-n 11 -output-filename), "$out/many", 'sh', '-c', 'echo $FTMPI_RANK' ]);
is(join('', map { text_of("$out/many/rank.$_/stdout") } '00' .. '10'), join('', map { "$_\n" } 0 .. 10), 'numbers have as many digits');
my $one = scratch() . '/one';
$job = ftmpirun([ qw(-n 70 -outfile-pattern), "$one.%r%%", 'sh', '-c', 'for i in 1 2 3; do echo $FTMPI_RANK; echo err >&2; done' ]);
is(scalar(grep { text_of("$one.$_%") eq "$_\n" x 3 } 0 .. 69), 70, 'more files than are open at a time');
is($job->{out} . $job->{err}, "err\n" x 210, '... standard error stays where it is');
ftmpirun([ qw(-n 3 -outfile-pattern), $one, '-errfile-pattern', $one, 'sh', '-c', 'printf a; printf b >&2; sleep 0.1; echo a; echo b >&2' ]);
is(join('', sort split /^/, text_of($one)), "aa\n" x 3 . "bb\n" x 3, 'one file for all, in whole lines');
is(ftmpirun([ qw(-n 2 -outfile-pattern /dev/null echo x) ])->{status}, 0, '/dev/null');

# A rank that begins again.
my @rank = ($^X, $RANK);
$job = ftmpirun([ qw(-n 2 -output-filename), $out, @rank, qw(join @0:say:before), '0:@0:touch:' . scratch() . '/said',
	'1:@0:await:' . scratch() . '/said', qw(1:@0:kill:KILL @0:obey @1:say:after finalize) ]);
is($job->{status}, 0, 'a job begins again') or diag $job->{err};
is(text_of("$out/rank.$_/stdout"), "before\nafter\n", "... and rank $_ has all it printed in its file") for 0, 1;
$job = ftmpirun([ qw(-coord msglog -workdir), scratch() . '/runs', qw(-n 2 -output-filename), $out, @rank, qw(join say:before 1:+0:kill:KILL say:after end) ]);
is($job->{status}, 0, 'a rank begins again alone') or diag $job->{err};
is(text_of("$out/rank.$_/stdout"), "before\nafter\n", "... and rank $_ has what it printed once") for 0, 1;
like($job->{err}, qr/it begins again alone/, '... which ftmpirun tells, not the file');
$job = ftmpirun([ qw(-n 2 -restore=auto -workdir), scratch() . '/runs', '-output-filename', $out, 'echo', 'again' ]);
is(text_of("$out/rank.0/stdout"), "before\nafter\nagain\n", 'with -restore text is added');

# Files that cannot be written.
my $in_the_way = text_file('in the way', '');
for my $case ([ "$in_the_way/o", "the folder $in_the_way/o/rank.0 cannot be made: Not a directory" ], [ $in_the_way, "the folder $in_the_way/rank.0 cannot be made: File exists" ]) {
	my ($folder, $sentence) = @$case;
	$job = ftmpirun([ qw(-n 2 -output-filename), $folder, 'echo', 'x' ]);
	like("$job->{status} $job->{out}$job->{err}", qr/\A2 ftmpirun: \Q$sentence\E|\A2 ftmpirun: the folder \S+ \S+ \S+ cannot be made: /, "refused: $sentence");
}
$job = ftmpirun([ qw(-n 2 -outfile-pattern), scratch(), 'echo', 'x' ]);
is("$job->{status} $job->{out}$job->{err}", '2 ftmpirun: cannot write to the file ' . scratch() . ": Is a directory\n", 'a folder is no file');
require POSIX;
my $fifo = scratch() . '/fifo';
POSIX::mkfifo($fifo, 0600) or die "mkfifo: $!";
$job = ftmpirun([ qw(-n 2 -outfile-pattern), $fifo, 'echo', 'x' ]);
is("$job->{status} $job->{out}$job->{err}", "2 ftmpirun: cannot write to the file $fifo: No such device or address\n", 'nobody waits for the reader of a pipe');
$job = ftmpirun([ qw(-n 2 -errfile-pattern /dev/full sh -c), 'echo x >&2; sleep 600' ]);
is("$job->{status} $job->{err}", "1 ftmpirun: cannot write to the file /dev/full: No space left on device; the job is ended.\n", 'a full disk ends the job');
$job = ftmpirun([ qw(-n 1 -outfile-pattern /dev/full printf x) ]);
like("$job->{status} $job->{err}", qr{\A1 ftmpirun: cannot write to the file /dev/full: No space left on device\n\z}, '... or changes its status when it has ended');

# Times.
$job = ftmpirun([ qw(-n 2 -timestamp-output -tag-output echo x) ]);
like(sorted($job), qr/\A\[0\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} x\n\[1\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} x\n\z/, '-timestamp-output');

nobody_left();
done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Local jobs: how programs are found and started, what they get, and what is refused.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Cwd qw(abs_path);
use File::Path ();
use Test::More;

use FTMPI::Test::Job ();
use LauncherTest;

my $job = ftmpirun([ '-n', 3, 'sh', '-c',
	'echo $FTMPI_RANK of $FTMPI_SIZE, $FTMPI_LOCAL_RANK here' ]);
is($job->{status}, 0, 'a job of three shells');
is(join('', sort split /^/, $job->{out}), "0 of 3, 0 here\n1 of 3, 1 here\n2 of 3, 2 here\n",
	'each knows who it is');
is($job->{err}, '', 'and the launcher says nothing');

{
	my ($word, $bytes) = ("\xc3\xbc", "h\xc3\xa4\xff\n");
	$job = ftmpirun([ qw(-n 2 sh -c), 'echo $1; exec cat', 'sh', $word ], stdin => $bytes, env => { PERL_UNICODE => 'SDA' });
	is("$job->{status} $job->{err}", '0 ', 'perl is told that all files hold characters') or diag $job->{out};
	is(join('', sort split /^/, $job->{out}), join('', sort $bytes, "$word\n", "$word\n"), '... and words and streams pass as bytes');
}

my $work = scratch() . '/w/deep';
my $file = text_file('nodes', "localhost slots=2\n");
$job = ftmpirun([ $file, 2, $work, 'sh', '-c', 'echo "$0 $*"', '-n', '7', '-restored' ]);
is($job->{out}, "-n 7 -restored\n" x 2, 'the first spelling; arguments pass untouched');
is($job->{err}, '', 'no word of slots when there are enough');
ok(-d $work, 'the work directory is made');
$job = ftmpirun([ $file, 2, $work, 'true', '-restore' ]);
is($job->{status}, 1, '-restore at the end is for ftmpirun');
is($job->{err}, "ftmpirun: -restore: there is no recovery line in $work; see ftmpi-ckpt list\n",
	'... which looks for a recovery line');

# The START message and the sockets.
$job = ftmpirun([ '-n', 2, '-vv', '-workdir', $work, $RANK, qw(init table finalize) ]);
is($job->{status}, 0, 'ranks that speak the control protocol') or diag $job->{err};
my @starts = sort grep { /^START/ } split /\n/, $job->{out};
like($starts[0],
	qr{^START epoch=0 rank=0 size=2 local_rank=0 local_size=2 verbosity=1 workdir=\Q$work\E },
	'START for rank 0');
like($starts[1], qr/^START epoch=0 rank=1 size=2 local_rank=1 /, 'and for rank 1');
my @common = map { join ' ', /(session_name=\S+ session=\S{32} secret=\S{64} hosts=\S+)/ } @starts;
is($common[0], $common[1], 'both are of one job');
like($common[0], qr{hosts=[^/]+/127\.0\.0\.1/0,[^/]+/127\.0\.0\.1/0\z},
	'on one host they use loopback');
my ($name, $session, $secret) = $common[0] =~ /session_name=(\S+) session=(\S+) secret=(\S+)/;
like($job->{err}, qr/^ftmpirun: session \Q$name\E: 2 ranks on 1 host$/m, '-v names the session');
my $other = ftmpirun([ '-n', 1, $RANK, qw(init table finalize) ]);
unlike($other->{out}, qr/$session|$secret/, 'another job has another session and another secret');

my $lister = text_file('lister', <<'EOS');
my %open = map { $_ => readlink "/proc/self/fd/$_" } map { m{(\d+)\z} } glob '/proc/self/fd/*';
print "@ENV{qw(FTMPI_SESSION FTMPI_BEAT_FD FTMPI_CONTROL_FD FTMPI_LISTEN_FD)}\n";
print join ' ', sort { $a <=> $b } grep { $_ > 2 && ($open{$_} // '') =~ /^(?:socket|pipe):/ } keys %open;
EOS
my @here = split ' ', (split /\n/, `FTMPI_SESSION= $^X $lister`)[1] // '';
$job = ftmpirun([ qw(-n 2 sh -c), 'test $FTMPI_RANK = 0 || exec "$@"', 'sh', $^X, $lister ]);
my ($names, $fds) = split /\n/, $job->{out};
like($names, qr/^\d{8}-\d{6}-[0-9a-f]{8} 61 62 63$/, 'names in the environment');
my %here = map { $_ => 1 } @here;
is(join(' ', grep { !$here{$_} } split ' ', $fds), '61 62 63',
	'no sockets and pipes beside the three streams but these three');
is(ftmpirun([ '-n', 2, $RANK, qw(init exposed finalize) ])->{out}, "not exposed\n" x 2,
	'the secret is in no argument and no environment');

# Environment and directories.
$job = ftmpirun([ '-n', 1, '-x', 'A=b=c', '-x', 'GIVEN', '-x', 'ABSENT', 'sh', '-c',
	'echo "$A $GIVEN ${ABSENT-unset}"' ], env => { GIVEN => 'given' });
is($job->{out}, "b=c given unset\n", '-x');
my $directory = abs_path(scratch());
is(ftmpirun([qw(-n 1 pwd)], dir => $directory)->{out}, "$directory\n",
	'ranks run where ftmpirun was called');
is(ftmpirun([ qw(-n 1 -wdir), $directory, 'pwd' ])->{out}, "$directory\n", '... or in -wdir');
my $script = text_file('hello', "#!/bin/sh\necho hello from \$0\n");
chmod 0755, $script;
like(ftmpirun([qw(-n 1 hello)], dir => $directory)->{out}, qr/^hello from/,
	'a program in the working directory');
like(ftmpirun([ qw(-n 1 hello) ], env => { PATH => "$directory:$ENV{PATH}" })->{out},
	qr{^hello from \Q$directory\E/hello}, '... and in PATH');
like(ftmpirun([qw(-n 1 ./hello)], dir => $directory)->{out}, qr/^hello/, '... and by its path');

is(ftmpirun([ qw(-n 1 sh -c), 'sh -c "kill -PIPE \$\$"; echo $?' ])->{out}, "141\n",
	'ranks do not inherit ignored signals');

# Bad input: one sentence each.
my $sealed = text_file('sealed', '');
my $odd    = text_file('odd', "localhost\nlocalhost slots=many\n");
my $earlier = "$work/20261121-203610-1a2b3c4d";
File::Path::make_path("$earlier/job.record");
my $noexec = text_file('noexec', "#!/bin/sh\n");
my $nointerpreter = text_file('nointerpreter', "#!/no/such/interpreter\n");
chmod 0755, $nointerpreter;
for my $bad (
	[ 2, [], qr/neither -n N nor/ ],
	[ 2, [qw(-n x true)], qr/'x' is not a number of ranks/ ],
	[ 2, [qw(-frob)], qr/unknown option -frob; try ftmpirun -help/ ],
	[ 2, [qw(-n 1 -f /no/such/file true)],
		qr{cannot read the machine file /no/such/file: No such file} ],
	[ 2, [qw(-n 1 -f /tmp true)], qr{cannot read the machine file /tmp: Is a directory} ],
	[ 2, [ qw(-n 1 -f), $odd, 'true' ],
		qr/machine file \S+odd, line 2: 'slots=many' does not give/ ],
	[ 2, [ qw(-n 1 -f), $sealed, 'true' ], qr/names no host/ ],
	[ 2, [ qw(-n 1 -workdir), "$sealed/x", 'true' ],
		qr/the work directory \S+ cannot be made: / ],
	[ 2, [ qw(-n 1 -workdir), $sealed, 'true' ],
		qr/the work directory \S+ is not a directory/ ],
	[ 2, [ qw(-n 1 -workdir), "$earlier/", 'true' ], qr/is the folder of a session: .* -restore=20261121-203610-1a2b3c4d/ ],
	[ 1, [ qw(-n 1 -workdir), "$work/mistyped", qw(-restore true) ],
		qr{-restore: there is no recovery line, as there is no work directory \Q$work\E/mistyped} ],
	[ 2, [qw(-n 1 -workdir /proc true)], qr{the work directory /proc cannot be written: } ],
	[ 2, [qw(-n 3 -host localhost:2 -no-oversubscribe true)],
		qr/3 ranks are more than the 2 slots/ ],
	[ 1, [qw(-n 2 no-such-program)],
		qr/host \S+: cannot run no-such-program: No such file or directory/ ],
	[ 1, [ qw(-n 2), $noexec ], qr/host \S+: cannot run \S+: Permission denied/ ],
	[ 1, [ qw(-n 2), $nointerpreter ],
		qr/cannot run \S+: No such file or directory \(that is, its interpreter\)/ ],
	[ 1, [qw(-n 2 -wdir /no/such/directory true)],
		qr{cannot enter the working directory /no/such/directory: No such} ],
	[ 1, [qw(-n 2 -iface nosuch0 true)],
		qr/no interface or address matches -iface nosuch0 \(it has lo 127/ ],
	[ 1, [qw(-n 4 -ports 46001-46002 true)],
		qr/of the ports 46001-46002 \(-ports\) only [0-2] can be had at \S+, and its ranks need 8 \(two each, or one with -heartbeat 0\)/ ],
	)
{
	my ($status, $words, $sentence) = @$bad;
	my $got = ftmpirun($words);
	is($got->{status}, $status, "status of: @$words");
	like($got->{err}, qr/^ftmpirun: [^\n]*$sentence[^\n]*\n\z/, '... one sentence');
	is($got->{out}, '', '... and nothing else');
}
ok(!-e "$work/mistyped", '-restore makes no work directory');
for my $options ([qw(-image -ckpt-interval 60)], ['-image'], [qw(-ckpt-interval 60)]) {
	my $got = FTMPI::Test::Job->run([ $FTMPIRUN, qw(-n 1), @$options, 'true' ], dir => '/proc');
	$got->is_status(2, "recovery lines are asked for where they cannot be written: @$options");
	like($got->err, qr{^ftmpirun: the work directory /proc cannot be written: [^\n]*; name another one with -workdir DIR\n\z}, '... one sentence');
}
FTMPI::Test::Job->run([ $FTMPIRUN, qw(-n 1 true) ], dir => '/proc')->is_status(0, 'a job without them may run there');
$job = ftmpirun([qw(-n 3 -host localhost:2 true)]);
is($job->{status}, 0, 'more ranks than slots run');
is($job->{err}, "ftmpirun: note: 3 ranks share 2 slots.\n", '... with a note');
is(ftmpirun([qw(-n 9 true)])->{err}, '', 'without named hosts there is none');
$job = ftmpirun([qw(-n 1 echo -image -ckpt-interval 60)]);
is($job->{out}, "-image -ckpt-interval 60\n", 'options behind the program are the program\'s');
is($job->{err}, 'ftmpirun: note: ftmpirun passes -image -ckpt-interval to the program, since options of ftmpirun come before the program;'
	. " where that is meant, write -- before the program.\n", '... which a note says');
is(ftmpirun([qw(-n 1 -- echo -image)])->{err}, '', '... unless it is meant');

$job = ftmpirun([ '-n', 2, '-ports', '46010-46030', '-vv', $RANK, qw(init table finalize) ]);
is($job->{status}, 0, '-ports') or diag $job->{err};
my @ports = map { /^(\d+)-(\d+)$/ ? $1 .. $2
	: $_ } map { split ' ' } $job->{err} =~ /ports ([\d -]+)$/m;
is(scalar(grep { $_ >= 46010 && $_ <= 46030 } @ports), 4, '... keeps to them');
$job = ftmpirun([ qw(-n 1 -iface 127.0.0.0/8), $RANK, qw(init table finalize) ]);
like($job->{out}, qr{/127\.0\.0\.1/0$}m, '-iface');

like(ftmpirun(['-version'])->{out}, qr/^ftmpirun \(FTMPI\) \d+\.\d+\.\d+\n\z/, '-version');
like(ftmpirun(['--help'])->{out}, qr/^usage: ftmpirun /, '-help');
my $mpiexec = abs_path("$FindBin::RealBin/../../../libexec/ftmpi/bin") . '/mpiexec';
like(wait_end(begin([ $mpiexec, '-help' ]))->{out}, qr/^usage: mpiexec -n N/, 'mpiexec -help');
is(wait_end(begin([ $mpiexec, '-n', 2, 'echo', 'x' ]))->{out}, "x\nx\n", 'mpiexec runs programs');
is(wait_end(begin([ $mpiexec, qw(-genv ONE 1 -n 1 -env TWO), 'a b', 'sh', '-c', 'echo $ONE $TWO' ]))->{out},
	"1 a b\n", 'mpiexec -env');
$job = wait_end(begin([ $mpiexec, qw(machines 4 work prog) ]));
is($job->{status}, 2, 'mpiexec has no first spelling');
is($job->{err}, "ftmpirun: -n N is not given; try ftmpirun -help\n", '... and says so');
my $link = scratch() . '/linked';
symlink $FTMPIRUN, $link;
is(wait_end(begin([ $link, '-n', 1, 'echo', 'x' ]))->{out}, "x\n",
	'a link to ftmpirun finds its modules');

nobody_left();
done_testing;

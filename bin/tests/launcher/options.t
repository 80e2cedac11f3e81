#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The two spellings, every option, and what is refused.
use strict;
use warnings;

use Test::More;

use FTMPI::Cli::Options ();

sub parsed { return FTMPI::Cli::Options::parse(@_) }

is_deeply(
	parsed(qw(-v nodes.txt 4 /tmp/w prog -n 7 --x)),
	{ v => 1, machinefile => 'nodes.txt', n => 4, workdir => '/tmp/w',
		prog => [qw(prog -n 7 --x)] },
	'the first spelling; arguments pass untouched');
is_deeply(
	parsed(qw(-n 3 -machinefile f -workdir d prog -v -- -restore x)),
	{ n => 3, machinefile => 'f', workdir => 'd', prog => [qw(prog -v -- -restore x)] },
	'the second; -restore among the arguments is the program\'s own');
is_deeply(parsed(qw(--np 3 -- -prog)), { n => 3, prog => ['-prog'] },
	'two dashes; -- ends options');
is_deeply(
	parsed(qw(-n 2 -env A 1 -x B -genv C), 'a=b c', qw(-env D), '', 'p')->{x},
	[ 'A=1', 'B', 'D=' ], 'variables in the spelling of other launchers');
is_deeply(parsed(qw(-n 2 -env A 1 -genv C), 'a=b c', 'p')->{genv}, ['C=a=b c'], '... those for all parts');
is_deeply(
	parsed(qw(-n 2 -keep 3 -env A 1 a x : -n 3 -wdir d -x B b : -np 1 c -restore)),
	{ n => 2, keep => 3, x => ['A=1'], prog => [qw(a x)], restore => 'latest',
		more => [ { n => 3, wdir => 'd', x => ['B'], prog => ['b'] }, { n => 1, prog => ['c'] } ] },
	'parts of a job');
is_deeply(parsed(qw(-n 2 -- a : b))->{prog}, [qw(a : b)], '... but not behind --');
is_deeply(parsed(qw(f 2 w a : b))->{prog}, [qw(a : b)], '... nor in the first spelling');
is_deeply(FTMPI::Cli::Options::parse_plain(qw(-n 2 p 4 w x)), { n => 2, prog => [qw(p 4 w x)] }, 'mpiexec');
ok(!eval { FTMPI::Cli::Options::parse_plain(qw(f 4 w prog)); 1 }, 'mpiexec has no first spelling');
like($@->text, qr/^-n N is not given/, '... and says so');
for my $name (qw(-machinefile -hostfile -f --hostfile)) {
	is(parsed($name, 'f', '-n', 1, 'p')->{machinefile}, 'f', $name);
}
is_deeply(
	parsed(qw(-n 2 -host), 'a,b', qw(-host c -wdir w -x A -x B=c=d -ssh), 'ssh -p 2',
		qw(-tag-output -timeout 1.5
		-ports 5000-5010 -iface 10.0.0.0/8 -no-oversubscribe -v -v p)),
	{
		n => 2, host => [ 'a,b', 'c' ], wdir => 'w', x => [ 'A', 'B=c=d' ],
			ssh => 'ssh -p 2',
		'tag-output' => 1, timeout => '1.5', ports => [ 5000, 5010 ], iface => '10.0.0.0/8',
		'no-oversubscribe' => 1, v => 2, prog => ['p'],
	},
	'all the others');
is_deeply(
	parsed(qw(-n 2 -heartbeat 50 -timeout-heartbeat 150 -ckpt-interval .25s -keep 3 -coord blocking
		-max-restarts 0 -restart-on crash -restart-from-start -accept-binary -debug -restore p)),
	{
		n => 2, heartbeat => 50, 'timeout-heartbeat' => 150, 'ckpt-interval' => 0.25, keep => 3,
		coord => 'blocking', 'max-restarts' => 0, 'restart-on' => 'crash', 'restart-from-start' => 1,
		'accept-binary' => 1, debug => 1, restore => 'latest', prog => ['p'],
	},
	'those of failures');
is_deeply(parsed('-n', 2, '-coord', $_, 'p'), { n => 2, coord => $_, prog => ['p'] }, "-coord $_")
	for qw(auto blocking eventlog tagging compare msglog);
is_deeply(parsed(qw(-n 2 -image -image-patience 1m -image-files keep -coord eventlog p)),
	{ n => 2, image => 1, 'image-patience' => 60, 'image-files' => 'keep', coord => 'eventlog', prog => ['p'] }, 'those of images');
is_deeply(parsed(qw(-n 2 -coord msglog -ckpt-interval 5 p -restore)), { n => 2, coord => 'msglog', 'ckpt-interval' => 5, restore => 'latest', prog => ['p'] },
	'message logging with checkpoints of data');
is_deeply(parsed(qw(-n 2 -coord msglog -pty p)), { n => 2, coord => 'msglog', pty => 1, prog => ['p'] }, '... and with a terminal where none are known of');
is_deeply(parsed(qw(-n 2 -coord msglog -image -ckpt-interval 5 -ckpt-order random -image-patience 1 -image-files keep p)),
	{ n => 2, coord => 'msglog', image => 1, 'ckpt-interval' => 5, 'ckpt-order' => 'random', 'image-patience' => 1, 'image-files' => 'keep', prog => ['p'] },
	'those of checkpoints under message logging');
is_deeply([ map { parsed(@$_, qw(-n 2 p))->{bind} } [], [qw(-bind core)], [qw(--bind-to none)], [qw(-bind auto)] ],
	[ undef, 'core', 'none', 'auto' ], 'how ranks are bound, in the spelling of other launchers, too');
is_deeply(parsed(qw(--allow-run-as-root --oversubscribe --use-hwthread-cpus -n 2 p a))->{prog}, [qw(p a)],
	'options of other launchers that ask for what is so anyway');
my $session = '20261121-203610-1a2b3c4d';
for my $case ([ '-restore', 'latest' ], [ '-restore=auto', 'auto' ], [ "--restore=$session", $session ],
	[ "-restore=$session:4294967295", "$session:4294967295" ]) {
	my ($word, $value) = @$case;
	is(parsed($word, qw(-n 1 p))->{restore}, $value, $word);
	my $got = parsed(qw(f 1 w p a), $word);
	is($got->{restore}, $value, '... at the end of the first spelling');
	is("@{ $got->{prog} }", 'p a', '... where it is not the program\'s');
	$got = parsed(qw(-n 1 p a), $word);
	is($got->{restore}, $value, '... and of the second');
	is("@{ $got->{prog} }", 'p a', '... where it is not the program\'s either');
	for my $words ([qw(-n 1 -- p)], [qw(-- f 1 w p)]) {
		$got = parsed(@$words, $word);
		is("@{ $got->{prog} } " . ($got->{restore} // 'no'), "p $word no", "... but behind --: @$words");
	}
}
for my $case ([ '90', 90 ], [ '90s', 90 ], [ '10m', 600 ], [ '1h30m', 5400 ], [ '1.5h', 5400 ], [ '2d', 172800 ], [ '250ms', 0.25 ],
	[ '1m0.5s', 60.5 ]) {
	my ($written, $seconds) = @$case;
	is(parsed('-n', 1, $_, $written, 'p')->{ substr $_, 1 }, $seconds, "$_ $written") for qw(-ckpt-interval -timeout);
}
is(parsed(qw(-n 1 -term-ranks), $_->[0], 'p')->{'term-ranks'}, $_->[1], "-term-ranks $_->[0]")
	for [ 5, 5 ], [ '1m', 60 ], [ '500ms', 0.5 ], [ '24h', 86400 ];
is_deeply([ FTMPI::Cli::Options::heartbeat(parsed(qw(-heartbeat 250ms -timeout-heartbeat 2s -n 1 p))) ], [ 250, 2000 ],
	'times of heartbeats with units');
is_deeply([ map { [ FTMPI::Cli::Options::heartbeat(parsed(@$_, qw(-n 1 p))) ] }
		[], [qw(-heartbeat 0)], [qw(-heartbeat 400)], [qw(-timeout-heartbeat 300)] ],
	[ [ 100, 1000 ], [ 0, 1000 ], [ 400, 1200 ], [ 100, 300 ] ], 'periods and timeouts');
is_deeply([ map { FTMPI::Cli::Options::silence($_) } 300, 1000, 2000 ], [ 5000, 5000, 10000 ],
	'how long agents wait for a word');
ok(parsed('-help')->{help} && parsed('-h')->{help}, 'help');
ok(parsed('--version', 'x')->{version}, 'version');

is_deeply([ map { parsed(@$_)->{passed} } [qw(-n 2 p -image --ckpt-interval 60 -workdir=w -v)], [qw(f 2 w p -coord eventlog)], [qw(-n 1 a : -n 1 b --image)],
		[qw(-n 2 -- p -image)], [qw(-n 2 -image p image -images -keep 3)] ],
	[ [qw(-image --ckpt-interval -workdir=w)], ['-coord'], ['--image'], undef, undef ], 'arguments that may have been meant as options');

# Ranks for each host, and their order.
is_deeply(parsed($_, 4, qw(-n 8 p)), { n => 8, ppn => 4, prog => ['p'] }, "$_ 4") for qw(-ppn -perhost --npernode --ranks-per-node --ntasks-per-node);
is_deeply(parsed(qw(-n 8 -map-by), $_->[0], 'p'), { n => 8, prog => ['p'], %{ $_->[1] } }, "-map-by $_->[0]")
	for [ slot => { 'map-by' => 'slot' } ], [ node => { 'map-by' => 'node' } ], [ 'ppr:2:node' => { 'map-by' => 'slot', ppn => 2 } ];
is_deeply(parsed(qw(-ppn 2 -host), 'a:1,b', qw(p -n 3)), { ppn => 2, host => ['a:1,b'], prog => [qw(p -n 3)] }, '-ppn without -n');
is_deeply(parsed(qw(-ppn 2 f 8 w p)), { ppn => 2, machinefile => 'f', n => 8, workdir => 'w', prog => ['p'] }, '... beside the first spelling');
is_deeply(FTMPI::Cli::Options::parse_plain(qw(-ppn 2 p 8 w x)), { ppn => 2, prog => [qw(p 8 w x)] }, '... which mpiexec does not know');
is_deeply([ map { my ($key, @words) = @$_; parsed(@words, qw(-n 1 p))->{$key} }
		[qw(host -hosts a)], [qw(host -H a)], [qw(wdir -wd d)], [qw(tag-output -l)], [qw(tag-output -prepend-rank)], [qw(tag-output --label)],
		[qw(v --verbose)], [qw(no-oversubscribe --nooversubscribe)] ],
	[ ['a'], ['a'], 'd', 1, 1, 1, 1, 1 ], 'further spellings of other launchers');
ok(parsed('-V')->{version} && parsed('-version')->{version}, 'the version, as Open MPI spells it');

# -configfile: the words of its lines come behind those of the command line.
sub of_lines { my ($words, @lines) = @_; return FTMPI::Cli::Options::parse_lines(parsed(@$words), map { [ $_ + 1, @{ $lines[$_] } ] } 0 .. $#lines) }
is_deeply(of_lines([qw(-configfile f -keep 3 -genv A 1 -restore)], [qw(-n 2 -x B -wdir d a x -restore)], [qw(-np 3 b :)], [qw(-n 1 c)]),
	{ configfile => 'f', keep => 3, genv => ['A=1'], restore => 'latest', n => 2, x => ['B'], wdir => 'd', prog => [qw(a x -restore)],
		more => [ { n => 3, prog => [qw(b :)] }, { n => 1, prog => ['c'] } ] }, 'the parts of -configfile');
for my $case ([ [], qr/^the file f names no program/ ], [ [ ['a'] ], qr/^the file f, line 1: -n N is not given; / ],
	[ [ [qw(-n 1 a)], [qw(-n 1 -keep 2 b)] ], qr/^the file f, line 2: -keep is for the whole job/ ], [ [ [qw(-n 1 a)], [qw(-n 2)] ], qr/^the file f, line 2: no program is named/ ],
	[ [ [qw(-n 40000 a)], [qw(-n 30000 b)] ], qr/^the parts have 70000 ranks together/ ], [ [ [qw(-n 1 -- a)] ], qr/^the file f, line 1: -- has no meaning; / ])
{
	my ($lines, $message) = @$case;
	eval { of_lines([qw(-configfile f)], @$lines) };
	like(ref $@ && $@->text, $message, 'a file of -configfile is refused: ' . join ' / ', map { "@$_" } @$lines);
}

is_deeply(parsed(qw(-n 2 -timestamp-output -output-filename o/100% p)), { n => 2, 'timestamp-output' => 1, 'output-filename' => 'o/100%', prog => ['p'] }, 'output into files');
is_deeply(parsed(qw(-n 2 -outfile-pattern o.%r --errfile-pattern e%%.%r p)), { n => 2, 'outfile-pattern' => 'o.%r', 'errfile-pattern' => 'e%%.%r', prog => ['p'] }, '... by pattern');

my $hint = qr/; try ftmpirun -help(?=;|\z)/;
for my $bad (
	[ [],                                 qr/^neither -n N nor MACHINEFILE N WORKDIR PROG is given$hint/ ],
	[ [ '', 1, 'w', 'p' ],                qr/^MACHINEFILE is an empty word$hint/ ],
	[ [ 'f', 1, '', 'p' ],                qr/^WORKDIR is an empty word$hint/ ],
	[ ['./prog'],                         qr/^neither -n N nor MACHINEFILE/ ],
	[ [qw(./prog -n 2)],                  qr{^-n stands behind ./prog: options come before the program, as in -n N \[OPTIONS\] PROG \[ARGS...\]$hint} ],
	[ [qw(-image ./prog --np 2 a b)],     qr{^--np stands behind ./prog: options} ],
	[ [qw(-workdir w ./prog 5x -image)],  qr{^-image stands behind ./prog: options} ],
	[ [qw(2 ./prog)],                     qr{^write -n 2 ./prog for 2 ./prog$hint} ],
	[ [qw(2 ./prog a b)],                 qr{^write -n 2 ./prog for 2 ./prog$hint} ],
	[ [qw(2 4)],                          qr/^neither -n N nor MACHINEFILE/ ],
	[ [qw(f 4 w)],                        qr/^no program is named$hint/ ],
	[ [qw(-n 4)],                         qr/^no program is named$hint/ ],
	[ [qw(f four w p)],
		qr/^N: 'four' is not a number of ranks from 1 to 65536$hint/ ],
	[ [qw(-n 0 p)],                       qr/^-n: '0' is not a number of ranks/ ],
	[ [qw(-n -1 p)],                      qr/^-n: '-1' is not a number of ranks/ ],
	[ [qw(-n 65537 p)],                   qr/^-n: '65537' is not a number of ranks/ ],
	[ [qw(-n 1 -n 2 p)],                  qr/^-n is given twice/ ],
	[ ['-n'],                             qr/^-n needs a value: -n N/ ],
	[ [ '-wdir', '' ],                    qr/^-wdir needs a value: -wdir DIR/ ],
	[ [qw(-xyzzy 1 p)],                   qr/^unknown option -xyzzy$hint/ ],
	[ [qw(-ckpt-intervall 1 p)],          qr/^unknown option -ckpt-intervall.*\(did you mean -ckpt-interval\?\)$hint/ ],
	[ [qw(--chpt-interval=1 p)],          qr/^unknown option --chpt-interval=1.*\(did you mean -ckpt-interval\?\)$hint/ ],
	[ [qw(-n 1 a :)],                     qr/^-n N is not given behind a ":"$hint/ ],
	[ [qw(-n 1 a : b)],                   qr/^-n N is not given behind a ":"$hint/ ],
	[ [qw(-n 1 a : -n 1)],                qr/^no program is named beside a ":"$hint/ ],
	[ [qw(-n 1 : -n 1 b)],                qr/^no program is named beside a ":"$hint/ ],
	[ [qw(-n 1 a : -n 1 -keep 2 b)],      qr/^-keep is for the whole job: it goes before the first program$hint/ ],
	[ [qw(-n 1 a : -n 1 -genv A 2 b)],    qr/^-genv is for the whole job/ ],
	[ [qw(-n 1 a : -n 1 -- b)],           qr/^-- has no meaning behind a ":"$hint/ ],
	[ [qw(-n 1 a : -n 0 b)],              qr/^-n: '0' is not a number of ranks/ ],
	[ [qw(-n 40000 a : -n 30000 b)],      qr/^the parts have 70000 ranks together, more than 65536$hint/ ],
	[ [qw(-restroe p)],                   qr/.*\(did you mean -restore\?\)$hint/ ],
	[ [qw(-heart 1 p)],                   qr/.*\(did you mean -heartbeat\?\)$hint/ ],
	[ [qw(-hostz a p)],                   qr/.*\(did you mean -hosts?\?\)$hint/ ],
	[ [qw(-n 1 -coord evenlog p)],        qr/ is none of .*.*\(did you mean eventlog\?\)$hint/ ],
	[ [qw(--- p)],                        qr/^unknown option ---/ ],
	[ [qw(-n 1 -host a -f b p)],          qr/^-host and -machinefile exclude each other/ ],
	[ [qw(-f a p)],                       qr/^-machinefile goes with -n N/ ],
	[ [qw(-host a f 3 w p)],              qr/^-host goes with -n N/ ],
	[ [qw(-n 1 -timeout x p)],            qr/^-timeout: 'x' is not a time in seconds/ ],
	(map { [ [ '-n', 1, '-timeout', $_, 'p' ], qr/^-timeout: '\Q$_\E' is not a time in seconds, or such as 90, 1.5h or/ ] }
		qw(1h30 1m1h 5x 1e3 -5m 0m 1..5s m . 1mm 5M)),
	[ [qw(-n 1 -timeout 0 p)],            qr/^-timeout: '0' is not a time in seconds/ ],
	[ [qw(-n 1 -ports 9-8 p)],            qr/^-ports: '9-8' is not a range of ports/ ],
	[ [qw(-n 1 -ports 0-8 p)],            qr/^-ports: '0-8' is not a range of ports/ ],
	[ [qw(-n 1 -ports 80-70000 p)],       qr/^-ports: '80-70000' is not a range of ports/ ],
	[ [qw(-n 1 -iface 10.0.0.0/33 p)],
		qr{^-iface: '10.0.0.0/33' is neither an interface nor} ],
	[ [qw(-n 1 -x 1A p)],                 qr/^-x: '1A' is neither VAR nor VAR=value/ ],
	[ [qw(-n 1 -restore -restore p)],     qr/^-restore is given twice$hint/ ],
	[ [qw(-restore f 1 w p -restore)],    qr/^-restore is given twice$hint/ ],
	[ [qw(-n 1 -restore=x p)],            qr/^-restore: 'x' is neither auto nor a session such as/ ],
	[ [qw(-n 1 -restore= p)],             qr/^-restore: '' is neither auto nor a session such as/ ],
	[ [qw(f 1 w p -restore=x)],
		qr/^-restore: 'x' is neither .*$hint; if the word is the program's own, write -- before the program$/ ],
	[ [qw(-n 1 -restore=20261121-203610-1a2b3c4d:0 p)],
		qr/^-restore: '20261121-203610-1a2b3c4d:0' is neither/ ],
	[ [qw(-n 1 -restore=20261121-203610-1a2b3c4d:4294967296 p)],
		qr/^-restore: '20261121-203610-1a2b3c4d:4294967296' is no recovery line/ ],
	[ [qw(-n=1 p)],                       qr/^unknown option -n=1; write -n 1$hint/ ],
	[ [qw(-n4 p)],                        qr/^unknown option -n4; write -n 4$hint/ ],
	[ [qw(-n 1 -bind socket p)],          qr/^-bind: 'socket' is none of auto, core, none: write -bind none, and .*taskset\(1\) or numactl\(8\)$hint/ ],
	(map { [ [ qw(-n 1 --bind-to), $_, 'p' ], qr/^--bind-to: '$_' is none of auto, core, none: write -bind none, .*$hint/ ] }
		qw(numa hwthread package l3cache)),
	[ [qw(-n 1 -bind sockets p)],         qr/^-bind: 'sockets' is none of auto, core, none$hint/ ],
	[ [qw(--mca btl self -n 1 p)],        qr/^unknown option --mca: -transport chooses .*, -iface the network, -bind .*$hint/ ],
	(map { [ [ qw(-n 1 --map-by), $_, 'p' ], qr/^--map-by: '$_' is none of slot, node, ppr:N:node .* -bind gives them processors there$hint/ ] }
		qw(core socket hwthread ppr:1:socket numa)),
	(map { [ [ qw(-n 1 -map-by), $_, 'p' ], qr/^-map-by: '$_' is none of slot, node, ppr:N:node \(with N from 1 to 65536\)$hint/ ] }
		qw(ppr:0:node ppr:65537:node ppr:x:node ppr:2 nodes seq)),
	[ [qw(-n 1 -map-by node:OVERSUBSCRIBE p)], qr/^-map-by: .*: write -oversubscribe or -no-oversubscribe$hint/ ],
	[ [qw(-n 1 -map-by slot:PE=2 p)],     qr/^-map-by: .*: OMP_NUM_THREADS says how many processors a rank needs$hint/ ],
	[ [qw(-n 4 -ppn 2 -map-by ppr:2:node p)], qr/^-map-by ppr:2:node and -ppn exclude each other$hint/ ],
	[ [qw(-n 1 -ppn 0 p)],                qr/^-ppn: '0' is not a number of ranks on each host from 1 to 65536$hint/ ],
	[ [qw(-n 1 -ppn 2 -perhost 3 p)],     qr/^-ppn is given twice$hint/ ],
	[ [qw(-n 1 a : -n 1 -ppn 2 b)],       qr/^-ppn is for the whole job: it goes before the first program$hint/ ],
	[ [qw(-ppn 2 a : -n 1 b)],            qr/^-n N is not given before the first program, and a ":" begins another one; if it is an argument, write -- before the program$hint/ ],
	[ [qw(-configfile f p)],              qr/^-configfile FILE takes the place of a program: leave out p$hint/ ],
	[ [qw(-configfile f --)],             qr/^-configfile FILE takes the place of a program: leave out --$hint/ ],
	(map { [ [ qw(--app f), @$_ ], qr/^$_->[0] goes into the file of -configfile/ ] } [qw(-n 2)], [qw(-x A)], [qw(-wdir d)]),
	[ [qw(-n 1 -rank-by node p)],         qr/^unknown option -rank-by: ranks are numbered in the order in which -map-by .*taskset\(1\) or numactl\(8\).*$hint/ ],
	[ [qw(-map-by=core -n 1 p)],          qr/^unknown option -map-by=core; write -map-by core$hint/ ],
	[ [qw(--rankfile=r -n 1 p)],          qr/^unknown option --rankfile=r: -host or -machinefile names the hosts .* -map-by .*$hint/ ],
	[ [qw(--chdir d -n 1 p)],             qr/^unknown option --chdir: write -wdir DIR$hint/ ],
	[ [qw(-n 1 a : -n 1 -D d b)],         qr/^unknown option -D: write -wdir DIR$hint/ ],
	[ [qw(-c 4 -n 1 p)],                  qr/^unknown option -c: write -n N .*OMP_NUM_THREADS$hint/ ],
	[ [qw(--partition=long -n 1 p)],      qr/^unknown option --partition=long: give it to sbatch, .*$hint/ ],
	[ [qw(-q -n 1 p)],                    qr/^unknown option -q: leave it out: .* unless -v is given$hint/ ],
	[ [qw(-genvall -n 1 p)],              qr/^unknown option -genvall: .*-x VAR .*$hint/ ],
	[ [qw(--output-filename=o -n 1 p)],   qr/^unknown option --output-filename=o; write -output-filename o$hint/ ],
	(map { [ [ qw(-n 1 -outfile-pattern), $_->[0], 'p' ], qr/^-outfile-pattern: '\Q$_->[0]\E' is not a name of files: '$_->[1]' is neither %r, the number of the rank, nor %%, which is a %$hint/ ] }
		[qw(o.%h %h)], [qw(%r.%%%p %p)], [qw(o% %)]),
	[ [qw(-n 1 --output-filename o:nocopy p)], qr/^--output-filename: 'o:nocopy' is not a folder: leave out :nocopy, .*$hint/ ],
	(map { [ [ qw(-n 1 -output-filename o), $_, qw(a p) ], qr/^-output-filename and $_ exclude each other$hint/ ] } qw(-outfile-pattern -errfile-pattern)),
	[ [qw(-o f.%t -n 1 p)],               qr/^unknown option -o: write -outfile-pattern FILE, with %r where srun has %t$hint/ ],
	[ [qw(--display-map -n 1 p)],         qr/^unknown option --display-map: -vv tells the host .*$hint/ ],
	[ [qw(-N 4 -n 8 p)],                  qr/^unknown option -N: write -ppn N for N ranks on each host; how many hosts .*$hint/ ],
	[ [qw(-n 1 --bind-to cores p)],       qr/^--bind-to: 'cores' is none of auto, core, none \(did you mean core\?\)$hint/ ],
	[ [qw(--bind-to=core -n 1 p)],        qr/^unknown option --bind-to=core; write -bind-to core$hint/ ],
	[ [qw(-bind core -bind-to none -n 1 p)], qr/^-bind is given twice$hint/ ],
	[ [qw(-n 1 a : -n 1 -bind core b)],   qr/^-bind is for the whole job: it goes before the first program$hint/ ],
	[ [qw(--report-bindings -n 1 p)],     qr/^unknown option --report-bindings: -vv tells the processors of each rank$hint/ ],
	[ [qw(--oversubscribe -no-oversubscribe -n 1 p)], qr/^-oversubscribe and -no-oversubscribe exclude each other$hint/ ],
	[ [qw(-n 1 a : --oversubscribe -n 1 b)], qr/^--oversubscribe is for the whole job/ ],
	[ [qw(-restore auto -n 1 p)],         qr/^write -restore=auto for -restore auto$hint/ ],
	[ [qw(-n 1 p a -restore auto)],       qr/^write -restore=auto for -restore auto; if these words are/ ],
	[ [qw(f 1 w p --restore latest)],     qr/^write -restore=latest for -restore latest; if these words are/ ],
	[ [qw(-n 1 a -restore : -n 1 b)],     qr/^-restore is for the whole job: it goes before the first program or to the end$hint/ ],
	[ [qw(-n 1 p -restore -accept-binary)],  qr/^-accept-binary goes before the program/ ],
	[ [qw(-n 1 p -accept-binary -restore)],  qr/^-accept-binary goes before the program/ ],
	[ [qw(-n 1 -heartbeat 9 p)],
		qr/^-heartbeat: '9' is not a period in ms: 0 for none, or from 10 to 60000$hint/ ],
	[ [qw(-n 1 -heartbeat 60001 p)],      qr/^-heartbeat: '60001' is not a period/ ],
	[ [qw(-n 1 -heartbeat x p)],          qr/^-heartbeat: 'x' is not a period/ ],
	[ [qw(-n 1 -timeout-heartbeat 299 p)],
		qr/^-timeout-heartbeat 299 is less than three periods of -heartbeat 100$hint/ ],
	[ [qw(-n 1 -timeout-heartbeat 1000 -heartbeat 334 p)],
		qr/^-timeout-heartbeat 1000 is less than three periods of -heartbeat 334$hint/ ],
	[ [qw(-n 1 -timeout-heartbeat 1000 -heartbeat 0 p)],
		qr/^-timeout-heartbeat has no meaning with -heartbeat 0$hint/ ],
	(map { [ [ qw(-n 1 -ckpt-interval), $_, 'p' ], qr/^-ckpt-interval: '\Q$_\E' is not a time from 0.001 to 4000000 s/ ] } qw(0 0.0 0s .0 00)),
	[ [qw(-n 1 -image-patience 0 p)],     qr/^-image-patience: '0' is not a time from 0.1 to 86400 s/ ],
	(map { [ [ qw(-n 1 -ckpt-interval), $_, 'p' ], qr/^-ckpt-interval: '\Q$_\E' is not a time in seconds/ ] } qw(. -1 0x 0.0.0)),
	[ [qw(-n 1 -ckpt-interval .0001 p)],
		qr/^-ckpt-interval: '.0001' is not a time from 0.001 to 4000000 s/ ],
	[ [qw(-n 1 -term-ranks 2d p)],        qr/^-term-ranks: '2d' is not a time from 0.1 to 86400 s/ ],
	[ [qw(-n 1 -term-ranks 99ms p)],      qr/^-term-ranks: '99ms' is not a time from 0.1 to 86400 s/ ],
	[ [qw(-n 1 -image-patience 5 p)],     qr/^-image-patience has no meaning without -image$hint/ ],
	[ [qw(-n 1 -image-files cut p)],      qr/^-image-files has no meaning without -image$hint/ ],
	[ [qw(-n 1 -image -image-files leave p)], qr/^-image-files: 'leave' is none of cut, keep$hint/ ],
	[ [qw(-n 1 -image -image-patience 0.01 p)], qr/^-image-patience: '0.01' is not a time from 0.1 to 86400 s$hint/ ],
	[ [qw(-n 1 -image -accept-binary p)], qr/^-accept-binary has no meaning with -image: .* one build of its program$hint/ ],
	[ [qw(-n 1 -image -coord auto p)],    qr/^with -image the protocol .*: write -coord eventlog, .* for -coord auto$hint/ ],
	[ [qw(-n 1 a : -n 1 -image b)],       qr/^-image is for the whole job/ ],
	[ [qw(-n 1 -keep 0 p)],
		qr/^-keep: '0' is not a number of recovery lines from 1 to 1000000/ ],
	[ [qw(-n 1 -coord msglog -ckpt-order random p)],
		qr/^-ckpt-order has no meaning with -coord msglog and without -image: the program says when each rank makes a checkpoint then$hint/ ],
	[ [qw(-n 1 -coord msglog -image-patience 5 p)], qr/^-image-patience has no meaning without -image$hint/ ],
	[ [qw(-n 1 -image -ckpt-order random p)], qr/^-ckpt-order has no meaning without -coord msglog$hint/ ],
	[ [qw(-n 1 -coord msglog -image -ckpt-order newest p)], qr/^-ckpt-order: 'newest' is none of round-robin, adaptive, random$hint/ ],
	[ [qw(-n 1 -coord msglog -image p -restore=20261121-203610-1a2b3c4d:7)],
		qr/^-restore=SESSION:LINE has no meaning with -coord msglog: each rank goes on from its own latest checkpoint; write -restore=SESSION$hint/ ],
	[ [qw(-n 1 -outcome-limit 2G p)], qr/^-outcome-limit has no meaning without -coord msglog$hint/ ],
	(map { [ [ qw(-n 1 -coord msglog -pty), @$_, 'p' ], qr/^-pty cannot be used with -coord msglog and $_->[0]: what lies in a terminal cannot be counted/ ] }
		['-image'], [qw(-image -ckpt-interval 5)], [qw(-ckpt-interval 5)], ['-restore']),
	[ [qw(-n 1 -log-limit 2G p)], qr/^-log-limit has no meaning without -coord msglog$hint/ ],
	[ [qw(-n 1 -coord msglog -log-limit 1000 p)], qr/^-log-limit: '1000' is not a size from 1048576 to 2199023255552 bytes/ ],
	(map { [ [ qw(-n 1 -coord msglog -outcome-limit), $_, 'p' ], qr/^-outcome-limit: '\Q$_\E' is not a size from 65536 to 17592186044416 bytes, as 500M or 2G$hint/ ] }
		qw(65535 63K 17T x 2g2 1.5G -1)),
	(map { [ [ qw(-n 1 -coord msglog), @$_, 'p' ],
		qr/^$_->[0] has no meaning with -coord msglog: that makes no recovery lines, and a rank that failed begins again alone$hint/ ] }
		[qw(-keep 3)], [qw(-keep 3 -image)], [qw(-restart-from-start)]),
	[ [qw(-n 1 -coord eventlog -verify-replay p)], qr/^-verify-replay has no meaning without -coord msglog$hint/ ],
	[ [qw(-n 1 -coord msglog -coord compare p)], qr/^-coord is given twice$hint/ ],
	[ [qw(-n 1 -coord event p)],
		qr/^-coord: 'event' is none of auto, blocking, eventlog, tagging, compare, msglog \(did you mean eventlog\?\)$hint/ ],
	[ [qw(-n 1 -max-restarts -1 p)],
		qr/^-max-restarts: '-1' is not a number of restarts from 0 to 1000000/ ],
	[ [qw(-n 1 -restart-on error p)],
		qr/^-restart-on: 'error' is none of failure, crash, any, none$hint/ ],
	)
{
	my ($words, $message) = @$bad;
	eval { parsed(@$words) };
	is(ref $@ && $@->status, 2, "refused: @$words");
	like(ref $@ && $@->text, $message, '... in a sentence');
}

my $help = FTMPI::Cli::Options::help('ftmpirun');
like($help, qr/^  -transport auto\|tcp\|shm$/m, 'help has the transports');
for my $entry (FTMPI::Cli::Options::table()) {
	my $spelled = FTMPI::Cli::Options::spelled($entry);
	like($help, qr/^  \Q$spelled\E\n        \S/m, "help has $spelled");
}
like($help, qr/^usage: ftmpirun \[OPTIONS\] MACHINEFILE N WORKDIR PROG/, 'help has both spellings');
my $plain = FTMPI::Cli::Options::help('mpiexec');
like($plain, qr/^usage: mpiexec -n N/, 'mpiexec has one');
unlike($plain, qr/spelling|WORKDIR|MACHINEFILE/, '... and its help speaks of no other');
like($_, qr/a\s+recovery\s+line\s+is\s+what\s/, 'help tells what a recovery line is') for $help, $plain;

done_testing;

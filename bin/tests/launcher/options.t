#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The two spellings, every option, and what is refused.
use strict;
use warnings;

use Test::More;

use FTMPI::Options ();

sub parsed { return FTMPI::Options::parse(@_) }

is_deeply(
	parsed(qw(-v nodes.txt 4 /tmp/w prog -n 7 --x)),
	{ v => 1, machinefile => 'nodes.txt', n => 4, workdir => '/tmp/w',
		prog => [qw(prog -n 7 --x)] },
	'the first spelling; arguments pass untouched');
is_deeply(
	parsed(qw(-n 3 -machinefile f -workdir d prog -v -- -restore)),
	{ n => 3, machinefile => 'f', workdir => 'd', prog => [qw(prog -v -- -restore)] },
	'the second; -restore after the program is its own');
is_deeply(parsed(qw(--np 3 -- -prog)), { n => 3, prog => ['-prog'] },
	'two dashes; -- ends options');
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
ok(parsed('-help')->{help} && parsed('-h')->{help}, 'help');
ok(parsed('--version', 'x')->{version}, 'version');

my $hint = qr/; try ftmpirun -help$/;
for my $bad (
	[ [],                                 qr/^neither -n N nor MACHINEFILE N WORKDIR PROG is given$hint/ ],
	[ [ '', 1, 'w', 'p' ],                qr/^MACHINEFILE is an empty word$hint/ ],
	[ [ 'f', 1, '', 'p' ],                qr/^WORKDIR is an empty word$hint/ ],
	[ ['./prog'],                         qr/^neither -n N nor MACHINEFILE/ ],
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
	[ [qw(-frob 1 p)],                    qr/^unknown option -frob$hint/ ],
	[ [qw(-n 1 -host a -f b p)],          qr/^-host and -machinefile exclude each other/ ],
	[ [qw(-f a p)],                       qr/^-machinefile goes with -n N/ ],
	[ [qw(-host a f 3 w p)],              qr/^-host goes with -n N/ ],
	[ [qw(-n 1 -timeout x p)],            qr/^-timeout: 'x' is not a time in seconds/ ],
	[ [qw(-n 1 -timeout 0 p)],            qr/^-timeout: '0' is not a time in seconds/ ],
	[ [qw(-n 1 -ports 9-8 p)],            qr/^-ports: '9-8' is not a range of ports/ ],
	[ [qw(-n 1 -ports 0-8 p)],            qr/^-ports: '0-8' is not a range of ports/ ],
	[ [qw(-n 1 -ports 80-70000 p)],       qr/^-ports: '80-70000' is not a range of ports/ ],
	[ [qw(-n 1 -iface 10.0.0.0/33 p)],
		qr{^-iface: '10.0.0.0/33' is neither an interface nor} ],
	[ [qw(-n 1 -x 1A p)],                 qr/^-x: '1A' is neither VAR nor VAR=value/ ],
	[ [qw(-n 1 -restore p)],              qr/^-restore: this version keeps no recovery lines/ ],
	[ [qw(f 1 w p a -restore)],           qr/^-restore: this version keeps no recovery lines/ ],
	)
{
	my ($words, $message) = @$bad;
	eval { parsed(@$words) };
	is(ref $@ && $@->status, 2, "refused: @$words");
	like(ref $@ && $@->text, $message, '... in a sentence');
}

my $help = FTMPI::Options::help('ftmpirun');
for my $entry (FTMPI::Options::table()) {
	my $spelled = FTMPI::Options::spelled($entry);
	like($help, qr/^  \Q$spelled\E\n        \S/m, "help has $spelled");
}
like($help, qr/^usage: ftmpirun \[OPTIONS\] MACHINEFILE N WORKDIR PROG/, 'help has both spellings');
like(FTMPI::Options::help('mpiexec'), qr/^usage: mpiexec -n N/, 'mpiexec has one');

done_testing;

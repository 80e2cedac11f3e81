# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of what a job is started with: orders, words, files, options.
use strict;
use warnings;

use FTMPI::Control ();
use FTMPI::Wire    ();

# ---- control ----

sub start_frame { return start_frame_with([], @_) }

# settings: beside those that each START here has.
sub start_frame_with
{
	my ($settings, $rank, @hosts) = @_;
	my $table = join '', map { FTMPI::Wire::pack_fields('sshhuu', "node$_", $hosts[$_], 4000 + $_, 0, $_, 2) }
		0 .. $#hosts;
	return FTMPI::Control::encode('START', 's' x 16, 0, $rank, scalar @hosts, 'k' x 32, 0, 1, 0, '/tmp',
		'name', [ 'heartbeat=100', 'coord=blocking', 'restarts=1', @$settings ], $table);
}

sub control_seeds
{
	my @v4 = map { "10.0.0.$_" } 1 .. 3;
	my %start = (
		'one' => start_frame(0, '127.0.0.1'),
		'three' => start_frame(1, @v4),
		'ipv6' => start_frame(2, 'fd00::1', '::1', '::ffff:1.2.3.4'),
		'rank-outside' => start_frame(3, @v4),
		'host-by-name' => start_frame(0, 'localhost'),
		'msglog' => start_frame_with([ 'coord=msglog', 'keeper=[fd00::1]:7000', 'incarnations=0,2,4294967295' ], 1, @v4),
		'incarnations-few'  => start_frame_with(['incarnations=0,2'],     1, @v4),
		'incarnations-many' => start_frame_with(['incarnations=0,2,1,1'], 1, @v4),
		'incarnations-huge' => start_frame_with(['incarnations=0,2,4294967296'], 1, @v4),
		'incarnations-odd'  => start_frame_with(['incarnations=0,,2'],    1, @v4),
	);
	for my $name (keys %start) {
		seed('control', "body-$name", "\2", substr $start{$name}, FTMPI::Wire::HEAD);
		seed('control', "socket-$name", "\0\0\0\0", $start{$name});
	}
	my $outside = substr $start{one}, FTMPI::Wire::HEAD;
	substr $outside, -8, 8, pack 'V V', 1, 2;
	seed('control', 'body-node-outside', "\2", $outside);
	substr $outside, -8, 8, pack 'V V', 0, 0;
	seed('control', 'body-no-cores', "\2", $outside);
	seed('control', 'body-cut',      "\2", substr $start{three}, FTMPI::Wire::HEAD, 120);
	seed('control', 'body-more',     "\2", substr($start{three}, FTMPI::Wire::HEAD), 'x');
	seed('control', 'body-many',     "\2", pack 'a16 V3 a32 V3 V V', '', 0, 0, 1 << 20, '', 0, 0, 0, 0, 0);
	seed('control', 'socket-stdin',  "\0\1\0\0", $start{three});
	seed('control', 'socket-version', "\0\0\0\0", pack 'V v v', 0, 1, 2);
	seed('control', 'socket-length', "\0\0\0\0", pack 'V v v', 0x1000001, 1, 1);
	seed('control', 'socket-short',  "\0\0\0\0", substr $start{three}, 0, 30);
	seed('control', 'socket-fd-text', "\0\0\7abc\0", $start{three});
	seed('control', 'socket-fd-empty', "\0\1\1\0", $start{three});
	my @restart = map { FTMPI::Control::encode('RESTART', $_) } 1, 2;
	seed('control', 'socket-restarted', "\0\0\0\0", @restart, $start{three});
	seed('control', 'socket-restarted-cut', "\0\0\0\0", substr $restart[0], 0, 10);
	seed('control', 'socket-restarted-long', "\0\0\0\0", FTMPI::Wire::frame(2, 'x' x 5), $start{three});
	seed('control', 'order', "\3\7", substr($restart[0], 0, 8), "\3", substr $restart[0], 8);
	my %order = map { $_ => FTMPI::Control::encode($_, 1) } qw(OBSERVE DUMP LEAVE);
	$order{SAVE} = FTMPI::Control::encode('SAVE', 1, 7, 2);
	$order{FAULT} = FTMPI::Control::encode('FAULT', 1, 2, 3, 1000);
	seed('control', 'order-fault-what', "\3\7", substr($order{FAULT}, 0, 8), "\17", pack 'V4', 1, 3, 3, 1000);
	seed('control', "order-\L$_\E", "\3\7", substr($order{$_}, 0, 8), chr length($order{$_}) - 9, substr $order{$_}, 8) for keys %order;
	seed('control', 'order-save-step', "\3\7", substr($order{SAVE}, 0, 8), "\13", pack 'V3', 1, 7, 3);
	seed('control', 'order-save-short', "\3\7", pack 'V v v', 4, 5, 1);
	seed('control', 'order-pieces',  "\3", map { "\0$_" } split //, $restart[0]);
	seed('control', 'order-other',   "\3\7", FTMPI::Wire::frame(1, 'abcd'));
	seed('control', 'order-long',    "\3\7", FTMPI::Wire::frame(2, 'abcde'));
	seed('control', 'order-version', "\3\7", pack 'V v v V', 4, 2, 2, 1);
	seed('control', 'told',          "\1\1\2the connection was reset");
	seed('control', 'told-long',     "\1\1\2", 'y' x 2000);
	return;
}

# ---- byhand: 0 knob value, or 1 secret bind port then words ----

sub byhand_seeds
{
	my %knob = (right => "\0\0" . '4096', none => "\0\1", word => "\0\2abc", low => "\0\1" . '-5',
		high => "\0\3" . '3600001', huge => "\0\1" . '9' x 40, tail => "\0\4" . '2000x',
		spaces => "\0\2  12", line => "\0\2" . "1\n2", long => "\0\2" . 'z' x 1000,
		hex => "\0\2" . '0x10', plus => "\0\2+7");
	seed('byhand', "knob-$_", $knob{$_}) for keys %knob;
	my $two = join "\n", qw(-v -ftmpi /tmp 1 2 0 127.0.0.1 1 127.0.0.1);
	my %words = (
		'none'        => "-v",
		'two'         => $two,
		'ipv6'        => join("\n", qw(-ftmpi /tmp 0 2 0 ::1 1 fd00::2)),
		'no-workdir'  => '-ftmpi',
		'no-size'     => "-ftmpi\n/tmp\n0",
		'rank-outside' => join("\n", qw(-ftmpi /tmp 2 2 0 1.2.3.4 1 1.2.3.5)),
		'too-few'     => join("\n", qw(-ftmpi /tmp 0 2 0 1.2.3.4)),
		'swapped'     => join("\n", qw(-ftmpi /tmp 0 2 1 1.2.3.4 0 1.2.3.4)),
		'rank-word'   => join("\n", qw(-ftmpi /tmp 0x 2 0 1.2.3.4 1 1.2.3.4)),
		'no-host'     => join("\n", qw(-ftmpi /tmp 0 1 0 nowhere)),
		'recover'     => "$two\n-ftmpirecover\nfile",
		'no-directory' => join("\n", qw(-ftmpi /nowhere 0 1 0 1.2.3.4)),
		'long-directory' => join("\n", '-ftmpi', '/tmp' . '/' x 4080, qw(0 1 0 1.2.3.4)),
		'long-host'   => join("\n", qw(-ftmpi /tmp 0 1 0), '1.2.3.' . '0' x 260 . '4'),
		'odd-host'    => join("\n", qw(-ftmpi /tmp 0 1 0), "a\tb\e[31m"),
	);
	seed('byhand', "words-$_", "\1\0\0\0$words{$_}") for keys %words;
	seed('byhand', 'words-port-taken',     "\1\0\xff\0$two");
	seed('byhand', 'words-secret-short',   "\1\xfd\0\0$two");
	seed('byhand', 'words-secret-unset',   "\1\xfb\0\0$two");
	seed('byhand', 'words-secret-nowhere', "\1\xff", 'nowhere', "\0" x 57, "\0\0$two");
	seed('byhand', 'words-secret-directory', "\1\xfe\0\0$two");
	seed('byhand', 'words-ports-beyond', "\1\0\0\xff",
		join "\n", qw(-ftmpi /tmp 0 540), map { ($_, 1) } 0 .. 539);
	return;
}

# ---- started: processors, signals, stack, program, directory, words, descriptors ----

sub started_words
{
	my $bytes = join '', map { "$_\0" } @_;
	return pack('V V', scalar @_, length $bytes) . $bytes;
}

sub started_seeds
{
	my $sets = pack 'V a128 a128 a128 Q<', 1, "\xff", "\1", "\2", 8 << 20;
	my $names = pack 'V/a V/a', './prog', '/tmp';
	my @words = (started_words('prog', '', 'x'), started_words('A=b'));
	my @fds   = map { pack 'V V Q< Q<', $_, 2, 5, $_ } 0 .. 64;
	my $whole = "$sets$names$words[0]$words[1]";
	my %seed = (
		'whole'     => $whole . pack('V', 3) . join('', @fds[0 .. 2]),
		'nothing'   => pack('V a384 Q< V V', 0, '', 0, 0, 0) . started_words() x 2 . pack('V', 0),
		'most'      => $whole . pack('V', 64) . join('', @fds[0 .. 63]),
		'too-many'  => $whole . pack('V', 65) . join('', @fds),
		'twice'     => $whole . pack('V', 2) . $fds[1] x 2,
		'negative'  => $whole . pack('V', 1) . pack('V V Q< Q<', ~0 & 0xffffffff, 2, 5, 1),
		'flags'     => $whole . pack('V', 1) . pack('V V Q< Q<', 1, 1 << 31, 5, 1),
		'fewer'     => "$sets$names" . pack('V V', 1, 5) . "a\0bc\0" . $words[1] . pack('V', 0),
		'open-word' => "$sets$names" . pack('V V', 1, 3) . 'a' . "\0b" . $words[1] . pack('V', 0),
		'beyond'    => "$sets$names" . pack('V V', 1, ~0 & 0xffffffff) . "a\0",
		'long-name' => $sets . pack('V/a V/a', '/' x 4096, '/tmp') . join('', @words) . pack('V', 0),
		'cut'       => substr($whole, 0, 300),
		'more'      => $whole . pack('V', 0) . 'x',
	);
	seed('started', $_, $seed{$_}) for keys %seed;
	return;
}

# ---- the parsers in Perl (FTMPI::Test::FuzzTargets) ----

sub machines_seeds
{
	my %seed = (
		'file'       => "# a comment\n\nnode1\nnode2 slots=4   # and here\n\tnode3:8\nnode1:2\n10.0.0.1:3\n"
			. "[fd00::1]:5\n[fd00::2]\nfd00::3\nfd00::3 slots=2\nuser\@node4\n",
		'file-crlf'  => "a:2\r\nb\r\n",
		'file-too-many' => "a:65537\n",
		'file-empty' => "# nobody\n",
		'file-most'  => "a slots=65536\na slots=65536\nb:65537\n",
		'list'       => "-host\na,b:4,[::1]:2,a",
		'list-hole'  => "-host\na,,b",
		'list-lines' => "-host\na\nb",
	);
	seed('machines', $_, $seed{$_}) for keys %seed;
	return;
}

sub allocation_seeds
{
	my $slurm = "SLURM_JOB_ID=7\nSLURM_JOB_NODELIST=";
	my %seed = (
		'slurm'        => "${slurm}n[1-2],x03\nSLURM_TASKS_PER_NODE=2(x2),1\nSLURM_NTASKS=5\nSLURMD_NODENAME=n2\n",
		'slurm-ranges' => "${slurm}rack[0-1]n[01-03,7]-ib,login\nSLURM_JOB_CPUS_PER_NODE=8(x8),2\n",
		'slurm-step'   => "${slurm}n[1-2]\nSLURM_TASKS_PER_NODE=1\nSLURM_NTASKS=1\nSLURM_JOB_CPUS_PER_NODE=2(x2)\n",
		'slurm-many'   => "${slurm}n[1-99999]\n",
		'slurm-odd'    => "${slurm}n[1-2]]\n",
		'slurm-old'    => "SLURM_JOBID=7\nSLURM_NODELIST=a\n",
		'pbs'          => "PBS_JOBID=12[3].server\nPBS_NODEFILE=/f\n\na\na\nb.example.org\n",
		'pbs-no-file'  => "PBS_JOBID=12\nPBS_NODEFILE=/f",
		'lsf-file'     => "LSB_JOBID=5\nLSB_DJOB_HOSTFILE=/f\n\na\na\nb\n",
		'lsf-pairs'    => "LSB_JOBID=5\nLSB_MCPU_HOSTS=a 2 b 1\n",
		'lsf-words'    => "LSB_JOBID=5\nLSB_HOSTS=a a b\n",
		'none'         => "SLURM_JOB_ID=7\n",
	);
	seed('allocation', $_, $seed{$_}) for keys %seed;
	return;
}

sub events_seeds
{
	my $of    = sub { my ($at, $name, $rest) = @_; return qq({"time":1795293000,"at":$at,"event":"$name",$rest}\n) };
	my $hosts = '"hosts":[{"name":"a","slots":2,"ranks":[0,1]},{"name":"b","slots":2,"ranks":[2]}]';
	my $start = $of->(0, 'start', qq("v":1,"session":"20261121-203610-1a2b3c4d","host":"a","pid":7,"interval":2,"holds":"images","protocol":"blocking",$hosts,"parts":[{"ranks":3,"program":"p","arguments":["<b>"]}]));
	my $line  = $of->(5, 'line_committed', '"line":1,"by":"time","bytes":9000,"seconds":0.5,"held":0.1,"stood_lines":1,"stood_longest":0.2,"stood_mean":0.1');
	my $back  = $of->(9, 'restored', '"line":1,"session":"20261121-203610-1a2b3c4d"') . $of->(10, 'back', '"epoch":1,"seconds":2');
	my $moved = '"hosts":[{"name":"a","slots":2,"ranks":[0,1,2]}]';
	my %seed  = (
		'whole'   => $start . $of->(1, 'run', qq("epoch":0,$hosts)) . $of->(2, 'ready', '"epoch":0') . $line . $of->(8, 'failure', '"class":"host","decision":"restart","lost":3.1,"ranks":[2],"why":"lost & gone"') . $of->(8, 'restart', '"epoch":1,"kind":"all"')
			. $of->(8.5, 'run', qq("epoch":1,$moved)) . $back . $of->(20, 'end', '"status":0,"stood":0.2,"lost":3.1'),
		'alone'   => $start =~ s/blocking/msglog/r . $of->(2, 'ready', '"epoch":0') . $of->(3, 'checkpoint', '"rank":2,"number":1,"bytes":10') . $of->(4, 'failure', '"class":"host","decision":"move","lost":1,"ranks":[2]') . $of->(5, 'moved', $moved)
			. $of->(6, 'restored', '"rank":2,"number":1') . $of->(7, 'back', '"epoch":0,"seconds":3'),
		'refused' => $start . $of->(3, 'line_refused', '"why":"no <memory>","rank":1,"count":3') . $of->(4, 'suspicion', '"rank":1') . $of->(5, 'progress', '"fraction":0.5,"text":"half"') . qq({"event":"dropped","count":7}\n),
		'traffic' => $start . $of->(5, 'traffic', '"block":1,"sent":[{"from":0,"to":[1,2],"messages":[3,1],"bytes":[30,9000000000]},{"from":2,"to":[2],"messages":[1],"bytes":[0]}]') . $of->(9, 'end', '"status":0'),
		'again'   => $start . $of->(3, 'end', '"status":130') . $start . $of->(2, 'ready', '"epoch":0') . '{"time":1',
	);
	seed('events', $_, $seed{$_}) for keys %seed;
	return;
}

sub options_seeds
{
	my %seed = (
		'first-spelling'  => [qw(-v nodes.txt 4 /tmp/w prog -n 7 --x)],
		'second-spelling' => [qw(-n 3 -machinefile f -workdir d prog -v -- -restore)],
		'dashes'          => [qw(--np 3 -- -prog)],
		'all'             => [split(/ /, '-n 2 -host a,b -host c -wdir w -x A -x B=c=d -ssh'), 'ssh -p 2',
			qw(-tag-output -timeout 1.5 -ports 5000-5010 -iface 10.0.0.0/8 -no-oversubscribe -v -v p)],
		'interface'       => [qw(-n 1 -iface eth0 -timeout .5 p)],
		'help'            => ['-help'],
		'restore'         => [qw(f 1 w p a -restore)],
		'restore-line'    => [ 'f', 1, 'w', 'p', '-restore=20261121-203610-1a2b3c4d:7' ],
		'failures'        => [qw(-n 2 -heartbeat 50 -timeout-heartbeat 150 -ckpt-interval .25 -keep 3 -coord
			blocking -max-restarts 0 -restart-on crash -restart-from-start -accept-binary -debug -restore p)],
		'inject'          => [ qw(-n 4 -inject), 'kill:2@5s, stop:1@3s+2s, host:a@1m30s, cut:0-3@8+.5, diskfull@0+500ms, corrupt:1@last', '-inject-random', '1/10m,42', 'p' ],
		'restore-second'  => [qw(-n 1 p a -restore=auto)],
		'image'           => [qw(-n 2 -image -image-patience 5s -image-files keep -ckpt-interval 1m -coord eventlog p)],
		'msglog'          => [qw(-n 2 -coord msglog -max-restarts 9 p)],
		'msglog-restore'  => [qw(-n 2 -coord msglog p -restore)],
		'bind'            => [qw(-n 2 --bind-to core p)],
		'times'           => [qw(-n 1 -timeout 1h30m -ckpt-interval 1.5m -heartbeat 250ms -timeout-heartbeat 2s p)],
		'misspelt'        => [qw(-n 1 -ckpt-intervall=5 p)],
		'parts'           => [qw(-n 2 -env A 1 a x : -n 3 -wdir d -x B b : -np 1 c -restore)],
		'untouched'       => [qw(-n 1 -- p -restore)],
		'empty-words'     => [ '-n', '1', '', '' ],
	);
	seed('options', $_, join "\n", @{ $seed{$_} }) for keys %seed;
	return;
}

# one message of each kind
my @MESSAGES = (
	[ INITED => 4711 ], ['FINALIZED'], ['ENDING'], [ ABORTED => 1, 'MPI_Send' ], [ LOST => 2, 'reset' ],
	[ SETUP => 1000, 5000, 60000 ],
	[ BIND => '10.0.0.1', 2, 5000, 5010 ],
	[ RUN => 's' x 16, 'k' x 32, 0, 2, 1, '/tmp', 'name', [ 0, 1 ], '/', [qw(prog arg)], ['A=b'],
		['keep=2'], 'rest' ],
	[ PART => 2, 3, '/tmp', [qw(prog arg)], ['A=b'] ],
	[ STDIN => 'abc' ], ['STDIN_END'], [ KILL => 1 ], [ CREDIT => 7 ], ['PING'], ['END'],
	[ HERE => 4, '10.0.0.1', [qw(lo eth0)], [qw(127.0.0.1 10.0.0.2)] ], [ PORTS => [ 1, 65535 ] ],
	[ UNFIT => 'why' ], [ STARTED => 0, 99 ], [ NEWS => 0, 16, 'body' ], [ BROKEN => 1, 'how' ],
	[ CANNOT_RUN => 0, 'no' ], [ OUT => 0, 2, "line\n" ], [ EXITED => 0, 1, 0 ], [ STDIN_TAKEN => 5 ],
	['STDIN_CLOSED'], ['PONG'], ['BYE'], [ RESTARTING_ALL => 1 ], [ STOPPED => 1, 1000 ],
	[ TRAFFIC => 0, 4, 1, [ 0, 3 ], [ 5, 0, 50, 0, 1, 0, 0, 7 ] ],
	[ RESTARTING => 1 ], [ SUSPECT => 1, 1012, 7 ], [ LINE => 4 ], [ PROGRAM => 1 ], [ RESTORED => 4, 'name' ],
	[ RUNS => 'h' x 16, '/bin/prog' ], [ LOADED => 4711 ], [ HELD => 7, 'why' ], [ SAVED => 7, 1 ], [ INPUT => 7, 4096, 0 ], [ SAVE_ALL => 0, 7, 2 ], [ SAVE_ONE => 1, 0, 7, 0 ], [ PIECE => 'abc' ], [ PRINTED => 1, 7, 4096, 0 ], [ LOGS => 1, 4096, 1024 ], [ OPEN => '/', ['A=b'], ['prog'] ],
	[ OPENED => ['/bin/prog'], ['10-1f'] ], [ TRACED => 1, 4711, 'gdb' ],
	[ BOUND => [ 0, 1 ], [ '0-1', '2,5' ], '' ],
	[ RESTART_ALL => 1 ], [ FENCE => 2 ], [ RESTART => 1 ], [ RERUN => 1, 2, '0,2' ], [ LEAVE_ALL => 0 ], [ LEAVE => 0 ], [ FAULT => 0, 1, 0, 1000 ], [ INJECT => 1, 2, 3, 0, 1000 ], [ INJECTED => 1, 1 ],
	[ HEARD => 1 ], [ EXAMINE => 1, 150 ], [ PATIENCE => 60000 ], [ CONDITION => 1, 2, 8407 ], [ STRAINED => 700, 8407 ],
);

sub wire_seeds
{
	my $all = join '', map { FTMPI::Control::encode(@$_) } @MESSAGES;
	seed('wire', "message-$_->[0]", "\0", FTMPI::Control::encode(@$_)) for @MESSAGES;
	seed('wire', 'message-START', "\1", start_frame(0, '127.0.0.1'));
	seed('wire', 'all', "\5", $all);
	seed('wire', 'version', "\0", pack 'V v v', 0, 1, 2);
	seed('wire', 'length',  "\0", pack 'V v v', 0x1000001, 1, 1);
	seed('channel', 'greeted', "\7welcome to this machine\n\0hello\n$all");
	seed('channel', 'greeted-at-once', "\0\0hello\n" . FTMPI::Control::encode('PONG'));
	seed('channel', 'greeted-cut', "\2\0hello\n" . substr $all, 0, 20);
	seed('channel', 'never-greeted', "\1\0hell");
	return;
}

# Two looks at a program's thread and that of its heartbeats.
sub condition_seeds
{
	my $stat = sub { "4711 ($_[0]) $_[1] 1 2 3 0 -1 4194368 95 0 7 0 $_[2] 4 0 0 20 0 3 0 5200 31 3\n" };
	my %seed = (
		stopped => [ $stat->('prog', 'T', 3), "5 6 7\n" ],
		runs    => [ $stat->('prog', 'R', 3), "5 6 7\n", $stat->('prog', 'R', 30), "9 6 8\n",
			$stat->('ftmpi-beat', 'S', 3), "5 6 7\n", $stat->('ftmpi-beat', 'S', 3), "6 6 8\n" ],
		hung    => [ map { ($stat->('ftmpi-beat', 'S', 3), "5 6 7\n") } 1, 2 ],
		starved => [ map { ($stat->('ftmpi-beat', 'R', 3), '') } 1, 2 ],
		gone    => [],
	);
	seed('condition', $_, join "\0", "84.07 40.00 20.10 81/400 12345\n", @{ $seed{$_} }) for keys %seed;
	return;
}

sub address_seeds
{
	my %seed = (
		'one'     => "\n1  lo 127.0.0.1 eth0 10.0.0.1",
		'three'   => "\n1  lo 127.0.0.1 eth0 10.0.0.1\n0 10.0.0.2 lo 127.0.0.1 eth0 10.0.0.2\n"
			. "0 10.0.0.3 docker0 172.17.0.1 eth0 10.0.0.3",
		'network' => "10.0.0.0/8\n1  lo 127.0.0.1 eth0 10.0.0.1\n0 fd00::1 eth0 10.0.0.2 eth0 fd00::1",
		'name'    => "eth0\n1  eth0 fd00::1\n0 ::ffff:1.2.3.4 eth0 fd00::2 eth0 fe80::1",
		'none'    => "eth9\n1  lo 127.0.0.1\n0 10.0.0.2 eth0 10.0.0.2",
		'mixed'   => "\n0 fd00::1 eth0 fd00::1\n0 10.0.0.2 eth0 10.0.0.2 eth0 fd00::2",
		'odd'     => "\n0 nowhere eth0 no.address eth1 \n0 fe80::1%eth0 tun0 10.8.0.1",
	);
	seed('address', $_, $seed{$_}) for keys %seed;
	return;
}

1;

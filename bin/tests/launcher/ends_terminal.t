#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# At a terminal (a pseudo-terminal that script(1) makes): Ctrl-C as it is typed, programs that would
# ask there; and without one: in the background, with signals ignored.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $ssh = text_file('odd-ssh', <<'EOS');
#!/bin/sh
case $1 in
silent) exec sleep 1000;;
asks) exec 2>&1; printf 'Password: ' >/dev/tty; read answer </dev/tty; exit 255;;
esac
shift
exec sh -c "$*"
EOS
chmod 0755, $ssh;

# The command at a terminal of its own; what is fed to it is typed there.
sub at_terminal
{
	my ($line) = @_;
	return begin([ 'script', '-qefc', $line, '/dev/null' ], keep_open => 1,
		env => { SHELL => '/bin/sh', RUN => $FTMPIRUN, ODD_SSH => $ssh });
}

sub type
{
	my ($job, $text) = @_;
	syswrite $job->{feed}, $text;
	return;
}

my $polite = q(trap "echo got TERM; exit" TERM; trap "echo got INT" INT; echo ready; )
	. q(while :; do sleep 0.1; done);

my $job = at_terminal(qq(exec \$RUN -n 2 sh -c '$polite'));
wait_for($job, 'out', qr/(?:ready\s+){2}/);
type($job, "\003");
wait_end($job);
is($job->{status}, 130, 'Ctrl-C');
is(() = $job->{out} =~ /got TERM/g, 2, '... reaches the ranks as SIGTERM');
unlike($job->{out}, qr/got INT/, '... and as nothing else');
is(() = $job->{out} =~ /ftmpirun:/g, 1, '... with one sentence');
nobody_left();

$job = at_terminal(q(exec $RUN -n 2 sh -c 'trap "echo told" TERM; echo ready; while :; do sleep 0.1; done'));
wait_for($job, 'out', qr/(?:ready\s+){2}/);
type($job, "\003");
wait_for($job, 'out', qr/told/);
type($job, "\003");
is(wait_end($job)->{status}, 130, 'Ctrl-C twice');
nobody_left();

$job = at_terminal(q(exec $RUN -vv -ssh $ODD_SSH -host silent -n 1 true));
wait_for($job, 'out', qr/session /);
type($job, "\003");
is(wait_end($job)->{status}, 130, 'Ctrl-C while ssh hangs');
nobody_left();

# An ssh that wants to ask finds no terminal: what is typed is for the job.
$job = at_terminal(q(exec $RUN -ssh $ODD_SSH -host asks -n 1 true));
wait_end($job);
is($job->{status}, 1, 'an ssh that would ask at the terminal');
like($job->{out},
	qr{\Aftmpirun: host asks: cannot start: [^\n]*/dev/tty: No such device or address\s*\z},
	'... cannot, and that is told');
nobody_left();

# The terminal goes away: SIGHUP.
$job = at_terminal(q(exec $RUN -n 2 sh -c 'echo ready; sleep 1000'));
wait_for($job, 'out', qr/(?:ready\s+){2}/);
kill 'KILL', $job->{pid};
wait_end($job);
nobody_left('a terminal that goes away takes the job along');

# In the background of a shell with job control it does not read the terminal, and is not stopped.
$job = at_terminal('set -m; $RUN -n 2 sh -c "echo ready; sleep 1; echo done" &'
	. ' wait $!; echo "status $?"; read typed; echo "the shell got $typed"');
wait_for($job, 'out', qr/(?:ready\s+){2}/);
type($job, "this line\n");
like(wait_end($job)->{out}, qr/(?:done\s+){2}status 0\s+the shell got this line/,
	'in the background at a terminal: what is typed is not for the job');
nobody_left();

# A script's background job has SIGINT and SIGQUIT ignored: Ctrl-C is not for it, SIGTERM is.
for my $case ([ 'INT', 'TERM', 143 ], [ 'HUP', 'INT', 130 ], [ 'HUP', 'TERM', 143 ]) {
	my ($ignored, $other, $status) = @$case;
	my $go = scratch() . "/go.$ignored.$other";
	my $command = "trap '' $ignored; exec \"\$@\"";
	$job = begin([ 'sh', '-c', $command, 'sh', $FTMPIRUN, '-n', 2, $RANK, 'init', 'say:ready',
		"await:$go", 'say:still here', 'hang' ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	kill $ignored, -$job->{pid};
	text_file("go.$ignored.$other", '');
	ok(wait_for($job, 'out', qr/(?:still here\n){2}/), "SIG$ignored that is ignored stays so");
	kill $other, $job->{pid};
	is(wait_end($job)->{status}, $status, "... SIG$other ends the job");
	nobody_left();
}
$job = begin([ 'sh', '-c', '"$@" & wait $!', 'sh', $FTMPIRUN, qw(-n 2 sh -c), 'cat; echo done' ],
	keep_open => 1);
is(wait_end($job)->{out}, "done\ndone\n", 'in the background of a script, with no input');
$job = begin([ 'setsid', '-w', $FTMPIRUN, qw(-n 2 echo done) ]);
is(wait_end($job)->{out}, "done\ndone\n", 'without any terminal');
nobody_left();

done_testing;

# SPDX-License-Identifier: BSD-3-Clause
#
# Failures on order (-inject), in real programs: each is said, what comes of it is what comes of any such failure, and the answer is
# right. A program that holds waits until something has failed, so a failure never comes too late.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Alone   ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(write_file);

FTMPI::Test::Fault::alone();

# Hosts a and b are this machine, in an ssh that runs the command here.
my $ssh = FTMPI::Test::Fault::directory() . '/ssh';
write_file($ssh, "#!/bin/sh\nshift\nexec sh -c \"\$*\"\n");
chmod 0755, $ssh;
FTMPI::Test::Alone::remember();    # it stays

my @HOLDS = qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25);
my @RUNS  = qw(40000000 -every 100000 -ckpt 10 -trace);

sub pi { my ($list, $args, @run) = @_; return FTMPI::Test::Fault->start(program => 'pi', args => $args, run => [ '-inject', $list, @run ]) }

# The answer is right, restarts are so many, and nobody is left; the lines that there are can be read.
sub ended_well
{
	my ($fault, $name, $restarts) = @_;
	my $job = $fault->job;
	$job->finish if !defined $job->status;
	$job->is_status(0, $name);
	$job->verdict((FTMPI::Test::Fault::answer($job->out) // 'none') eq $fault->undisturbed, "$name: the answer is right");
	$fault->judge_restarts($name, $restarts);
	$fault->clear($name);
	return;
}

sub said { my ($fault, $name, $words) = @_; return $fault->job->err_like(qr/^ftmpirun: injected: $words$/m, "$name: it is said") }

for my $coord (qw(blocking eventlog)) {
	my $name  = "$coord: a kill";
	my $fault = pi('kill:2@500ms', \@HOLDS, '-coord', $coord);
	ended_well($fault, $name, 1);
	said($fault, $name, qr/rank 2 on \S+ is killed \(kill:2\@500ms\)/);
	$fault->job->err_like(qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\); restart 1 of 3\b/m, "$name: and what came of it");
}

{
	my $fault = pi('stop:1@0+200ms', \@RUNS, qw(-timeout-heartbeat 60000));
	ended_well($fault, 'a stop below -timeout-heartbeat', 0);
	said($fault, 'a stop below -timeout-heartbeat', qr/rank 1 on \S+ is stopped for 0\.2 s \(stop:1\@0\+200ms\)/);
}

{
	my $fault = pi('stop:1@500ms+1h', \@HOLDS);
	ended_well($fault, 'a stop above -timeout-heartbeat', 1);
	said($fault, 'a stop above -timeout-heartbeat', qr/rank 1 on \S+ is stopped for 1 h \(stop:1\@500ms\+1h\)/);
	$fault->job->err_like(qr/^ftmpirun: rank 1 on \S+ showed no life for \d+ ms \(stopped or hung\) and was killed; restart 1 of 3\b/m, '... and noticed');
}

{
	my $fault = pi('host:b@500ms', \@HOLDS, '-ssh', $ssh, qw(-host a:2,b:2));
	ended_well($fault, 'a host', [ 1, 2 ]);
	said($fault, 'a host', qr/host b is lost, with ranks 2-3 \(host:b\@500ms\)/);
	$fault->job->err_like(qr/ranks 2-3 go to a; restart 1 of 3\b/, '... and its ranks go to the other');
}

# For ever: the ranks that begin again have no room from the beginning.
{
	my $fault = pi('diskfull@0, kill:1@500ms', \@HOLDS);
	ended_well($fault, 'a full disk', 1);
	said($fault, 'a full disk', qr/the disk of recovery lines is full from now on \(diskfull\@0\)/);
	$fault->job->err_like(qr/rank \d on \S+: \N*No space left on device/, '... and the ranks say why there is no line');
	$fault->job->out_like(qr/^no line after round $_$/m, "... after round $_") for 30, 40;
	unlike($fault->job->out, qr/^line after round (?:30|40)$/m, '... in any epoch');
}

# There is room again when the job goes on.
{
	my $fault = pi('diskfull@0+100ms, kill:1@500ms', \@HOLDS);
	ended_well($fault, 'a disk that is full for a time', 1);
	said($fault, 'a disk that is full for a time', qr/the disk of recovery lines is full from now on, for 0\.1 s \(diskfull\@0\+100ms\)/);
	$fault->job->out_like(qr/^line after round $_$/m, "... a line after round $_") for 30, 40;
}

# Of images, which a child of the rank writes.
{
	my $fault = FTMPI::Test::Fault->start(program => 'plain_laplace', args => [qw(200 -steps 20000)], run => [qw(-inject diskfull@0 -image -ckpt-interval 0.1)]);
	$fault->wait_for(err => qr/No space left on device/);
	my $job = $fault->job;
	$job->finish;
	$job->is_status(0, 'a full disk and images');
	unlike(join(' ', $fault->files), qr/\.manifest/, '... no line is made');
	$fault->clear('a full disk and images');
}

# The newest line is the second.
for my $coord (qw(blocking eventlog)) {
	my $name  = "$coord: a damaged line";
	my $fault = pi('corrupt:2@last', \@HOLDS, '-coord', $coord);
	$fault->all_held;
	$fault->wait_for(out => qr/^line after round 20$/m);
	$fault->kill_ranks(1);
	ended_well($fault, $name, 1);
	said($fault, $name, qr/a byte of the file of rank 2 in line 2 is changed \(corrupt:2\@last\)/);
	$fault->job->err_like(qr/^rank 2 on \S+: line 2 of session \S+ cannot be restored: \S+rank-00002\.ckpt: \N* is damaged$/m, '... and noticed');
	$fault->job->out_like(qr/^restored after round 10$/m, '... and the job goes back one line further');
}

# Between hosts a connection is mended; the job has steps enough to need it again.
{
	my $name  = 'a cut between hosts';
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', args => [qw(-steps 150 -ckpt 50 -trace)],
		run => [ qw(-inject cut:0-2@300ms+100ms,cut:1-3@300ms+10ms -ssh), $ssh, qw(-host a:2,b:2) ]);
	ended_well($fault, $name, 0);
	said($fault, $name, qr/the connection between ranks 0 and 2 is cut for 0\.1 s \(cut:0-2\@300ms\+100ms\)/);
	$fault->job->err_like(qr/^rank [02] on \S+: the connection to rank [02] broke \([^)]+\), and was made again$/m, "$name: it is mended");
}

# ... on a host, where ranks have one beside the memory that they share, it is not.
{
	my $name  = 'a cut on a host';
	my $fault = pi('cut:0-1@500ms+100ms', \@HOLDS);
	ended_well($fault, $name, 1);
	said($fault, $name, qr/the connection between ranks 0 and 1 is cut for 0\.1 s \(cut:0-1\@500ms\+100ms\)/);
	$fault->job->err_like(qr/^ftmpirun: connection between rank \d on \S+ and rank \d on \S+ broke: \N+; restart 1 of 3\b/m, "$name: the job goes back");
}

# Under message logging only the rank that fails goes back, and a cut sends nobody back.
{
	my $fault = FTMPI::Test::Fault->start(program => 'mail', args => [qw(-steps 10000000)],
		run => [qw(-inject cut:0-1@100ms+100ms,kill:2@500ms -coord msglog -ckpt-interval 0.1)]);
	my $name  = 'message logging';
	$fault->wait_for(err => qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\); it begins again alone \(restart 1 of 3\)\.$/m);
	said($fault, $name, qr/the connection between ranks 0 and 1 is cut for 0\.1 s \(cut:0-1\@100ms\+100ms\)/);
	said($fault, $name, qr/rank 2 on \S+ is killed \(kill:2\@500ms\)/);
	unlike($fault->job->err, qr/rank [013] on \S+ was/, "$name: nobody else goes back");
	$fault->job->signal('TERM');
	$fault->job->finish;
	$fault->clear($name);
}

# At random, with a seed that kills rank 1 after 0.247 s.
{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', args => \@HOLDS, run => [qw(-inject-random 1/s,23 -max-restarts 1000)]);
	ended_well($fault, 'at random', [ 1, 1000 ]);
	my $told = () = $fault->job->err =~ /^ftmpirun: injected: /mg;
	cmp_ok($told, '>=', $fault->restarts, '... each failure is said');
	said($fault, 'at random', qr/rank 1 on \S+ is killed \(-inject-random 1\/s,23, at 0\.247 s\)/);
}

done_testing();

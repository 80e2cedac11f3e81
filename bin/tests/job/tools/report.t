# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpi-report of real jobs: one whose rank is killed, one whose launcher is killed, and one under message logging that loses a host. bin/tests/launcher/report.t
# has what it makes of records.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Process qw(run_quiet wait_gone patience);

FTMPI::Test::Fault::alone();

sub report
{
	my (@words) = @_;
	my ($status, $text) = run_quiet(root() . '/bin/ftmpi-report', @words);
	is($status, 0, "ftmpi-report @words[0 .. $#words - 1]") or diag($text);
	return $text;
}

# Lines after rounds 10, 20, 30 and 40; in the first run nobody goes beyond round 25.
my $fault = FTMPI::Test::Fault->start(program => 'pi', run => ['-record'], args => [qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25 -hold-in receive)]);
$fault->all_held;
my $now = report('-text', $fault->workdir);
like($now, qr/^Session \S+: still runs$/m, 'a job that runs');
like($now, qr/^  2 were made/m, '... and its lines');
$fault->kill_ranks(2);
$fault->job->finish;
$fault->job->is_status(0, 'a job with a rank that is killed');
my $text = report('-text', '-verify', $fault->workdir);
like($text, qr/^Session \S+: ended well$/m, 'it ended well');
like($text, qr/^  1\. \S+ \S+: rank 2 on \S+ was killed by signal 9 \(Killed\)\n     all ranks went back \(from line 2\), [\d.]+ m?s of work lost, all back\s+after\s+[\d.]+\s+m?s$/m, '... the failure');
like($text, qr/^  4 were made/m, '... lines');
like($text, qr/^  line 4: .* data, whole, \d+ messages? in\s+transit, \d+\s+orphans?$/ms, '... those that are there, verified');
like($text, qr/^    rank 3 +\S*[-!o]\S*$/m, '... a timeline');
my $page = report('-o', '-', $fault->workdir);
like($page, qr/was killed by signal 9 \(Killed\)/, 'a page says the same');
like($page, qr/<td class="w">line 2<\/td>/, '... from which line');
unlike($page, qr/<script|https?:/, '... and has nothing from elsewhere');
$fault->job->none_left('a job that was reported');

# ---- ftmpirun is killed ----

$fault = FTMPI::Test::Fault->start(program => 'pi', run => ['-record'], args => [qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25 -hold-in receive)]);
$fault->all_held;
$fault->job->signal('KILL');
$fault->job->finish;
like(report('-text', $fault->workdir), qr/: ftmpirun was killed$/m, 'a launcher that was killed');
$fault->job->none_left('a launcher that was killed');

# ---- hosts, and message logging ----

my $folder = FTMPI::Test::Fault::directory();
write_file("$folder/machines", "nodeA slots=2\nnodeB slots=2\nnodeC slots=2\n");
write_file("$folder/ssh", qq(#!/bin/sh\nFAKE_HOST=\$1; export FAKE_HOST; shift; exec sh -c "\$*"\n));
chmod 0700, "$folder/ssh";
$fault = FTMPI::Test::Choices->start(ranks => 4, rounds => 60, run => [ '-record', '-ssh', "$folder/ssh", '-machinefile', "$folder/machines" ]);
$fault->wait_for(out => qr/^round 20$/m);
kill 'KILL', grep { FTMPI::Test::Process::slurp("/proc/$_/environ") =~ /(?:\A|\0)FAKE_HOST=nodeB\0/ } $fault->job->pids;
$fault->wait_for(err => qr/^ftmpirun: .*nodeB; ranks 2-3 go to nodeC, and begin again alone/m);
$fault->open_gate;
$fault->job->finish;
$fault->job->is_status(0, 'message logging: a host is lost');
$text = report('-text', $fault->workdir);
like($text, qr/: lost the connection to host nodeB\n     its ranks began again elsewhere/, 'the failure');
like($text, qr/^  nodeC\n    rank 2 .*\S\n    rank 3 .*\S$/m, '... and where the ranks went');
like($text, qr/In this job a rank that fails goes back alone/, '... no formula is for it');
$fault->job->none_left('message logging');

done_testing();

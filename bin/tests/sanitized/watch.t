# SPDX-License-Identifier: BSD-3-Clause
#
# What a sanitizer reports fails the test that it was seen in, whoever reported it and however well the test ended.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job ();

my $reports = File::Temp->newdir('ftmpi-watch-XXXXXX', TMPDIR => 1);

sub watch { return FTMPI::Test::Job->run([$^X, "$FindBin::Bin/watch.pl", "$reports", @_]) }
sub left_out { return FTMPI::Test::Job->run([$^X, "$FindBin::Bin/left_out.pl", @_]) }

my $job = watch('sh', '-c', 'echo fine');
$job->is_status(0, 'nothing was reported');
is($job->err, '', 'and nothing is said');

watch('sh', '-c', 'exit 3')->is_status(3, 'a test that fails by itself');
watch('sh', '-c', 'kill -9 $$')->is_status(137, 'a test that is killed');
watch("$reports/nobody")->is_status(127, 'a test that is not there');

# as a rank that has found something, and is killed before it ends
my $rank = write_file("$reports/rank", "echo 'WARNING: data race' >'$reports/report.7'\nkill -9 \$\$\n");
$job = watch('sh', '-c', "sh '$rank' 2>/dev/null; exit 0", 'job/some.t');
$job->is_status(1, 'a report of a rank that was killed');
$job->err_like(qr/^# WARNING: data race$/m, 'its report');
$job->err_like(qr{^1 reports of a sanitizer: job/some\.t$}m, 'and whose it is');
ok(-e "$reports/job.some.t.0", 'it is kept');
watch('sh', '-c', 'exit 0')->is_status(0, 'it is not the next test\'s');

write_file("$reports/report.8", "late\n");
$job = watch('sh', '-c', 'exit 0');
$job->is_status(1, 'a report that came between two tests');
$job->err_like(qr/^# late$/m, 'it');

write_file("$reports/report.9", "==9==WARNING: AddressSanitizer failed to allocate 0x1000000000000040 bytes\n");
watch('sh', '-c', 'exit 0')->is_status(0, 'memory that cannot be had is no finding');
write_file("$reports/report.9", "==9==Running thread 7 was not suspended. False leaks are possible.\n");
watch('sh', '-c', 'exit 0')->is_status(0, 'nor is a thread that cannot be stopped');
write_file("$reports/report.9", "==9==Unable to get registers from thread 7.\n");
watch('sh', '-c', 'exit 0')->is_status(0, 'nor one that is gone when its registers are read');
write_file("$reports/report.9", "==9==Running thread 7 was not suspended. False leaks are possible.\n==9==ERROR: LeakSanitizer\n");
watch('sh', '-c', 'exit 0')->is_status(1, 'but what it says beside that');

my $list = write_file("$reports/list", "# why\nall\tjob/tools/dump_queues.t\tno reason\nubsan,tsan\tjob/p2p/p*.t\tslow\n");
my @tests = map { "bin/tests/job/$_.t" } qw(tools/dump_queues p2p/p2p init/info_objects);
is(left_out($list, 'asan', 'rest', @tests)->out, "$tests[1]\n$tests[2]\n", 'what is left for one');
is(left_out($list, 'tsan', 'rest', @tests)->out, "$tests[2]\n", 'and for another');
is(left_out($list, 'tsan', 'say', @tests)->out,
	"left out: $tests[0]: no reason\nleft out: $tests[1]: slow\n", 'what is left out is said');
left_out(write_file("$reports/list", "tsan job/none.t gone\n"), 'tsan', 'say', @tests)
	->err_like(qr{there is no test job/none\.t}, 'a test that is not there any more');
left_out(write_file("$reports/list", "tsan job/tools/dump_queues.t\n"), 'tsan', 'say', @tests)
	->err_like(qr/a sanitizer, a test and a reason are wanted/, 'a line without a reason');

done_testing();

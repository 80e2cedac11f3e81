# SPDX-License-Identifier: BSD-3-Clause
#
# A host of an image job is lost: its ranks come back from their images on another one, those of the others in place.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Spec ();
use File::Temp ();
use Test::More;

use FTMPI::Test::Cluster       ();
use FTMPI::Test::Job           qw(ftmpirun program);
use FTMPI::Test::PlainPrograms ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

# where a line takes no disk's time: there are to be two before the program ends
my $dir     = File::Temp->newdir('ftmpi-image-hosts-XXXXXX', DIR => -w '/dev/shm' ? '/dev/shm' : File::Spec->tmpdir);
my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my ($node1, $node2, $node3, $node4) = $cluster->hosts;
my $machines = $cluster->machine_file(map { "node$_ slots=2" } 1 .. 3);
my @args     = (400, '-steps', 6000);
my ($expected) = FTMPI::Test::PlainPrograms::undisturbed('plain_laplace', 4, @args);

for my $coord (qw(blocking eventlog)) {
	subtest $coord => sub {
		my $job = FTMPI::Test::Job->start([ $node4->inside(ftmpirun(), '-vv', '-n', 4, '-ssh', $cluster->ssh, '-machinefile', $machines,
			'-image', '-coord', $coord, '-ckpt-interval', 0.2, '-workdir', "$dir", program('plain_laplace'), @args) ]);
		ok($job->wait_for(err => qr/^ftmpirun: line 2 is committed$/m), 'lines are made');
		$node2->cut;
		ok($job->wait_for(err => qr/^ftmpirun: all 4 ranks run again.*\(line [1-9]/m), 'all go on from one');
		$job->finish;
		$node2->heal;
		$job->is_status(0, 'the end');
		is(FTMPI::Test::PlainPrograms::said($job->out), $expected, '... is right');
		$job->err_like(qr/^ftmpirun: host node3: ranks? 2/m, 'ranks came to the spare host');
	};
}

done_testing();

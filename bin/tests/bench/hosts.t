# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's rows on two hosts: FTMPI and peers of straw are measured over a network that is as slow as it
# shall be, and nothing of the hosts stays behind, however the run ends.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Results  ();
use FTMPI::Test::Cluster   ();
use FTMPI::Test::Job       qw(root sanitized);
use FTMPI::Test::Process   qw(patience wait_until);
use FTMPI::Test::StrawPeers ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}
plan skip_all => 'bench/run compiles without the sanitizer that the library has' if sanitized('pi');

my $dir   = File::Temp->newdir('ftmpi-bench-hosts-XXXXXX', TMPDIR => 1);
my %straw = FTMPI::Test::StrawPeers::environment("$dir");

sub bench
{
	my ($env, @words) = @_;
	return FTMPI::Test::Job->start([ root() . '/bench/run', '-rounds', 1, '-limit', int patience(60), @words ], deadline => 200, env => {%straw, %$env});
}

sub nothing_left
{
	my ($job, $name) = @_;
	is_deeply([ FTMPI::Test::Cluster::remains($job->pid) ], [], "$name: nothing is left of the hosts");
	is_deeply([ glob "$dir/tmp/*" ], [], "$name: nor of what was written");
	return;
}

sub rows
{
	my %row = map { $_->{id} => $_ } @{ FTMPI::Bench::Results::read_file("$dir/got.tsv")->{rows} };
	return \%row;
}

# 1 MiB at 1 Gbit/s takes 8.4 ms; two limits on the way let pass 64 KiB at once each.
subtest 'rows on two hosts' => sub {
	my $job = bench({}, '-only', '^(pingpong/gbit 1048576|bcast/gbit 8 )', '-o', "$dir/got.md");
	$job->finish;
	$job->is_status(0, 'bench/run');
	my $row = rows();
	cmp_ok($row->{'pingpong/gbit 1048576 2'}{values}{FTMPI}[0] // 0, '>', 7000, 'no message is faster than the network')
		or diag($job->saw);
	cmp_ok($row->{'bcast/gbit 8 4'}{values}{FTMPI}[0] // 0, '>', 0, 'two ranks on each host') or diag($job->saw);
	is_deeply($row->{'bcast/gbit 8 4'}{values}{$_}, [1_000_000], "$_ was asked, too") for 'Open MPI', 'MPICH';
	nothing_left($job, 'the end');
};

subtest 'a Ctrl-C' => sub {
	for my $when ('while they are made', 'in a job') {
		my $job = bench({}, '-only', '^pingpong/gbit');
		if ($when eq 'in a job') {
			my $seen = wait_until(60, sub {
				grep { FTMPI::Test::Process::slurp("$_/cmdline") =~ m{^\Q$dir\E/tmp/.*/ftmpi\0}s } glob '/proc/[0-9]*';
			});
			ok($seen, 'ranks run');
		} else {
			ok(wait_until(60, sub { my @some = FTMPI::Test::Cluster::remains($job->pid); scalar @some }), 'there is something');
		}
		$job->signal('INT');
		$job->finish;
		$job->is_status(128 + 2, "a Ctrl-C $when");
		$job->none_left("a Ctrl-C $when");
		nothing_left($job, "a Ctrl-C $when");
	}
};

# The program ip tells that it was asked for the first name of all, and goes on when it may.
subtest 'a Ctrl-C while it is asked whether hosts can be made' => sub {
	my ($ip) = grep { -x } map { "$_/ip" } split /:/, $ENV{PATH};
	FTMPI::Test::StrawPeers::script("$dir/bin/ip", <<"END");
case "\$*" in
'netns add ftm'*z)
	: >$dir/asked
	turn=0
	until test -e $dir/go || test \$((turn += 1)) -gt 3000; do sleep 0.02; done;;
esac
exec $ip "\$@"
END
	my $job = bench({}, '-only', '^pingpong/gbit');
	ok(wait_until(60, sub { -e "$dir/asked" }), 'it is asked');
	$job->signal('INT');
	FTMPI::Test::StrawPeers::script("$dir/go", '');
	$job->finish;
	unlink "$dir/bin/ip";
	$job->is_status(128 + 2, 'the Ctrl-C');
	$job->none_left('the Ctrl-C');
	nothing_left($job, 'the Ctrl-C');
};

subtest 'a kernel that limits no network' => sub {
	my ($tc) = grep { -x } map { "$_/tc" } split /:/, $ENV{PATH};
	FTMPI::Test::StrawPeers::script("$dir/bin/tc",
		"case \" \$* \" in *' tbf '*) echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2;; esac\nexec $tc \"\$@\"");
	my $job = bench({}, '-only', '^(rate/gbit|bcast/gbit 8 )', '-o', "$dir/got.md");
	$job->finish;
	$job->is_status(0, 'bench/run');
	$job->out_like(qr/^\* rows on two hosts: not measured: no network can be limited to 1gbit here: .*unknown\.$/m, 'a note');
	my $row = rows();
	is($row->{$_}{state}{FTMPI}, 'skipped', "$_ is skipped") for 'rate/gbit 8 2', 'bcast/gbit 8 4';
	nothing_left($job, 'no limit');
};

done_testing();

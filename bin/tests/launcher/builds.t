#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# No two builds of a program in one job: what an agent opens, what is compared, and what a whole job does
# about it.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use File::Copy ();
use Test::More;

use AgentTest;
use FTMPI::Agent::Program   ();
use FTMPI::Launcher::Builds ();
use LauncherTest;

my @rank = ($^X, $RANK);

# A copy of this, under another name.
sub copy
{
	my ($from, $name) = @_;
	my $path = scratch() . "/$name";
	File::Copy::copy($from, "$path.new") && chmod(0755, "$path.new") && rename("$path.new", $path)
		or die "$path: $!\n";
	return $path;
}

# A script that runs what a rank runs; more: what else is in it.
sub script
{
	my ($name, $more) = @_;
	my $path = text_file($name, "#!/bin/sh\n$more\nexec '$^X' '$RANK' \"\$@\"\n");
	chmod 0755, $path;
	return $path;
}

subtest 'what is held' => sub {
	my $path = copy('/bin/sh', 'held');
	my $program = FTMPI::Agent::Program->hold($path);
	is($program->executable, $path, 'a file is executed by its name');
	is(FTMPI::Agent::Program->hold(copy('/bin/sh', 'same'))->id, $program->id, 'the same elsewhere is the same');
	copy('/bin/ls', 'held');
	isnt(FTMPI::Agent::Program->hold($path)->id, $program->id, 'another one is another');
	my $held = $program->executable;
	is(FTMPI::Agent::Program->hold($held)->id, $program->id, 'a file that was replaced is still there');
	unlink $path;
	is($program->executable, $held, '... also when nothing has its name');
	is(FTMPI::Agent::Program->hold($path)->executable, undef, 'what is not there is not executed');

	$path    = script('changed', '');
	$program = FTMPI::Agent::Program->hold($path);
	utime 0, 0, $path;
	is($program->executable, $path, 'a file that was only touched is as it was');
	open my $file, '>>', $path or die "$path: $!\n";
	print $file "# more\n";
	close $file;
	is($program->executable, undef, 'one that was changed in place is not executed');
	like($program->why, qr/^cannot run \S+: .*changed in place/, '... and why is said');
};

subtest 'what may not be read' => sub {
	my $path = copy('/bin/sh', 'unreadable');
	chmod 0111, $path;
	chmod 0755, scratch();
	local $> = 65534 if !$<;    # root reads everything
	my $program = FTMPI::Agent::Program->hold($path);
	is($program->executable, $path, 'it is executed by its name');
	{
		local $> = $<;
		copy('/bin/ls', 'unreadable');
	}
	is($program->executable, undef, '... while that leads to it');
};

subtest 'what is compared' => sub {
	my $builds = FTMPI::Launcher::Builds->new;
	is($builds->opened('a', 0, 'prog', '/x/prog', '1-2'), undef, 'the first host');
	is($builds->opened('b', 0, 'prog', '/y/prog', '1-2'), undef, 'another with the same');
	like($builds->opened('c', 0, 'prog', '/x/prog', '1-3'), qr/^host c: .*another file than on host a\b/, 'one with another');
	like($builds->opened('a', 0, 'prog', '/x/prog', '1-3'), qr/^host a: .*not the file any more/, 'the first host, later');
	is($builds->opened('a', 1, 'prog', '/y/prog', '1-4'), undef, 'another program of that name in another part');
	is($builds->opened('a', 0, 'env', '/usr/bin/env', '1-4'), undef, 'what comes with the system');
	is($builds->opened('b', 0, 'env', '/usr/bin/env', '1-5'), undef, '... may differ');

	is($builds->runs(0, 'rank 0', '/x/prog', 'h'), undef, 'a rank');
	is($builds->runs(1, 'rank 1', '/x/prog', 'h'), undef, 'another of the same build');
	is($builds->runs(2, 'rank 2', '/x/worker', 'i'), undef, '... of another program');
	is($builds->runs(0, 'rank 0', '/x/prog.old', 'h'), undef, 'the same after a restart, renamed');
	like($builds->runs(3, 'rank 3', '/x/prog', 'i'), qr/^rank 3 and rank 0 run different builds of \/x\/prog;/, 'of another build');
	like($builds->runs(1, 'rank 1', '/x/new', 'i'), qr/^rank 1 runs another build of \/x\/new than before/, '... than itself before');
	is(FTMPI::Launcher::Builds->new(accept => 1)->$_('a', 'p', '/x/p', $_), undef, "accepted: $_") for qw(opened runs);
	my $accepts = FTMPI::Launcher::Builds->new(accept => 1);
	$accepts->opened('a', 0, 'p', '/x/p', 1);
	is($accepts->opened('b', 0, 'p', '/x/p', 2), undef, 'nothing is compared when all is accepted');
};

# A rank dies, and its program has been replaced: the new process is what the others are.
subtest 'a program that is replaced' => sub {
	for my $case ([ 'a program', copy($^X, 'perl'), $RANK ], [ 'a script', script('wrapper', '') ]) {
		my ($who, @command) = @$case;
		my ($agent, @before) = AgentTest->begun(2, @command, qw(join facts obey));
		copy('/bin/false', $command[0] =~ s{.*/}{}r);
		kill 'KILL', $before[1];
		$agent->await(qr/^EXITED 1 0 9$/);
		$agent->again(1);
		is($agent->all('epoch', 0, 1), '1 1', "$who: all begin again as what the job began with");
		is_deeply([ $agent->said(qr/EXITED|UNFIT|CANNOT/) ], [], '... nothing fails');
		$agent->end_well($who);
	}
};

subtest 'a program that is changed in place' => sub {
	my $path = script('in-place', '');
	my ($agent) = AgentTest->begun(2, $path, qw(join facts obey));
	script('in-place', 'echo another');
	$agent->restart(1);
	$agent->pass;
	$agent->run(epoch => 1);
	ok($agent->await(qr/^UNFIT cannot run \S+: .*changed in place/), 'it is not executed again');
	is_deeply([ $agent->said(qr/STARTED/) ], [], '... by no rank');
	$agent->order('END');
	$agent->finish;
	nobody_left();
};

subtest 'what an agent says of it' => sub {
	my $path  = copy('/bin/ls', 'told');
	my $agent = AgentTest->new;
	$agent->order('OPEN', scratch(), [ 'PATH=' . scratch() . ":$ENV{PATH}" ], [qw(told nothing-like-that)]);
	my ($paths, $ids) = $agent->await(qr/^OPENED (\S+) (\S+)$/);
	is("$paths $ids", "$path, " . FTMPI::Agent::Program->hold($path)->id . ',', 'path and identity, nothing for what is not there');
	$agent->end_well('an agent that has opened files');
};

# ---- whole jobs, over an ssh whose hosts have a folder each, which is descriptor 9 there ----

my $ssh = text_file('ssh with folders', <<'EOS');
#!/bin/sh
host=$1
shift
exec 9<"${0%/*}/on-$host"
exec sh -c "$*"
EOS
chmod 0755, $ssh;
for my $host (qw(a b c)) {
	mkdir scratch() . "/on-$host";
	copy($^X, "on-$host/prog");
}

sub job
{
	my ($hosts, $options, @words) = @_;
	return ftmpirun([ '-ssh', "'$ssh'", '-host', $hosts, @$options, '/dev/fd/9/prog', $RANK, @words ]);
}

my $job = job('a,b', [qw(-n 2)], qw(join finalize));
is($job->{status}, 0, 'the same file on two hosts') or diag $job->{err};

copy('/bin/false', 'on-b/prog');
my $mark = scratch() . '/ran';
$job = job('a,b', [qw(-n 2)], "touch:$mark", qw(join finalize));
is($job->{status}, 1, 'another file on one of them ends the job');
like($job->{err}, qr/^ftmpirun: host [ab]: [^\n]*another file than on host [ab];[^\n]*\n\z/, '... with a sentence');
ok(!-e $mark, '... before anything has run');

# what comes before MPI_Init is the same on both
File::Copy::copy($^X, scratch() . '/on-b/other') or die;
copy($^X, 'on-b/prog');
open my $file, '>>', scratch() . '/on-b/prog' or die;
print $file 'another build';
close $file;
$job = job('a,b', [qw(-n 2)], qw(join finalize));
is($job->{status}, 1, 'one that only differs in its last bytes, too') or diag $job->{err};
$job = job('a,b', [qw(-n 2 -accept-binary)], qw(join finalize));
is($job->{status}, 0, '... but with -accept-binary') or diag $job->{err};

# a spare host with another file is done without: the rank goes to the next one
copy($^X, 'on-b/prog');
copy('/bin/false', 'on-c/prog');
my @two = qw(-n 2 -vv -restart-from-start);
$job = job('a:1,b:1,c:1', \@two, qw(join 1:@0:kill:KILL 0:@0:obey finalize));
is($job->{status}, 0, 'a job that loses a rank, not a host') or diag $job->{err};
my $gone = scratch() . '/gone';
$job = job('a:1,b:1,c:1', \@two, 'join', "1:\@0:touch:$gone", "0:\@0:await:$gone", '1:@0:killagent', '0:@0:obey', 'finalize');
is($job->{status}, 0, 'a job that loses a host, and whose spare host has another file') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: host c: [^\n]*another file than on host [ab];/m, '... does without that host');
nobody_left();

# one name, another program in each part
for my $name (qw(one other)) {
	mkdir scratch() . "/$name";
	chmod 0755, text_file("$name/same-name", "#!/bin/sh\necho $name\n");
}
$job = ftmpirun([ '-wdir', scratch() . '/one', qw(-n 1 same-name :), '-wdir', scratch() . '/other', qw(-n 1 same-name) ]);
is(join('', sort split /^/, $job->{out}), "one\nother\n", 'parts whose programs have one name') or diag $job->{err};

done_testing();

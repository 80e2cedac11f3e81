# SPDX-License-Identifier: BSD-3-Clause
#
# Ctrl-C and SIGKILL at every moment at which ftmpirun mends a failure: a rank that was killed, and a host that
# was lost. A moment is the first call of each of its subs after the failure. Whenever the signal comes, the job
# ends with the status of the signal or normally, and leaves nothing behind. What Ctrl-C does is done by the loop,
# later. A run takes a half of the moments of each case, and of these each signal a half.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Alone   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(patience wait_gone);
use FTMPI::Test::StopAt  qw(stop_at);
use FTMPI::Test::Turns   qw(in_turn);

FTMPI::Test::Alone::enter();

use constant { AT_ONCE => 4, LEFT_SECONDS => 10 };

my $files = 0;
my $dir   = '/var/tmp/moments';
mkdir $dir or die "$dir: $!\n";
open my $ssh, '>', "$dir/ssh" or die "$dir/ssh: $!\n";
print $ssh qq(#!/bin/sh\nshift\nexec sh -c "\$*"\n);
close $ssh;
chmod 0755, "$dir/ssh";
FTMPI::Test::Alone::remember();

# Rank 1 kills itself, or the agent of its host, in the first run.
my @rank_dies = (ftmpirun(), '-workdir', $dir, '-n', 2, program('pi'), 1000);
my @host_dies = (ftmpirun(), '-workdir', $dir, '-ssh', "$dir/ssh", '-n', 2, '-host', 'a,b,c', $^X, '-e',
	'kill "KILL", getppid if $ENV{FTMPI_RANK} == 1 && mkdir $ENV{MARK}; exec @ARGV', program('pi'), 1000);
my $fault = 'init-done:1:0:1:kill';

# The failure, with a signal that does nothing, and then those that mean something.
my $failure = 'CONT:self:FTMPI::Launcher::Job::_failure';

sub shoot
{
	my ($command, $shot) = @_;
	my $file = "$dir/fired." . ++$files;
	my $job = FTMPI::Test::Job->start($command, deadline => 60,
		env => {%{stop_at($file, $failure, $shot)}, FTMPI_FAULT => $command == \@rank_dies ? $fault : undef,
			MARK => "$file.mark"});
	$job->{fired} = $file;
	return $job;
}

# Nothing but what is to be said of a failure.
sub is_said
{
	my ($text) = @_;
	return !grep { !/^ftmpirun: (?:rank 1 on|lost the connection to host b|all 2 ranks run again|SIGINT came; the job is ended|no recovery line was made)/ } split /^/, $text;
}

sub ended
{
	my ($job, $name) = @_;
	$job->finish;
	my @came = FTMPI::Test::StopAt::moments($job->{fired});
	unlink $job->{fired};
	wait_gone(time + patience(LEFT_SECONDS), $job->pids);    # a rank may still be about to make the mark
	rmdir "$job->{fired}.mark";
	return @came;
}

for my $case (['a rank is killed', \@rank_dies], ['a host is lost', \@host_dies]) {
	my ($name, $command) = @$case;
	my %seen;
	my $whole = shoot($command, 'list');
	my @moments = grep { /::Launcher::(?:(?:Job|Recovery|Fleet|AgentLink|Inbox|Patience|Stdin|HostTable|Workdir)::)?\w+\z/ && !$seen{$_}++ } ended($whole);
	$whole->out_like(qr/^pi: right/m, $name);
	$whole->is_status(0, $name);
	cmp_ok(scalar @moments, '>', 25, "$name: there are moments") or diag("@moments");
	for my $shot (['INT:group', 130, 0], ['KILL:self', 137, 2]) {
		my ($signal, $status, $turn) = @$shot;
		my @left = in_turn($turn, 4, @moments);
		while (my @some = splice @left, 0, AT_ONCE) {
			for my $pair (map { [$_, shoot($command, "$signal:$_")] } @some) {
				my ($moment, $job) = @$pair;
				my @came = ended($job);
				my $good = !$job->{late} && is_said($job->err);
				$good &&= $job->status == $status || $job->status == 0 && $job->out =~ /^pi: right/m;
				$job->verdict($good, "$name, $signal at $moment (@came): status $status, or the job's own end");
			}
			FTMPI::Test::Alone::at_rest("$name, $signal at @some") or last;
		}
	}
}

system 'rm', '-rf', $dir;
done_testing();

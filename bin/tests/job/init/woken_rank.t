# SPDX-License-Identifier: BSD-3-Clause
#
# A process that has the memory of a rank, as one that woke up from its image has, becomes that rank in the job that
# another agent tells it of, and its program goes on. The test is the agents.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(program);
use FTMPI::Test::OneRank ();

# The ranks of a job, each with a second agent to be told by.
sub ranks
{
	my ($case, $size, $dir, $hosts, @settings) = @_;
	my @ranks;
	for my $rank (0 .. $size - 1) {
		my %same = @ranks ? (sockets => $ranks[0]->sockets, next_sockets => $ranks[0]->next_sockets) : ();
		push @ranks,
			FTMPI::Test::OneRank->start(
				[program('woken_rank'), $case],
				size       => $size,
				rank       => $rank,
				wakes      => 1,
				workdir    => "$dir",
				next_hosts => $hosts,
				settings   => \@settings,
				%same,
			);
	}
	return @ranks;
}

# The job of the second agents: other hosts, another session, whose folder has the line.
sub goes_on
{
	my ($case, $size, $hosts, @settings) = @_;
	my $named = join ', ', $case, @$hosts, @settings;
	my $dir   = File::Temp->newdir('ftmpi-woken-rank-XXXXXX', TMPDIR => 1);
	my @ranks = ranks($case, $size, $dir, $hosts, @settings, 'heartbeat=100');
	my $first = $size == 1 ? qr/\APROGRAM 0, INITED \d+\z/ : qr/\APROGRAM 0, INITED \d+, PROGRAM 1\z/;
	$_->tell_start(1) for @ranks;
	for my $me (0 .. $#ranks) {
		like($ranks[$me]->hear_texts($size == 1 ? 2 : 3), $first, "$named: rank $me begins");
		unlike($ranks[0]->hear_until('LINE 1'), qr/no more/, "$named: and makes a line") if $me == 0 && $size > 1;
	}
	$_->go_over for @ranks;
	$_->tell_start(2) for @ranks;
	for my $me (0 .. $#ranks) {
		my $rank  = $ranks[$me];
		# how many bytes it saves, how long it stands still for it and what it has sent is told when that is known
		my $said  = join ', ', grep { !/^(?:SIZE|COST|TRAFFIC) / } split /, /, $rank->hear_until('FINALIZED');
		my $words = join ', ', $size == 1 ? 'PROGRAM 1' : (), $me ? () : 'LINE 10';
		like($said, qr/\AINITED \d+(?:, )?$words\z/, "$named: rank $me woke up, and came to its end");
		is($rank->ended, 0, "$named: it ends") or diag($rank->saw);
		is($rank->out, "woken_rank: rank $me on $hosts->[$me]: right, $case\n", "$named: what it says");
		is($rank->err, '', "$named: and nothing else");
	}
	my $line  = "$dir/later/line-00000010";
	my @parts = map { -s sprintf '%s.e0002/rank-%05d.ckpt', $line, $_ } 0 .. $size - 1;
	ok(-e "$line.manifest", "$named: the line is in the session of the later job");
	cmp_ok($parts[1], '>', $parts[0], "$named: it has the message that rank 1 has not received") if $size > 1;
	return;
}

for my $coord (qw(blocking eventlog)) {
	goes_on('alone', 1, ['there'], "coord=$coord");
	goes_on('two', 2, ['here', 'here'], "coord=$coord");
	goes_on('two', 2, ['there', 'elsewhere'], "coord=$coord", 'transport=tcp');
}

# An agent that mistakes the image's rank for another.
{
	my ($rank) = ranks('alone', 1, '/tmp', ['here'], 'coord=blocking');
	$rank->tell_start(1);
	like($rank->hear_texts(2), qr/\APROGRAM 0, INITED \d+\z/, 'a rank begins');
	$rank->go_over;
	push @{$rank->{next_sockets}{$_}}, $rank->{next_sockets}{$_}[0] for qw(listen beat);
	@$rank{qw(size hosts)} = (2, ['here', 'here']);
	$rank->tell_start(2);
	my $why = 'the image is one of another rank, or of a job of another size';
	is($rank->hear_texts(1), 'ABORTED 1 MPI_Iprobe', 'it cannot be a rank of another job');
	is($rank->ended, 1 << 8, 'it ends');
	like($rank->err, qr/^[^\n]*: MPI_Iprobe: \Q$why\E\n\z/, 'and says why');
}

done_testing();

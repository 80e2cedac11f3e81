# SPDX-License-Identifier: BSD-3-Clause
#
# The control messages of recovery lines under protocols that do not wait: their number and bytes are exact, and
# ranks that exchanged nothing in the interval neither send each other any nor connect, except along the edges
# of the tree. The counts are those of ftmpirun -v; doc/coord.md has the formula.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Fcntl      qw(O_RDWR O_NONBLOCK);
use File::Temp ();
use List::Util qw(max min sum0);
use POSIX      ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program root);

use constant {
	HEAD   => 12,      # bytes
	REPORT => 24,
	COUNT  => 4,
	ENTRY  => 20,
	PART   => 17,
	LOG    => 4096,    # envelopes of a report
};

my $scratch = File::Temp->newdir('ftmpi-traffic-XXXXXX', TMPDIR => 1);
my $gate    = "$scratch/gate";
POSIX::mkfifo($gate, 0600) or die "$gate: $!\n";

# ---- the patterns of the program: to whom a rank sends in this interval ----

my %pattern = (
	none       => sub { () },
	all        => sub { my ($n, $rank) = @_; grep { $_ != $rank } 0 .. $n - 1 },
	'one-way'  => sub { my ($n, $rank) = @_; $rank + 1 < $n ? $rank + 1 : () },
	turning    => sub { my ($n, $rank, $interval) = @_; grep { $_ != $rank } ($rank + $interval) % $n },
	neighbours => sub {
		my ($n, $rank) = @_;
		my %next = map { ($rank + $_) % $n => 1 } 1, $n - 1;
		return grep { $_ != $rank } keys %next;
	},
);

# ---- the tree ----

sub parent   { my ($rank) = @_; return $rank & ($rank - 1) }
sub children { my ($n, $rank) = @_; return grep { parent($_) == $rank } $rank + 1 .. $n - 1 }
sub span     { my ($n, $rank) = @_; return 1 + sum0(map { span($n, $_) } children($n, $rank)) }

# ---- what a rank has to say ----

# For one line on the tree: COUNTS up and READY to the parent, COUNTS down and VERDICT to each child.
sub tree_bytes
{
	my ($n, $rank) = @_;
	my @up = $rank ? (HEAD + 4 + COUNT * $n, HEAD + 4 + PART * span($n, $rank)) : ();
	return (@up, map { (HEAD + 4 + COUNT * span($n, $_), HEAD + 1) } children($n, $rank));
}

# To one peer in which it sent with so many envelopes: the last one, and those that a full log made.
sub report_bytes
{
	my ($envelopes) = @_;
	my @entries;
	for (my $left = $envelopes; $left > 0; $left -= LOG) {
		push @entries, min($left, LOG);
	}
	return map { REPORT + ENTRY * $_ } @entries;
}

# All that a rank says in `lines` lines: "MESSAGES messages to PEERS ranks, BYTES bytes".
sub expected
{
	my ($case, $rank) = @_;
	my ($n, $rounds) = @$case{qw(ranks rounds)};
	my (@messages, %told);
	for my $interval (1 .. $case->{lines}) {
		my @to = $rounds ? $pattern{ $case->{pattern} }->($n, $rank, $interval) : ();
		push @messages, tree_bytes($n, $rank), map { $case->{report}->() } @to;
		$told{$_} = 1 for @to, $rank ? parent($rank) : (), children($n, $rank);
	}
	return sprintf('%d messages to %d ranks, %d bytes', scalar @messages, scalar keys %told, sum0(@messages))
		=~ s/\b1 (message|rank|byte)s/1 $1/gr;
}

# Pairs that are connected: those that have exchanged anything, and the edges of the tree.
sub edges
{
	my ($case) = @_;
	my %edge;
	for my $rank (0 .. $case->{ranks} - 1) {
		my @to = $rank ? parent($rank) : ();
		push @to, $pattern{ $case->{pattern} }->($case->{ranks}, $rank, $_)
			for $case->{rounds} ? 1 .. $case->{lines} : ();
		$edge{ min($rank, $_) . '-' . max($rank, $_) } = 1 for @to;
	}
	return join ' ', sort keys %edge;
}

# ---- a job ----

sub is_exact
{
	my (%case) = (coord => 'eventlog', rounds => 1, tags => 1, lines => 2, @_);
	my $name = join ' ', @case{qw(coord pattern)}, "on $case{ranks} ranks, $case{lines} lines of $case{rounds} rounds";
	my $envelopes = min(@case{qw(tags rounds)});
	$case{report} //= sub { report_bytes($envelopes) };
	sysopen my $writer, $gate, O_RDWR | O_NONBLOCK or die "$gate: $!\n";
	my $job = FTMPI::Test::Job->start([ftmpirun(), '-vv', '-coord', $case{coord}, '-workdir', "$scratch/w", '-n', $case{ranks},
		program('line_traffic'), $case{pattern}, '-gate', $gate, map { ("-$_", $case{$_}) } qw(rounds tags lines)]);
	$job->wait_for(err => qr/^line_traffic: rank $_ waits at the gate$/m) or last for 0 .. $case{ranks} - 1;
	is(pairs_up($job->err), edges(\%case), "$name: over no other connections") or diag($job->saw);
	close $writer;
	$job->finish;
	$job->is_status(0, $name);
	my %said = $job->err =~ /^rank (\d+) on \S+: coordination of lines up to $case{lines}: (.*)$/mg;
	my %want = map { $_ => expected(\%case, $_) } 0 .. $case{ranks} - 1;
	is_deeply(\%said, \%want, '... each rank says what it has to, and no more') or diag($job->saw);
	return;
}

# Pairs of which one says that the connection is there, as what `edges` returns.
sub pairs_up
{
	my ($text) = @_;
	my %edge;
	$edge{ min($1, $2) . '-' . max($1, $2) } = 1 while $text =~ /^rank (\d+) on \S+: peer (\d+): \w+ -> up$/mg;
	return join ' ', sort keys %edge;
}

for my $n (2, 3, 5, 8) {
	is_exact(pattern => $_, ranks => $n) for sort keys %pattern;
}
is_exact(pattern => $_, ranks => 19) for qw(neighbours none all);
is_exact(pattern => 'neighbours', ranks => 32, lines => 1);
is_exact(pattern => 'none', ranks => 1);

# Ranks that were told of one interval are told nothing of the next.
is_exact(pattern => 'turning', ranks => 6, lines => 5);

# It is one report, however many messages; nothing is reported of none.
is_exact(pattern => 'neighbours', ranks => 3, rounds => 100, tags => 7);
is_exact(pattern => 'all', ranks => 4, rounds => 0);

# A log that is full is told before its time.
is_exact(pattern => 'one-way', ranks => 2, rounds => 4096, tags => 4096, lines => 1);
is_exact(pattern => 'one-way', ranks => 2, rounds => 4097, tags => 4097, lines => 1);

# ---- the other protocols ----

is_exact(coord => 'tagging', pattern => $_, ranks => 5, rounds => 20, tags => 3, report => sub { REPORT }) for sort keys %pattern;
is_exact(coord => 'compare', pattern => 'turning', ranks => 4);
is_exact(coord => 'auto', pattern => 'neighbours', ranks => 4);

my $job = FTMPI::Test::Job->run(
	[ftmpirun(), '-vv', '-workdir', "$scratch/w", qw(-n 3), program('line_traffic')]);
$job->is_status(0, 'blocking');
$job->verdict($job->err !~ /coordination of lines/, '... has nothing to say of it');
$job = FTMPI::Test::Job->run([ftmpirun(), qw(-coord eventlog), '-workdir', "$scratch/w", qw(-n 3), program('line_traffic')]);
$job->well(qr/\Aline_traffic: right, neighbours, 1 lines, 3 ranks\n\z/, 'without -v');

# ---- the table of them ----

$job = FTMPI::Test::Job->run([ root() . '/bench/traffic', 3, 4 ]);
$job->is_status(0, 'bench/traffic');
$job->out_like(qr/^\| none \| 3 \| 0 \| 8 \| 8 \| 4 \| 188 \| 66 \|$/m, 'nobody talks');
$job->out_like(qr/^\| neighbours \| 4 \| 8 \| 12 \| 20 \| 6 \| 667 \| 203 \|$/m, 'neighbours');
$job->out_like(qr/^\| all \| 4 \| 12 \| 12 \| 24 \| 7 \| 843 \| 247 \|$/m, 'all talk');
$job->none_left('bench/traffic');
$job = FTMPI::Test::Job->run([ root() . '/bench/traffic', 'many' ]);
$job->is_status(2, 'a word that is no number');
$job->err_like(qr/\Abench\/traffic: 'many' is no number of ranks; try bench\/traffic -h\n\z/, 'a word that is no number');

done_testing();

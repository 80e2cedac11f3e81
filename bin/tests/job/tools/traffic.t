# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks have sent to each other, of real jobs: to the byte, through memory and over TCP, after failures once, and only where there is a record. bin/tests/launcher/traffic.t
# has what the launcher believes and ftmpi-report makes of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use JSON::PP   ();
use POSIX      ();
use Test::More;

use FTMPI::Test::Fault   ();
use FTMPI::Test::File    qw(read_file);
use FTMPI::Test::Job     qw(program root);
use FTMPI::Test::OneRank ();
use FTMPI::Test::Process qw(run_quiet);

FTMPI::Test::Fault::alone();

use constant { STEPS => 6, LINE => 2, HOLD => 4, LONG => 300_000 };

# As bin/tests/programs/tools/sent_bytes.c: { from }{ to } => [messages, bytes] of so many steps.
sub expected
{
	my ($ranks, $steps) = @_;
	my %sent;
	for my $from (0 .. $ranks - 1) {
		$sent{$from}{$_} = [ $steps, $steps * (1 + 1000 * $from + 10 * $_) ] for $from, ($from + 1) % $ranks, ($from - 1) % $ranks;
	}
	$sent{0}{1}[0] += $steps;
	$sent{0}{1}[1] += LONG * $steps;
	return \%sent;
}

sub events { my ($workdir) = @_; return map { JSON::PP::decode_json($_) } map { split /\n/, read_file($_) } glob "$workdir/*/events.jsonl" }

sub sent
{
	my ($workdir) = @_;
	my ($last) = grep { $_->{event} eq 'traffic' } reverse events($workdir);
	return { map { my $row = $_; $row->{from} => { map { $row->{to}[$_] => [ $row->{messages}[$_], $row->{bytes}[$_] ] } 0 .. $#{ $row->{to} } } } @{ $last->{sent} } };
}

sub report { my (@words) = @_; my ($status, $text) = run_quiet(root() . '/bin/ftmpi-report', @words); is($status, 0, "ftmpi-report @words[ 0 .. $#words - 1 ]") or diag $text; return $text }

sub job
{
	my ($name, %case) = @_;
	my $fault = FTMPI::Test::Fault->start(program => 'sent_bytes', run => ['-record'], %case);
	$fault->job->finish;
	$fault->job->is_status(0, $name);
	return $fault;
}

# ---- undisturbed ----

for my $transport (qw(shm tcp)) {
	my $fault = job($transport, run => [ '-record', '-transport', $transport ], args => [ -steps => 3 ]);
	is_deeply(sent($fault->workdir), expected(4, 3), '... each message once, with the bytes that the program has in it');
	next if $transport eq 'tcp';
	my $text = report('-text', $fault->workdir);
	like($text, qr/^  Ranks have sent 39 messages with 932 KiB\.$/m, '... is said');
	like($text, qr/^  rank 1 +2\.93 KiB +2\.96 KiB +2\.99 KiB +-$/m, '... rank by rank');
	my $page = report('-o', '-', $fault->workdir);
	like($page, qr{<td class="w">rank 0</td><td class="w">rank 1</td><td class="n">6</td><td class="n">900033</td>}, '... also on a page');
	like($page, qr{<title>rank 3 to rank 0: 3 messages, 8\.79 KiB</title>}, '... and in its matrix');
	$fault->job->none_left('a job whose traffic was told');
}

my $put = job('windows', run => [qw(-record -transport tcp)], args => [qw(-steps 1 -put 10)]);
my ($sent, $steps) = (sent($put->workdir), expected(4, 1));
# putting needs agreement of all, in short messages
for my $from (0 .. 3) {
	my ($next, $before) = (($from + 1) % 4, ($from - 1) % 4);
	my %more = map { $_ => $sent->{$from}{$_}[1] - $steps->{$from}{$_}[1] } $next, $before;
	ok($more{$next} >= 50_000 && $more{$next} < 52_000, "rank $from: what it puts goes to the next rank") or diag $more{$next};
	ok($more{$before} >= 70_000 && $more{$before} < 72_000, '... what the one before gets, to that') or diag $more{$before};
}

my $many = job('40 ranks', ranks => 40, args => [ -steps => 1 ]);
is_deeply(sent($many->workdir), expected(40, 1), '... are told apart');
my $text = report('-text', $many->workdir);
like($text, qr/^  ranks 38-39 +\|[.:#*+ -]{20}\|$/m, '... and shown by blocks');

# ---- failures ----

my $gates = File::Temp->newdir('ftmpi-gates-XXXXXX', TMPDIR => 1);
my $gate  = "$gates/gate";
POSIX::mkfifo($gate, 0600) or die "$gate: $!\n";

# All wait after step HOLD; rank 1 is killed, and the job goes on from the line after step LINE.
for my $case ([ 'blocking', [] ], [ 'eventlog', [] ], [ 'eventlog', ['-image'] ], [ 'msglog', [] ]) {
	my ($coord, $options) = @$case;
	my $name  = join ' ', $coord, @$options;
	my $fault = FTMPI::Test::Fault->start(program => 'sent_bytes', coord => $coord, run => [ '-record', @$options ], args => [ -steps => STEPS, -line => LINE, -hold => HOLD, -gate => $gate ]);
	open my $writer, '+<', $gate or die "$gate: $!\n";
	$fault->wait_for(err => qr/^sent_bytes: rank $_ waits at the gate$/m) for 0 .. 3;
	$fault->kill_ranks(1);
	$fault->wait_for(err => qr/^ftmpirun: rank 1 .*killed/m);
	close $writer;
	$fault->job->finish;
	$fault->job->is_status(0, "$name: a rank is killed");
	$fault->job->out_like(qr/^sent_bytes: @{[ STEPS ]} steps/m, '... and the job comes to its end');
	is_deeply(sent($fault->workdir), expected(4, STEPS), '... what is done again counts once') or diag explain sent($fault->workdir);
}

# No restart: what there was at the line is there.
for my $who (qw(rank ftmpirun)) {
	my $fault = FTMPI::Test::Fault->start(program => 'sent_bytes', run => [qw(-record -max-restarts 0)], args => [ -steps => STEPS, -line => LINE, -hold => HOLD, -gate => $gate ]);
	open my $writer, '+<', $gate or die "$gate: $!\n";
	$fault->wait_for(err => qr/^sent_bytes: rank $_ waits at the gate$/m) for 0 .. 3;
	$who eq 'rank' ? $fault->kill_ranks(1) : $fault->job->signal('TERM');
	$fault->job->finish;
	isnt($fault->job->status, 0, "$who: the job ends");
	is_deeply(sent($fault->workdir), expected(4, LINE), '... and has what was sent before its line');
	like(report('-text', $fault->workdir), qr/^  Ranks have sent 26 messages/m, '... which is shown');
}

# ---- where nobody wants it ----

for my $is (0, 1) {
	my $rank = FTMPI::Test::OneRank->start([ program('sent_bytes') ], settings => ["traffic=$is"]);
	$rank->tell_start(0);
	my $said = $rank->hear_until('FINALIZED');
	is($said =~ /\bTRAFFIC\b/ ? 1 : 0, $is, "traffic=$is: a rank tells " . ($is ? '' : 'nothing')) or diag $said;
	is($rank->ended, 0, '... and ends') or diag $rank->saw;
}
my $fault = job('a job without a record', run => [], args => [ -steps => 1 ]);
is_deeply([ glob $fault->workdir . '/*' ], [], '... leaves none');

done_testing();

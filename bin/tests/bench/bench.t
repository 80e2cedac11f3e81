# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's own arithmetic, files and words; and that it measures at all: one short row.
use strict;
use warnings;
use utf8;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Cases   ();
use FTMPI::Bench::Charts  ();
use FTMPI::Bench::Compare ();
use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Report  ();
use FTMPI::Bench::Results ();
use FTMPI::Bench::Stats   ();
use FTMPI::Bench::Turns   ();
use FTMPI::Test::Job      qw(root sanitized);
use FTMPI::Test::Pages    qw(well_formed);
use FTMPI::Test::StrawPeers ();

my $dir = File::Temp->newdir('ftmpi-bench-test-XXXXXX', TMPDIR => 1);
my %case = map { $_->{id} => $_ } FTMPI::Bench::Cases::all(2);

sub row
{
	my ($id, %values) = @_;
	my ($what, $bytes, $ranks) = split / /, $id;
	return {
		id     => $id, what => $what, bytes => $bytes, ranks => $ranks, unit => $case{$id}{unit},
		values => \%values, state => { map { $_ => 'ok' } keys %values },
	};
}

sub result
{
	my (@rows) = @_;
	return {
		head  => [ [ cores => 2 ], [ machine => 'Some CPU' ], [ rounds => 3 ], [ date => '2026-01-02' ],
			[ system => 'Linux 6' ], [ limit => 60 ] ],
		notes => ['MPICH: a note.'],
		rows  => \@rows,
	};
}

subtest 'medians, ratios, verdicts' => sub {
	is(FTMPI::Bench::Stats::median(3, 1, 2), 2, 'of an odd number');
	is(FTMPI::Bench::Stats::median(4, 1, 2, 30), 3, 'of an even number');
	is(FTMPI::Bench::Stats::median(), undef, 'of nothing');
	my $barrier = row('barrier 0 8', FTMPI => [ 60, 70, 90 ], 'Open MPI' => [100], MPICH => [ 900, 1000 ]);
	is(FTMPI::Bench::Stats::to_peer($barrier), 0.7, 'over the better peer');
	is(FTMPI::Bench::Stats::verdict($barrier, $case{'barrier 0 8'}), 'met', 'just met');
	push @{ $barrier->{values}{FTMPI} }, 91;
	is(FTMPI::Bench::Stats::verdict($barrier, $case{'barrier 0 8'}), 'not met', 'just not');
	my $rate = row('rate 8 2', FTMPI => [2000], 'Open MPI' => [150], MPICH => [200]);
	is(FTMPI::Bench::Stats::to_peer($rate), 10, 'the better rate is the greater');
	is(FTMPI::Bench::Stats::verdict($rate, $case{'rate 8 2'}), 'met', 'ten times');
	my $pingpong = row('pingpong 8 2', floor => [4], FTMPI => [4.6], 'Open MPI' => [5], MPICH => [5]);
	is(FTMPI::Bench::Stats::verdict($pingpong, $case{'pingpong 8 2'}), 'met', 'two targets');
	$pingpong->{values}{'Open MPI'} = [4.5];
	is(FTMPI::Bench::Stats::verdict($pingpong, $case{'pingpong 8 2'}), 'not met', 'one of two');
	is(FTMPI::Bench::Stats::verdict(row('barrier 0 8', FTMPI => [1]), $case{'barrier 0 8'}), '?',
		'nobody to be held against');
	is(FTMPI::Bench::Stats::verdict(row('start 0 512', FTMPI => []), $case{'start 0 512'}), 'not met',
		'nothing measured');
};

subtest 'every small collective on more ranks than cores has its target' => sub {
	for my $what (FTMPI::Bench::Cases::collectives()) {
		for my $bytes ($what eq 'barrier' ? 0 : (8, 1024)) {
			is(FTMPI::Bench::Stats::target_text($case{"$what $bytes $_"} // {}), '≤ 0.7 × peer',
				"$what $bytes $_") for 4, 8, 16;
		}
	}
};

subtest 'and every one of default transports has one, whatever its size' => sub {
	for my $what (FTMPI::Bench::Cases::collectives()) {
		for my $bytes ($what eq 'barrier' ? 0 : (8, 1024, 65536, 1 << 20)) {
			for my $ranks (2, 4, 8, 16) {
				my $id = "$what/default $bytes $ranks";
				is(FTMPI::Bench::Stats::target_text($case{$id} // {}), $ranks > 2 ? '≤ 0.8 × peer' : '≤ 1 × peer', $id);
			}
		}
	}
	is(FTMPI::Bench::Stats::target_text($case{"pingpong/default $_ 2"} // {}), '≤ 1 × peer', "pingpong/default $_ 2")
		for 8, 1024, 65536, 4 << 20;
	is(FTMPI::Bench::Stats::target_text($case{'rate/default 8 2'} // {}), '≥ 1 × peer', 'rate/default 8 2');
	my %roomy = map { $_->{id} => $_ } FTMPI::Bench::Cases::all(16);
	is(FTMPI::Bench::Stats::target_text($roomy{'barrier/default 0 16'}), '≤ 1 × peer', 'a core for each rank');
};

subtest 'every collective with a root is measured after a barrier, too' => sub {
	for my $what (map { ("${_}_sync", "${_}_sync/default") } qw(bcast reduce gather scatter)) {
		for my $ranks (2, 4, 8, 16) {
			ok($case{"$what $_ $ranks"}, "$what $_ $ranks") for 8, 65536, 1 << 20;
		}
	}
};

subtest 'kernels and hosts' => sub {
	for my $kernel (FTMPI::Bench::Cases::kernels()) {
		my $size = FTMPI::Bench::Cases::kernel_size($kernel);
		is(FTMPI::Bench::Stats::target_text($case{"$kernel/default $size $_"} // {}), '≤ 1 × peer', "$kernel on $_ ranks")
			for 2, 4, 8, 16, 64;
		is_deeply([ @{ $case{"$kernel $size 4"} }{qw(operation transport unit)} ], [ $kernel, 'tcp', 'ms' ], "$kernel over TCP");
	}
	is_deeply([ @{ $case{'alltoall/gbit 1024 4'} }{qw(operation transport unit)} ], [qw(alltoall gbit us)], 'two hosts');
	ok($case{"$_/gbit 8 2"}, "$_/gbit") for qw(pingpong rate);
	my @ids = map { $_->{id} } FTMPI::Bench::Cases::all(2);
	is(scalar @ids, scalar keys %case, 'no row is there twice');
	my @mixed;
	for my $job (FTMPI::Bench::Cases::jobs(FTMPI::Bench::Cases::all(2))) {
		my %of = map { ("$_->{transport} $_->{ranks}" => 1) } @$job;
		push @mixed, $job->[0]{id} if keys %of != 1;
	}
	is_deeply(\@mixed, [], 'a job has one transport and one number of ranks');
};

# The launcher of a tree that can choose, and of one that cannot.
subtest 'which transport a peer is started with' => sub {
	my %option = (chooses => '  -transport tcp|shm|auto', 'has-none' => '  -timeout TIME');
	for my $tree (sort keys %option) {
		mkdir "$dir/$_" for $tree, "$tree/bin";
		FTMPI::Test::StrawPeers::script("$dir/$tree/bin/ftmpirun", "echo '$option{$tree}'");
	}
	my $line = sub {
		my ($tree, $name, $transport) = @_;
		my ($peer) = grep { $_->{name} eq $name } FTMPI::Bench::Peers::all("$dir/$tree");
		my $over = { %{ FTMPI::Bench::Peers::over($peer, $transport) }, exe => 'exe' };
		my $words = FTMPI::Bench::Peers::command($over, { ranks => 4, ssh => '/my/ssh', hosts => '/my/hosts' }, 1, 'rate:8');
		return "@$words", FTMPI::Bench::Peers::environment($over);
	};
	my ($tcp) = $line->('chooses', 'FTMPI', 'tcp');
	like($tcp, qr{/ftmpirun -transport tcp -n 4 exe 1 rate:8\z}, 'told to use TCP');
	($tcp) = $line->('has-none', 'FTMPI', 'tcp');
	like($tcp, qr{/ftmpirun -n 4 exe 1 rate:8\z}, 'where nothing else is known');
	like(($line->('chooses', 'FTMPI', 'default'))[0], qr{/ftmpirun -n 4 exe}, 'not told');
	like(($line->('chooses', 'FTMPI', 'gbit'))[0], qr{-ssh /my/ssh -machinefile /my/hosts -n 4 exe}, 'on hosts');
	is(($line->('chooses', 'Open MPI', 'default'))[0], 'mpirun.openmpi --oversubscribe -np 4 exe 1 rate:8', 'as a user starts it');
	local @ENV{qw(UCX_TLS MPIR_CVAR_NOLOCAL)} = ('all', 0);
	my %env = map { $_ => ($line->('chooses', 'MPICH', $_))[1] } qw(tcp default gbit);
	is($env{tcp}{UCX_TLS}, 'tcp,self', 'MPICH over TCP');
	ok(!exists $env{default}{$_}, "MPICH by default: $_ is not set") for qw(UCX_TLS MPIR_CVAR_NOLOCAL);
	is_deeply([ @{ $env{gbit} }{qw(UCX_TLS MPIR_CVAR_NOLOCAL)} ], [ 'tcp,self', undef ], 'MPICH between hosts');
};

subtest 'results are read as they were written' => sub {
	my $result = result(row('barrier 0 8', FTMPI => [ 60.5, 7e-05 ], 'Open MPI' => []),
		row('rate 8 2', FTMPI => [2_000_000]), row('rate/default 8 2', FTMPI => [3]), row('cg/default 256 64', FTMPI => [7]));
	$result->{rows}[0]{state}{'Open MPI'} = 'limit';
	my $again = FTMPI::Bench::Results::from_text('x.tsv', FTMPI::Bench::Results::to_text($result));
	is_deeply($again, $result, 'all of it');
	like(FTMPI::Bench::Report::page($again), qr/^\| barrier \|.*\| > 60 s \|/m, 'the limit is told');
	like(FTMPI::Bench::Report::page($again), qr/^\| cg\/default \| 256 \| 64 \| ms \|/m, 'a size that is no bytes');
	for my $bad ("nothing\n", "# FTMPI bench results 1\nbarrier/\t0\t8\tus\tFTMPI\tok\t1\n", "# FTMPI bench results 1\nbarrier\t0\n",
		"# FTMPI bench results 1\nbarrier\t0\t8\tus\tFTMPI\tok\t1,x\n",
		"# FTMPI bench results 1\n" . "barrier\t0\t8\tus\tFTMPI\tok\t1\n" x 2) {
		ok(!eval { FTMPI::Bench::Results::from_text('x.tsv', $bad); 1 }, 'refused');
		like($@, qr/\Ax\.tsv.*\n\z/, 'with a sentence that names the file');
	}
};

subtest 'numbers are taken from the program alone' => sub {
	is_deeply(FTMPI::Bench::Turns::numbers('barrier 0 12.5', 'warning: barrier 0 1', 'rate 8 x', 'rate 8 7'),
		{ 'barrier 0' => 12.5, 'rate 8' => 7 }, 'lines of three words');
};

subtest 'who is far behind is measured once' => sub {
	my $row = row('barrier 0 8', FTMPI => [1], 'Open MPI' => [10], MPICH => [101]);
	ok(FTMPI::Bench::Turns::far_behind($row, 'MPICH'), 'more than ten times the other peer');
	ok(!FTMPI::Bench::Turns::far_behind($row, $_), "$_ is not") for 'Open MPI', 'FTMPI';
	$row->{values}{MPICH} = [99];
	ok(!FTMPI::Bench::Turns::far_behind($row, 'MPICH'), 'less than ten times');
};

subtest 'compare' => sub {
	my $old = result(row('barrier 0 8', FTMPI => [ 60, 70, 80 ], 'Open MPI' => [100]),
		row('rate 8 2', FTMPI => [ 10, 11 ]), row('bcast 8 4', FTMPI => [ 1, 3 ]));
	my $new = result(row('barrier 0 8', FTMPI => [ 40, 50, 59 ], 'Open MPI' => [100]),
		row('rate 8 2', FTMPI => [ 8, 9 ]), row('bcast 8 4', FTMPI => [ 2, 4 ]), row('scan 8 4', FTMPI => [1]));
	my $page = FTMPI::Bench::Compare::page($old, $new);
	like($page, qr/^\| barrier .*\| 70 \| 50 \| -28\.6 % \| 0\.70 \| 0\.50 \| better \|/m, 'a time that fell');
	like($page, qr/^\| rate .*\| worse \|/m, 'a rate that fell');
	like($page, qr/^\| bcast .*\| \+50\.0 % \|  \|  \|  \|/m, 'a change within the spread');
	like($page, qr/^3 rows in both.*1 better, 1 worse\.$/m, 'counted');
	like($page, qr/^Only in the new one: scan 8 4\.$/m, 'rows that are new');
	($old, $new) = map { result(row('rate 8 2', FTMPI => [10]), row('rate/default 8 2', FTMPI => [$_])) } 10, 20;
	$page = FTMPI::Bench::Compare::page($old, $new);
	like($page, qr/^\| rate \|.*\| \+0\.0 % .*\n\| rate\/default \|.*\| \+100\.0 % /m, 'transports are told apart');
	my $other = result();
	$other->{head}[1][1] = 'Another CPU';
	like(FTMPI::Bench::Compare::page($old, $other), qr/different machines/, 'other machines are told');
};

subtest 'charts' => sub {
	my @rows = map { row("pingpong $_ 2", FTMPI => [ $_ / 100 + 4 ], floor => [ $_ / 200 + 4 ]) } 1, 1024, 1 << 20;
	my @charts = FTMPI::Bench::Charts::all(result(@rows, row('bcast 8 4', FTMPI => [1], 'Open MPI' => [2])));
	is_deeply([ map { $_->[0] } @charts ], [qw(latency bandwidth collectives-8)], 'those with rows');
	push @charts, FTMPI::Bench::Charts::all(result(
		(map { row("pingpong/default $_ 2", FTMPI => [ $_ / 100 ]) } 8, 1024),
		(map { row("pingpong/gbit $_ 2", FTMPI => [ $_ / 100 ]) } 8, 1024),
		row('bcast/default 65536 16', FTMPI => [1], MPICH => [2]), row('halo/default 512 64', FTMPI => [1], MPICH => [2])));
	is_deeply([ map { $_->[0] } @charts[ 3 .. $#charts ] ], [ qw(default-latency default-bandwidth gbit-latency gbit-bandwidth
		default-collectives-65536 default-kernels) ], 'those of other transports');
	ok(well_formed($_->[2]), "$_->[0] is well-formed") for @charts;
	ok(!well_formed('<a><b></a></b>'), 'what is not is seen');
};

sub bench
{
	my ($env, $name, @words) = @_;
	return FTMPI::Test::Job->run([ root() . "/bench/$name", @words ], deadline => 200, env => {@$env});
}

subtest 'words' => sub {
	my $help = bench([], 'run', '-h');
	$help->well(qr/\Ausage: bench\/run/, 'run -h');
	bench([], 'compare', '-h')->well(qr/\Ausage: bench\/compare/, 'compare -h');
	for my $words ([qw(-rounds 0)], [ '-only', '(' ], ['-nonsense'], [qw(-o /x/y)], [qw(-only nothing-such)]) {
		my $job = bench([], 'run', @$words);
		$job->is_status(2, "@$words");
		$job->err_like(qr/\Abench\/run: [^\n]+\n\z/, "@$words");
	}
	my $job = bench([], 'compare', "$dir/none", "$dir/none");
	$job->is_status(2, 'compare without files');
	$job->err_like(qr/\Abench\/compare: cannot read [^\n]+\n\z/, 'compare without files');
};

my %straw = FTMPI::Test::StrawPeers::environment("$dir");

subtest 'some rows from beginning to end' => sub {
	plan skip_all => 'bench/run compiles without the sanitizer that the library has' if sanitized('pi');
	my $job = bench([ %straw ], 'run', '-rounds', 2, '-only',
		'^(pingpong(/default)? 8 |barrier 0 4|start 0 32|cg/default 256 2)', '-o', "$dir/got.md");
	$job->is_status(0, 'bench/run');
	my $result = FTMPI::Bench::Results::read_file("$dir/got.tsv");
	is(scalar @{ $result->{rows} }, 5, 'five rows');
	my ($cg) = grep { $_->{what} eq 'cg/default' } @{ $result->{rows} };
	is_deeply([ @{ $cg->{state} }{ 'FTMPI', 'Open MPI', 'MPICH' } ], [qw(ok ok failed)], 'a peer with a wrong answer has failed');
	like("@{ $result->{notes} }", qr/MPICH: a job failed: .* cg: unknown 7 is off/, 'and a note has its words');
	for my $row (@{ $result->{rows} }) {
		is(scalar @{ $row->{values}{FTMPI} }, 2, "$row->{id}: a value each round");
		cmp_ok($row->{values}{FTMPI}[0], '>', 0, "$row->{id}: of something");
	}
	ok(-s "$dir/got.md", 'a page');
	my $same = bench([], 'compare', "$dir/got.tsv", "$dir/got.tsv");
	$same->well(qr/^5 rows in both; .* 0 better, 0 worse\.$/m, 'compared with itself');
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

subtest 'a Ctrl-C leaves nothing' => sub {
	plan skip_all => 'bench/run compiles without the sanitizer that the library has' if sanitized('pi');
	my $job = FTMPI::Test::Job->start([ root() . '/bench/run', '-only', '^waiting' ], deadline => 100,
		env => {%straw});
	# the heading of the table comes when all is compiled and a job begins
	$job->wait_for(out => qr/^\|---/m);
	$job->is_interrupted;
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

done_testing();

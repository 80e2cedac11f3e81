# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpi-keeper: a real one, with ranks that do nothing but tell it outcomes. It is killed at every step and at
# random moments; what it has acknowledged is there afterwards, and nothing of an old incarnation is taken.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp  ();
use IO::Socket::INET ();
use POSIX       ();
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Alone   ();
use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Keeper  ();
use FTMPI::Test::Process qw(must_run patience run_quiet wait_readable);

use constant { RANKS => 4, KILLS => 25 };

FTMPI::Test::Alone::enter();

my $dirs = File::Temp->newdir('keeper-XXXXXX', TMPDIR => 1);
my $made = 0;
sub new_job { return FTMPI::Test::Keeper->new(dir => "$dirs/" . ++$made, ranks => RANKS, @_) }

srand($ENV{KEEPER_SEED} // time);
diag('KEEPER_SEED=' . (srand));

sub acked
{
	my ($job) = @_;
	my $sum = 0;
	$sum += $_->{acked} for @{ $job->{running} };
	return $sum;
}

# Each rank comes back, from its latest checkpoint: it is given all that was acknowledged, and it is right.
sub come_back
{
	my ($job, $name) = @_;
	my @before = @{ $job->{running} };
	my (@wrong, $rank);
	for my $one (@before) {
		$job->end_rank($one);
		my $next = $job->rank($rank++ // 0, 2, $one->{covered});
		$job->hear(sub { $next->{ready} || $next->{refused} });
		my ($last, $given) = @{ $next->{ready} // [ -1, -1 ] };
		push @wrong, "rank $rank: acked $one->{acked}, covered $one->{covered}; it heard @{$next->{heard}}"
			if $last < $one->{acked} || $given != $last - $one->{covered} || grep { /^(?:wrong|lost)/ } @{ $next->{heard} }, @{ $one->{heard} };
	}
	is("@wrong", '', "$name: the next incarnation of each rank gets all that was acknowledged");
	return;
}

# ---- killed at random moments ----

{
	my $job = new_job();
	$job->start('-new');
	my @ranks = map { $job->rank($_, 1, 0, 4000) } 0 .. RANKS - 1;
	for my $kill (1 .. KILLS) {
		my $more = acked($job) + int rand 6000;
		$_->until($_->{acked} + 100000) for @ranks;
		$job->hear(sub { acked($job) >= $more });
		$job->kill_keeper;
		$job->start;
	}
	my %end = map { $_ => $ranks[$_]{acked} + 5000 } 0 .. $#ranks;
	$ranks[$_]->until($end{$_}) for keys %end;
	# it may have told more before
	$job->hear(sub { !grep { $ranks[$_]{acked} < $end{$_} } keys %end });
	cmp_ok(acked($job), '>', RANKS * 5000, KILLS . ' times killed at random moments, ranks tell on');
	come_back($job, 'killed at random moments');
	unlike($job->errors, qr/damaged|lost|not there/, '... and no file was damaged');
	$job->end;
}

# ---- killed at each step, and each step fails ----

my @points = do {
	my $source = join '', map { read_file($_) } glob root() . '/lib/keeper/*.c';
	my %point = map { $_ => 1 } $source =~ /fault_(?:point|error)\("([^"]+)"\)/g;
	sort keys %point;
};
cmp_ok(scalar @points, '>=', 7, "there are steps: @points");

# Ranks tell enough for a file to be written anew.
sub tell_all
{
	my ($job, $name) = @_;
	my @ranks = @{ $job->{running} };
	$_->until(90000) for @ranks;
	$job->hear(sub {
		return 1 if $job->{keeper}{out}{ended};
		return !grep { $_->{acked} < 90000 } @ranks;
	}, 240);
	return $job->{keeper}{out}{ended};
}

for my $point (@points) {
	for my $n ($point eq 'keeper-cut' ? 1 : (1, 3)) {
		my $name = "killed at $point, pass $n";
		my $job  = new_job(ranks => 2);
		if ($point eq 'keeper-cut') {    # a frame that was not written to its end
			$job->start('-new');
			$job->kill_keeper;
			my $path = "$job->{dir}/rank-00000.events";
			write_file($path, read_file($path) . 'FTEV');
		}
		my $up = $job->start_with("$point:*:*:$n:kill", '-new');
		$job->rank($_, 1, 0, 3000) for 0, 1;
		my $died = !$up || tell_all($job, $name);
		my $status = $died ? $job->ended : $job->kill_keeper('TERM');
		is($status, POSIX::SIGKILL(), "$name: it was") or diag($job->saw);
		ok($job->start('-new'), "$name: it is started again") or diag($job->errors);
		ok(!tell_all($job, $name), "$name: the ranks go on");
		come_back($job, $name);
		$job->end;
	}
}

for my $point (grep { $_ ne 'keeper-cut' && $_ ne 'keeper-durable' } @points) {
	my $job = new_job(ranks => 2);
	$job->start_with("$point:*:*:" . ($point =~ /write\z|flush/ ? 8 : 3) . ':EIO', '-new');
	$job->rank($_, 1, 0, 3000) for 0, 1;
	ok(!tell_all($job), "$point fails: the ranks go on all the same");
	come_back($job, "$point fails");
	$job->end;
}

# ---- incarnations ----

{
	my $job = new_job();
	$job->start('-new');
	my $old = $job->rank(2, 1, 0);
	$old->until(500);
	$job->hear(sub { $old->{acked} == 500 });
	my $new = $job->rank(2, 2, 0);
	$job->hear(sub { $new->{ready} });
	is("@{$new->{ready}}", '500 500', 'a new incarnation gets the outcomes of the one before');
	$job->hear(sub { $old->{refused} });
	is($old->{refused}, 'a newer incarnation of this rank has been answered', '... which is told that it is none any more');
	$job->end_rank($_) for $new, $old;
	$job->kill_keeper;
	$job->start;
	my $late = $job->rank(2, 1, 0);
	$job->hear(sub { $late->{refused} || $late->{ready} });
	is($late->{refused}, 'a newer incarnation of this rank has been answered', '... also after the keeper was started again');
	$job->end_rank($late);

	# a file that is lost
	my $three = $job->rank(2, 3, 0);
	$three->until(700);
	$job->hear(sub { $three->{acked} == 700 });
	$job->kill_keeper;
	unlink "$job->{dir}/rank-00002.events" or die "unlink: $!\n";
	$job->start;
	$job->hear(sub { grep { /^lost 0/ } @{ $three->{heard} } });
	$three->until(710);
	$job->hear(sub { $three->{acked} == 710 });
	like($job->errors, qr{rank-00002\.events is not there: the outcomes of rank 2 are lost unless it tells them again$}m, 'a file that is lost is told of');
	$job->end_rank($three);
	my $four = $job->rank(2, 4, 0);
	$job->hear(sub { $four->{ready} || $four->{refused} });
	is("@{$four->{ready} // []}", '710 710', '... and all is told again');
	$job->end_rank($four);
	$job->kill_keeper;
	unlink "$job->{dir}/rank-00002.events" or die "unlink: $!\n";
	$job->start;
	my $five = $job->rank(2, 5, 0);
	$job->hear(sub { $five->{refused} || $five->{ready} });
	is($five->{refused}, 'its log was lost while it was away', 'a file and its rank at once: the rank is told');
	$job->end;
}

# ---- a disk that is full ----

{
	my $job = new_job();
	mkdir $job->{dir} or die "mkdir: $!\n";
	must_run('mount', '-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', $job->{dir});
	$job->start('-new');
	my @ranks = map { $job->rank($_, 1, 0) } 0 .. RANKS - 1;
	$_->until(100) for @ranks;
	$job->hear(sub { !grep { $_->{acked} < 100 } @ranks });
	run_quiet('sh', '-c', 'cat /dev/zero >"$1"/fill', 'sh', $job->{dir});
	$_->until(3000) for @ranks;
	$job->hear(sub { $job->errors =~ /No space left/ });
	like($job->errors, qr/^ftmpi-keeper: cannot write \S+\.events: No space left on device; outcomes of rank \d, and what waits for them, are held up until it can: make room there, or mend that$/m,
		'a full disk is told of');
	is(scalar(() = $job->errors =~ /No space left/g), 1, '... once');
	cmp_ok(acked($job), '<', 3000 * RANKS, '... and not all is acknowledged');
	is(scalar(grep { @{ $_->{heard} } > 1 } @ranks), 0, '... no rank is sent away');
	unlink "$job->{dir}/fill" or die "unlink: $!\n";
	$job->hear(sub { !grep { $_->{acked} < 3000 } @ranks });
	like($job->errors, qr/can be written again/, '... until there is room');
	come_back($job, 'a disk that was full');
	$job->end;
	must_run('umount', $job->{dir});
}

# ---- one keeper in a folder, of one job ----

{
	my $job = new_job();
	$job->start('-new');
	my $second = new_job(dir => $job->{dir}, secret => $job->{secret});
	$second->spawn(undef);
	ok(!$second->ready, 'a second keeper in the same folder is not ready');
	is($second->ended, 1 << 8, '... ends with 1');
	like($second->errors, qr/another keeper writes there; end that one, or give another folder$/m, '... and says why');
	my $rank = $job->rank(0, 1, 0);
	$rank->until(10);
	$job->hear(sub { $rank->{acked} == 10 });
	pass('the first one goes on');
	$job->end_rank($rank);
	is($job->let_go, 0, 'a keeper ends well when its standard input is closed');
	my $other = new_job(dir => $job->{dir});
	$other->spawn(undef);
	ok(!$other->ready, 'the files of another job');
	is($other->ended, 1 << 8, '... are refused');
	like($other->errors, qr/rank-00000\.events: it belongs to another job or rank; give a folder of this job's own$/m, '... with a sentence');
	$job->start;
	is($job->kill_keeper('TERM'), 0, 'SIGTERM ends it well');
	$job->end;
}

# ---- its starter asks whether it is alive ----

{
	my $job = new_job();
	$job->start('-new');
	my $out = $job->{keeper}{out};
	my $ask = sub { my ($n) = @_; print { $job->{keeper}{in} } '?' x $n; $job->hear(sub { @{ $out->{lines} } >= $n }); return [ splice @{ $out->{lines} } ] };
	is_deeply($ask->(1), ['alive'], 'a byte on its standard input is answered');
	is_deeply($ask->(1000), [ ('alive') x 1000 ], '... each byte is');
	my $rank = $job->rank(0, 1, 0);
	$rank->until(10);
	$job->hear(sub { $rank->{acked} == 10 });
	is_deeply($out->{lines}, [], '... and nothing else');
	$job->end_rank($rank);
	print { $job->{keeper}{in} } '?' x 60_000;    # the answers do not fit into the pipe
	is($job->let_go, 0, 'answers that nobody reads do not keep it from its end');
	$job->end;
}

# ---- its files go, or it is on a host that is cut off ----

{
	my $job = new_job();
	my $folder = $job->{dir};
	$job->start('-new');
	my $rank = $job->rank(0, 1, 0);
	$rank->until(10);
	$job->hear(sub { $rank->{acked} == 10 });
	$job->end_rank($rank);
	print { $job->{keeper}{in} } '?c?';
	is($job->let_go, 0, 'a keeper that is told to clear');
	ok(!-e $folder, '... has removed its files at its end');
	$job->end;
}
for my $late ([ '-new' => 'goes' ], [ '-v' => 'stays' ]) {
	my ($flag, $what) = @$late;
	my $folder = "$dirs/" . ++$made;
	my $status = system "head -c 48 /dev/zero | @{[ FTMPI::Test::Keeper::program('ftmpi-keeper') ]} -dir $folder -ranks 2 -silence 9 $flag >/dev/full 2>/dev/null";
	is($status, 1 << 8, 'one that nobody hears ends');
	is(-e $folder ? 'stays' : 'goes', $what, "... and what it has made $what ($flag)");
}
{
	my $job = new_job();
	$job->start(qw(-new -silence 1));
	$job->let_go;
	ok(-e "$job->{dir}/rank-00000.events", 'one whose ssh was killed leaves its files, though nobody has come');
	$job->end;
}
{
	my $job = new_job();
	$job->start(qw(-new -silence 1));
	is($job->ended, 0, 'one that nobody asks ends');
	like($job->errors, qr/^ftmpi-keeper: nothing was heard of ftmpirun for 1 s$/m, '... and says so');
	ok(-e "$job->{dir}/rank-00000.events", '... and leaves its files');
	$job->end;
}

# ---- strangers ----

{
	my $job = new_job();
	$job->start('-new');
	my @flood = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $job->{port}) // die "connect: $@\n" } 1 .. 400;
	my $rank = $job->rank(0, 1, 0);
	$rank->until(1000);
	$job->hear(sub { $rank->{acked} == 1000 });
	pass('400 strangers keep no rank out');
	ok((wait_readable(time + patience(30), $flood[0])), '... and the first of them was closed');
	$job->end_rank($rank);
	$job->{secret} = substr($job->{secret}, 0, 47) . chr(ord(substr $job->{secret}, 47) ^ 1);
	my $thief = $job->rank(0, 2, 0);
	$job->hear(sub { grep { $_ eq 'away' } @{ $thief->{heard} } });
	ok(!$thief->{ready}, 'one that does not know the secret is not answered');
	$job->end;
}

# ---- the command line ----

my $keeper = FTMPI::Test::Keeper::program('ftmpi-keeper');
my ($status, $said) = run_quiet($keeper, '-h');
is($status, 0, '-h');
like($said, qr/^usage: ftmpi-keeper -dir DIR -ranks N/, '... prints what there is');
for my $case (
	[ [],                                      qr/give the folder of its files with -dir DIR/ ],
	[ [qw(-dir x)],                            qr/give the number of ranks with -ranks N$/ ],
	[ [qw(-dir x -ranks 0)],                   qr/-ranks 0: give a whole number from 1 to 65536$/ ],
	[ [qw(-dir x -ranks 4 -limit 5k)],         qr/-limit 5k: give a whole number from 65536 to/ ],
	[ [qw(-dir x -ranks 4 -listen localhost)], qr/-listen localhost: give a numeric address of this host/ ],
	[ [qw(-dir x -ranks)],                     qr/-ranks needs a value behind it$/ ],
	[ [qw(-secret x)],                         qr/-secret is no option; ftmpi-keeper -h lists them$/ ],
) {
	my ($args, $sentence) = @$case;
	($status, $said) = run_quiet($keeper, @$args);
	is($status, 2 << 8, "'@$args' is refused");
	like($said, qr/\Aftmpi-keeper: [^\n]+\n\z/, '... in one line');
	like($said, $sentence, '... that says what to do');
}
($status, $said) = run_quiet('sh', '-c', ': | "$@"', 'sh', $keeper, '-dir', "$dirs/none", '-ranks', 2);
is($status, 1 << 8, 'without a secret');
like($said, qr/\Aftmpi-keeper: standard input ended before the session [^\n]*\n\z/, '... it says so');
($status, $said) = run_quiet($keeper, '-dir', "$dirs/none", '-ranks', 2);
is($status, 1 << 8, 'without a pipe');
like($said, qr/\Aftmpi-keeper: standard input must be a pipe or a socket: [^\n]*\n\z/, '... it says so');
ok(!-e "$dirs/none", '... and makes nothing');

undef $dirs;
FTMPI::Test::Alone::at_rest('keepers');
done_testing();

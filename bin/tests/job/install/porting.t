# SPDX-License-Identifier: BSD-3-Clause
#
# doc/porting.md: the changes that it shows are those between the two programs, its commands do what it says, and the program
# with checkpoints gives the answer of the one without, whichever ranks are killed, and when. One that has forgotten something
# does not, and -verify-replay tells of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Alone    ();
use FTMPI::Test::Document ();
use FTMPI::Test::File     qw(read_file write_file);
use FTMPI::Test::Job      qw(ftmpirun root sanitized);
use FTMPI::Test::Process  qw(wait_until);
use Time::HiRes           qw(time);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
FTMPI::Test::Alone::enter();

use constant { STEPS => 240, EVERY => 80, INTERVAL => 0.2 };

my $examples = root() . '/examples';
my $home     = File::Temp->newdir('ftmpi-porting-XXXXXX', TMPDIR => 1);
my $kills    = 0;
my $seed     = $ENV{FTMPI_TEST_SEED} // int rand 100_000;
diag("FTMPI_TEST_SEED=$seed");

my $porting = FTMPI::Test::Document->new('doc/porting.md',
	dir     => "$home",
	instead => [ [ qr/\b5000 1000\b/ => '300 100' ], [ qr/-ckpt-interval 0\.5\b/ => '-ckpt-interval 0.2' ] ],
	varies  => qr/^ftmpirun: |^plate|^step \d/,
	before  => \&before,
);

# A reader who kills has seen that something was saved since the job, or what was killed before, began. (Each session has the file of its job.)
my %old;

sub saved { return glob "$home/work/*/{line-*.manifest,rank-*/*}" }

sub before
{
	my ($document, $command) = @_;
	if ($command =~ /\Apkill /) {
		ok(wait_until(60, sub { grep { !$old{$_} } saved() }), 'something is saved before the kill');
	}
	%old = map { $_ => 1 } saved() if $command =~ /&\z|\Apkill /;
	return;
}

# ---- the changes ----

# How often each line is taken away and added, but for empty ones, and comments at the heads of the programs.
sub changes
{
	my %count;
	$count{$_}++ for grep { /^[-+]\s*\S/ && !/^[-+]{3} / && !m{^[-+] \*} } map { split /\n/ } @_;
	return \%count;
}

my $real = `diff -u '$examples/plate_plain.c' '$examples/plate.c'`;
is_deeply(changes($porting->text =~ /^```diff\n(.*?)^```$/msg), changes($real), 'the changes in doc/porting.md are those between the two programs');

# ---- its commands ----

$porting->begin(env => { HOME => "$home" });
my $bin = FTMPI::Test::Job::program('pi') =~ s{/[^/]+\z}{}r;
$porting->step("export PATH=\$PWD/bin:$bin:\$PATH; cp examples/plate*.c ~; cd ~");
for my $session ($porting->sessions) {
	$porting->session($session) or last;
}
$porting->end;

# ---- kills by chance ----

# What it wrote, without times.
sub answer
{
	my ($folder) = @_;
	my $log = read_file("$folder/plate.log") =~ s/ after \S+ s$//mgr;
	return { log => $log, map { s{.*/}{}r => read_file($_) } glob "$folder/plate-*.txt" };
}

sub folder { my ($name) = @_; mkdir "$home/$name" or die "$home/$name: $!\n"; return "$home/$name" }

# A job of this program in a folder of its own, of which a rank is killed so many times: each time when it has saved more, and
# the job has printed so many more lines, and a little later.
sub killed
{
	my ($program, $options, $times, $lines, $every) = @_;
	my $folder = folder(join '-', $program, grep { /^\w/ } @$options);
	my $job    = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', 4, @$options, '-ckpt-interval', INTERVAL, '-workdir', 'work', "../$program", STEPS, $every ],
		dir => $folder);
	srand $seed;
	for (1 .. $times) {
		my $victim = int rand 4;
		my $saved  = qr/line \d+ is committed|checkpoint \d+ of rank $victim is committed/;
		$job->wait_for(err => $saved, 1 + (() = $job->err =~ /$saved/g)) or last;
		$job->wait_for(out => qr/\n/, $lines + (() = $job->out =~ /\n/g)) or last if $lines;
		my $until = time + rand INTERVAL;
		1 while $job->take($until) && time < $until;
		my %process = $job->err =~ /^ftmpirun: rank (\d+) on \S+ is process (\d+)\b/mg;
		$kills += kill KILL => $process{$victim} if (readlink("/proc/$process{$victim}/exe") // '') =~ m{/\Q$program\E\z};
	}
	$job->finish;
	return ($job, $folder);
}

FTMPI::Test::Job->run([ root() . '/bin/ftmpicc', '-O2', '-o', $_, "$examples/$_.c", '-lm' ], dir => "$home")->is_status(0, "$_.c compiles")
	for qw(plate_plain plate);
my $plain = folder('undisturbed');
FTMPI::Test::Job->run([ ftmpirun(), '-n', 4, '../plate_plain', STEPS, EVERY ], dir => $plain)->is_status(0, 'plate_plain');
my $right = answer($plain);
is(scalar keys %$right, 1 + STEPS / EVERY, 'the program without checkpoints wrote all its files');
for my $options ([qw(-coord blocking)], [qw(-coord eventlog)], [qw(-coord msglog -verify-replay)]) {
	my ($name, $before) = ("plate @$options, seed $seed", $kills);
	my ($job, $folder)  = killed('plate', $options, 2, 0, EVERY);
	$job->is_status(0, $name);
	$job->none_left($name);
	cmp_ok($kills, '>', $before, "$name: a rank was killed") or diag $job->saw;
	is_deeply(answer($folder), $right, "$name: the answer of the program without checkpoints") or diag $job->saw;
}

# ---- a port that has forgotten the state of the random numbers, and saves once; it is killed long after that ----

write_file("$home/forgot.c", read_file("$examples/plate.c") =~ s/erand48\(state\.random\)/drand48()/gr =~ s/if \(due\)/if (state.step == 20)/r);
FTMPI::Test::Job->run([ root() . '/bin/ftmpicc', '-O2', '-o', 'forgot', 'forgot.c', '-lm' ], dir => "$home")->is_status(0, 'forgot.c compiles');
my ($job, $folder) = killed('forgot', [qw(-coord msglog -verify-replay)], 1, 8, 5);
$job->is_status(16, 'a port that forgot its random numbers, with -verify-replay');
$job->err_like(qr/which runs again, sends something else than before/, '... which is said');
($job, $folder) = killed('forgot', [qw(-coord blocking)], 1, 8, 5);
$job->is_status(0, 'without it');
my $wrong = answer($folder);
isnt($wrong->{log}, $right->{log}, '... the answer is wrong, and only a comparison tells');
FTMPI::Test::Alone::at_rest('the kills', "$home");
done_testing();

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::TimedKills;

# Jobs whose lines are made by time, and whose ranks are killed at random moments, also on their way back, or at a fault
# point; what they print is what they print undisturbed. They are programs with calls of FTMPI's, or any program as an image
# job (ftmpirun -image).
#
#	FTMPI::Test::TimedKills::killed(program => 'mail', ranks => 4, coord => 'eventlog', seed => 3, kills => 5);
#	FTMPI::Test::TimedKills::killed(program => 'plain_inflight', image => 1, coord => 'eventlog', seed => 3, kills => 5);
#	FTMPI::Test::TimedKills::relaunched(program => 'plain_threads', image => 1, seed => 3, kills => 4);
#	FTMPI::Test::TimedKills::struck(program => 'plain_laplace', image => 1, fault => 'ckpt-flush:2:0:3:kill');

use strict;
use warnings;

use File::Temp  ();
use List::Util  qw(min);
use Test::More  ();
use Time::HiRes qw(time);

use FTMPI::Test::Alone         ();
use FTMPI::Test::Fault         ();
use FTMPI::Test::File          qw(write_file);
use FTMPI::Test::Job           qw(program);
use FTMPI::Test::PlainPrograms ();
use FTMPI::Test::Process       ();

# so many jobs at most, one after the other, for the kills that are wanted of a program
use constant JOBS_MOST => 12;

# ---- a job ----

# Its files, in the same folder as those of the undisturbed run, whose answer may name it.
my %folders;

sub folder
{
	my ($program) = @_;
	return $folders{$program} //= File::Temp::tempdir('files-XXXXXX', DIR => FTMPI::Test::Fault::directory(), CLEANUP => 1);
}

# A script that becomes the program: each process has another name for itself (argument zero) and an environment of another
# length, so its stack begins elsewhere.
my %disguises;

sub disguise
{
	my ($path) = @_;
	return $disguises{$path} //= do {
		my $script = File::Temp::tempdir('disguise-XXXXXX', DIR => FTMPI::Test::Fault::directory(), CLEANUP => 1) . '/program';
		write_file($script, "#!$^X\n\$ENV{FTMPI_TEST_DISGUISE} = 'd' x (\$\$ * 37 % 20011);\nexec { '$path' } 'n' x (1 + \$\$ % 300), \@ARGV;\n");
		chmod 0755, $script or die "$script: $!\n";
		$script;
	};
}

# Starts it. Options: program, ranks (4), coord (blocking), interval (an eighth of the undisturbed run, at most 0.2 s), times
# (1), args (of the program, in place of those of the table), hosts and run (options of ftmpirun: which hosts, and more), env, workdir, image (0;
# 1: an image job), disguised (0; 1: no two processes of it have the same environment).
sub start
{
	my (%option) = @_;
	my %job = (ranks => 4, coord => 'blocking', times => 1, image => 0, disguised => 0, hosts => [], run => [], %option);
	$job{ranks} = FTMPI::Test::PlainPrograms::ranks($job{program}, $job{ranks});
	my @args = $job{args} ? @{ $job{args} } : FTMPI::Test::PlainPrograms::arguments($job{program}, $job{times}, folder($job{program}));
	my ($expected, $took) = FTMPI::Test::PlainPrograms::undisturbed_on(@job{qw(hosts program ranks)}, @args);
	$job{interval} //= sprintf '%.3f', min(0.2, $took / 8);
	my $path   = program($job{program});
	my $script = $job{disguised} ? disguise($path) : $path;
	FTMPI::Test::Alone::remember() if $ENV{FTMPI_TEST_ALONE};    # its files are the test's
	my $fault = FTMPI::Test::Fault->start(
		program => $job{program},
		coord   => $job{coord},
		ranks   => $job{ranks},
		args    => \@args,
		run     => [ '-vv', $job{image} ? '-image' : (), '-ckpt-interval', $job{interval}, '-max-restarts', 1000,
			FTMPI::Test::PlainPrograms::options($job{program}), @{ $job{hosts} }, @{ $job{run} } ],
		inside => sub { map { $_ eq $path ? $script : $_ } @_ },
		map { $job{$_} ? ($_ => $job{$_}) : () } qw(env workdir),
	);
	return bless { %job, fault => $fault, job => $fault->job, expected => $expected, seen => 0, kills => 0, log => [] };
}

# From ranks to the processes that they are now, as ftmpirun -vv says; those that live.
sub processes
{
	my ($self) = @_;
	my %process = $self->{job}->err =~ /^ftmpirun: rank (\d+) on \S+ is process (\d+)\b/mg;
	my $path = program($self->{program});
	delete @process{ grep { (readlink("/proc/$process{$_}/exe") // '') ne $path } keys %process };
	return %process;
}

# Waits until something new that ftmpirun says matches, or so many seconds have passed; false when the job is over.
sub pass
{
	my ($self, $seconds, $pattern) = @_;
	my $job   = $self->{job};
	my $until = time + $seconds;
	for (;;) {
		my $news = substr $job->err, $self->{seen};
		if ($pattern && $news =~ $pattern) {
			$self->{seen} += $+[0];
			return 1;
		}
		last if time >= $until;
		$job->take($until) or last;
	}
	$self->{seen} = length $job->err if !$pattern;
	return scalar %{ $job->{open} };
}

# Moments at which ranks are killed: what has to be said first, in at most how many intervals, and how long after it (in
# intervals, at most). A line that is being written, a rank that is loading its image: a rank that comes back is struck
# on its way as well as one that runs.
my @moments = (
	[ 'at any time',       undef,                                  0, 3 ],
	[ 'at any time',       undef,                                  0, 3 ],
	[ 'at any time',       undef,                                  0, 6 ],
	[ 'after a line',      qr/^ftmpirun: line \d+ is committed/m,  4, 0.1 ],
	[ 'after a line',      qr/^ftmpirun: line \d+ is committed/m,  4, 1.2 ],
	[ 'as it comes back',  qr/^ftmpirun: all are told to run/m,    2, 0.3 ],
	[ 'when it is back',   qr/ is restored\b/,                     4, 0.1 ],
	[ 'when all are back', qr/ranks? runs? again/m,                4, 0.3 ],
);

# Kills ranks until so many are killed or the job is over.
sub kill_at_random
{
	my ($self, $seed, $most) = @_;
	srand $seed;
	$self->pass(10, qr/^ftmpirun: rank @{[ $self->{ranks} - 1 ]} on \S+ is process/m);
	while ($self->{kills} < $most) {
		my ($when, $pattern, $patience, $after) = @{ $moments[ $self->{kills} ? rand @moments : 0 ] };
		if ($pattern) {
			$self->pass($patience * $self->{interval}, $pattern) or last;
		}
		$self->pass(rand($after) * $self->{interval}) or last;
		my $chance = rand;
		$self->strike($when, $chance < 0.7 ? 1 : $chance < 0.9 ? 2 : $self->{ranks});
	}
	return $self->{kills};
}

sub strike
{
	my ($self, $when, $count) = @_;
	my %process = $self->processes;
	my @ranks   = sort { $a <=> $b } keys %process;
	my @victims;
	push @victims, splice @ranks, rand @ranks, 1 while @ranks && @victims < $count;
	my $killed = kill 'KILL', @process{@victims};
	return if !$killed;
	$self->{kills} += $killed;
	push @{ $self->{log} }, sprintf '%.3f s: %s, rank %s', time - $self->{job}{begin}, $when, join ' ', map { "$_ (process $process{$_})" } @victims;
	return;
}

# Kills processes that write the images of ranks, until so many are killed or the job is over. A rank's child of its own
# program is one; it lives for milliseconds, and is looked for all the time. (Programs that have children are not run here.)
sub kill_writers
{
	my ($self, $seed, $most) = @_;
	srand $seed;
	while ($self->{kills} < $most) {
		$self->pass(0.001) or last;
		my %process = $self->processes;
		for my $rank (sort { $a <=> $b } keys %process) {
			my ($child) = join(' ', map { FTMPI::Test::Process::slurp($_) } glob "/proc/$process{$rank}/task/*/children") =~ /(\d+)/;
			next if !$child || rand() < 0.7 || !kill 'KILL', $child;
			$self->{kills}++;
			push @{ $self->{log} }, sprintf '%.3f s: process %d, which writes for rank %d', time - $self->{job}{begin}, $child, $rank;
		}
	}
	return $self->{kills};
}

# ---- the questions ----

# What was done and seen, without what ranks say of connections.
sub saw
{
	my ($self) = @_;
	my $job = $self->{job};
	my $err = join '', grep { !/^rank \d+ on \S+: (?:peer|rank|heartbeat|turned away|coordination)\b/ } $job->err =~ /^.*\n?/mg;
	$err = substr($err, 0, 3000) . "\n[...]\n" . substr($err, -9000) if length $err > 12_100;
	return join "\n", "command: @{ $job->{command} }", 'status ' . ($job->status // 'none') . sprintf(' after %.2f s', $job->took // -1),
		'killed:', @{ $self->{log} }, '--- out ---', substr($job->out, -2000), '--- expected ---', substr($self->{expected}, -2000),
		'--- err ---', $err, '';
}

# It ends well with the undisturbed answer, its lines are whole, nothing is left; and it did go on from a line where there
# was one. Returns whether all that holds.
sub survived
{
	my ($self, $name) = @_;
	my ($fault, $job) = @$self{qw(fault job)};
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$job->finish if !defined $job->status;
	my $lines = () = $job->err =~ /^ftmpirun: line \d+ is committed/mg;
	my @wrong;
	push @wrong, 'the deadline has passed' if $job->{late};
	push @wrong, "its status is @{[ $job->status ]}" if $job->status;
	push @wrong, 'it prints something else' if FTMPI::Test::PlainPrograms::said($job->out) ne $self->{expected};
	push @wrong, 'it began from the beginning although there was a line'
		if $job->err =~ /^ftmpirun: line \d+ is committed.*; restart \d+ of \d+ from the beginning/ms;
	push @wrong, 'it did not go back to a line although there was one'
		if $job->err =~ /^ftmpirun: line \d+ is committed.*; restart \d+ of \d+ from (?!.*; restart \d+ of \d+ from )(.*)/ms
		&& $1 !~ / is restored\b/;
	$self->{lines} = $lines;
	my $good = Test::More::ok(!@wrong, "$name, $lines lines: the answer is that of an undisturbed run")
		|| Test::More::diag(join('; ', @wrong) . "\n" . $self->saw);
	$good = $fault->lines_whole($name, launcher_killed => $self->{launcher_killed}) && $good if $lines;
	return $fault->clear($name) && $good;
}

# As start, and: seed, kills. When a job is over before so many kills, and it was right, there is another one; also when
# none has made a line, as on a busy machine one that is struck early may not.
sub killed
{
	my (%option) = @_;
	my ($seed, $wanted) = delete @option{qw(seed kills)};
	my ($kills, $lines, $jobs, $good) = (0, 0, 0, 1);
	my $brief = FTMPI::Test::PlainPrograms::is_brief($option{program});
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	while ($good && ($kills < $wanted || !($lines || $brief)) && $jobs < JOBS_MOST) {
		my $self = start(%option);
		$kills += $self->kill_at_random($seed + 1000 * $jobs, $wanted - $kills);
		my $name = sprintf '%s, %s, %d ranks, seed %d, %d kills', $self->{program}, $self->{coord}, $self->{ranks}, $seed + 1000 * $jobs++,
			$self->{kills};
		$good = $self->survived($name) && $good;
		$lines += $self->{lines};
	}
	return $good if $brief;
	Test::More::cmp_ok($kills, '>=', $wanted, "$option{program}, seed $seed: so many kills by $jobs jobs");
	return Test::More::cmp_ok($lines, '>', 0, "$option{program}, seed $seed: lines were made") && $good;
}

# As start, and: seed, kills. No rank is killed, but processes that write images: a line is lost, the job goes on. When it is
# over before so many kills, and it was right, there is another one.
sub writers_killed
{
	my (%option) = @_;
	my ($seed, $wanted) = delete @option{qw(seed kills)};
	my ($kills, $jobs, $good) = (0, 0, 1);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	while ($good && $kills < $wanted && $jobs < JOBS_MOST) {
		my $self = start(%option);
		$kills += $self->kill_writers($seed + 1000 * $jobs, $wanted - $kills);
		my $name = sprintf '%s, %s, %d ranks, seed %d, %d killed that write images', @$self{qw(program coord ranks)}, $seed + 1000 * $jobs++,
			$self->{kills};
		$good = $self->survived($name);
		my $restarts = $self->{fault}->restarts;
		$good = Test::More::is($restarts, 0, "$name: no restart") && $good || !Test::More::diag($self->saw);
	}
	return Test::More::cmp_ok($kills, '>=', $wanted, "$option{program}, seed $seed: so many writers killed by $jobs jobs") && $good;
}

# Its lines, as they lie in the work directory.
sub has_lines { my ($self) = @_; return scalar $self->{fault}->manifests }

# ftmpirun itself is killed, in the first intervals or around a line. Returns whether the job was still there.
sub kill_launcher
{
	my ($self) = @_;
	my ($when, $pattern, $patience, $after) = @{ $moments[ int rand 5 ] };
	my $there = $self->pass(10, qr/^ftmpirun: rank @{[ $self->{ranks} - 1 ]} on \S+ is process/m)
		&& (!$pattern || $self->pass($patience * $self->{interval}, $pattern)) && $self->pass(rand($after) * $self->{interval});
	return 0 if !$there || !$self->{job}->signal('KILL');
	$self->{job}->finish;
	return $self->{job}->status == 137;
}

# As start, and: seed, kills. ftmpirun is killed, and with it the job, and another one goes on with -restore, so many times; of
# the last one a rank is killed, too. When a job is over before that, there is another one.
sub relaunched
{
	my (%option) = @_;
	my ($seed, $wanted) = delete @option{qw(seed kills)};
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	srand $seed;
	my ($kills, $restored, $jobs, $name) = (0, 0, 1);
	my $self = start(%option);
	while ($kills < $wanted) {
		if (!$self->kill_launcher) {
			return 0 if !$self->survived("$option{program}, $option{coord}, seed $seed, job $jobs: over before it was killed");
			last if ++$jobs > JOBS_MOST;
			$self = start(%option);
			next;
		}
		$name = sprintf '%s, %s, %d ranks, seed %d, ftmpirun killed, %d', @$self{qw(program coord ranks)}, $seed, ++$kills;
		$self->{fault}->clear($name, keep => 1);
		my $line = $self->has_lines;
		$self = start(%option, workdir => $self->{fault}->workdir, run => [ '-restore=auto', @{ $option{run} // [] } ]);
		$self->{launcher_killed} = 1;
		next if !$line;
		my $goes_on = $self->{fault}->wait_for(err => qr/^ftmpirun: -restore\S*: going on from line \d+ /m);
		$restored++;
		return Test::More::diag($self->saw) && 0 if !$goes_on;
	}
	$self->kill_at_random($seed, 1);
	my $good = $self->survived("$option{program}, $option{coord}, seed $seed, $kills times killed with its ftmpirun, $restored times from a line");
	return Test::More::cmp_ok($kills, '>=', $wanted, "$option{program}, seed $seed: so many kills of ftmpirun") && $good;
}

# As start, and: fault, a list for FTMPI_FAULT; restarts: at least so many (1), or none (0); unsaid: what no rank may say.
sub struck
{
	my (%option) = @_;
	my ($list, $least, $unsaid) = delete @option{qw(fault restarts unsaid)};
	my $self = start(%option, env => { FTMPI_FAULT => $list });
	my $name = sprintf '%s, %s, %d ranks, %s', @$self{qw(program coord ranks)}, $list;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $good = $self->survived($name);
	my $restarts = $self->{fault}->restarts;
	$least //= 1;
	$good = Test::More::unlike($self->{job}->err, $unsaid, "$name: nothing is said of it") && $good if $unsaid;
	return Test::More::ok($least ? $restarts >= $least : $restarts == 0, "$name: $restarts restarts") && $good
		|| !Test::More::diag($self->saw);
}

1;

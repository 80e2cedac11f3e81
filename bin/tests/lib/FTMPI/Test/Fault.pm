# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Fault;

# A job that is struck by a fault, and the three questions that are asked then: is the answer that of
# an undisturbed run, are the lines on disk whole, and is nothing left behind?
#
#	my $fault = FTMPI::Test::Fault->start(program => 'pi', args => [qw(400000 -ckpt 5)]);
#	$fault->wait_for(out => qr/^round 10$/m);
#	$fault->kill_ranks(2);
#	$fault->survived('rank 2 is killed', restarts => 1);

use strict;
use warnings;

use File::Path ();
use File::Temp ();
use Test::More ();

use FTMPI::Test::Alone   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

use constant MOST_KILLS => 300;    # of one job; the most that a test asks for is 100

my ($dir, $at_rest);
my %answers;

# All work directories lie here; made before anything is looked for that a job may leave.
sub directory
{
	$dir //= File::Temp->newdir('ftmpi-fault-XXXXXX', TMPDIR => 1);
	return "$dir";
}

# Start this test again on a machine of its own; whatever is there after a job was left behind by it.
sub alone
{
	FTMPI::Test::Alone::enter();
	directory();
	FTMPI::Test::Alone::remember();
	$at_rest = \&FTMPI::Test::Alone::at_rest;
	return;
}

# The command of a job. Options: program, args, ranks (4), coord (a protocol), run (more options of
# ftmpirun), workdir; parts: [ranks, path] of further parts of the job, of those ranks, with the same
# arguments.
sub command
{
	my ($self) = @_;
	my ($first, @parts) = ($self->{ranks});
	for my $part (@{$self->{parts} // []}) {
		$first -= $part->[0];
		push @parts, ':', '-n', @$part, @{$self->{args}};
	}
	my @coord = defined $self->{coord} ? ('-coord', $self->{coord}) : ();
	return (ftmpirun(), @coord, @{$self->{run}}, '-workdir', $self->{workdir}, '-n', $first,
		program($self->{program}), @{$self->{args}}, @parts);
}

# Starts it. More options: inside (a function from a command to the one that runs it on some host),
# rest (a function that says what is left, given a name), env, deadline, stdin.
sub start
{
	my ($class, %option) = @_;
	my $self = bless {
		ranks => 4, args => [], run => [],
		inside => sub { @_ },
		rest   => $at_rest,
		%option,
	}, $class;
	$self->{workdir} //= File::Temp::tempdir('work-XXXXXX', DIR => directory());
	my %keep = map { $_ => $option{$_} } grep { exists $option{$_} } qw(env deadline stdin dir);
	$self->{job} = FTMPI::Test::Job->start([$self->{inside}->($self->command)], %keep);
	return $self;
}

# A job whose test gave it up is not left to the next one.
sub DESTROY
{
	my ($self) = @_;
	my $job = $self->{job};
	return if !$job || defined $job->status;
	local ($?, $@, $!);
	kill 'KILL', $job->pid, $job->pids;
	waitpid($job->pid, 0);
	return;
}

sub job      { return $_[0]{job} }
sub workdir  { return $_[0]{workdir} }

# As FTMPI::Test::Job; in vain is a failure of the test.
sub wait_for
{
	my ($self, $which, $pattern) = @_;
	return $self->{job}->wait_for($which, $pattern) || Test::More::fail("$pattern comes on $which");
}

# ---- who is there ----

# From processes to the ranks they are. Old ones on a host that was cut off may still be there.
sub ranks
{
	my ($self) = @_;
	my %ranks;
	my %is = map { $_ => 1 } program($self->{program}), map { $_->[1] } @{$self->{parts} // []};
	for my $pid ($self->{job}->pids) {
		next if !$is{readlink("/proc/$pid/exe") // ''};
		my $environment = FTMPI::Test::Process::slurp("/proc/$pid/environ");
		$ranks{$pid} = $1 if $environment =~ /(?:\A|\0)FTMPI_RANK=(\d+)\0/;
	}
	delete @ranks{grep { defined $ranks{parent($_)} } keys %ranks};
	return %ranks;
}

# The leak check of the address sanitizer, when a program ends, has a child that looks just like the
# rank; and the rank waits for it for ever, should it be killed. No fault of a rank is like that.
sub parent
{
	my ($pid) = @_;
	return FTMPI::Test::Process::slurp("/proc/$pid/stat") =~ /.*\) \S (\d+) /s ? $1 : 0;
}

# The other way round.
sub pids { my ($self) = @_; return reverse $self->ranks }

# Sends a signal to these ranks at once; a test that means a rank that is not there has failed.
sub signal_ranks
{
	my ($self, $signal, @ranks) = @_;
	my %pids = $self->pids;
	my @gone = grep { !$pids{$_} } @ranks;
	Test::More::fail("ranks @gone are there to be sent $signal") if @gone;
	return kill $signal, grep { defined } @pids{@ranks};
}

sub kill_ranks { my ($self, @ranks) = @_; return $self->signal_ranks('KILL', @ranks) }

# Every rank waits where -hold of the program says.
sub all_held
{
	my ($self) = @_;
	for my $rank (0 .. $self->{ranks} - 1) {
		$self->wait_for(out => qr/^rank $rank waits after round \d+$/m) or return 0;
	}
	return 1;
}

# Kills ranks, mostly one at a time, at moments that the seed chooses: after so many steps, after a
# line, or when all wait; until the job ends. Returns the number of kills. Where ranks come to a line
# at steps far from each other it takes so many more steps until one is whole. After MOST_KILLS nobody is
# killed any more: a job whose ranks send each other nothing makes its steps so fast, above all under a
# sanitizer, that a kill comes before every line is committed. Options: apart (the most steps from one kill
# to the next), kill (a function that kills a process, and returns whether it did), struck (one that is called behind each
# strike, also where nobody was there), most (in place of MOST_KILLS), least: nor before there were so many restarts (0);
# several kills may be one.
sub kill_at_random
{
	my ($self, $seed, %option) = @_;
	my ($job, $kills, $seen) = ($self->{job}, 0, 0);
	my ($skew) = "@{$self->{args}}" =~ /-skew (\d+)/;
	my $most = $option{apart} // 40 + 2 * ($skew // 0);
	my $kill = $option{kill} // sub { kill 'KILL', $_[0] };
	srand $seed;
	while ($kills < ($option{most} // MOST_KILLS) || $self->restarts < ($option{least} // 0)) {
		my ($rounds, $lines, $now) = (1 + int rand $most, rand() < 0.5 ? 1 : 99, 0);
		until ($now) {
			pos($job->{out}) = $seen;
			while ($job->{out} =~ /\G([^\n]*)\n/gc) {
				my $line = $1;
				$rounds-- if $line =~ /^round/;
				$lines--  if $line =~ /^line after/;
				$now ||= $rounds <= 0 || $lines <= 0 || $line =~ /^rank \d+ waits/;
			}
			$seen = pos($job->{out});
			return $kills if !$now && !$job->take($job->{until});
		}
		$seen = length $job->{out};
		my %ranks   = $self->ranks;
		my @victims = sort { $ranks{$a} <=> $ranks{$b} || $a <=> $b } keys %ranks;
		my $count   = rand() < 0.8 ? 1 : 2;
		$kills += $kill->(splice @victims, rand @victims, 1) while @victims && $count-- > 0;
		$option{struck}->() if $option{struck};
	}
	return $kills;
}

# ---- what it said ----

# The program's result without the time it took, or undef. A rank that dies in MPI_Finalize has it
# said twice; the same, then.
sub answer
{
	my ($text) = @_;
	my %right = map { $_ => 1 } $text =~ /^(\w+: right, .*?)(?:, [\d.]+ s)?$/mg;
	return keys %right == 1 ? (keys %right)[0] : undef;
}

# The same program undisturbed, on this machine, without checkpoints.
sub undisturbed
{
	my ($self) = @_;
	my %drop = ('-hold' => 2, '-holds' => 2, '-hold-in' => 2, '-ckpt' => 2, '-trace' => 1, '-late' => 1,
		'-skew' => 2, '-work' => 2, '-sure' => 1, '-without' => 1,
		'-gate' => 2, '-fast' => 2, '-victim' => 2);
	my @args;
	for (my $i = 0; $i < @{$self->{args}};) {
		my $words = $drop{$self->{args}[$i]};
		push @args, $self->{args}[$i] if !$words;
		$i += $words // 1;
	}
	my $key = join ' ', $self->{program}, $self->{ranks}, @args;
	return $answers{$key} //= do {
		my $job = FTMPI::Test::Job->run(
			[ftmpirun(), '-n', $self->{ranks}, program($self->{program}), @args]);
		answer($job->out) // die "no answer without any fault\n" . $job->saw;
	};
}

# How often it was restarted, as ftmpirun said.
sub restarts
{
	my ($self) = @_;
	my $count = () = $self->{job}->err =~ /^ftmpirun: .*[;(] ?restart \d+ of \d+\b/mg;
	return $count;
}

# ---- the questions ----

# Ends well. Options: restarts (a number, or [least, most]); lines => 0 when none can be there;
# keep => 1 leaves the work directory.
sub survived
{
	my ($self, $name, %option) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $job = $self->{job};
	$job->finish if !defined $job->status;
	$job->is_status($option{status} // 0, $name);
	$job->verdict((answer($job->out) // 'none') eq $self->undisturbed,
		"$name: the answer is '" . $self->undisturbed . "'");
	$self->judge_restarts($name, $option{restarts}) if defined $option{restarts};
	$self->lines_whole($name, %option);
	return $self->clear($name, %option);
}

sub judge_restarts
{
	my ($self, $name, $wanted) = @_;
	my ($least, $most) = ref $wanted ? @$wanted : ($wanted, $wanted);
	my $n = $self->restarts;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return $self->{job}->verdict($n >= $least && $n <= $most, "$name: restarts: $n of $least .. $most");
}

# Ends with this status and a sentence.
sub gave_up
{
	my ($self, $name, $status, $sentence, %option) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $job = $self->{job};
	$job->finish if !defined $job->status;
	$job->is_status($status, $name);
	$job->err_like($sentence, $name);
	$self->lines_whole($name, %option);
	return $self->clear($name, %option);
}

# What ftmpi-ckpt says of the work directory.
sub tool
{
	my (@args) = @_;
	return run_quiet(program('ftmpi-ckpt'), @args);
}

# Files of the work directory, relative to it.
sub files
{
	my ($self) = @_;
	my (undef, $list) = run_quiet('find', $self->{workdir}, '-mindepth', 1, '-type', 'f', '-printf',
		'%P\n');
	return sort split /\n/, $list;
}

sub manifests { my ($self) = @_; return grep { /\.manifest\z/ } $self->files }

# Committed lines are whole; there is at least one, at most `keep` of a session, and no file is there
# that is neither a manifest nor a rank's, nor the word that an epoch began, nor the record of the job, nor
# in an image job that of its input, and what it keeps of what happens. launcher_killed: it may have been writing one of these.
sub lines_whole
{
	my ($self, $name, %option) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @files = $self->files;
	my @lines = grep { /\.manifest\z/ } @files;
	my $input = (grep { $_ eq '-image' } @{ $self->{run} }) ? '|job\.input' : '';
	my $half  = $option{launcher_killed} ? '(?:\.tmp)?' : '';
	my @odd   = grep { !m{\A[^/]+/(?:line-\d{8}(?:\.manifest|\.e\d+/rank-\d+\.ckpt)|epoch-\d{4}|(?:job\.record$input|status\.json)$half|events\.jsonl)\z} } @files;
	Test::More::is("@odd", '', "$name: only files of lines in the work directory");
	if (defined $option{lines} && !$option{lines}) {
		my @folders = grep { -d } glob "$self->{workdir}/20*";
		return Test::More::is("@lines @folders", ' ', "$name: no line was committed, and no folder is there for lines");
	}
	my ($status, $text) = tool('verify', $self->{workdir});
	return Test::More::ok(!$status && @lines, "$name: lines are whole")
		|| Test::More::diag("@files\n$text\n" . $self->{job}->saw);
}

# Nothing is left; and the work directory goes.
sub clear
{
	my ($self, $name, %option) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	File::Path::remove_tree($self->{workdir}) if !$option{keep};
	return $self->{job}->none_left($name) if !$self->{rest};
	return $self->{rest}->($name, $option{keep} ? $self->{workdir} : ());
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Which recovery line -restore means. Every job has a folder in WORKDIR, named for its session; each
# recovery line that counts has a manifest there (doc/ckpt-format.md). Manifests are read by ftmpi-ckpt
# alone, which checks them as ranks do: it is installed beside ftmpirun, and one reader cannot be
# of two minds. (Hosts need no more than perl all the same: this is done here, before they are asked.)
# The ranks find out whether the files of a line are whole, and take the line before, or one of
# the next session, when they are not.
#
# The newest line of a session is the one with the highest number, the newest session the one whose
# newest line has the latest time: ranks see to it that times do not go back when clocks do.
package FTMPI::Cli::Sessions;

use strict;
use warnings;

use POSIX ();

use FTMPI::Cli::Values         ();
use FTMPI::Error               ();
use FTMPI::KeeperFolder        ();
use FTMPI::Launcher::Record    ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Places              ();
use FTMPI::RankFolders         ();

# Sessions that ranks are told beside the first choice, as many as fit into their setting; seconds that
# reading manifests may take; seconds by which clocks of hosts may differ.
use constant { OTHERS => 9, READ_TIME => 60, CLOCKS => 60 };

# The kind of a line whose files ftmpi-ckpt cannot read.
use constant UNKNOWN => '-';

# In the source tree the tool lies beside the library, installed beside ftmpirun.
sub tool
{
	my $root = FTMPI::Places::root();
	my $lib = length($ENV{FTMPI_LIBDIR} // '') ? $ENV{FTMPI_LIBDIR} : "$root/build/lib";
	return FTMPI::Places::is_source($root) ? "$lib/../bin/ftmpi-ckpt" : "$root/bin/ftmpi-ckpt";
}

# wanted: as FTMPI::Cli::Values::restore returns it; n: ranks; image: lines are to be of process images; now: Unix
# seconds; own: names of sessions of the same command that it has not finished, which come before all others when none is
# named. Returns the session that n ranks go on from, the line or 0 for its newest, and what is known of that line, as
# lines() has it, with
#	others: the names of further sessions, the next choice first, should no line of this one be whole
#	notes: sentences for the user
# Nothing when `auto` finds none; ends with a sentence when there must be one.
sub choose
{
	my ($workdir, $wanted, $n, $image, $now, $own) = @_;
	my ($session, $number) = $wanted =~ /^(?:latest|auto)\z/ ? () : split /:/, $wanted;
	my ($found, $complaint) = lines($workdir, $session);
	my @lines = grep { !defined $number || $_->{line} == $number } @$found;
	return if !@lines && $wanted eq 'auto';
	_none($workdir, $session, $number, $complaint) if !@lines;
	my @well = grep { $_->{problem} eq '' } @lines;
	FTMPI::Error::failed("-restore: $lines[0]{problem}, and there is no other line; see ftmpi-ckpt list")
		if !@well;
	my %is_own = map { $_ => 1 } defined $session ? () : @{ $own // [] };
	my @mine   = grep { $is_own{ $_->{session} } && $_->{size} == $n && !_is_other_kind($_, $image) } _newest(@well);
	my %first  = map { $_->{session} => 1 } @mine;
	my ($first, @others) = (@mine, grep { !$first{ $_->{session} } } _newest(@well));
	@lines = grep { $is_own{ $_->{session} } } @lines if @mine;
	_check_kind($first, $image);
	FTMPI::Error::failed("-restore: line $first->{line} of session $first->{session} is of "
			. FTMPI::Launcher::Sentences::count($first->{size}, 'rank') . ", not of $n")
		if $first->{size} != $n;
	_check_over($workdir, $first->{session});
	@others = grep { $_->{size} == $n && !_is_other_kind($_, $image) && !_runs($workdir, $_->{session}) } @others;
	splice @others, OTHERS if @others > OTHERS;
	my %known = (
		%$first,
		others => [ map { $_->{session} } @others ],
		notes  => [ _notes($first, $now, @lines) ]);
	return ($first->{session}, $number // 0, \%known);
}

# Under message logging each rank goes on from its own latest checkpoint, in the session in which it made that. command: ranks, parts,
# as records have them; image: checkpoints are to be of process images; transport: of -transport, or undef. Returns { session, id, notes, is_gone, places, transport }; nothing when `auto` finds none.
sub choose_alone
{
	my ($workdir, $wanted, $command) = @_;
	my $session = $wanted =~ /^(?:latest|auto)\z/ ? undef : $wanted;
	my %record  = map { $_ => scalar FTMPI::Launcher::Record::load("$workdir/$_") } $session // sessions($workdir);
	my @found   = sort { $record{$b}{began} <=> $record{$a}{began} || $b cmp $a }
		grep { $record{$_} && defined $record{$_}{id} && FTMPI::RankFolders::with_checkpoint("$workdir/$_") } keys %record;
	my $sum  = FTMPI::Launcher::Record::sum($command->{parts});
	my @same = grep { $record{$_}{sum} eq $sum } @found;
	my @own  = grep { !_is_other_kind_alone($record{$_}, $command) } @same;
	my $chosen = $own[0] // $same[0] // ($wanted eq 'auto' ? undef : $found[0]);
	return if !defined $chosen && $wanted eq 'auto';
	_check_record_alone($workdir, %record) if !defined $chosen;
	FTMPI::Error::failed("-restore: there are no checkpoints that ranks made alone (-coord msglog) "
			. (defined $session ? "of session $session in $workdir" : "in $workdir; with -restore=auto the job begins then")) if !defined $chosen;
	_check_alone($workdir, $chosen, $record{$chosen}, $command, scalar @same);
	my @with = grep { $_ < $command->{ranks} } FTMPI::RankFolders::with_checkpoint("$workdir/$chosen");
	my $rest = @with == $command->{ranks} ? '' : '; ranks that have none begin at their beginning';
	return { session => $chosen, id => $record{$chosen}{id}, places => $record{$chosen}{places}, transport => $record{$chosen}{transport}, is_gone => sub { _is_gone("$workdir/$chosen", $record{$chosen}{id}) },
		notes => [ "-restore: in session $chosen, last begun " . POSIX::strftime('%Y-%m-%d %H:%M:%S', localtime $record{$chosen}{began})
				. ', each rank from its latest checkpoint ('
				. FTMPI::Launcher::Sentences::count(scalar @with, 'rank') . " of $command->{ranks} "
				. (@with == 1 ? 'has' : 'have') . " one$rest).",
			@own > 1 ? "note: the same command has left session $own[1], too: -restore=$own[1] goes on in that." : () ] };
}

# None of these sessions can go on; in one it may be its record that hinders.
sub _check_record_alone
{
	my ($workdir, %record) = @_;
	my ($newest) = sort { $b cmp $a } grep { !($record{$_} && defined $record{$_}{id}) && FTMPI::RankFolders::with_checkpoint("$workdir/$_") } keys %record;
	FTMPI::Error::failed("-restore: session $newest cannot go on, though ranks have checkpoints in it: its job.record is gone, or damaged"
			. ' (when a job has ended well, that is removed first)')
		if defined $newest;
	return;
}

# The newest session in which the same command, which does not run now, has left checkpoints that ranks made alone; undef: there is none.
sub left_alone
{
	my ($workdir, $command) = @_;
	my $sum   = FTMPI::Launcher::Record::sum($command->{parts});
	my %began = map { $_->[0] => $_->[1]{began} } grep { defined $_->[1]{id} && $_->[1]{sum} eq $sum && !FTMPI::Launcher::Record::runs_here($_->[1]) }
		map { [ $_, FTMPI::Launcher::Record::load("$workdir/$_") // () ] } sessions($workdir);
	my ($newest) = sort { $began{$b} <=> $began{$a} || $b cmp $a } grep { FTMPI::RankFolders::with_checkpoint("$workdir/$_") } keys %began;
	return $newest;
}

# Looked at when nobody else can begin to go on there: why it cannot, or undef. Another launcher may have done that meanwhile.
sub _is_gone
{
	my ($folder, $id) = @_;
	my $record = FTMPI::Launcher::Record::load($folder);
	return undef if $record && ($record->{id} // '') eq $id && FTMPI::RankFolders::with_checkpoint($folder);
	return "-restore: the session in $folder is over: another ftmpirun has gone on in it, and come to its end.";
}

# A record of an earlier version does not have the kind: the ranks find out.
sub _is_other_kind_alone
{
	my ($record, $command) = @_;
	return _is_other_kind({ kind => $record->{kind} // UNKNOWN }, $command->{image});
}

# A rank that goes on repeats what it did, and what it did depends on the command.
sub _check_alone
{
	my ($workdir, $session, $record, $command, $is_same) = @_;
	FTMPI::Error::failed("-restore: session $session is of "
			. FTMPI::Launcher::Sentences::count($record->{ranks}, 'rank') . ", not of $command->{ranks}")
		if $record->{ranks} != $command->{ranks};
	FTMPI::Error::failed("-restore: session $session is of another command: "
			. join(' : ', map { FTMPI::Error::clean("-n @$_") } @{ $record->{parts} })) if !$is_same;
	_refuse_kind("session $session", $command->{image}) if _is_other_kind_alone($record, $command);
	FTMPI::Error::failed("-restore: session $session cannot go on: its job.record does not say where its ranks were (it is damaged, or of an earlier version)")
		if !$record->{places};
	FTMPI::Error::failed("-restore: session $session was begun with -transport tcp, and goes on with it: leave -transport shm out")
		if defined $record->{transport} && ($command->{transport} // '') eq 'shm';
	_check_over($workdir, $session);
	my $folder = FTMPI::KeeperFolder::path($workdir, $session);
	FTMPI::Error::failed("-restore: session $session cannot go on: $folder is gone, where its keeper had what ranks saw since their checkpoints")
		if !-d $folder;
	return;
}

# Ranks would find out, too; but one that is not told of images calls its main function before it looks for lines. Of
# what kind a line is whose files cannot be read is left to them.
sub _is_other_kind
{
	my ($line, $image) = @_;
	return $line->{kind} ne UNKNOWN && ($line->{kind} eq 'image') != !!$image;
}

sub _check_kind
{
	my ($line, $image) = @_;
	_refuse_kind("line $line->{line} of session $line->{session}", $image) if _is_other_kind($line, $image);
	return;
}

# which: what is of the kind that is not wanted.
sub _refuse_kind
{
	my ($which, $image) = @_;
	FTMPI::Error::failed("-restore: $which holds images of the ranks' processes: add -image to go on from it") if !$image;
	FTMPI::Error::failed("-restore: $which holds data that the program has saved, and no images of processes:"
			. ' leave -image out to go on from it');
	return;
}

# The process of its launcher, while it runs on this host.
sub _runs { my ($workdir, $session) = @_; return FTMPI::Launcher::Record::runs_here(FTMPI::Launcher::Record::load("$workdir/$session")) }

# Two jobs would go on from one line, and write the same files.
sub _check_over
{
	my ($workdir, $session) = @_;
	my $pid = _runs($workdir, $session) // return;
	FTMPI::Error::failed("-restore: the job of session $session still runs here (its ftmpirun is process $pid): let it end, or"
			. ' end it; -restore=SESSION names another job');
	return;
}

# The newest line of each of these sessions, of those whose manifests are well: the newest first.
sub newest_lines
{
	my ($workdir, @sessions) = @_;
	return if !@sessions;
	my %wanted = map { $_ => 1 } @sessions;
	my ($found) = eval { lines($workdir, @sessions == 1 ? @sessions : ()) };
	return _newest(grep { $_->{problem} eq '' && $wanted{ $_->{session} } } @{ $found // [] });
}

# The names of all sessions there.
sub sessions
{
	my ($workdir) = @_;
	opendir my $dir, $workdir or return;
	return sort grep { FTMPI::Cli::Values::is_session($_) } readdir $dir;
}

# The newest line of each session, the newest first.
sub _newest
{
	my (%line, %time);
	for my $line (@_) {
		my $session = $line->{session};
		$line{$session} = $line if !$line{$session} || $line{$session}{line} < $line->{line};
		$time{$session} = $line->{time} if ($time{$session} // 0) < $line->{time};
	}
	return map { $line{$_} } sort { $time{$b} <=> $time{$a} || $b cmp $a } keys %line;
}

# What may be a surprise: a manifest that is passed over for one that is older, or seems so; a time that
# is yet to come.
sub _notes
{
	my ($first, $now, @lines) = @_;
	my $passed = sub {
		my ($line) = @_;
		return $line->{line} > $first->{line} if $line->{session} eq $first->{session};
		return $line->{session} gt $first->{session};
	};
	my @notes = map { "-restore: $_->{problem}; it is passed over." }
		grep { $_->{problem} ne '' && $passed->($_) } @lines;
	push @notes, "-restore: line $first->{line} of session $first->{session} is of a time that is yet to come"
		. ' (a clock was set back), and counts as the newest.'
		if $first->{time} > $now + CLOCKS;
	return @notes;
}

sub _none
{
	my ($workdir, $session, $number, $complaint) = @_;
	my $what = defined $number ? "line $number of session $session"
		: defined $session ? "recovery line of session $session" : 'recovery line';
	my $why = $complaint =~ /^cannot/ ? " ($complaint)" : '';
	my ($alone) = grep { FTMPI::RankFolders::with_checkpoint("$workdir/$_") } $session // reverse sessions($workdir);
	FTMPI::Error::failed("-restore: there is no $what in $workdir$why; session $alone has checkpoints that ranks made alone:"
			. " give -coord msglog and -restore=$alone") if defined $alone;
	FTMPI::Error::failed("-restore: there is no $what in $workdir$why; see ftmpi-ckpt list");
}

# Lines in WORKDIR, of one session or all, and what ftmpi-ckpt complained of ('' for nothing). A line:
# session, line, path of nothing else; and, when problem is '', epoch, time, size, bytes, program, kind: image, data or
# UNKNOWN.
sub lines
{
	my ($workdir, $session) = @_;
	my (@lines, @complaints);
	for my $text (_run(tool(), 'list', '-table', defined $session ? ('-session', $session) : (), $workdir)) {
		if ($text =~ s/^ftmpi-ckpt: //) {
			push @complaints, $text;
			next;
		}
		my %line;
		@line{qw(session line epoch time size bytes program kind problem)} = split /\t/, $text, -1;
		push @lines, \%line if defined $line{problem} && FTMPI::Cli::Values::is_session($line{session});
	}
	return (\@lines, join '; ', @complaints);
}

# What a command says on both streams, line by line.
sub _run
{
	my (@command) = @_;
	my $pid = open(my $out, '-|') // FTMPI::Error::failed("-restore: cannot fork: $!");
	if (!$pid) {
		open STDERR, '>&', \*STDOUT;
		{
			no warnings 'exec';
			exec { $command[0] } @command;
		}
		print STDERR "cannot run $command[0]: $!\n";
		POSIX::_exit(127);
	}
	my @lines = eval {
		local $SIG{ALRM} = sub { die "slow\n" };
		alarm READ_TIME;
		my @read = <$out>;
		alarm 0;
		@read;
	};
	if ($@) {
		kill 'KILL', $pid;
		FTMPI::Error::failed("-restore: $command[0] has not read the manifests in $command[-1] within "
				. READ_TIME . ' s: does its file system answer?');
	}
	close $out;
	chomp @lines;
	FTMPI::Error::failed("-restore: $lines[0]: it is installed with ftmpirun, and reads the manifests for it")
		if $? >> 8 == 127 && @lines;
	return @lines;
}

1;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Which recovery line -restore means, and what it makes of manifests that are none.
use strict;
use warnings;

use File::Temp ();
use POSIX      ();
use Test::More;

use FTMPI::Cli::RestoreNotes ();
use FTMPI::Cli::Sessions     ();
use FTMPI::Launcher          ();

my $programs = $ENV{FTMPI_PROGRAMS} or plan skip_all => 'FTMPI_PROGRAMS does not name built programs';
our $work = File::Temp->newdir('ftmpi-sessions-XXXXXX', TMPDIR => 1);

use constant NOW => 1000000;

sub line
{
	my ($session, $line, $size, $time) = @_;
	local $ENV{CKPT_LINE_TIME} = $time;
	system("$programs/ckpt_line", "$work/$session", $line, 0, $size) == 0 or BAIL_OUT('no lines');
	return;
}

sub manifest { my ($session, $line) = @_; return sprintf '%s/%s/line-%08u.manifest', $work, $session, $line }

# One digit of what the manifest tells is another one.
sub change
{
	my ($path, $word) = @_;
	open my $in, '<', $path or die "$path: $!";
	my $text = do { local $/; <$in> };
	$text =~ s/^($word .*)([0-9])$/$1 . ($2 + 1) % 10/em or die "$path: no $word";
	open my $out, '>', $path or die "$path: $!";
	print $out $text;
	close $out;
	return;
}

my ($choice, $image, @own);

# "SESSION LINE" and what there is beside, or the sentence.
sub chosen
{
	my ($wanted, $n) = @_;
	local $SIG{ALRM} = sub { die "it waits\n" };
	my ($session, $number);
	($session, $number, $choice) = eval { FTMPI::Cli::Sessions::choose("$work", $wanted, $n // 2, $image, NOW, \@own) };
	return "$session $choice->{line}" . ($number ? ' exactly' : '') if defined $session;
	return ref $@ ? $@->text : $@;
}

my ($old, $new, $late, $last) = map { "2026112$_-203610-1a2b3c4$_" } 1 .. 4;
my $hint = 'see ftmpi-ckpt list';

is(chosen('latest'), "-restore: there is no recovery line in $work; $hint", 'an empty work directory');
mkdir "$work/$old", 0700;
is(chosen('latest'), "-restore: there is no recovery line in $work; $hint", 'a session without lines');
is(chosen($new), "-restore: there is no recovery line of session $new in $work; $hint",
	'a session that is not there');

line($old, 9,  2, 2000);
line($old, 10, 2, 2001);
line($new, 1,  2, 1000);
line('elsewhere', 3, 2, 9000);
is(chosen('latest'), "$old 10", 'the newest line by its time; other folders do not count');
is("@{ $choice->{others} }", $new, '... another session is the next choice');
is("@{ $choice->{notes} }", '', '... and nothing is odd');
is("$choice->{time} $choice->{program}", '2001 solver', '... what it tells of it');
line($new, 2, 2, 2001);
is(chosen('latest'), "$new 2", 'of two of one second that of the later session');
is(chosen($old), "$old 10", 'a session by its name');
is("@{ $choice->{others} }", '', '... and no other');
is(chosen("$old:9"), "$old 9 exactly", 'a line by its number');
is(chosen("$old:11"), "-restore: there is no line 11 of session $old in $work; $hint",
	'a line that is not there');
is(chosen('latest', 3), "-restore: line 2 of session $new is of 2 ranks, not of 3", 'another number of ranks');

# What the same command has not finished comes first, when no session is named.
@own = ($old, $late);
is(chosen('latest'), "$old 10", 'the session that the same command has not finished');
is("@{ $choice->{others} }", $new, '... the newest of all is the next choice');
is(chosen('auto'), chosen('latest'), '... also with auto');
is(chosen($new), "$new 2", '... but not where another is named');
is(chosen('latest', 3), "-restore: line 2 of session $new is of 2 ranks, not of 3", '... nor with other ranks');
$image = 1;
like(chosen('latest'), qr/^-restore: line 2 of session $new holds data/, '... nor with images');
$image = 0;
@own = ();

# Lines of images.
{
	my $elsewhere = File::Temp->newdir('ftmpi-sessions-XXXXXX', TMPDIR => 1);
	local $work = $elsewhere;
	my ($of_data, $of_images, $other) = ($old, $new, $late);
	line($of_data, 1, 2, 1000);
	line($other, 1, 2, 1000);
	local $ENV{CKPT_LINE_IMAGE} = '';
	line($of_images, 2, 2, 2000);
	is(chosen('latest'), "-restore: line 2 of session $of_images holds images of the ranks' processes: add -image to go on from it",
		'a line of images where none are wanted');
	is(chosen($of_data), "$of_data 1", '... but one of data');
	is(chosen('auto'), chosen('latest'), '... and auto does not pass it over');
	$image = 1;
	is(chosen('latest'), "$of_images 2", '... and where images are wanted');
	is("@{ $choice->{others} }", '', '... is not followed by those of data');
	is(chosen("$of_data:1"), "-restore: line 1 of session $of_data holds data that the program has saved, and no images of processes:"
		. ' leave -image out to go on from it', 'a line of data where images are wanted');
	unlink glob "$work/$of_images/*/rank-00000.ckpt" or die "unlink: $!";
	is(chosen('latest'), "$of_images 2", 'of a line whose first file is not there that is not known');
	$image = 0;
	is(chosen('latest'), "$of_images 2", '... and ranks will tell');
	is("@{ $choice->{others} }", "$other $of_data", '... or take another');
}

# What a manifest tells counts only with its checksum.
line($late, 1, 2, 3000);
line($late, 2, 2, 4000);
line($late, 3, 1, 5000);
change(manifest($late, 3), 'ranks');
is(chosen('latest'), "$late 2", 'a manifest that was changed is passed over');
like("@{ $choice->{notes} }", qr/\A-restore: \S+line-00000003\.manifest: \N*; it is passed over\.\z/, '... which is told');
is("@{ $choice->{others} }", "$new $old", '... and is no reason to forget others');
change(manifest($late, $_), 'time') for 1, 2;
is(chosen('latest'), "$new 2", 'a session of such alone is passed over');
is(scalar @{ $choice->{notes} }, 3, '... and that is told');
like(chosen($late), qr/\A-restore: \S+line-00000003\.manifest: \N*, and there is no other line; $hint\z/,
	'... unless there is no other');

# Within a session numbers tell, whatever the clock did.
line($last, 1, 2, 900000);
line($last, 2, 2, 800000);
is(chosen('latest'), "$last 2", 'a clock that was set back within a session');
line($last, 3, 2, NOW + 5000);
is(chosen('latest'), "$last 3", 'a time that is yet to come');
like("@{ $choice->{notes} }", qr/\bline 3 of session $last is of a time that is yet to come\b/, '... is told');

# Something else of that name.
unlink manifest($last, 3);
POSIX::mkfifo(manifest($last, 3), 0600) or die "mkfifo: $!";
{
	local $SIG{ALRM} = sub { die "it waits\n" };
	alarm 60;
	is(chosen('latest'), "$last 2", 'a pipe of that name is passed over');
	like("@{ $choice->{notes} }", qr/line-00000003\.manifest: \N*Invalid argument|cannot read \N*line-00000003/,
		'... which is told');
	alarm 0;
}
unlink manifest($last, 3);
symlink manifest($new, 2), manifest($last, 3);
is(chosen('latest'), "$last 2", '... and a link');

# Many: ranks are told of so many only.
line(sprintf('20270101-000000-%08x', $_), 1, 2, 900000 + $_) for 1 .. 15;
is(chosen('latest'), '20270101-000000-0000000f 1', 'the newest of many');
is(scalar @{ $choice->{others} }, FTMPI::Cli::Sessions::OTHERS, '... and a few more');
is($choice->{others}[0], '20270101-000000-0000000e', '... the next one first');

# Under message logging: sessions that have checkpoints of single ranks.
{
	my $place = File::Temp->newdir('ftmpi-sessions-XXXXXX', TMPDIR => 1);
	my ($early, $late) = qw(20280101-000000-00000001 20280101-000001-00000002);
	my $long = 'x' x 5000;
	my %command = map { $_->[0] => { ranks => 2, parts => [ [ 2, @{ $_->[1] } ] ] } } [ plain => [qw(p 1)] ], [ other => [qw(p 2)] ], [ dots => [qw(p ...)] ],
		[ long => [ 'p', $long, 'a' ] ], [ longer => [ 'p', $long, 'b' ] ];
	my @placed  = (places => [ [ 0, 4 ], [ 1, 2 ] ]);
	my $session = sub {
		my ($name, $command, $began, @files) = @_;
		mkdir "$place/$_" or die "$place/$_: $!" for $name, "keeper-$name", "$name/rank-00000", "$name/rank-00001";
		FTMPI::Launcher::Record::save("$place/$name", { began => $began, id => pack('N4', 0, 0, 0, $began), @placed, %{ $command{$command} } });
		for my $file (@files) { open my $made, '>', "$place/$name/$file" or die "$file: $!" }
	};
	my $is_image = 1;
	my $alone = sub {
		my ($wanted, $command) = @_;
		my $found = eval { FTMPI::Cli::Sessions::choose_alone("$place", $wanted, { %{ $command{$command} }, image => $is_image }) };
		return $found ? "$found->{session} @{ $found->{notes} }" : $@ ? $@->text : 'none';
	};
	is($alone->('auto', 'plain'), 'none', 'there is none: auto');
	like($alone->('latest', 'plain'), qr/^-restore: there are no checkpoints that ranks made alone/, '... and without');
	$session->($early, 'plain', 100, 'rank-00000/ckpt-00000007.i0000', 'rank-00001/ckpt-00000000.i0001', 'rank-00001/ckpt-00000009.i9999999999');
	rename "$place/$early/job.record", "$place/kept" or die "job.record: $!";
	like($alone->($_, 'plain'), qr/^-restore: session $early cannot go on, though ranks have checkpoints in it: its job\.record is gone, or damaged/, "no record: $_")
		for 'latest', $early;
	is($alone->('auto', 'plain'), 'none', '... auto');
	open my $empty, '>', "$place/$early/job.record" or die "job.record: $!";
	like($alone->('latest', 'plain'), qr/job\.record is gone, or damaged/, '... an empty one');
	rename "$place/kept", "$place/$early/job.record" or die "job.record: $!";
	like($alone->('latest', 'plain'), qr/^$early \N*\(1 rank of 2 has one; ranks that have none begin at their beginning\)\.\z/, 'one rank has a checkpoint');
	eval { FTMPI::Cli::Sessions::choose("$place", 'latest', 2, 0, NOW, []) };
	is(ref $@ && $@->text, "-restore: there is no recovery line in $place; session $early has checkpoints that ranks made alone: give -coord msglog and -restore=$early",
		'... which is told where -coord msglog was left out');
	is_deeply(FTMPI::RankFolders::incarnations("$place/$early"), { 0 => 0, 1 => 1 }, '... and these incarnations have been');
	like($alone->($_, 'other'), qr/^-restore: session $early is of another command: -n 2 p 1\z/, "another command: $_") for 'latest', $early;
	is($alone->('auto', 'other'), 'none', '... auto');
	$session->($late, 'long', 200, 'rank-00000/ckpt-00000001.i0000', 'rank-00001/ckpt-00000002.i0000');
	like($alone->('latest', 'plain'), qr/^$early/, 'the same command comes before what is newer');
	like($alone->('latest', 'long'), qr/^$late \N*2 ranks of 2 have one\)/, 'words of which the record has no room');
	like($alone->('latest', $_), qr/another command/, "... are compared, too: $_") for qw(longer dots);
	# Images and data.
	my $of = sub {
		my ($kind) = @_;
		FTMPI::Launcher::Record::save("$place/$early", { began => 100, id => pack('N4', 0, 0, 0, 100), @placed, kind => $kind, %{ $command{plain} } });
	};
	$of->('image');
	like($alone->($_, 'plain'), qr/^$early/, "images go on with -image: $_") for 'latest', 'auto', $early;
	$is_image = 0;
	is($alone->($_, 'plain'), "-restore: session $early holds images of the ranks' processes: add -image to go on from it", "... and not without: $_")
		for 'latest', 'auto', $early;
	like($alone->('latest', 'long'), qr/^$late/, 'of a record that does not tell the ranks find out');
	$of->('data');
	like($alone->($_, 'plain'), qr/^$early/, "data go on without: $_") for 'latest', 'auto', $early;
	$is_image = 1;
	is($alone->($_, 'plain'), "-restore: session $early holds data that the program has saved, and no images of processes: leave -image out to go on from it",
		"... and not with it: $_") for 'latest', 'auto', $early;
	my $later = '20280101-000002-00000003';
	$session->($later, 'plain', 300, 'rank-00001/ckpt-00000002.i0000');
	unlike($alone->('latest', 'plain'), qr/has left session/, 'what is of another kind is passed over');
	like($alone->('latest', 'plain'), qr/^$later/, '... where there is one that fits');
	$of->('image');
	like($alone->('latest', 'plain'), qr/^$later .*note: the same command has left session $early, too/, '... and is told of if it is not');
	FTMPI::Launcher::Record::save("$place/$later", { began => 300, id => pack('N4', 0, 0, 0, 300), @placed, kind => 'data', %{ $command{plain} } });
	like($alone->('latest', 'plain'), qr/^$early/, '... also an older one');
	FTMPI::RankFolders::remove("$place/$later");

	# A job that begins at its beginning, though there is one to go on with.
	my $last = '20280101-000003-00000004';
	$session->($last, 'plain', 400, 'rank-00001/ckpt-00000002.i0000');
	is(FTMPI::Cli::Sessions::left_alone("$place", $command{plain}), $last, 'the newest of the same command');
	like(FTMPI::Cli::RestoreNotes::forgotten_alone("$place", $command{plain}), qr/^note: the job begins at its beginning; -restore would go on from \N* session $last,/, '... is told of');
	FTMPI::Launcher::Record::save("$place/$last", { began => 400, id => 'i' x 16, @placed, launcher => FTMPI::Launcher::Record::running_process($$), %{ $command{plain} } });
	is(FTMPI::Cli::Sessions::left_alone("$place", $command{plain}), $early, '... which does not run');
	FTMPI::RankFolders::remove("$place/$last");
	is(FTMPI::Cli::Sessions::left_alone("$place", $command{other}), undef, '... and no other command has left any');
	is(FTMPI::Cli::RestoreNotes::forgotten_alone("$place", $command{other}), undef, '... of which nothing is told');

	# Collectives are chosen again as they were, by the places of ranks and how they spoke.
	my $with = sub {
		my ($record, @command) = @_;
		FTMPI::Launcher::Record::save("$place/$late", { began => 200, id => 'i' x 16, @$record, %{ $command{long} } });
		return eval { FTMPI::Cli::Sessions::choose_alone("$place", $late, { %{ $command{long} }, @command }) } // $@->text;
	};
	is_deeply([ @{ $with->(\@placed) }{qw(places transport)} ], [ [ [ 0, 4 ], [ 1, 2 ] ], undef ], 'places are those of before');
	is($with->([ @placed, transport => 'tcp' ], @$_)->{transport}, 'tcp', '... and so is what they spoke with') for [], [ transport => 'auto' ], [ transport => 'tcp' ];
	is($with->([ @placed, transport => 'tcp' ], transport => 'shm'),
		"-restore: session $late was begun with -transport tcp, and goes on with it: leave -transport shm out", '... which may not be left');
	is($with->(\@placed, transport => 'tcp')->{transport}, undef, '... but TCP can be spoken with in any case');
	like($with->([ places => $_ ]), qr/^-restore: session $late cannot go on: its job.record does not say where its ranks were/, 'places that cannot be')
		for undef, [ [ 0, 4 ] ], [ [ 0, 4 ], [ 2, 4 ] ], [ [ 0, 4 ], [ 1, 0 ] ], [ [ 0, 4 ], [ 1, (1 << 20) + 1 ] ], [ ([ 0, 4 ]) x 3 ];

	my $chosen = do { $with->(\@placed); FTMPI::Cli::Sessions::choose_alone("$place", $late, $command{long}) };
	is($chosen->{is_gone}->(), undef, 'it is there until somebody has gone on');
	FTMPI::RankFolders::remove("$place/$late");
	like($chosen->{is_gone}->(), qr{^-restore: the session in \S+/$late is over: another ftmpirun}, '... to its end');
	rmdir "$place/keeper-$early";
	like($alone->('latest', 'plain'), qr/cannot go on: \S+ is gone/, 'without the files of its keeper');
}

# The reader itself.
{
	no warnings 'redefine';
	local *FTMPI::Cli::Sessions::tool = sub { '/nowhere/ftmpi-ckpt' };
	like(chosen('latest'), qr{\A-restore: cannot run /nowhere/ftmpi-ckpt: No such file}, 'without the tool');
}

# New sessions, one after the other within a second.
my @new = map { [ FTMPI::Launcher::new_session(NOW + $_ / 1000) ] } map { 10 * $_ } 0 .. 99;
is(join(' ', sort map { $_->[1] } @new), join(' ', map { $_->[1] } @new), 'names of sessions sort by time');
is(scalar(grep { length $_->[0] != 16 || $_->[1] ne POSIX::strftime('%Y%m%d-%H%M%S-', localtime NOW) . unpack 'H8', $_->[0] } @new), 0,
	'... and end with what their 16 bytes begin with');
isnt((FTMPI::Launcher::new_session(NOW))[0], (FTMPI::Launcher::new_session(NOW))[0], 'two of the same instant have different ones');

done_testing;

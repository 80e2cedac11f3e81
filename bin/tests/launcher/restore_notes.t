#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The record of a job beside its lines, and what is said of the line that a job goes on from.
use strict;
use warnings;

use File::Temp ();
use FindBin    ();
use POSIX      ();
use lib "$FindBin::RealBin/../lib";
use Test::More;

use FTMPI::Cli::RestoreNotes ();
use FTMPI::Cli::Sessions     ();
use FTMPI::Launcher::Record  ();
use FTMPI::Test::Process     ();

my $programs = $ENV{FTMPI_PROGRAMS} or plan skip_all => 'FTMPI_PROGRAMS does not name built programs';
our $work = File::Temp->newdir('ftmpi-resume-XXXXXX', TMPDIR => 1);

sub manifest
{
	my ($session, $line, $size, $time) = @_;
	local $ENV{CKPT_LINE_TIME} = $time;
	system("$programs/ckpt_line", "$work/$session", $line, 0, $size) == 0 or BAIL_OUT('no lines');
	return;
}

sub record
{
	my ($session, %more) = @_;
	mkdir "$work/$session";
	my $why = FTMPI::Launcher::Record::save("$work/$session", { ranks => 4, began => 1000, parts => [ [ 4, './solver', 'in.dat' ] ], %more });
	is($why, undef, "a record of $session");
	return;
}

our $parts = [ [ 4, './solver', 'in.dat' ] ];

sub said
{
	my ($line, $now) = @_;
	return FTMPI::Cli::RestoreNotes::sentences("$work", $line, $now, $parts);
}

# ---- the record ----

my $full = { ranks => 5, began => 1795293002, from => [ '20261121-203610-1a2b3c41', 7 ], end => [ 137, 1795294000, 'rank 0 on a: killed; gone.' ],
	parts => [ [ 2, './a b', '', '%', "x\n\e[2J\x7f", "\xc3\xa9" ], [ 3, 'c' ] ] };
is_deeply(FTMPI::Launcher::Record::decode(FTMPI::Launcher::Record::encode($full)), $full, 'a record comes back as it was written');
my $here = FTMPI::Launcher::Record::running_process($$);
is_deeply(FTMPI::Launcher::Record::decode(FTMPI::Launcher::Record::encode({ %$full, launcher => $here })), { %$full, launcher => $here },
	'... also with its launcher');
for my $kind (qw(image data)) {
	my $record = FTMPI::Launcher::Record::decode(FTMPI::Launcher::Record::encode({ %$full, id => 'i' x 16, kind => $kind }));
	is("@$record{qw(id kind)} " . length $record->{sum}, 'i' x 16 . " $kind 64", "... and, where ranks go on alone, with the kind of their checkpoints: $kind");
}
is(FTMPI::Launcher::Record::decode(FTMPI::Launcher::Record::encode({ %$full, kind => 'data' }))->{kind}, undef, '... else without');
is(FTMPI::Launcher::Record::decode("FTMPI-JOB 1\nranks 1\nbegan 2\nkind of\n")->{kind}, undef, '... nor is one taken that is none');
unlike(FTMPI::Launcher::Record::encode($full), qr/[\x00-\x09\x0b-\x1f\x7f]/, '... in lines of plain text');
is(FTMPI::Launcher::Record::decode($_), undef, 'no record: ' . s/\n/ /gr) for '', "FTMPI-JOB 2\nranks 1\nbegan 1\n", "FTMPI-JOB 1\nranks 1\n", "x\nFTMPI-JOB 1\n";
is_deeply(FTMPI::Launcher::Record::decode("FTMPI-JOB 1\nranks 1\nbegan 2\nend 0\nfrom x\npart x y\nlater word\n"), { ranks => 1, began => 2, parts => [] },
	'what is not understood is passed over');
my $long = FTMPI::Launcher::Record::decode(FTMPI::Launcher::Record::encode({ %$full, parts => [ map { [ 1, 'p', ' ' x 100_000 ] } 1 .. 1000 ] }));
is(scalar @{ $long->{parts} }, FTMPI::Launcher::Record::PARTS_MAX, 'many parts are not all told');
is($long->{parts}[0][-1], '...', '... nor endless arguments');

my $name = '20261121-203610-1a2b3c40';
record($name);
record($name, end => [ 0, 2000, '' ]);
is_deeply(FTMPI::Launcher::Record::load("$work/$name"), { ranks => 4, began => 1000, parts => [ [ 4, './solver', 'in.dat' ] ], end => [ 0, 2000, '' ] },
	'a later record takes the place of the first');
ok(FTMPI::Launcher::Record::is_finished(FTMPI::Launcher::Record::load("$work/$name")), '... its job has finished');
is((stat "$work/$name/job.record")[2] & 0777, 0600, '... for its owner alone');
like(FTMPI::Launcher::Record::save("$work/none", $full), qr{^cannot make $work/none/job\.record\.tmp: No such file}, 'a folder that is not there');
unlink "$work/$name/job.record";
system('mkfifo', "$work/$name/job.record") == 0 or die 'mkfifo';
is(FTMPI::Launcher::Record::load("$work/$name"), undef, 'a pipe in its place is no record');
unlink "$work/$name/job.record";
rmdir "$work/$name";

# ---- a launcher that runs ----

is($here->[0], $$, 'this process runs');
is(FTMPI::Launcher::Record::runs_here({ launcher => $here }), $$, '... as that of a record');
is(FTMPI::Launcher::Record::runs_here({ launcher => $here, end => [ 0, 2000, '' ] }), undef, '... but not when its job has ended');
is(FTMPI::Launcher::Record::runs_here({ launcher => [ $$, $here->[1] + 1, $here->[2] ] }), undef, 'another process had its number');
is(FTMPI::Launcher::Record::runs_here({ launcher => [ @$here[ 0, 1 ], 'another' ] }), undef, 'that was before the boot, or on another host');
is(FTMPI::Launcher::Record::runs_here($_), undef, 'nothing is known') for {}, undef;
{
	pipe my $in, my $out or die "pipe: $!\n";
	my $child = fork // die "fork: $!\n";
	if (!$child) {
		close $out;
		readline $in;
		POSIX::_exit(0);
	}
	my $was = FTMPI::Launcher::Record::running_process($child);
	is(FTMPI::Launcher::Record::runs_here({ launcher => $was }), $child, 'a child runs');
	close $out;
	close $in;
	FTMPI::Test::Process::wait_until(60, sub { !defined FTMPI::Launcher::Record::running_process($child) });
	is(FTMPI::Launcher::Record::runs_here({ launcher => $was }), undef, '... and no more when it has ended, before it is waited for');
	waitpid $child, 0;
	is(FTMPI::Launcher::Record::running_process($child), undef, '... and after that');
}

# ---- the line that is gone on from ----

is(FTMPI::Cli::RestoreNotes::age($_->[0]), $_->[1], $_->[1])
	for [ 0, '0 seconds ago' ], [ 1, '1 second ago' ], [ 119, '119 seconds ago' ], [ 180, '3 minutes ago' ], [ 7200, '2 hours ago' ],
	[ 300000, '3 days ago' ], [ -1, '0 seconds ago' ], [ -6, 'by a clock that was ahead of this one' ];
my ($long_job, $short, $next) = map { "2026112$_-203610-1a2b3c4$_" } 1 .. 3;
my $date = qr/\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d/;
manifest($long_job, 22, 4, 5000);
record($long_job);
my %line = (session => $long_job, line => 22, time => 5000, size => 4, kind => 'data');
my @said = said(\%line, 5180);
is(scalar @said, 1, 'one line there is');
like($said[0], qr/^-restore: going on from line 22 of session $long_job, committed $date \(3 minutes ago\)\.\z/, '... is named with its age');

manifest($short, 1, 4, 6000);
record($short, end => [ 130, 6100, 'SIGINT' ]);
my %new = (session => $short, line => 1, time => 6000, size => 4, kind => 'data');
@said = said(\%new, 6100);
is(scalar @said, 2, 'a short run after a long one');
like($said[1], qr/^note: session $long_job, which did not finish, has come further, to line 22 \($date\): -restore=$long_job goes on/,
	'... does not hide it');
is(scalar(said(\%line, 6100)), 1, 'of the further one there is nothing to say');
is(scalar(said({ %new, size => 2 }, 6100)), 1, '... nor of one with other ranks');
is(scalar(said({ %new, kind => 'image' }, 6100)), 1, '... nor of one of another kind');
record($short, from => [ $long_job, 22 ]);
is(scalar(said(\%new, 6100)), 1, '... nor of the one that it went on from itself');
record($short);
manifest($next, 30, 4, 7000);
record($next, from => [ $long_job, 22 ], end => [ 0, 7100, '' ]);
is(scalar(said(\%new, 7200)), 1, '... nor of one that another finished, or of that one');
@said = said({ session => $next, line => 30, time => 7000, size => 4, kind => 'data' }, 7200);
like($said[1], qr/^note: session $next has finished \($date, status 0\)/, 'a job that has finished is told of as such');

# What another command left is no further course of this one, but where that went on from here.
{
	local $work = File::Temp->newdir('ftmpi-resume-XXXXXX', TMPDIR => 1);
	manifest($short, 1, 4, 6000);
	record($short);
	manifest($next, 30, 4, 7000);
	record($next, parts => [ [ 4, './solver', 'other.dat' ] ]);
	is(scalar(said(\%new, 6100)), 1, 'another command in the same folder has come further');
	is_deeply([ FTMPI::Cli::RestoreNotes::unfinished("$work", { parts => $parts }) ], [$short], '... and is none of those that this one has not finished');
	record($next, parts => [ [ 4, './solver', 'other.dat' ] ], from => [ $short, 1 ]);
	like((said(\%new, 6100))[1], qr/^note: session $next, which did not finish, has come further/, '... unless it went on from here');
	local $parts = [ [ 4, './solver', 'third.dat' ] ];
	like((said(\%new, 6100))[1], qr/^note: session $next,/, '... or the line is not of this command either');
}

# ---- the word that was forgotten ----

my %same = (ranks => 4, parts => [ [ 4, './solver', 'in.dat' ] ]);
like(FTMPI::Cli::RestoreNotes::forgotten("$work", \%same), qr/^note: the job begins at its beginning; -restore would go on from line 1 of session $short,/,
	'a job that begins again though the same command did not finish');
is(FTMPI::Cli::RestoreNotes::forgotten("$work", { %same, parts => [ [ 4, './solver', 'other.dat' ] ] }), undef, '... but no other command');
is(FTMPI::Cli::RestoreNotes::forgotten("$work", { %same, parts => [ [ 2, './solver', 'in.dat' ] ] }), undef, '... nor number of ranks');
record($short, end => [ 0, 8000, '' ]);
is(FTMPI::Cli::RestoreNotes::forgotten("$work", \%same), undef, '... nor when all is finished');

# ---- arguments ----

{
	my ($first, $second) = map { "2026113$_-203610-1a2b3c4$_" } 0, 1;
	my @image = (session => $second, line => 1, time => 9000, size => 4, kind => 'image');
	my $notes = sub { return join '', FTMPI::Cli::RestoreNotes::arguments("$work", { @image, @_ }, $parts) };
	is($notes->(), '', 'arguments of an image that nobody knows');
	record($first, parts => [ [ 4, './solver', 'in.dat', "a\nb" ] ]);
	record($second, from => [ $first, 3 ]);
	is($notes->(), 'note: the arguments are those of the image (in.dat a b); those given now have no effect.',
		'other arguments than those of the job that began it all');
	is_deeply(FTMPI::Cli::RestoreNotes::parts("$work", {@image}, [ [ 4, './solver', 'other' ] ]), [ [ 4, './solver', 'in.dat', "a\nb" ] ],
		'... which the record will have');
	is_deeply(FTMPI::Cli::RestoreNotes::parts("$work", { @image, kind => 'data' }, [ [ 4, './solver', 'other' ] ]), [ [ 4, './solver', 'other' ] ],
		'... but not where they have an effect');
	is($notes->(kind => 'data'), '', '... are no matter where the program is begun with them');
	record($first, parts => [ [ 2, '/tmp/solver', 'in.dat' ] ]);
	is($notes->(), '', 'the same arguments, of another path');
	record($first, parts => [ [ 4, './solver' ] ]);
	like($notes->(), qr/ \(none\); /, 'none at all');
	record($first, parts => [ [ 4, './solver', 'x' x 3000 ] ]);
	is(length $notes->(), length('note: the arguments are those of the image (); those given now have no effect.') + 204, 'many are cut');
	record($first, parts => [ [ 4, './solver', ('x') x 3000 ] ]);
	is($notes->(), '', 'more than a record has are not compared');
	is_deeply(FTMPI::Cli::RestoreNotes::parts("$work", {@image}, [ [ 4, './solver', 'other' ] ]), [ [ 4, './solver', 'other' ] ], '... nor recorded again');
	record($first, parts => [ [ 2, './solver', 'in.dat' ], [ 2, './solver', 'other' ] ]);
	is($notes->(), '', 'nor those of other parts');
	{
		local $parts = [ [ 2, './solver', 'in.dat' ], [ 2, './solver', 'in.dat' ] ];
		like($notes->(), qr/ \(other\); /, 'the second part');
	}
	unlink "$work/$first/job.record";
	record($second, from => [ $first, 3 ], parts => [ [ 4, './solver', 'other' ] ]);
	is($notes->(), '', 'the record of the first job is gone');
	unlink "$work/$second/job.record";
}

is_deeply([ FTMPI::Cli::Sessions::choose(File::Temp->newdir, 'auto', 4, 0, 9000) ], [], 'auto: nothing to go on from');
is((FTMPI::Cli::Sessions::choose("$work", 'auto', 4, 0, 9000))[0], $next, '... or the newest line');
eval { FTMPI::Cli::Sessions::choose("$work", 'auto', 5, 0, 9000) };
like($@->text, qr/is of 4 ranks, not of 5/, '... which is not passed over for its ranks');

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# ftmpi-ckpt: what it says of lines, that it finds what is damaged, and that it removes no more than it says.
use strict;
use warnings;

use File::Path ();
use File::Temp ();
use JSON::PP   ();
use Test::More;

my $programs = $ENV{FTMPI_PROGRAMS} or plan skip_all => 'FTMPI_PROGRAMS does not name built programs';
my $tool = "$programs/ftmpi-ckpt";
my $work = File::Temp->newdir('ftmpi-tool-XXXXXX', TMPDIR => 1);

use constant DEADLINE => 60;

# { out, err, status } of a command
sub run
{
	my (@command) = @_;
	my ($out, $err) = map { File::Temp->new } 1, 2;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open STDOUT, '>&', $out or die "stdout: $!";
		open STDERR, '>&', $err or die "stderr: $!";
		exec { $command[0] } @command or die "$command[0]: $!\n";
	}
	local $SIG{ALRM} = sub { kill KILL => $pid; die "@command: no end in " . DEADLINE . " s\n" };
	alarm DEADLINE;
	waitpid $pid, 0;
	alarm 0;
	my $status = $? & 127 ? "signal $?" : $? >> 8;
	my %text;
	for ([ out => $out ], [ err => $err ]) {
		open my $file, '<:raw', "$_->[1]" or die "$_->[1]: $!";
		local $/;
		$text{ $_->[0] } = <$file> // '';
	}
	return { %text, status => $status };
}

sub tool { return run($tool, @_) }

sub line
{
	my ($session, @words) = @_;
	my $made = run("$programs/ckpt_line", "$work/$session", @words);
	is("$made->{status}$made->{err}", '0', "a line: $session @words") or BAIL_OUT('no lines');
	return;
}

sub json_of
{
	my ($got) = @_;
	my $value = eval { JSON::PP->new->utf8->decode($got->{out}) };
	ok(defined $value, 'it is JSON') or diag($@, $got->{out});
	return $value // {};
}

sub flip
{
	my ($path, $at) = @_;
	open my $file, '+<:raw', $path or die "$path: $!";
	seek $file, $at, $at < 0 ? 2 : 0;
	read $file, my $byte, 1;
	seek $file, -1, 1;
	print $file $byte ^ "\1";
	close $file or die "$path: $!";
	return;
}

sub names
{
	my ($session) = @_;
	opendir my $dir, "$work/$session" or die "$work/$session: $!";
	return join ' ', sort grep { !/^\./ } readdir $dir;
}

# ---- what is not there ----

for ([ [], 'give a command' ], [ ['list'], 'of what' ], [ [ 'frob', $work ], 'unknown command frob' ],
	[ [ 'list', "$work/none" ], 'is no folder' ], [ [ 'list', $work, $work ], 'one directory' ],
	[ [ 'list', '-frob', $work ], 'unknown option -frob' ], [ [ 'list', $work, '-line' ], 'needs a number' ],
	[ [ 'list', $work, '-line', '0' ], 'whole number from 1' ], [ [ 'list', $work, '-line', '1x' ], 'whole number' ],
	[ [ 'list', $work, '-line', '4294967296' ], 'whole number' ], [ [ 'list', $work, '-keep', '1' ], 'belongs to prune' ],
	[ [ 'list', $work, '-json', '-table' ], '-table belongs to list' ],
	[ [ 'prune', $work, '-keep', '0' ], 'whole number' ], [ [ 'prune', $work, '-line', '1' ], 'does not belong' ],
	[ [ 'list', $work, '-session', 'a/b' ], 'without slashes' ]) {
	my ($words, $said) = @$_;
	my $got = tool(@$words);
	is($got->{status}, 2, "status 2: @$words");
	like($got->{err}, qr/^ftmpi-ckpt: [^\n]*\Q$said\E[^\n]*\n\z/, '... and a sentence');
	is($got->{out}, '', '... alone');
}
is(tool('list', "$work")->{out}, "there are no recovery lines and no checkpoints in $work\n", 'an empty folder');
is(tool('list', "$work")->{status}, 0, '... is no error for list');
is(tool('prune', "$work")->{status}, 0, '... nor for prune');
for my $command (qw(verify show)) {
	my $got = tool($command, "$work");
	is($got->{status}, 1, "... but for $command");
	is($got->{err}, "ftmpi-ckpt: there are no recovery lines and no checkpoints in $work\n", '... which says so');
}
my $help = tool('-h');
like($help->{out}, qr/^usage: ftmpi-ckpt COMMAND/, '-h');
like($help->{out}, qr/^  $_ /m, "... has $_") for qw(list verify show prune -session -line -keep -json);
is(tool($_)->{out}, $help->{out}, $_) for qw(-help --help);
like(tool('-version')->{out}, qr/^ftmpi-ckpt \d+\.\d+\.\d+\n\z/, '-version');

# ---- what is there ----

my $name = '20261121-203610-1a2b3c4d';
my $path = "$work/$name";
line($name, $_, 0, 2) for 1 .. 3;
line($name, 4, 1, 2, '-');
line('20261120-000000-00000000', 1, 0, 1);
my $list = tool('list', $work);
is($list->{status}, 0, 'list');
my $row = qr/\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d +2 +196\.2 KiB  solver +whole/;
like($list->{out}, qr/^20261120.*^$name\n[^\n]+\n +3  $row\n +2  $row\n +1  $row\n +all +588\.5 KiB\n +4  was not committed \(epoch 1\)\n\z/ms,
	'... sessions by name, lines newest first');
unlike(tool('list', $work, '-session', $name)->{out}, qr/20261120/, '-session');
is(tool('list', "$path/")->{out}, tool('list', $work, '-session', $name)->{out}, '... as its folder');
is(tool('list', $work, '-session', 'other')->{status}, 1, 'a session that is not there');
my $got = json_of(tool('list', $path, '-json'));
is_deeply([ map { $_->{line} } @{ $got->{sessions}[0]{lines} } ], [ 3, 2, 1 ], '... lines');
is_deeply($got->{sessions}[0]{lines}[1], { line => 2, epoch => 0, time => 1795293002, ranks => 2,
	bytes => 2 * (256 + 3 * 32 + 100090), program => 'solver', kind => 'data', whole => JSON::PP::true(), problem => undef },
	'... all of a line');
is_deeply($got->{sessions}[0]{unfinished}, [ { line => 4, epoch => 1 } ], '... what was not committed');

my $table = tool('list', '-table', $work);
is($table->{out}, join('', map { join("\t", @$_) . "\n" } [ '20261120-000000-00000000', 1, 0, 1795293001, 1, 100442, 'solver', 'data', '' ],
		map { [ $name, $_, 0, 1795293000 + $_, 2, 200884, 'solver', 'data', '' ] } 3, 2, 1), '-table')
	or diag($table->{out});
is(tool('show', '-table', $path)->{status}, 2, '... is for list');

my $show = tool('show', $path);
like($show->{out}, qr/^$name: line 3, epoch 0, committed .*, 2 ranks, 196\.2 KiB, data of the program$/m, 'show: the newest');
like($show->{out}, qr/^ +1  variable +7 +MPI_DOUBLE +80  [0-9a-f]{16}$/m, '... its sections');
like(tool('show', $path, '-line', 2)->{out}, qr/: line 2,/, '... or another');
$got = tool('show', $path, '-line', 9);
is("$got->{status} $got->{err}", "1 ftmpi-ckpt: there is no such recovery line in $path\n", '... that is there');
$got = json_of(tool('show', '-json', $path));
is($got->{lines}[0]{kind}, 'data', '... what it is of');
is($got->{lines}[0]{files}[1]{sections}[0]{bytes}, 99942, '... sizes');
is($got->{lines}[0]{files}[1]{sections}[2]{kind}, 'messages', '... kinds');

# ---- the record of its job ----

sub record
{
	my ($text) = @_;
	unlink "$path/job.record";
	open my $file, '>', "$path/job.record" or die "job.record: $!";
	print $file $text;
	close $file or die "job.record: $!";
	return tool('list', $path);
}
is($got->{lines}[0]{files}[0]{sections}[1]{type_name}, 'MPI_DOUBLE', 'the name of a type as JSON');
my $job = "FTMPI-JOB 1\nranks 5\nbegan 1795293002\nfrom 20261120-000000-00000000 7\npart 2 ./a%20b % x%1B\nlater word\npart 3 c\n";
like(record($job)->{out}, qr{^$name\n    -n 2 \./a b - x  ?: -n 3 c\n    began \N+ from line 7 of session 20261120-000000-00000000\n    has not ended, \N+\n +line }m,
	'the record of a job that goes on');
like(record("${job}end 0 1795293100 %\n")->{out}, qr/^    finished 2026-\N+$/m, '... that has finished');
like(record("${job}end 137 1795293100 rank%200:%20killed\n")->{out}, qr/^    ended 2026-\N+ with status 137: rank 0: killed$/m, '... that failed');
$got = json_of(tool('list', $path, '-json'))->{sessions}[0];
is_deeply($got->{job}, { command => "-n 2 ./a b - x\e : -n 3 c", began => 1795293002, from => '20261120-000000-00000000 7', ended => JSON::PP::true(),
	status => 137, time => 1795293100, why => 'rank 0: killed' }, '... as JSON');
is($got->{bytes}, 3 * 2 * (256 + 3 * 32 + 100090), '... and the size of all');
for my $odd ('', "\0", 'FTMPI-JOB 1', "FTMPI-JOB 2\nranks 1\n", "FTMPI-JOB 1\nend\npart\nend x\npart 1\nend 1 2\nbegan\n%", "FTMPI-JOB 1\n" . 'part 1 ' . '%4' x 500_000) {
	is(record($odd)->{status}, 0, 'a record that is none, of ' . length($odd) . ' bytes');
}
unlink "$path/job.record";

my $verify = tool('verify', $path);
is($verify->{status}, 0, 'verify');
is($verify->{out}, join('', map { "$name: line $_ is whole (2 files, 196.2 KiB)\n" } 3, 2, 1), '... says so');
is(json_of(tool('verify', $path, '-json'))->{whole}, JSON::PP::true(), '... also as JSON');

# ---- messages in transit ----

line('messages', 1, 0, 2, 'solver');
is(scalar(() = tool('show', "$work/messages")->{out} =~ /^ +2  messages .*\n +2 messages in transit, 8 B$/mg), 2, 'messages in transit are counted, for each rank');
my $in_transit = json_of(tool('show', "$work/messages", '-json'))->{lines}[0]{files}[1]{sections}[2];
is("$in_transit->{messages} $in_transit->{message_bytes}", '2 8', '... also as JSON');
is($in_transit->{problem}, undef, '... without a problem');
$ENV{CKPT_LINE_MESSAGES} = 'cut';
line('messages-cut', 1, 0, 2, 'solver');
delete $ENV{CKPT_LINE_MESSAGES};
my $none = tool('show', "$work/messages-cut");
is($none->{status}, 1, 'messages that are none');
like($none->{out}, qr/rank-00001\.ckpt: section 2 holds no messages, although it says so$/m, '... which is said');
File::Path::remove_tree(glob "$work/messages*");

# ---- orphans ----

# count, then peer, tag, context, first, count of each
my $orphans = pack 'V', 2;
$orphans .= pack 'VVQ<Q<Q<', @$_ for [ 0, 7, 2, 1, 1 ], [ 1, 0xffffffff, (1 << 32) + 5, 3, 40 ];
line('orphans', 1, 0, 2, 'solver', unpack 'H*', $orphans);
$show = tool('show', "$work/orphans");
is($show->{status}, 0, 'a line with orphans');
is(scalar(() = $show->{out} =~ /^ +3  orphans .*\n +peer 0, context 0x2, tag 7: 1 to 1\n +peer 1, context 0x100000005, tag -1: 3 to 42$/mg),
	2, '... show tells which, for each rank') or diag($show->{out});
my $of = json_of(tool('show', "$work/orphans", '-json'))->{lines}[0]{files}[0]{sections};
is_deeply($of->[3]{ranges}, [ { peer => 0, tag => 7, context => 2, first => 1, count => 1 },
	{ peer => 1, tag => -1, context => 4294967301, first => 3, count => 40 } ], '... also as JSON');
is($of->[3]{problem}, undef, '... without a problem');
is($of->[2]{ranges},  undef, '... and of no other section');
for ([ 'cut', substr $orphans, 0, 40 ], [ 'of a rank that is not there', pack 'VVVQ<Q<Q<', 1, 2, 7, 2, 1, 1 ],
	[ 'nothing', '' ], [ 'of none', pack 'VVVQ<Q<Q<', 1, 1, 7, 2, 1, 0 ]) {
	my ($how, $bytes) = @$_;
	line("orphans-$how", 1, 0, 2, 'solver', unpack 'H*', $bytes);
	my $got = tool('show', "$work/orphans-$how");
	is($got->{status}, 1, "orphans that are none: $how");
	like($got->{out}, qr/rank-00001\.ckpt: section 3 holds no orphans, although it says so$/m, '... which is said');
	is(json_of(tool('show', '-json', "$work/orphans-$how"))->{lines}[0]{files}[1]{sections}[3]{problem},
		"$work/orphans-$how/line-00000001.e0000/rank-00001.ckpt: section 3 holds no orphans, although it says so",
		'... also as JSON');
}
flip("$work/orphans/line-00000001.e0000/rank-00000.ckpt", -1);
like(tool('show', "$work/orphans")->{out}, qr/rank-00000\.ckpt: section 3 \(orphans 0\) is damaged$/m, 'a damaged section');
File::Path::remove_tree(glob "$work/orphans*");

# ---- open collective operations ----

# count, then context, tag, tag in the local group, flags, rounds, error, sum, length, bytes of each
my $operations = pack 'V', 4;
$operations .= pack 'Q<VVVVVQ<Q</a', @$_
	for [ 2, 1 << 29 | 7, 0, 2, 3, 0, 99, 'abc' ], [ 0, 1 << 29 | 8, 0, 1, 0, 0, 98, '' ], [ 0, 1 << 29 | 9, 0, 3, 1, 15, 97, 'd' ];
$operations .= pack 'Q<VVVVVQ<Q<VQ<Q<a*', 4, 1 << 29 | 3, 0, 6, 2, 0, 96, 1, 2, 11, 12, 'e'; # under message logging: with numbers
line('operations', 1, 0, 2, 'solver', unpack('H*', pack 'V', 0), unpack 'H*', $operations);
$show = tool('show', "$work/operations");
is($show->{status}, 0, 'a line with open operations');
is(scalar(() = $show->{out} =~ /^ +4  operations .*\n +context 0x2, operation 7: 3 rounds are over, 3 bytes
 +context 0, operation 8, persistent: not active\n +context 0, operation 9, persistent: 1 round is over, 1 byte
 +context 0x4, operation 3: 2 rounds are over, 1 byte$/mg),
	2, '... show tells which, for each rank') or diag($show->{out});
$of = json_of(tool('show', "$work/operations", '-json'))->{lines}[0]{files}[0]{sections};
is_deeply($of->[4]{operations}[2], { context => 0, operation => 9, persistent => JSON::PP::true(), active => JSON::PP::true(),
	rounds => 1, error => 15, bytes => 1 }, '... also as JSON');
is(scalar @{ $of->[4]{operations} }, 4, '... all of them');
line('operations-cut', 1, 0, 2, 'solver', unpack('H*', pack 'V', 0), unpack 'H*', substr $operations, 0, -1);
$show = tool('show', "$work/operations-cut");
is($show->{status}, 1, 'operations that are none');
like($show->{out}, qr/rank-00001\.ckpt: section 4 holds no operations, although it says so$/m, '... which is said');
File::Path::remove_tree(glob "$work/operations*");

# ---- process images ----

{
	local $ENV{CKPT_LINE_IMAGE} = '';
	line('image', 1, 0, 2);
	$ENV{CKPT_LINE_IMAGE} = $_, line("image-$_", 1, 0, 2) for qw(mappings pages);
}
like(tool('list', "$work/image")->{out}, qr/^ +1 .* whole, process images$/m, 'list knows a line of process images');
is(json_of(tool('list', '-json', "$work/image"))->{sessions}[0]{lines}[0]{kind}, 'image', '... also as JSON');
is((split /\t/, tool('list', '-table', "$work/image")->{out})[7], 'image', '... and in a table');
like(tool('verify', "$work/image")->{out}, qr/^image: line 1 is whole \(2 files, [^,]+, process images\)$/, '... and verify');
$show = tool('show', "$work/image");
is($show->{status}, 0, 'show an image') or diag($show->{out});
like($show->{out}, qr/^image: line 1, .*, process images\n.*^  rank 1: process image, /ms, '... says so');
my $kinds = join '', map { " +$_\n" } 'files: 3 mappings, 24\.0 KiB', 'stack: 1 mapping, 132\.0 KiB', 'heap: 1 mapping, 1\.0 MiB',
	'kernel: 1 mapping, 4\.0 KiB', '/bin/solver: 2 mappings, 16\.0 KiB', '/lib/libc\.so: 1 mapping, 8\.0 KiB';
is(scalar(() = $show->{out} =~ /^ +1  mappings .*\n$kinds +2  pages .*\n +16\.0 KiB in 2 runs; zeros are not held$/mg),
	2, '... mappings by kind, files, pages, of each rank') or diag($show->{out});
my $line = json_of(tool('show', '-json', "$work/image"))->{lines}[0];
$of = $line->{files}[0];
is("$line->{kind} $of->{kind} $of->{version}", 'image image 2', '... also as JSON');
is_deeply($of->{sections}[1]{mappings}[1], { name => 'stack', mappings => 1, bytes => 135168 }, '... mappings');
is_deeply($of->{sections}[1]{mapped_files}, [ { name => '/bin/solver', mappings => 2, bytes => 16384 },
	{ name => '/lib/libc.so', mappings => 1, bytes => 8192 } ], '... files');
is("$of->{sections}[2]{runs} $of->{sections}[2]{page_bytes}", '2 16384', '... pages');
is($of->{sections}[$_]{problem}, undef, '... without a problem') for 1, 2;
for ([ 1, 'mappings' ], [ 2, 'pages' ]) {
	my ($section, $kind) = @$_;
	my $got = tool('show', "$work/image-$kind");
	is($got->{status}, 1, "$kind that are none");
	like($got->{out}, qr/rank-00001\.ckpt: section $section holds no $kind, although it says so$/m, '... which is said');
	like(json_of(tool('show', '-json', "$work/image-$kind"))->{lines}[0]{files}[1]{sections}[$section]{problem},
		qr/holds no $kind/, '... also as JSON');
}
File::Path::remove_tree(glob "$work/image*");

# ---- checkpoints that ranks make alone ----

my $own_name = '20261122-000000-0123abcd';
my $own = "$work/$own_name";
sub rank_dir { return sprintf '%s/rank-%05d', $own, @_ }
{
	local $ENV{CKPT_LINE_ALONE} = 1;
	line($own_name, @$_, 2) for [ 7, 1 ], [ 8, 1 ], [ 6, 3 ];
	local $ENV{CKPT_LINE_IMAGE} = '';
	line($own_name, 9, 3, 1);
}
mkdir rank_dir(10) or die rank_dir(10) . ": $!";
open my $begins, '>', rank_dir(10) . '/ckpt-00000000.i0005' or die "a rank without a checkpoint: $!";
close $begins or die "a rank without a checkpoint: $!";
my $time = qr/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;
$list = tool('list', $own);
is($list->{status}, 0, 'checkpoints of ranks');
like($list->{out}, qr/^$own_name\n +rank  checkpoint .*\n +0 +9  $time +\S+ \S+  solver +whole, process image\n +1 +6  $time +98\.1 KiB  solver +whole\n +10 +none  .* begins at its beginning\n\z/,
	'... of each the one of the newest process that counts, without a table of lines') or diag($list->{out});
$got = json_of(tool('list', '-json', $own))->{sessions}[0];
is_deeply($got->{lines}, [], '... as JSON');
like(delete $got->{checkpoints}[1]{time}, qr/^\d{10}\z/, '... the time');
is_deeply([ @{ $got->{checkpoints} }[ 1, 2 ] ], [
	{ rank => 1, checkpoint => 6, incarnation => 3, bytes => 256 + 3 * 32 + 100090, program => 'solver', kind => 'data',
		made => JSON::PP::true(), whole => JSON::PP::true(), problem => undef },
	{ rank => 10, made => JSON::PP::false(), whole => JSON::PP::true(), problem => undef } ], '... all of a checkpoint');
is($got->{bytes}, (stat "$own/rank-00000/ckpt-00000009.i0003")[7] + (stat "$own/rank-00001/ckpt-00000006.i0003")[7], '... the size of all');
is(tool('list', '-table', $own)->{out}, '', '... and no line in a table');
$verify = tool('verify', $own);
is("$verify->{status} $verify->{out}", "0 $own_name: checkpoint 9 of rank 0 is whole\n$own_name: checkpoint 6 of rank 1 is whole\n$own_name: rank 10 has no checkpoint\n", 'verify');
is(json_of(tool('verify', '-json', $own))->{whole}, JSON::PP::true(), '... as JSON');
$show = tool('show', $own);
is($show->{status}, 0, 'show');
like($show->{out}, qr/^  checkpoint 9 of rank 0, incarnation 3:\n  rank 0: process image, .*^  checkpoint 6 of rank 1, incarnation 3:\n.*^ +1  variable +7 +MPI_DOUBLE .*^  rank 10: no checkpoint$/ms, '... what is in them')
	or diag($show->{out});
$got = json_of(tool('show', '-json', $own));
is(scalar @{ $got->{lines} }, 0, '... as JSON');
is_deeply([ map { $_->{rank} . ': ' . @{ $_->{sections} } } @{ $got->{checkpoints}[0]{files} } ], [ '0: 3', '1: 3', '10: 0' ], '... all that is in them');
is(tool('show', '-line', 6, $own)->{status}, 1, '... and -line is for lines');
is(tool('prune', $own)->{out}, '', 'prune leaves them');
my $checkpoint = rank_dir(1) . '/ckpt-00000006.i0003';
flip($checkpoint, 400);
like(tool('list', $own)->{out}, qr/^ +1 +6 .* whole$/m, 'list does not read what is in them');
$verify = tool('verify', $own);
is($verify->{status}, 1, '... but verify does');
like($verify->{out}, qr/^  \Q$checkpoint\E: section 0 \(buffer 0\) is damaged\n$own_name: checkpoint 6 of rank 1 is damaged\n/m, '... and says so');
is(json_of(tool('verify', '-json', $own))->{whole}, JSON::PP::false(), '... as JSON');
flip($checkpoint, $_) for 400, 30;
like(tool('list', $own)->{out}, qr/^ +1 +6  .* damaged\n +\Q$checkpoint\E: its header is damaged$/m, 'list sees a damaged header');
is(tool('show', $own)->{status}, 1, '... and show');
flip($checkpoint, 30);
rename $checkpoint, rank_dir(1) . '/ckpt-00000005.i0004' or die "$checkpoint: $!";
like(tool('verify', $own)->{out}, qr/is not what its name says, but checkpoint 6 of rank 1$/m, 'a file under the name of another');
like(tool('list', $own)->{out}, qr/^ +1 +5  .* damaged$/m, '... list, too');
File::Path::remove_tree(rank_dir($_)) for 0, 1;
is(tool('verify', $own)->{status}, 1, 'no rank has a checkpoint');
open my $no_folder, '>', rank_dir(1) or die rank_dir(1) . ": $!";
like(tool('list', $own)->{out}, qr/^ +1 +none  .* damaged\n +cannot read the folder /m, 'what is no folder');
is(json_of(tool('show', '-json', $own))->{checkpoints}[0]{files}[0]{problem} =~ /^cannot read the folder / ? 1 : 0, 1, '... as JSON');
rename $own, "$work/run" or die "$own: $!";
is(tool('list', "$work/run")->{out}, "there are no recovery lines and no checkpoints in $work/run\n", 'a folder that a program made for a rank is none of a session');
line('run/20261122-000000-0123abcd', 1, 0, 1);
like(tool('list', "$work/run")->{out}, qr/^20261122-000000-0123abcd$/m, '... and hides none');
File::Path::remove_tree("$work/run");

# ---- damage ----

my $file = "$path/line-00000002.e0000/rank-00001.ckpt";
for ([ 30, 'its header is damaged' ], [ 300, 'its table of sections is damaged' ], [ 400, 'section 0 (buffer 0) is damaged' ],
	[ -73, 'section 1 (variable 7) is damaged' ], [ -1, 'section 2 (messages 0) is damaged' ]) {
	my ($at, $said) = @$_;
	flip($file, $at);
	my $got = tool('verify', $path);
	is($got->{status}, 1, "byte $at changed");
	is($got->{out}, "$name: line 3 is whole (2 files, 196.2 KiB)\n  $file: $said\n$name: line 2 is damaged\n"
			. "$name: line 1 is whole (2 files, 196.2 KiB)\n", "... $said");
	my $json = json_of(tool('verify', $path, '-json'));
	is($json->{whole}, JSON::PP::false(), '... as JSON');
	is_deeply($json->{sessions}[0]{lines}[1]{files}[1],
		{ rank => 1, whole => JSON::PP::false(), problems => ["$file: $said"] }, '... which file');
	is(tool('verify', $path, '-line', 3)->{status}, 0, '... the line beside it is whole');
	flip($file, $at);
}
flip($file, $_) for 400, -1;
like(tool('verify', $path)->{out}, qr/section 0 .*\n.*section 2 /, 'every damaged section is named');
flip($file, $_) for 400, -1;
is(tool('verify', $path)->{status}, 0, 'all is well again');
truncate $file, 5000 or die "$file: $!";
like(tool('list', $path)->{out}, qr/^ +2 .* damaged\n +\Q$file\E: it has 5000 bytes instead of 100442\n/m, 'list sees a cut file');
like(tool('verify', $path)->{out}, qr/\Q$file\E: it has 5000 bytes/, '... and verify');
unlink $file or die "$file: $!";
like(tool('verify', $path)->{out}, qr/cannot read \Q$file\E: No such file/, 'a file that is gone');
truncate "$path/line-00000003.manifest", 100 or die "manifest: $!";
like(tool('list', $path)->{out}, qr/^ +3 .* damaged\n.*line-00000003\.manifest: the manifest was cut/m, 'a cut manifest');
$got = tool('show', $path);
is($got->{status}, 1, '... cannot be shown');
like($got->{out}, qr/line 3: .*the manifest was cut/, '... which is said');
is(json_of(tool('list', $path, '-json'))->{sessions}[0]{lines}[0]{whole}, JSON::PP::false(), '... also as JSON');

# ---- pruning ----

$got = tool('prune', $path, '-keep', 1);
is("$got->{status}$got->{out}", '0', 'nothing goes for damaged lines');
line($name, $_, 1, 2) for 5, 6, 7;
line($name, 3, 4, 1, '-');
line($name, 8, 1, 1, '-');
open my $mine, '>', "$path/mine" or die "mine: $!";
close $mine or die "mine: $!";
flip("$path/line-00000006.e0001/rank-00000.ckpt", 400);
$got = tool('prune', $path);
is($got->{status}, 0, 'prune keeps two whole lines');
is_deeply([ sort split /\n/, $got->{out} ], [ sort +(map { "$name: line $_ is removed" } 1 .. 3),
	(map { "$name: files of line $_, are removed" } '1, epoch 0', '2, epoch 0', '3, epoch 0', '3, epoch 4', '4, epoch 1') ],
	'... says what goes');
is(names($name), join(' ', (map { "line-0000000$_.e0001 line-0000000$_.manifest" } 5 .. 7), 'line-00000008.e0001 mine'),
	'... the damaged one between them, one that may be in the making, and what is not ours stay');
is(tool('verify', $path, '-line', 7)->{status}, 0, '... the newest is whole');
my $pruned = json_of(tool('prune', $path, '-keep', 1, '-json'));
is_deeply($pruned->{sessions}[0]{removed}[0], { line => 6, committed => JSON::PP::true() }, '-keep 1 -json');
like(names($name), qr/^line-00000007\.e0001 line-00000007\.manifest line-00000008\.e0001 mine\z/, '... did it');

# ---- odd names ----

my $odd = "odd \"name\\ \e[2J\xff\xc3\xa9\n";
line($odd, 1, 0, 1, "pro\"g\\\xfe");
my $all = json_of(tool('list', $work, '-json'));
is_deeply([ map { $_->{session} } @{ $all->{sessions} } ],
	[ '20261120-000000-00000000', $name, "odd \"name\\ \e[2J\x{fffd}\x{e9}\n" ], 'odd names are escaped');
is($all->{sessions}[2]{lines}[0]{program}, "pro\"g\\\x{fffd}", '... that of a program, too');
unlike(tool($_, $work)->{out}, qr/\e/, "$_ writes nothing that a terminal acts on") for qw(list verify show);
json_of(tool($_, $work, '-json')) for qw(verify show prune);

my $full = run('sh', '-c', '"$0" list "$1" >/dev/full', $tool, $work);
is($full->{status}, 1, 'an output that is full');
is($full->{err}, "ftmpi-ckpt: cannot write: No space left on device\n", '... is said');

done_testing;

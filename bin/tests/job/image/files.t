# SPDX-License-Identifier: BSD-3-Clause
#
# Open files come back with an image, at their numbers and places, and what cannot come back is told, before there
# is an image, or before the process that loads it has touched anything.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Fcntl qw(F_GETLK F_SETLKW F_UNLCK F_WRLCK LOCK_EX);
use File::Copy ();
use File::Temp ();
use Test::More;

use FTMPI::Test::File qw(read_file write_file);
use FTMPI::Test::Image qw(FILES section replaced);
use FTMPI::Test::Job qw(program);
use FTMPI::Test::Process qw(patience run_quiet);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

use constant { PAGE => 4096, MANY => 2000, WAITS => 10 };

# Of an entry in the section of files: bytes before its text; and which of its numbers is what.
use constant { ENTRY => 72, LENGTH => 5, OFFSET => 6, SPECIAL => 10 };

# Linux, which Fcntl does not have: a lock that goes with no other descriptor of its file.
use constant F_OFD_SETLK => 37;

my $dir     = File::Temp->newdir('ftmpi-image-XXXXXX', TMPDIR => 1);
my $program = program('image_files');
my @RIGHT   = (0, "right\nend\n");

# (wait status, what it printed)
sub run_files
{
	my (@words) = @_;
	return run_quiet('setarch', '-R', $program, @words);
}

sub run_image
{
	my ($image) = @_;
	local $ENV{IMAGE_ALONE} = $image;
	unlink "$image.2";
	return run_files();
}

sub folder
{
	my ($name) = @_;
	write_file("$dir/$name/input",  '0123456789');
	write_file("$dir/$name/text",   "one\ntwo\nthree\n");
	write_file("$dir/$name/mapped", 'm' x PAGE . 'M' x PAGE);
	write_file("$dir/$name/closed", 'c' x PAGE);
	write_file("$dir/$name/many/a-rather-long-name-$_", '') for 1 .. MANY;
	return "$dir/$name";
}

# What the program writes after its image.
sub is_written
{
	my ($folder, $what, $output, $append) = @_;
	is(read_file("$folder/output"), $output // '0123456789abc', "$what: its file")    or return;
	is(read_file("$folder/append"), $append // '<>',            "... that it appends to");
	is(read_file("$folder/printed"), "printed\n", '... and what it prints to');
	return;
}

for my $how ([], ['nokcmp']) {
	my $name = "all@$how";
	my ($image, $folder) = ("$dir/$name.image", folder($name));
	is_deeply([ run_files($image, $folder, @$how) ], \@RIGHT, "$name: the process goes on as before");
	is_written($folder, $name);

	write_file("$folder/$_", read_file("$folder/$_") . 'LATER') for qw(output append input);
	is_deeply([ run_image($image) ], \@RIGHT, '... and so does one that wakes up');
	is_written($folder, '... to whom later output is none');
	is(read_file("$folder/input"), '0123456789LATER', '... but of what it reads, nothing is cut');

	is_deeply([ run_image("$image.2") ], \@RIGHT, '... whose own image is right, too');
	is_written($folder, "$name.2");
}

my ($image, $folder) = ("$dir/image", folder('one'));
is_deeply([ run_files($image, $folder) ], \@RIGHT, 'an image');

subtest 'more locked files than the limit of descriptors at the start' => sub {
	my @limited = (qw(sh -c), 'ulimit -S -n 1024 && exec setarch -R "$0" "$@"', $program);
	my ($image, $folder) = ("$dir/locked.image", folder('locked'));
	is_deeply([ run_quiet(@limited, $image, $folder, 'locked') ], \@RIGHT, 'an image');
	local $ENV{IMAGE_ALONE} = $image;
	is_deeply([ run_quiet(@limited) ], \@RIGHT, 'what wakes up has them');
};

subtest 'the output is a file' => sub {
	my @command = ('exec >"$1" && shift && exec setarch -R "$0" "$@"', $program);
	my ($first, $second) = ("$dir/first", "$dir/second");
	is_deeply([ run_quiet(qw(sh -c), @command, $first, "$dir/to-file", $folder) ], [ 0, "end\n" ], 'an image');
	is(read_file($first), "right\n", '... says so there');
	local $ENV{IMAGE_ALONE} = "$dir/to-file";
	is_deeply([ run_quiet(qw(sh -c), @command, $second) ], [ 0, "end\n" ], 'what wakes up');
	is(read_file($second), "right\n", '... says so where its own output goes');
	is(read_file($first), "right\n", '... and the other is as it was');
};

subtest 'lengths' => sub {
	write_file("$folder/output", '0123456789abcLATER');
	write_file("$folder/append", '<>LATER');
	{
		local $ENV{IMAGE_KEEP} = 1;
		is_deeply([ run_image($image) ], \@RIGHT, 'kept');
	}
	is_written($folder, 'kept', '0123456789abcLATER', '<>LATER>');
	write_file("$folder/append", '');
	my ($status, $said) = run_image($image);
	like($said, qr{append, descriptor \d+ of the image, has 0 bytes here, and the program was at byte 1 \(where several ranks write a file: -coord blocking, or -image-files keep\)$}, 'too short');
};

# The image is refused with this sentence, and the files are as they were.
sub refuses
{
	my ($what, $sentence, $image) = @_;
	my $before = read_file("$folder/output");
	my ($status, $said) = run_image($image // "$dir/image");
	is($status >> 8, 2, "$what is refused");
	like($said, qr{\Aimage: load: $sentence\n\z}, '... with a sentence');
	is(read_file("$folder/output"), $before, '... and nothing is touched');
	return;
}

subtest 'what is not there' => sub {
	write_file("$folder/append", '<>');
	write_file("$folder/output", '0123456789LATER');
	rename "$folder/text", "$folder/not-text" or die "rename: $!\n";
	my $text = qr{\Q$folder/text\E, descriptor \d+ of the image,};
	refuses('a missing file', qr{$text cannot be opened: No such file or directory});
	mkdir "$folder/text" or die "mkdir: $!\n";
	refuses('a folder in its place', qr{$text is not the file it was});
	rmdir "$folder/text" or die "rmdir: $!\n";
	symlink '/dev/null', "$folder/text" or die "symlink: $!\n";
	refuses('a device in its place', qr{$text is not the file it was});
	unlink "$folder/text";
	write_file("$folder/text", 'one');
	refuses('a shorter file', qr{$text has 3 bytes here, and the program was at byte 14});
	unlink "$folder/text";
	rename "$folder/not-text", "$folder/text" or die "rename: $!\n";
};

# No descriptor has it open.
subtest 'a mapped file that cannot be opened' => sub {
	local $ENV{IMAGE_BARE} = 1;
	write_file("$folder/append", '<>');
	my $closed = qr{\Q$folder/closed\E};
	for ([ 0200, qr{$closed cannot be opened: Permission denied} ],
		[ 0400, qr{$closed, which the program has mapped shared and may write, cannot be opened for writing: Permission denied} ]) {
		my ($mode, $sentence) = @$_;
		chmod $mode, "$folder/closed" or die "$folder/closed: $!\n";
		local $ENV{IMAGE_KEEP} = 1;
		refuses(sprintf('mode %03o', $mode), $sentence);
	}
	chmod 0600, "$folder/closed" or die "$folder/closed: $!\n";
};

# A file that runs cannot be written to, not by root either.
subtest 'what cannot be opened for writing, or cut' => sub {
	write_file("$folder/append", '<>');
	my $was = read_file("$folder/output");
	write_file("$folder/output", read_file('/bin/sleep'));
	chmod 0755, "$folder/output" or die "$folder/output: $!\n";
	my $pid = open my $said, '-|', "$folder/output", 1000 or die "$folder/output: $!\n";
	refuses('a file that runs', qr{\Q$folder/output\E, descriptor \d+ of the image, cannot be opened: Text file busy});
	{
		local $ENV{IMAGE_UNTRIED} = 1;
		refuses('... also where that was not tried', qr{\Q$folder/output\E, descriptor \d+ of the image, cannot be brought to the 10 bytes that it had: Text file busy});
	}
	is(read_file("$folder/append"), '<>', '... nor the files behind it');
	kill 'KILL', $pid;
	close $said;
	chmod 0644, "$folder/output" or die "$folder/output: $!\n";
	write_file("$folder/output", $was);
};

subtest 'what was replaced' => sub {
	rename "$folder/output", "$folder/not-output" or die "rename: $!\n";
	File::Copy::cp("$folder/not-output", "$folder/output") or die "$folder/output: $!\n";
	refuses('a copy of a file', qr{\Q$folder/output\E, descriptor \d+ of the image, is not the file that the program wrote to: that was renamed, or replaced});
	rename "$folder/not-output", "$folder/output" or die "rename: $!\n";
};

# The number of an inode is used again: ext4 takes the lowest that is free.
subtest 'what another process has locked' => sub {
	write_file("$folder/append", '<>');
	write_file("$folder/output", '0123456789');
	my $lock = sub { open my $file, '+<', "$folder/$_[0]" or die "$_[0]: $!\n"; flock $file, LOCK_EX or die "flock: $!\n"; return $file };
	my $range = sub {
		open my $file, '+<', "$folder/$_[0]" or die "$_[0]: $!\n";
		fcntl $file, F_OFD_SETLK, pack 's! s! x![q] q q i x![q]', F_WRLCK, 0, @_[ 1, 2 ], 0 or die "fcntl: $!\n";
		return $file;
	};
	my $sentence = sub {
		my ($name, $how) = @_;
		return qr{\Q$folder/$name\E, descriptor \d+ of the image, was locked \($how\), and the lock cannot be had: somebody else has it};
	};
	{
		my $file = $lock->('locked');
		refuses('a lock of flock', $sentence->('locked', 'flock'));
	}
	{
		my $file = $range->('of-file', 100, 1);
		refuses('a lock of an open file', $sentence->('of-file', 'fcntl, OFD'));
	}
	{
		my $file = $range->('output', 14, 1);
		refuses('a lock of the process', $sentence->('output', 'fcntl'));
	}
	my @files = ($lock->('append'), $range->('output', 16, 4));
	is_deeply([ run_image($image) ], \@RIGHT, 'a lock beside it is in nobody\'s way');
};

# Whoever had the lock may be about to end: it is waited for a little.
subtest 'a lock that becomes free' => sub {
	write_file("$folder/append", '<>');
	open my $file, '+<', "$folder/locked" or die "locked: $!\n";
	flock $file, LOCK_EX or die "flock: $!\n";
	my $end = time + patience(30);
	local $ENV{IMAGE_ALONE} = $image;
	unlink "$image.2";
	my $pid = open my $said, '-|', 'setarch', '-R', $program or die "$program: $!\n";
	# the image's process has opened the file, and so it is trying, or about to
	my $is_open = 0;
	while (!$is_open && time < $end) {
		$is_open = grep { (readlink($_) // '') eq "$folder/locked" } glob "/proc/$pid/fd/*";
	}
	ok($is_open, 'the process comes to where it wants the lock');
	close $file;
	is(join('', <$said>), "right\n", '... and has it');
	ok(close $said, '... and ends well');
};

# Somebody who waits for the process's lock gets it only when it ends, though the process closes descriptors on its way.
subtest 'a lock that somebody waits for' => sub {
	write_file("$folder/append", '<>');
	my $range = sub { return pack 's! s x![q] q q i x![q]', $_[0], 0, 5, 10, 0 };
	for (1 .. WAITS) {
		local $ENV{IMAGE_ALONE} = $image;
		unlink "$image.2";
		my $pid = open my $said, '-|', 'setarch', '-R', $program or die "$program: $!\n";
		open my $file, '+<', "$folder/output" or die "output: $!\n";
		my $end = time + patience(30);
		my $is_locked = sub { my $l = $range->(F_WRLCK); fcntl $file, F_GETLK, $l; return unpack('s!', $l) != F_UNLCK };
		while (!$is_locked->() && defined readlink("/proc/$pid/exe") && time < $end) { }
		fcntl $file, F_SETLKW, $range->(F_WRLCK) or die "fcntl: $!\n";
		my $words = join '', <$said>;
		is($words, "right\n", 'it comes back') or last;
		ok(close $said, '... and ends well');
	}
};

subtest 'what was made anew' => sub {
	my ($again, $place) = ("$dir/again.image", folder('again'));
	is_deeply([ run_files($again, $place) ], \@RIGHT, 'an image');
	my $inode = (stat "$place/output")[1];
	unlink "$place/output" or die "unlink: $!\n";
	for my $try (1 .. 20) {
		write_file("$place/new-$try", '0123456789LATER');
		rename "$place/new-$try", "$place/output" or die "rename: $!\n" if (stat "$place/new-$try")[1] == $inode || $try == 20;
		last if -e "$place/output";
	}
	my ($birth) = qx{stat -c %W '$place/output'} =~ /(\d+)/;
	my $reused = (stat "$place/output")[1] == $inode;
	note 'inode ', $reused ? 'used again' : 'another one';
SKIP: {
		skip 'this file system uses numbers of inodes again, and does not say when a file was made', 2 if $reused && !$birth;
		my ($status, $said) = run_image($again);
		like($said, qr{\Aimage: load: \Q$place/output\E, descriptor \d+ of the image, is not the file that the program wrote to}, 'is refused');
		is(read_file("$place/output"), '0123456789LATER', '... and is as it was');
	}
};

subtest 'what is in the way' => sub {
	{
		local @ENV{qw(IMAGE_OWN IMAGE_KEEP)} = (40, 1);
		refuses('a number of both', qr{descriptor 40 is the library's here and the program's in the image});
	}
	# the image has a file where its output was, and its output elsewhere
	my $two = "$dir/two";
	my ($status, $said) = run_quiet(qw(sh -c), 'exec setarch -R "$0" "$@" 2>/dev/null', $program, $two, $folder);
	is($said, "right\n", 'an image of a process with two outputs');
	{
		local $ENV{IMAGE_ALONE} = $two;
		($status, $said) = run_quiet(qw(sh -c), 'exec setarch -R "$0" >&-', $program);
	}
	is_deeply([ run_image($two) ], \@RIGHT, '... has those of the new process');
	local $ENV{IMAGE_ALONE} = $image;
	is($said, "image: load: its descriptor 50 is what it was started with as 1, and here nothing is there\n", 'no output');
	($status, $said) = run_quiet(qw(sh -c), 'ulimit -n 700 && exec setarch -R "$0"', $program);
	like($said, qr{\Aimage: load: its descriptors need a limit of 8\d\d \(ulimit -n\), and here it is 700\n\z}, 'no room');
	unlink "$image.2";
	local $ENV{IMAGE_OWN} = 600;
	($status, $said) = run_quiet(qw(sh -c), 'ulimit -S -n 700 && exec setarch -R "$0"', $program);
	is($said, $RIGHT[1], 'but a soft limit is raised');
};

subtest 'damage' => sub {
	my $bytes = read_file($image);
	my $files = section($bytes, FILES);
	my $damaged = sub {
		my ($what, $section) = @_;
		write_file("$dir/damaged", replaced($bytes, FILES, $section));
		refuses($what, qr{its list of descriptors makes no sense}, "$dir/damaged");
	};
	my $with = sub { my ($offset, $number) = @_; substr(my $copy = $files, $offset, 4) = pack 'V', $number; return $copy };
	is(unpack('V', substr $files, 4, 4), 0, 'the first entry is of descriptor 0');
	$damaged->('one entry less', $with->(0, unpack('V', $files) - 1));
	$damaged->('many entries', $with->(0, ~0 & 0xffffffff));
	$damaged->('an unknown kind', $with->(8, 99));
	$damaged->('a section cut off', substr $files, 0, -1);
	$damaged->('no section', '');

	# Those entries that $change changes; it has a reference to their numbers, and one to the text behind them.
	my $changed = sub {
		my ($change) = @_;
		my ($at, $copy) = (4, substr $files, 0, 4);
		for (1 .. unpack 'V', $files) {
			my @numbers = unpack "x$at V6 Q<6", $files;
			my $text = substr $files, $at + ENTRY, $numbers[LENGTH];
			$at += ENTRY + $numbers[LENGTH];
			$change->(\@numbers, \$text);
			$numbers[LENGTH] = length $text;
			$copy .= pack('V6 Q<6', @numbers) . $text;
		}
		write_file("$dir/changed", replaced($bytes, FILES, $copy . substr $files, $at));
		return "$dir/changed";
	};
	write_file("$folder/append", '<>');
	unlink "$image.2";
	is_deeply([ run_image($changed->(sub { })) ], \@RIGHT, 'nothing is changed');
	local $ENV{IMAGE_KEEP} = 1;
	refuses('a place where nothing can be', qr{/proc cannot be brought to byte 4294967296: Invalid argument},
		$changed->(sub { my ($numbers, $text) = @_; ($$text, $numbers->[OFFSET]) = ('/proc', 1 << 32) if $$text eq "$folder/many" }));
	refuses('a pipe that no process may have', qr{the pipe of its descriptor \d+ cannot be made as large as it was},
		$changed->(sub { my ($numbers) = @_; $numbers->[SPECIAL] = 2**31 - 1 if $numbers->[SPECIAL] == 1 << 17 }));
	write_file("$dir/long", replaced($bytes, FILES, "\0" x (18 << 20)));
	refuses('a long section', qr{its list of descriptors is longer than any can be}, "$dir/long");
};

my %refused = (
	socket   => qr{a socket \(socket:\[\d+\]\)},
	epoll    => qr{a set of descriptors to wait for \(epoll\) \(anon_inode:\[eventpoll\]\)},
	eventfd  => qr{a counter of events \(eventfd\) \(anon_inode:\[eventfd\]\)},
	timerfd  => qr{a timer \(timerfd\) \(anon_inode:\[timerfd\]\)},
	signalfd => qr{signals to be read \(signalfd\) \(anon_inode:\[signalfd\]\)},
	inotify  => qr{files that are watched \(inotify\) \(anon_inode:inotify\)},
	memfd    => qr{memory without a name \(memfd\) \(/memfd:name \(deleted\)\)},
	terminal => qr{a terminal \(/dev/(?:pts/)?ptmx\)},
	lost     => qr{a file that no name leads to any more \(\Q$folder\E/lost  \(deleted\)\)},
	replaced => qr{a file that no name leads to any more \(\Q$folder\E/replaced \(deleted\)\)},
	folder   => qr{a folder that no name leads to any more \(\Q$folder\E/lost-folder \(deleted\)\)},
	fifo     => qr{a named pipe \(\Q$folder\E/fifo\)},
	reader   => qr{a pipe to somebody else \(pipe:\[\d+\]\)},
	writer   => qr{a pipe to somebody else \(pipe:\[\d+\]\)},
	packets  => qr{a pipe of packets \(pipe:\[\d+\]\)},
	process  => qr{another process \(pidfd\) \(anon_inode:\[pidfd\]\)},
	queue    => qr{a queue of input and output \(io_uring\) \(anon_inode:\[io_uring\]\)},
	control  => qr{a file opened for control only \(\Q$folder\E/control\)},
	'full-pipes' => qr{a pipe whose contents cannot be copied \(pipe:\[\d+\]\)},
);
# a container, an older kernel, a limit for the pipes of a user
my $may_lack = qr/\A(process|queue|full-pipes) cannot be had here\n\z/;

for my $what (sort keys %refused) {
	my ($status, $said) = run_files("$dir/refused.$what", $folder, 'refused', $what);
	if ($said =~ $may_lack) {
		note $said;
		next;
	}
	is($status >> 8, 2, "$what is refused");
	like($said, qr{\Aimage: take: descriptor \d+ is $refused{$what}, which cannot be brought back\n\z}, '... with a sentence');
}
my ($status, $said) = run_files("$dir/refused.many", $folder, 'refused', 'many');
is($said, "image: take: it has more than 4096 descriptors, or one above 1048575\n", 'so is one descriptor too many');
($status, $said) = run_files("$dir/refused.locks", $folder, 'refused', 'locks');
is($said, "image: take: it has more than 4096 locks on files\n", 'so is one lock too many');
($status, $said) = run_files("$dir/refused.not-for-children", $folder, 'refused', 'not-for-children');
is($said, "image: image: it has memory that no child gets (MADV_DONTFORK)\n", 'so is memory that its writer does not have');
SKIP: {
	skip 'the kernel does not say what timers a process has', 1 if !-e '/proc/self/timers';
	($status, $said) = run_files("$dir/refused.timer", $folder, 'refused', 'timer');
	is($said, "image: take: it has a timer of timer_create, which cannot be brought back\n", 'so is a timer');
}
($status, $said) = run_files("$dir/refused.shared", $folder, 'refused', 'shared');
is($status >> 8, 2, 'so is a file that is mapped to be written');
like($said, qr{\Aimage: image: it has a file mapped shared and writable: \Q$folder\E/shared\n\z}, '... with a sentence');
($status, $said) = run_files("$dir/refused.strange-name", $folder, 'refused', 'strange-name');
is($said, "image: image: it has a file that cannot be found: $folder/two\\012lines\n", 'so is a mapped file whose name is not known');
($status, $said) = run_files("$dir/refused.room", $folder, 'refused', 'room');
is($said, "image: image: the limit of its address space (RLIMIT_AS, ulimit -v) leaves no room for the list of its mappings\n", 'so is a process without room');
File::Copy::cp($program, "$dir/program") or die "$dir/program: $!\n";
chmod 0700, "$dir/program" or die "$dir/program: $!\n";
($status, $said) = run_quiet(qw(setarch -R), "$dir/program", "$dir/refused.lost-program", $folder, 'refused', 'lost-program');
like($said, qr{\Aimage: image: it has the code of FTMPI in a file that was removed or replaced: \Q$dir/program\E\n\z}, 'so is one whose program is gone');

done_testing();

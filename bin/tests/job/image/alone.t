# SPDX-License-Identifier: BSD-3-Clause
#
# A process writes its image, and another process of the same program becomes it: with another environment and
# other arguments, as often as one likes, to the result that it has without. What does not fit is told.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File qw(read_file write_file);
use FTMPI::Test::Job qw(program);
use FTMPI::Test::Process qw(run_quiet);

use constant { STEPS => 400, AT => 250 };
# elf(5)
use constant { PT_LOAD => 1, EXECUTE => 1, WRITE => 2, READ => 4 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-image-XXXXXX', TMPDIR => 1);

# (wait status, what it printed)
sub alone
{
	my ($kind, @words) = @_;
	return run_quiet('setarch', '-R', program("image_alone_$kind"), @words);
}

# What it prints, when all is well.
sub result
{
	my ($status, $said) = alone(@_);
	is($status, 0, "@_: ends") or diag $said;
	return $said;
}

for my $kind (qw(pie fixed static)) {
	if (!eval { program("image_alone_$kind") }) {
		diag "$kind: left out: there is no libc.a to link it with";
		next;
	}
	my $image = "$dir/$kind";
	my $expected = result($kind, STEPS, -1, $image);
	is(result($kind, STEPS, AT, $image), '', "$kind: its image is written");
	for my $words ([], [ 'x' x 5000, 'y' ]) {
		local $ENV{IMAGE_ALONE} = $image;
		local $ENV{MORE} = 'z' x 3000 if @$words;
		is(result($kind, @$words), $expected, "$kind: woken up it ends as it would have");
	}
}

# As a linker makes it that puts all into one part (ld -N): the code may be written.
subtest 'code that may be written' => sub {
	my ($program, $image) = ("$dir/program", "$dir/written");
	my $bytes = read_file(program('image_alone_pie'));
	my ($at, $count) = (unpack('x32 Q<', $bytes), unpack 'x56 S<', $bytes);
	my $parts = 0;
	for my $i (0 .. $count - 1) {
		my $part = $at + 56 * $i;
		next if unpack("x$part a8", $bytes) ne pack 'L<2', PT_LOAD, READ | EXECUTE;
		substr $bytes, $part + 4, 4, pack 'L<', READ | WRITE | EXECUTE;
		$parts++;
	}
	is($parts, 1, 'one part is code');
	write_file($program, $bytes);
	chmod 0700, $program or die "$program: $!\n";
	my @expected = run_quiet(qw(setarch -R), $program, STEPS, -1, $image);
	is($expected[0], 0, 'it ends') or diag $expected[1];
	is_deeply([ run_quiet(qw(setarch -R), $program, STEPS, AT, $image) ], [ 0, '' ], 'its image is written');
	local $ENV{IMAGE_ALONE} = $image;
	is_deeply([ run_quiet(qw(setarch -R), $program) ], \@expected, 'woken up it ends as it would have');
};

subtest 'the process goes on, too' => sub {
	my ($image, $second) = ("$dir/more", "$dir/second");
	my $expected = result('pie', STEPS, -1, $image, 40);
	is(result('pie', STEPS, AT, $image, 40, $second), $expected, 'as if nothing had been');
	cmp_ok(-s $image, '>', 40 << 20, 'its memory is in the image');
	cmp_ok(-s $image, '<', 60 << 20, '... once');
	local $ENV{IMAGE_ALONE} = $image;
	unlink $second;
	is(result('pie'), $expected, 'and the image is right');
	$ENV{IMAGE_ALONE} = $second;
	is(result('pie'), $expected, 'so is one of a process that woke up itself');
};

subtest 'signals, timers, folder, a heap in pieces' => sub {
	my $image = "$dir/state";
	mkdir "$dir/folder" or die "$dir/folder: $!\n";
	my @command = ('setarch', '-R', program('image_state'), $image, "$dir/folder");
	is_deeply([ run_quiet(@command) ], [ 0, "right\n" ], 'its image is written');
	my ($cut, $why) = run_quiet(@command[0 .. 2], "$dir/cut", "$dir/folder", 'cut');
	is($cut >> 8, 2, 'there is none of a heap whose end was unmapped');
	like($why, qr/\(brk\) was unmapped/, '... with the reason');
	local $ENV{IMAGE_ALONE} = $image;
	is_deeply([ run_quiet(@command) ], [ 0, "right\n" ], 'all is as it was');
	rmdir "$dir/folder" or die "$dir/folder: $!\n";
	my ($status, $said) = run_quiet(@command);
	is($status >> 8, 1, 'without its folder it does not begin');
	is($said, "ftmpi: the current folder of the process image is not here\n", '... and says so');
};

subtest 'what does not fit' => sub {
	local $ENV{IMAGE_ALONE} = "$dir/pie";
	my ($status, $said) = alone('fixed');
	is($status >> 8, 2, 'another program is refused');
	like($said, qr{the program is another one than the image's}, '... with a sentence');
	($status, $said) = run_quiet(program('image_alone_pie'));
	is($status >> 8, 2, 'so are addresses that are random') or diag $said;
};

done_testing();

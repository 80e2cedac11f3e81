# SPDX-License-Identifier: BSD-3-Clause
#
# What no image is taken of, and what no image is loaded into: each ends with one sentence that says what differs and
# what to do, and the process has not been touched.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Cwd        ();
use File::Copy ();
use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Image   qw(HEAD ORIGIN PROCESS MAPS PAGES SECTIONS place section replaced);
use FTMPI::Test::Job     qw(program);
use FTMPI::Test::Process qw(run_quiet);

use constant { STEPS => 400, AT => 250 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $folder = File::Temp->newdir('ftmpi-image-XXXXXX', TMPDIR => 1);
my $dir    = Cwd::abs_path("$folder");
my $image  = "$dir/image";

# Runs a kind of program, with the words before it.
sub alone
{
	my ($kind, $before, @words) = @_;
	return run_quiet(@$before, program("image_alone_$kind"), @words);
}

# It ends with status 2 and a sentence that begins with $what and has all of @parts.
sub refused
{
	my ($name, $status, $said, $what, @parts) = @_;
	subtest $name => sub {
		is($status >> 8, 2, 'the status');
		is($status & 255, 0, 'no signal');
		like($said, qr/\Aimage: $what: [^\n]+\n\z/, 'one sentence');
		like($said, $_, 'its part') for @parts;
	};
	return;
}

# A program becomes $from.
sub load
{
	my ($from, $kind, @before) = @_;
	local $ENV{IMAGE_ALONE} = $from;
	return alone($kind, [ 'setarch', '-R', @before ]);
}

# The image, with its bytes changed.
sub changed
{
	my ($change) = @_;
	my $bytes = read_file($image);
	$change->(\$bytes);
	write_file("$dir/changed", $bytes);
	return "$dir/changed";
}

is((alone('pie', [qw(setarch -R)], STEPS, AT, $image))[0], 0, 'an image is taken');
is((load($image, 'pie'))[0], 0, '... and loaded');

my $set = qr/setarch -R/;
refused('none is taken where addresses are random',
	alone('pie', [], STEPS, AT, "$dir/random"), 'prepare', qr/the addresses of this process are random/, $set);
refused('none of a program with a sanitizer',
	alone('sanitized', [qw(setarch -R)], STEPS, AT, "$dir/sanitized"), 'prepare', qr/built with AddressSanitizer/, qr/build the program without/);
ok(!-e "$dir/random" && !-e "$dir/sanitized", '... and there is no file');

{
	local $ENV{IMAGE_ALONE} = $image;
	refused('none is loaded where addresses are random', alone('pie', []), 'load', qr/are random/, $set);
}
refused('nor into a program with a sanitizer', load($image, 'sanitized'), 'load', qr/built with AddressSanitizer/);
refused('nor into one with threads', load($image, 'threaded'), 'load', qr/this process has 2 threads before its main function/, qr/have it not do so/);
refused('nor into another program', load($image, 'fixed'), 'load', qr/the program is another one/, qr/build id [0-9a-f]{8,}, here [0-9a-f]{8,}/);
refused('nor with a small stack', load($image, 'pie', 'sh', '-c', 'ulimit -s 100 && exec "$0" "$@"'),
	'load', qr/the stack of the image has \d+ KiB, and the hard limit here is 100 KiB/, qr/ulimit -s/);
SKIP: {
	my @large = ('sh', '-c', 'ulimit -s 262144 && exec "$0" "$@"');
	my ($status, $said) = run_quiet(@large, 'true');
	skip "a larger stack cannot be had here: $said", 1 if $status;
	refused('nor with a large one', load($image, 'pie', @large), 'load', qr/began with a stack limit of \w+(?: KiB)?, and this one with 262144 KiB/);
}

# ---- libraries and files ----

# In its place under a new name first: the old one may be mapped.
sub put_library
{
	my ($number) = @_;
	File::Copy::copy(program('image_alone_pie') =~ s{bin/[^/]+\z}{lib/image_word_$number.so}r, "$dir/new") or die "image_word_$number.so: $!\n";
	rename "$dir/new", "$dir/word.so" or die "$dir/word.so: $!\n";
	return;
}

my @preload = ('env', "LD_PRELOAD=$dir/word.so");
put_library(1);
write_file("$dir/data", "one\n");
refused('nor with a library more', load($image, 'pie', @preload), 'load', qr{/word\.so is loaded here, and the image has none of it}, qr/LD_PRELOAD/);
{
	local $ENV{IMAGE_DATA} = "$dir/data";
	is((alone('pie', [ qw(setarch -R), @preload ], STEPS, AT, "$dir/with"))[0], 0, 'an image with a library and a file');
}
is((load("$dir/with", 'pie', @preload))[0], 0, '... is loaded');
refused('not without the library', load("$dir/with", 'pie'), 'load', qr/\S+ lies at 0x\w+ to 0x\w+ in the image, and at 0x\w+ to 0x\w+ here/);
put_library(2);
refused('nor with that library built anew', load("$dir/with", 'pie', @preload),
	'load', qr{/word\.so is another one than the image's, or was built anew \(build id \w+, here \w+\): resume with the image's});
put_library(1);
is((load("$dir/with", 'pie', @preload))[0], 0, 'with the old one again');
write_file("$dir/data", "another\n");
refused('nor with other data', load("$dir/with", 'pie', @preload),
	'load', qr{/data was changed since the image was taken \(4 bytes of .* UTC, here 8 bytes of .* UTC\): put the file});
unlink "$dir/data" or die "$dir/data: $!\n";
refused('nor without the data', load("$dir/with", 'pie', @preload), 'load', qr{/data of the image is not here: No such file});

# ---- the file ----

my $size = -s $image;
refused('no image that is shorter', load(changed(sub { substr ${ $_[0] }, -1, 1, '' }), 'pie'),
	'load', qr/the image is cut: its file has ${\($size - 1)} bytes of $size/, qr/use another/);
refused('nor one that ends in its head', load(changed(sub { ${ $_[0] } = substr ${ $_[0] }, 0, HEAD }), 'pie'), 'load', qr/has 4096 bytes of $size/);
refused('nor one that is longer', load(changed(sub { ${ $_[0] } .= 'x' }), 'pie'), 'load', qr/has ${\($size + 1)} bytes, and the image $size/, qr/damaged/);
for my $i (0 .. SECTIONS - 1) {
	my ($at, $length) = place(read_file($image), $i);
	cmp_ok($length, '>', 0, "section $i has bytes");
	my $flip = sub { substr(${ $_[0] }, $at + int $length / 2, 1) ^= "\1" };
	refused("nor one with another bit in section $i", load(changed($flip), 'pie'),
		'load', qr/the checksum of the image's section $i \(\w+\) is [0-9a-f]{16}, and was [0-9a-f]{16}/, qr/use another/);
}

# ---- its tables: other numbers, and a checksum that is right ----

# Section $i with $change made to its bytes.
sub resummed
{
	my ($i, $change) = @_;
	return changed(sub {
		my ($file) = @_;
		my $bytes = section($$file, $i);
		$change->($bytes);
		$$file = replaced($$file, $i, $bytes);
	});
}

# Number $n of 64 bits in section $i, from byte $from.
sub put_number { my ($i, $from, $number) = @_; return resummed($i, sub { substr $_[0], $from, 8, pack 'Q<', $number }) }

my ($kernel) = unpack 'x12 V/a*', substr read_file($image), HEAD, 200;
my $vdso     = 16 + length $kernel;
is((load(resummed(ORIGIN, sub { }), 'pie'))[0], 0, 'checksums are made as they were');
refused('nor one of another machine', load(resummed(ORIGIN, sub { substr $_[0], 0, 4, pack 'V', 183 + 62 - unpack 'V', $_[0] }), 'pie'),
	'load', qr/the image is of machine \d+ \([-\w]+\), and here is \d+ \([-\w]+\)/, qr/resume on a machine/);
refused('nor one of another kernel', load(put_number(ORIGIN, $vdso, 1), 'pie'),
	'load', qr/under the kernel \Q$kernel\E, and here is \Q$kernel\E, .* \(0000000000000001, here [0-9a-f]{16}\)/);
my ($processor) = unpack 'V/a*', substr read_file($image), HEAD + $vdso + 8, 200;
refused('nor one of another processor', load(put_number(ORIGIN, $vdso + 12 + length $processor, 1), 'pie'),
	'load', qr/another processor \(.*, here .*; AT_HWCAP 0x1, here 0x/, qr/the same features/);
refused('nor one that says nothing', load(put_number(ORIGIN, 12, ~0), 'pie'), 'load', qr/does not say what process it is of/);
refused('nor one that goes on nowhere', load(put_number(PROCESS, 16, 8), 'pie'), 'load', qr/goes on at 0x8, which lies in none/);
refused('nor one with a process of another length', load(resummed(PROCESS, sub { $_[0] .= "\0" }), 'pie'), 'load', qr/it is no image that this version knows/);
refused('nor one whose first thread lies elsewhere', load(put_number(PROCESS, 8, 8), 'pie'), 'load', qr/libc keeps its thread's data at another address here/);
refused('nor one with half a page', load(put_number(MAPS, 0, 0x1001), 'pie'), 'load', qr/mapping 1, 0x1001 to 0x\w+ \(.*\), is not made of pages/);
refused('nor one with mappings out of order', load(put_number(MAPS, 8, (1 << 47) - 0x1000), 'pie'), 'load', qr/mapping 2, .* lies over the one before/);
refused('nor one with pages for nothing', load(put_number(PAGES, 0, 0x1000), 'pie'), 'load', qr/bytes of pages for 0x1000, which no mapping/);
refused('nor one with too many pages', load(put_number(PAGES, 8, 1 << 40), 'pie'), 'load', qr/of pages for 0x\w+: it is cut/);

# The mapping of this name in an image whose mappings are $_[0]: where it begins there, as its struct image_region does.
sub mapping_at { my ($maps, $name) = @_; return index($maps, $name) - 64 }

refused('nor one that has something else over the stack', load(resummed(MAPS, sub { substr $_[0], mapping_at($_[0], '[stack]') + 28, 4, pack 'V', 0 }), 'pie'),
	'load', qr/the image has \[stack\] at 0x\w+, where each process begins with \[stack\]/);
refused('nor one that has the pages of another kernel', load(resummed(MAPS, sub { $_[0] =~ s/\[vvar\]/[vxar]/ }), 'pie'),
	'load', qr/the image has \[vxar\] at 0x\w+, and here is \[vvar\] at 0x\w+: another program, library or kernel/);

# Before all others: a struct image_region without a name, left out as the kernel's.
my $of_kernel = pack 'Q<3 V2 v2 V Q<3', 0x10000, 0x20000, 0, 0, 5, (0) x 6;
refused('nor one that has pages of a kernel where there are none', load(resummed(MAPS, sub { substr $_[0], 0, 0, $of_kernel }), 'pie'),
	'load', qr/the image has memory at 0x10000, and here is none/);

done_testing();

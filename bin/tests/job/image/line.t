# SPDX-License-Identifier: BSD-3-Clause
#
# A process image as a recovery line: a child of the process writes it piece by piece, the process commits it, the
# tool reads it, and another process becomes it. What is damaged is refused before anything of it is used;
# a child that dies or fails leaves nothing.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use JSON::PP   ();
use Test::More;

use FTMPI::Test::Job qw(program);
use FTMPI::Test::Process qw(run_quiet);

use constant { STEPS => 400, AT => 250 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-image-line-XXXXXX', TMPDIR => 1);

sub image { return run_quiet('setarch', '-R', program('image_line'), @_) }

# What it prints, when all is well.
sub result
{
	my ($status, $said) = image(@_);
	is($status, 0, "@_: ends") or diag $said;
	return $said;
}

sub tool { return run_quiet(program('ftmpi-ckpt'), @_) }

sub names
{
	my ($session) = @_;
	return join ' ', sort map { s{.*/}{}r } glob "$session/* $session/*/*";
}

sub flip
{
	my ($path, $at) = @_;
	open my $file, '+<:raw', $path or die "$path: $!\n";
	seek $file, $at, 0;
	read $file, my $byte, 1;
	seek $file, -1, 1;
	print $file $byte ^ "\1";
	close $file or die "$path: $!\n";
	return;
}

my $session  = "$dir/session";
my $file     = "$session/line-00000001.e0000/rank-00000.ckpt";
my $expected = result(STEPS, -1, $session);
my @sections;

subtest 'it comes back' => sub {
	is(result(STEPS, AT, $session), '', 'the image is written');
	is(names($session), 'line-00000001.e0000 line-00000001.manifest rank-00000.ckpt', 'it is a line');
	local $ENV{IMAGE_ALONE} = $session;
	is(result(), $expected, 'woken up it ends as it would have');
};

subtest 'the tool reads it' => sub {
	my ($status, $said) = tool('verify', $session);
	is($status, 0, 'verify') or diag $said;
	like($said, qr/^session: line 1 is whole \(1 file, [^,]+, process images\)$/, '... says what it is');
	($status, $said) = tool('show', '-json', $session);
	is($status, 0, 'show') or diag $said;
	my $shown = eval { JSON::PP->new->utf8->decode($said) } // {};
	@sections = @{ $shown->{lines}[0]{files}[0]{sections} };
	is(join(' ', map { $_->{kind} } @sections), 'origin process mappings files pages messages', '... the sections');
	my %section = map { $_->{kind} => $_ } @sections;
	my ($mappings, $pages) = @section{qw(mappings pages)};
	my %of = map { $_->{name} => $_ } @{ $mappings->{mappings} };
	is($of{$_}{mappings}, 1, "... one mapping: $_") for qw(heap stack);
	ok(!$of{shared}, '... that of the writer is not there');
	is(scalar(grep { $_->{name} =~ m{/image_line\z} } @{ $mappings->{mapped_files} }), 1, '... the program');
	cmp_ok($pages->{page_bytes}, '>', 100_000, '... pages');
	cmp_ok($pages->{page_bytes}, '<', $pages->{bytes}, '... and their places');
	is($pages->{bytes}, $pages->{page_bytes} + 16 * ($pages->{runs} + 1), '... and nothing else');
};

subtest 'what is damaged is refused' => sub {
	local $ENV{IMAGE_ALONE} = $session;
	my @damages = map { [ $_->{offset} + $_->{bytes} - 1, qr/section \d \($_->{kind} 0\) is damaged/ ] } @sections;
	for ([ 60, qr/its header is damaged/ ], [ 300, qr/its table of sections is damaged/ ], @damages) {
		my ($at, $words) = @$_;
		flip($file, $at);
		my ($status, $said) = image();
		is($status >> 8, 2, "byte $at changed");
		like($said, qr/^image: open: \Q$file\E: $words$/, '... which is said');
		flip($file, $at);
	}
	is(result(), $expected, 'all is well again');
};

# Another folder each, so that nothing is replaced.
for ([ 'is killed', 'ckpt-write:*:*:2:kill', qr/[0-4] of its 6 sections/ ],
	[ 'meets a full disk', 'ckpt-write:*:*:2:ENOSPC', qr/No space left on device; make room there/ ],
	[ 'cannot flush it', 'ckpt-flush:*:*:1:EIO', qr/Input\/output error/ ]) {
	my ($what, $fault, $words) = @$_;
	my $other = "$dir/" . $what =~ s/ /-/gr;
	local $ENV{FTMPI_FAULT} = $fault;
	my ($status, $said) = image(STEPS, AT, $other);
	is($status >> 8, 2, "one that $what");
	like($said, qr/^image: \w+: .*$words/, '... says so');
	is(names($other), 'line-00000001.e0000', '... and leaves no file');
}

subtest 'the process goes on, too' => sub {
	my ($first, $second) = ("$dir/first", "$dir/second");
	my $whole = result(STEPS, -1, $first, 40);
	is(result(STEPS, AT, $first, 40, $second), $whole, 'as if nothing had been');
	local $ENV{IMAGE_ALONE} = $first;
	unlink "$second/line-00000001.manifest" or die "$second: $!\n";
	is(result(), $whole, 'and the image is right');
	$ENV{IMAGE_ALONE} = $second;
	is(result(), $whole, 'so is one of a process that woke up itself');
};

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Threads of a program stop for an image, in whatever they are just then, and go on; so they do in the process
# that becomes it, as often as one likes. A thread that does not stop is told.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use POSIX qw(mkfifo);
use Test::More;

use FTMPI::Test::Job qw(program);
use FTMPI::Test::Process qw(patience run_quiet);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-image-XXXXXX', TMPDIR => 1);

# a pipe that somebody holds open: who reads from it waits
my $pipe = "$dir/pipe";
mkfifo($pipe, 0600) or die "$pipe: $!\n";
open(my $held, '+<', $pipe) or die "$pipe: $!\n";

# (wait status, what it printed)
sub threads
{
	my ($program, @words) = @_;
	return run_quiet('timeout', '-s', 'KILL', patience(60), 'setarch', '-R', 'sh', '-c', 'exec "$@" <"$0"', $pipe, program($program), @words);
}

# What it prints, when all is well.
sub result
{
	my ($status, $said) = threads(@_);
	is($status, 0, "@_: ends") or diag $said;
	return $said;
}

# What the image prints.
sub woken
{
	my ($program, $image) = @_;
	local $ENV{IMAGE_ALONE} = $image;
	return result($program);
}

for my $by (qw(first other)) {
	subtest "by the $by thread" => sub {
		my ($image, $second) = ("$dir/$by-1", "$dir/$by-2");
		is(result('image_threads', $image, '-', $by), '', 'its image is written');
		my $said = woken('image_threads', $image);
		like($said, qr{\A[0-9a-f]+ [0-9.]+ queue 2 sem 2 futex 1 read 1\n\z},
			'woken up, each thread goes on where it was');
		my ($digest) = $said =~ m{\A(\S+ \S+) };
		unlink $image;

		my $expected = result('image_threads', $image, $second, $by);
		is($expected, "$digest queue 3 sem 2 futex 1 read 1\n", 'the process goes on, too');
		unlink $second;
		is(woken('image_threads', $image), $expected, 'as does the one that woke up, of which another image is taken');
		is(woken('image_threads', $second), $expected, '... from which one wakes up');
	};
}

subtest 'a team of OpenMP' => sub {
	plan skip_all => 'this compiler has no OpenMP' if !eval { program('image_openmp') };
	my $image = "$dir/openmp";
	my $expected = result('image_openmp', $image, 'never');
	for my $policy (qw(active passive)) {
		local $ENV{OMP_WAIT_POLICY} = $policy;
		for my $where (qw(between inside)) {
			is(result('image_openmp', $image, $where), '', "$policy, $where: its image is written");
			is(woken('image_openmp', $image), $expected, '... and it ends as it would have');
			unlink $image;
		}
	}
};

subtest 'one too many where it is loaded' => sub {
	local $ENV{IMAGE_ALONE} = "$dir/first-1";
	local $ENV{TOO_MANY} = 1;
	my ($status, $said) = threads('image_threads');
	is($status >> 8, 2, 'it is refused');
	like($said, qr/\Aimage: load: this process has 2 threads before its main function, /,
		'... with a sentence');
};

is(result('image_waits'), "all waited\n", 'what waits for some time waits on');

my $thread = qr{its thread \d+};
my $signal = 'signal SIGRTMAX - 1, which stops threads for an image';
my %said = (
	blocks => qr{},
	blocks_more => qr{$thread \(stays\) blocks all signals, also libc's own, and does not stop for an image\n},
	waits => qr{},
	small => qr{},
	user => qr{},
	uses => qr{it uses $signal\n},
	ignores => qr{it uses $signal\n},
	later => qr{it uses $signal\n},
	bare => qr{$thread \(bare\) was not made by pthread_create\n},
	sequences => qr{$thread \(stays\) has restartable sequences \(rseq\) that are not glibc's\n},
	vfork => qr{$thread \(vfork\) did not stop in time for an image\n},
	signals => qr{$thread \(stays\) cannot be sent a signal\n},
	linker => qr{a thread is in the dynamic linker \(dlopen\)\n-11\n-11 a thread is in the dynamic linker \(dlopen\)\n},
	ended => qr{$thread \(image_parking\) has ended, the first, and others have not\n},
	more => qr{it has more than 1,024 threads\n-7\n},
	most => qr{0\n},
	two => qr{busy\n},
	churn => qr{300 images\n},
);
for my $how (sort keys %said) {
	like(result('image_parking', $how), qr{\A$said{$how}all go on\n\z}, "$how: it is told, and all go on");
}

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole image jobs, of ranks that make no images: when lines are asked for, and what becomes of them.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::FixedAddresses   ();
use FTMPI::Launcher::Record ();
use FTMPI::Test::Process qw(patience);
use LauncherTest;

my $stack = FTMPI::FixedAddresses::stack_here();
my $why   = FTMPI::FixedAddresses::refuses($stack);
plan skip_all => $why if defined $why;

# A program that has never heard of checkpoints.
my @plain = qw(start program:0 inited);

sub words { my (@words) = @_; return ($^X, $RANK, @plain, @words) }

for my $case ([ 'blocking', [] ], [ 'eventlog', [qw(-coord eventlog)] ]) {
	my ($name, $options) = @$case;
	my $job = ftmpirun([ qw(-image -ckpt-interval 0.05 -vv -n 3), @$options, words(qw(image facts lines:3 finalize)) ]);
	is($job->{status}, 0, "lines by time, $name") or diag $job->{err};
	is(join(' ', $job->{err} =~ /^ftmpirun: line (\d) is committed$/mg), '1 2 3', '... are committed one after the other');
	unlike($job->{err}, qr/no recovery line|has not said/, '... without a complaint');
	is(scalar(() = $job->{out} =~ /^image=1$/mg), 3, '... ranks know that it is an image job');
	like($job->{out}, qr/ settings=(?=.* image=1)(?=.* image-patience=10000)(?=.*ckpt-interval=50)/, '... and how long they have')
		or diag $job->{out};
	unlike($job->{out}, qr/image-keep-files|fixed-addresses/, '... and nothing that does not concern them');
	nobody_left();
}

my $kept = ftmpirun([ qw(-image -image-files keep -image-patience 250ms -ckpt-interval 60 -n 1), words(qw(facts finalize)) ]);
like($kept->{out}, qr/ settings=(?=.* image-keep-files=1)(?=.* image-patience=250)/, 'files are kept, and another patience');
is($kept->{err}, '', '... with nothing to say');

# Asks for a line, again while ftmpirun says that some rank has not come to MPI_Init.
sub asked
{
	my ($job) = @_;
	my $until = time + patience(60);
	while (time < $until) {
		$job->{err} = '';
		kill 'USR2', $job->{pid};
		wait_for($job, 'err', qr/^ftmpirun: [^\n]*(?:SIGUSR2|rank 0 has not said within|no recovery line is made now)[^\n]*\n/) or return 0;
		return 1 if $job->{err} eq "ftmpirun: the recovery line that SIGUSR2 asked for is committed.\n";
		last if $job->{err} =~ /^ftmpirun: the recovery line/;
	}
	diag $job->{err};
	return 0;
}

subtest 'SIGUSR2' => sub {
	my $job = begin([ $FTMPIRUN, qw(-image -n 2), words(qw(lines:2 finalize)) ]);
	wait_for($job, 'err', qr/^ftmpirun: note: -image without -ckpt-interval: [^\n]*SIGUSR2[^\n]*\n/);
	for my $line (1, 2) {
		ok(asked($job), "line $line is made at the user's word, which is told");
	}
	wait_end($job);
	is($job->{status}, 0, '... and no more') or diag $job->{err};
	nobody_left();

	my $go = scratch() . '/heard';
	$job = begin([ $FTMPIRUN, qw(-n 1), words('say:ready', "await:$go", 'finalize') ]);
	wait_for($job, 'out', qr/ready/);
	kill 'USR2', $job->{pid};
	wait_for($job, 'err', qr/^ftmpirun: SIGUSR2 has no effect without -image: [^\n]*\n/);
	open my $file, '>', $go or die "$go: $!\n";
	wait_end($job);
	is($job->{status}, 0, 'it ends no other ftmpirun either') or diag $job->{err};

	# it comes while the script that perl has begun loads its modules
	my $early = scratch() . '/Early.pm';
	open $file, '>', $early or die "$early: $!\n";
	print $file 'package Early; unshift @INC, sub { kill "USR2", $$ if $_[1] eq "POSIX.pm"; return }; 1;';
	close $file or die "$early: $!\n";
	for my $case ([ 'begins with images', ['-image'], qr/has no effect now: / ], [ 'begins', [], qr/has no effect without -image: / ]) {
		my ($what, $options, $sentence) = @$case;
		$job = begin([ $^X, '-I' . scratch(), '-MEarly', $FTMPIRUN, @$options, qw(-n 1), words('finalize') ]);
		wait_end($job);
		is($job->{status}, 0, "nor one that only $what") or diag $job->{err};
		like($job->{err}, qr/^ftmpirun: SIGUSR2 $sentence/m, '... and its sentence comes');
	}
	nobody_left();
};

subtest 'ranks that cannot be held' => sub {
	my $job = ftmpirun([ qw(-image -ckpt-interval 0.05 -n 2),
		words(qw(save 0:held 1:held:descriptor.7.is.a.pipe. save lines:1 finalize)) ]);
	is($job->{status}, 0, 'one says why') or diag $job->{err};
	like($job->{err}, qr/\Aftmpirun: no recovery line is made now: rank 1 on \S+: descriptor\.7\.is\.a\.pipe\.\nftmpirun: recovery lines are made again: line 1 is committed\.\n\z/,
		'... which is told, as is its end');
	is(join('', sort split /^/, $job->{out}), join('', map { "save=0 1 $_\n" } 0, 0, 2, 2), '... and all go on without a line');
	$job = ftmpirun([ qw(-image -image-patience 0.1 -ckpt-interval 0.05 -n 2),
		words(qw(save 0:held save lines:1 finalize)) ]);
	is($job->{status}, 0, 'one does not come') or diag $job->{err};
	like($job->{err}, qr/\Aftmpirun: no recovery line is made now: rank(?: 1 on \S+|s 0-1) did not come to a safe point within 0\.1 s \(-image-patience\)\.\n/,
		'... which is told');
	is(join('', sort split /^/, $job->{out}), join('', map { "save=0 1 $_\n" } 0, 0, 2, 2), '... and all go on');
	nobody_left();
};

subtest 'restarts' => sub {
	my $job = ftmpirun([ qw(-image -ckpt-interval 0.05 -vv -n 2),
		words(qw(@0:save 0:@0:held 1:@0:kill:KILL 0:@0:obey facts lines:2 1:@1:save 1:@1:kill:KILL 0:@1:obey finalize)) ]);
	is($job->{status}, 0, 'a rank dies while the other is held') or diag $job->{err};
	like($job->{err}, qr/^ftmpirun: rank 1 on \S+ was killed by signal 9 \(Killed\); restart 1 of 3 from the beginning\.$/m,
		'... all begin again, though the program makes no checkpoints');
	like($job->{err}, qr/^ftmpirun: rank 1 on \S+ was killed by signal 9 \(Killed\); restart 1 of 3 from line 2\.$/m,
		'... and from a line when there is one');
	like($job->{out}, qr/^epoch=2 (?=.* image=1).* committed=2$/m, '... as the ranks are told');
	nobody_left();
};

subtest '-restore of lines of another kind' => sub {
	plan skip_all => 'FTMPI_PROGRAMS does not name built programs' if !$ENV{FTMPI_PROGRAMS};
	for my $case ([ 'images', [], "holds images of the ranks' processes: add -image to go on from it" ],
		[ 'data', ['-image'], 'holds data that the program has saved, and no images of processes: leave -image out to go on from it' ]) {
		my ($kind, $options, $sentence) = @$case;
		my ($work, $session) = (scratch() . "/$kind", '20261121-203610-1a2b3c4d');
		{
			mkdir $work or die "mkdir: $!\n";
			local $ENV{CKPT_LINE_IMAGE} = '';
			delete $ENV{CKPT_LINE_IMAGE} if $kind eq 'data';
			is(system("$ENV{FTMPI_PROGRAMS}/ckpt_line", "$work/$session", 3, 0, 2), 0, "a line of $kind");
		}
		my $job = ftmpirun([ @$options, '-workdir', $work, qw(-n 2 -restore), words(qw(say:began finalize)) ]);
		is($job->{status}, 1, '... is refused');
		is($job->{err}, "ftmpirun: -restore: line 3 of session $session $sentence\n", '... with a sentence');
		is($job->{out}, '', '... before anything runs');
	}
};

subtest '-restore with other arguments' => sub {
	plan skip_all => 'FTMPI_PROGRAMS does not name built programs' if !$ENV{FTMPI_PROGRAMS};
	my ($work, $session) = (scratch() . '/arguments', '20261121-203610-1a2b3c4d');
	mkdir $work or die "mkdir: $!\n";
	{
		local $ENV{CKPT_LINE_IMAGE} = '';
		is(system("$ENV{FTMPI_PROGRAMS}/ckpt_line", "$work/$session", 3, 0, 1), 0, 'a line');
	}
	FTMPI::Launcher::Record::save("$work/$session", { ranks => 1, began => 1000, parts => [ [ 1, 'program', qw(-steps 7) ] ] });
	my $go  = scratch() . '/go';
	my $job = begin([ $FTMPIRUN, qw(-vv -image -ckpt-interval 60 -workdir), $work, qw(-n 1 -restore),
		$^X, $RANK, 'start', "restored:3,$session", qw(program:0 inited say:ready), "await:$go", qw(line:4 finalize) ]);
	wait_for($job, 'out', qr/ready/);
	my ($new) = $job->{err} =~ /session (\S+): 1 rank/ or diag $job->{err};
	mkdir "$work/$new" or die "mkdir: $!\n";
	open my $file, '>', $go or die "$go: $!\n";
	wait_end($job);
	is($job->{status}, 0, 'it goes on') or diag $job->{err};
	like($job->{err}, qr/^ftmpirun: note: the arguments are those of the image \(-steps 7\); those given now have no effect\.$/m, '... with a note, once');
	my @words = @{ FTMPI::Launcher::Record::load("$work/$new")->{parts}[0] };
	is("@words[ 0, 2 .. $#words ]", '1 -steps 7', '... and the arguments of the image are in the record of the new job');

	# ranks that cannot go on from that line take another's, and of its arguments nothing is known
	my $other = '20261121-203610-1a2b3c4e';
	$job = ftmpirun([ qw(-image -ckpt-interval 60 -workdir), $work, qw(-n 1), "-restore=$session", $^X, $RANK, 'start', "restored:9,$other",
			qw(program:0 inited finalize) ]);
	is($job->{status}, 0, 'ranks that go on from a line of another session') or diag $job->{err};
	unlike($job->{err}, qr/arguments are those/, '... and not a word of the arguments of the first');
};

# Rank 0 goes on behind what it had read when the line was made, however much it has read since.
subtest 'standard input' => sub {
	# the next SAVE comes when ftmpirun has heard of the first line
	my $go  = scratch() . '/read';
	my $job = ftmpirun([ qw(-image -ckpt-interval 0.05 -n 2), $^X, $RANK, qw(start program:0 0:@1:restored:1 0:@1:has_read:0,5 inited 0:@0:take:5 @0:lines:1),
				qw(0:@0:save 0:@0:take:3), "0:\@0:touch:$go",
				'0:@0:obey', "1:\@0:await:$go", qw(1:@0:kill:KILL 0:@1:input finalize) ], stdin => 'some words');
	is($job->{status}, 0, 'a restart from a line') or diag $job->{err};
	is($job->{out} =~ s/^save=.*\n//mgr, "took=some ;\ntook=wor;\ninput=words;\n", 'rank 0 reads on');
	unlike($job->{err}, qr/not known/, '... which is certain');
	nobody_left();
};

done_testing;

# SPDX-License-Identifier: BSD-3-Clause
#
# A line that is asked for (SIGUSR2) is made wherever the program is, in MPI or outside, and the program comes back to
# that place.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Copy qw(copy);
use File::Temp ();
use Test::More;

use FTMPI::Test::AskedLine qw(make_line);
use FTMPI::Test::File qw(read_file);
use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

# A pattern that skips what was said has a limit.
use constant { RANKS => 3, ERR_MAX => 60_000 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-places-XXXXXX', TMPDIR => 1);

# The pids of rank 0, the latest last.
sub pids { return $_[0]{err} =~ /^ftmpirun: rank 0 on \S+ is process (\d+)$/gm }

for my $coord (qw(blocking eventlog)) {
	for my $place (qw(compute sleep select join read receive alarm malloc poll small-stack locked log)) {
		subtest "$coord, $place" => sub {
			my $over = "$dir/over-$coord-$place";
			my $job  = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, '-image', '-coord', $coord,
				'-workdir', "$dir", program('places'), $place, $over ]);
			ok($job->wait_for(out => qr/^places: rank 0 is there$/m), 'rank 0 is there');
			ok(make_line($job), 'a line is made');
			my ($pid) = pids($job);
			kill 'KILL', $pid;
			ok($job->wait_for(err => qr/^ftmpirun: all 3 ranks run again/m), 'all go on');
			open(my $file, '>', $over) or die "$over: $!\n";
			close($file);
			$job->finish;
			$job->is_status(0, 'the end');
			$job->out_like(qr/^places: right, $place$/m, '... is right');
			unlike($job->{out}, qr/is there\n.*is there\n/s, '... and it did not begin again');
			$job->none_left($place);
		};
	}
}

# A program may have any name: its threads have that, too.
subtest 'named as the library names its threads' => sub {
	my ($over, $named) = ("$dir/over-named", "$dir/ftmpi-places");
	copy(program('places'), $named) && chmod 0700, $named or die "$named: $!\n";
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, '-image', '-workdir', "$dir", $named, 'compute', $over ]);
	ok($job->wait_for(out => qr/^places: rank 0 is there$/m), 'rank 0 is there');
	ok(make_line($job), 'a line is made while it computes');
	open(my $file, '>', $over) or die "$over: $!\n";
	close($file);
	$job->finish;
	$job->is_status(0, 'the end');
};

# What a rank printed before the line to a file to which its shell appends is there at the end.
subtest 'a shell appends' => sub {
	my ($over, $out) = map { "$dir/$_-appended" } qw(over out);
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, '-image', '-workdir', "$dir",
		'sh', '-c', 'exec "$0" compute "$1" >>"$2.$FTMPI_RANK"', program('places'), $over, $out ]);
	$job->take(time + 0.01) while !-s "$out.0" && %{ $job->{open} } && time < $job->{until};
	ok(make_line($job), 'a line is made');
	my ($pid) = pids($job);
	kill 'KILL', $pid;
	ok($job->wait_for(err => qr/^ftmpirun: all 3 ranks run again/m), 'all go on');
	open(my $file, '>', $over) or die "$over: $!\n";
	close($file);
	$job->finish;
	$job->is_status(0, 'the end');
	is(read_file("$out.0"), "places: rank 0 is there\nplaces: right, compute\n", 'what was printed before the line, and after it');
};

# One that is linked statically is saved in MPI calls alone.
sub start_static
{
	my ($coord, $place, $over, @options) = @_;
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', 1, '-image', '-coord', $coord, '-workdir', "$dir", @options,
		program('places_static'), $place, $over ]);
	ok($job->wait_for(out => qr/^places: rank 0 is there$/m), 'rank 0 is there');
	return $job;
}

sub ends_static
{
	my ($job, $place, $over) = @_;
	open(my $file, '>', $over) or die "$over: $!\n";
	close($file);
	$job->finish;
	$job->is_status(0, 'the end');
	$job->out_like(qr/^places: right, $place$/m, '... is right');
	return $job->none_left($place);
}

for my $coord (qw(blocking eventlog)) {
	next if !eval { program('places_static') };
	subtest "$coord, compute, static" => sub {
		my $over = "$dir/over-$coord-static";
		my $job  = start_static($coord, 'compute', $over, qw(-image-patience 0.1));
		my $late = qr/did not come to a safe point within 0\.1 s|came to no safe point/;
		while (time < $job->{until} && length $job->err < ERR_MAX) {
			$job->signal('USR2');
			my $seen = length $job->err;
			last if !$job->wait_for(err => qr/$late|\A.{$seen}.*SIGUSR2 has no effect now/s) || $job->err =~ $late;
		}
		$job->err_like($late, 'while it computes it cannot be saved');
		unlike($job->err, qr/line 1 is committed/, '... and there is no line');
		ends_static($job, 'compute', $over);
	};
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# Images of processes beside the same by calls: the same program and options, with -image and without, in pairs of jobs.
package FTMPI::Bench::Images;

use strict;
use warnings;

use File::Glob qw(bsd_glob);
use File::Temp ();

use FTMPI::Bench::Cases   ();
use FTMPI::Bench::Gaps    ();
use FTMPI::Bench::Pairs   ();
use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();
use FTMPI::Bench::Strikes ();
use FTMPI::Bench::Watch   ();

# INTERVAL: seconds between lines. FULL, SPARSE: how many tenths of the bytes are not zero, for stalls and for sizes.
use constant { INTERVAL => 0.5, FULL => 10, SPARSE => 1, MIB => 1 << 20 };

my @OPTIONS = ('-image');

# The functions below take peer: ours; dir, limit; what, bytes, ranks; and die with a sentence.

# exe: of gaps.c; coord; times: lines of a job; rounds: pairs of jobs. Returns milliseconds, a value a line.
sub stalls
{
	my (%arg) = @_;
	return FTMPI::Bench::Pairs::of($arg{rounds}, \@OPTIONS, sub {
		my (undef, @ms) = _lines(\%arg, $arg{times}, FULL, '-coord', $arg{coord}, '-keep', 1, @_);
		return @ms;
	});
}

# exe: of gaps.c. Returns MiB of rank 0's file in a line; one pair, as others would be the same.
sub sizes
{
	my (%arg) = @_;
	return FTMPI::Bench::Pairs::of(1, \@OPTIONS, sub {
		my ($work) = _lines(\%arg, 1, SPARSE, @_);
		my @files = bsd_glob("$work/*/line-*/rank-00000.ckpt") or die "$arg{what}: no file of rank 0 is there\n";
		return sprintf('%.2f', (-s $files[-1]) / MIB) + 0;
	});
}

# Follows a job of gaps.c until so many lines are made after the first, which does not count: a copy
# goes to fresh memory then. Returns the work directory, which lasts as long as that value, and
# the longest gap of each of these lines.
sub _lines
{
	my ($arg, $count, $tenths, @options) = @_;
	my $peer  = $arg->{peer};
	my $work  = File::Temp->newdir('images-XXXXXX', DIR => $arg->{dir});
	my $gaps  = FTMPI::Bench::Gaps->new;
	my $watch = FTMPI::Bench::Watch->new(
		command => [ $peer->{run}[0], '-vv', @options, '-ckpt-interval', INTERVAL, '-workdir', "$work", '-n', $arg->{ranks},
			$arg->{exe}, $arg->{bytes}, $tenths ],
		env   => FTMPI::Bench::Peers::environment($peer),
		dir   => $arg->{dir},
		limit => $arg->{limit},
	);
	my $done = eval {
		for my $line (0 .. $count) {
			$watch->follow("$arg->{what}, line $line", sub { $gaps->see($_[1]) }, sub { $gaps->ms > $line });
		}
		1;
	};
	my $why = $@;
	$watch->stop;    # what still runs would write into the folder while it is removed
	die $why if !$done;
	my (undef, @ms) = $gaps->ms;
	return ($work, @ms);
}

# exe: of struck.c; times: kills of a job; rounds: pairs of jobs. Returns trials.
sub trials
{
	my (%arg) = @_;
	return FTMPI::Bench::Pairs::of($arg{rounds}, \@OPTIONS, sub {
		my $work = File::Temp->newdir('images-XXXXXX', DIR => $arg{dir});
		my @options = @_;
		my @trials  = eval {
			FTMPI::Bench::Strikes::on_this_host(%arg, dir => "$work", fault => 'killed', count => $arg{times}, options => \@options);
		};
		my $why = $@;
		FTMPI::Bench::Process::stop();
		die $why if !@trials;
		return @trials;
	});
}

# kernel: of mpibench; count: pairs of jobs, without lines. Returns milliseconds.
sub costs
{
	my (%arg) = @_;
	my %job = (%arg, operation => $arg{kernel}, transport => 'default', seconds => FTMPI::Bench::Cases::SECONDS);
	return FTMPI::Bench::Pairs::of($arg{count}, \@OPTIONS, sub { FTMPI::Bench::Pairs::figure(\%job, @_) });
}

# What is said of costs besides the table.
sub note
{
	my ($row) = @_;
	return FTMPI::Bench::Pairs::note($row->{what}, $row, 'pairs of jobs with -image and without');
}

1;

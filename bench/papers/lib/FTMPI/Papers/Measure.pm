# SPDX-License-Identifier: BSD-3-Clause
#
# The programs in turns: in each round every mode of a case once, forwards and backwards by turns, so
# that what drifts does not count.
package FTMPI::Papers::Measure;

use strict;
use warnings;

use File::Find ();
use File::Path ();

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();
use FTMPI::Papers::Cases  ();

# root, dir, limit, rounds; case. Returns { runs => { mode => [run a round] }, bytes (of a line) }; dies
# with a sentence.
sub measure
{
	my (%arg) = @_;
	my $got   = { case => $arg{case}, runs => {} };
	my @modes = FTMPI::Papers::Cases::modes($arg{case});
	for my $round (1 .. $arg{rounds}) {
		for my $mode ($round % 2 ? @modes : reverse @modes) {
			my $run = _run(\%arg, $mode, $got);
			push @{ $got->{runs}{ $mode->{name} } }, $run;
		}
	}
	return $got;
}

sub _run
{
	my ($arg, $mode, $got) = @_;
	my $work = "$arg->{dir}/work";
	my $case = $arg->{case};
	my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all($arg->{root});
	my $done = FTMPI::Bench::Process::run(
		command => [ $ours->{run}[0], FTMPI::Papers::Cases::words($case, $mode, $work, "$arg->{root}/build/bin") ],
		env     => FTMPI::Bench::Peers::environment($ours),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "$case->{id}, $mode->{name}: $done->{why}\n" if $done->{state} ne 'ended';
	my $run = parsed($case->{program}, @{ $done->{out} })
		// die "$case->{id}, $mode->{name}: it printed no times\n";
	$got->{bytes} //= _line_bytes($case, $work) if $mode->{lines};
	$got->{said}  //= $run->{said};
	die "$case->{id}, $mode->{name}: the answer is '$run->{said}', and was '$got->{said}'\n" if $run->{said} ne $got->{said};
	File::Path::remove_tree($work);
	return $run;
}

# From the lines of a program; undef when they are not there.
sub parsed
{
	my ($program, @lines) = @_;
	my $number = qr/\d+\.\d+/;
	my ($said) = map { /^\Q$program\E: right, (.*)\z/ ? $1 : () } @lines;
	my %run = (said => $said);
	for (@lines) {
		my ($what, $total, $pieces) = /^\Q$program\E: (wall|cpu) ($number) s, pieces((?: $number)+)\z/ or next;
		$run{$what} = { total => $total + 0, pieces => [ map { $_ + 0 } split ' ', $pieces ] };
	}
	return $run{said} && $run{wall} && $run{cpu} ? \%run : undef;
}

# Of all ranks together. A run that should have made lines and has not is no measurement.
sub _line_bytes
{
	my ($case, $work) = @_;
	my ($bytes, $lines) = (0, 0);
	File::Find::find(sub { $lines++ if /\.manifest\z/; $bytes += -s $_ if -f $_ }, $work) if -d $work;
	die "$case->{id}: no line was committed in checkpoint mode\n" if !$lines;
	return $bytes / $lines;
}

1;

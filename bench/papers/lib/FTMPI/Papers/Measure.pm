# SPDX-License-Identifier: BSD-3-Clause
#
# The programs in turns: in each round a case is started once in every mode, all at once, and they run by
# turns, a piece each.
package FTMPI::Papers::Measure;

use strict;
use warnings;

use File::Find ();
use File::Path ();
use POSIX      ();

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();
use FTMPI::Papers::Cases  ();

# root, dir, limit, rounds; case. Returns { case, runs => { mode => [run a round] }, bytes (of a line) };
# dies with a sentence.
sub measure
{
	my (%arg) = @_;
	my $got = { case => $arg{case}, runs => {} };
	_round(\%arg, $got) for 1 .. $arg{rounds};
	return $got;
}

sub _round
{
	my ($arg, $got) = @_;
	my $case  = $arg->{case};
	my @modes = FTMPI::Papers::Cases::modes($case);
	my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all($arg->{root});
	my $turns = "$arg->{dir}/turns";
	mkdir $turns or die "cannot make $turns: $!\n";
	POSIX::mkfifo("$turns/pipe.$_", 0600) or die "cannot make a pipe: $!\n" for 0 .. $#modes;
	my $done = FTMPI::Bench::Process::run(
		command => [ 'sh', '-c', _script($arg, $ours->{run}[0], $turns, @modes) ],
		env     => FTMPI::Bench::Peers::environment($ours),
		dir     => $turns,
		limit   => $arg->{limit},
	);
	die "$case->{id}: $done->{why}\n" if $done->{state} ne 'ended';
	push @{ $got->{runs}{ $_->{name} } }, _run($case, $_, $turns, $got) for @modes;
	File::Path::remove_tree($turns);
	return;
}

# All jobs; the word that goes round is with the first of them. When one fails the others would wait for
# ever.
sub _script
{
	my ($arg, $ftmpirun, $turns, @modes) = @_;
	my $text = "exec 9<>pipe.0; printf t >&9\n";
	for my $i (0 .. $#modes) {
		my $name  = $modes[$i]{name};
		my @words = FTMPI::Papers::Cases::words($arg->{case}, $modes[$i],
			bin  => "$arg->{root}/build/bin",
			work => "$turns/work.$name",
			from => "$turns/pipe.$i",
			to   => "$turns/pipe." . ($i + 1) % @modes,
		);
		$text .= join(' ', map { "'" . s/'/'\\''/gr . "'" } $ftmpirun, @words)
			. " >out.$name 2>err.$name 9>&- || { cat err.$name >&2; kill -s TERM 0; } &\n";
	}
	return "${text}wait\n";
}

sub _run
{
	my ($case, $mode, $turns, $got) = @_;
	my $what = "$case->{id}, $mode->{name}";
	open my $in, '<', "$turns/out.$mode->{name}" or die "$what: no output: $!\n";
	chomp(my @lines = <$in>);
	my $run = parsed($case->{program}, @lines) // die "$what: it printed no times\n";
	$got->{bytes} //= _line_bytes($case, "$turns/work.$mode->{name}") if $mode->{lines};
	$got->{said}  //= $run->{said};
	die "$what: the answer is '$run->{said}', and was '$got->{said}'\n" if $run->{said} ne $got->{said};
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

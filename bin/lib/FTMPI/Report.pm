# SPDX-License-Identifier: BSD-3-Clause
#
# What a job has done, from what it has left: ftmpi-report(1). The record is read and checked (FTMPI::Report::Events), told as the course of the job (FTMPI::Report::Course) and its costs
# (FTMPI::Report::Facts), and written as a page (FTMPI::Report::Html, FTMPI::Report::Svg) or as text (FTMPI::Report::Text).
package FTMPI::Report;

use strict;
use warnings;

use FTMPI::Error           ();
use FTMPI::Report::Chain   ();
use FTMPI::Report::Course  ();
use FTMPI::Report::Disk    ();
use FTMPI::Report::Events  ();
use FTMPI::Report::Facts   ();
use FTMPI::Report::Options ();
use FTMPI::Report::Traffic ();
use FTMPI::Version         ();

# The exit status with these words.
sub main
{
	my (@words) = @_;
	my $status = eval { _run(@words) };
	return $status if defined $status;
	die $@ if ref $@ ne 'FTMPI::Error';
	print STDERR 'ftmpi-report: ' . $@->text . "\n";
	return $@->status;
}

sub _run
{
	my (@words) = @_;
	my $chosen = FTMPI::Report::Options::parse(@words);
	return _print(FTMPI::Report::Options::help()) if $chosen->{h};
	return _print('ftmpi-report ' . FTMPI::Version::NUMBER . "\n") if $chosen->{version};
	if ($chosen->{man}) {
		require FTMPI::Report::Manual;
		return _print(FTMPI::Report::Manual::page());
	}
	my $report = gathered($chosen, time);
	my $text   = $chosen->{text} ? _text($report) : _html($report);
	utf8::encode($text);
	my $path = $chosen->{o} // ($chosen->{text} ? '-' : "report-$report->{session}.html");
	return _print($text) if $path eq '-';
	_save($path, $text);
	return _print("$path: session $report->{session}, " . FTMPI::Report::Facts::state_words($report->{state}, $report->{course}) . "\n");
}

sub _text { require FTMPI::Report::Text; return FTMPI::Report::Text::page(@_) }
sub _html { require FTMPI::Report::Html; return FTMPI::Report::Html::page(@_) }

# All that a page is made from.
sub gathered
{
	my ($chosen, $now) = @_;
	my ($workdir, $session) = FTMPI::Report::Chain::choose($chosen->{path}, $chosen->{session});
	my $folder = "$workdir/$session";
	my ($record, $why) = FTMPI::Report::Events::load($folder);
	FTMPI::Error::failed("session $session has no run record: $why; ftmpirun -record keeps one from the beginning of a job") if !$record;
	my $course = FTMPI::Report::Course::of($record->{events});
	FTMPI::Error::failed("$record->{path}: none of its " . FTMPI::Report::Facts::count($record->{lines}, 'line') . ' tells of the start of a job' . (%{ $record->{left_out} } ? ' (' . (sort keys %{ $record->{left_out} })[0] . ')' : ''))
		if !@{ $course->{runs} };
	my $state = FTMPI::Report::Chain::state($course, $folder);
	$course = FTMPI::Report::Course::of($record->{events}, $now) if $state eq 'running';
	return {
		workdir => $workdir, session => $session, record => $record, course => $course, state => $state, now => $now, verified => $chosen->{verify},
		costs => $course->costs, traffic => FTMPI::Report::Traffic::of($course), interval => FTMPI::Report::Facts::interval($course, $chosen->{mtbf}), disk => FTMPI::Report::Disk::of($workdir, $session, $chosen->{verify}), chain => FTMPI::Report::Chain::of($workdir, $session),
	};
}

sub _print
{
	my ($text) = @_;
	binmode STDOUT;
	return 0 if print(STDOUT $text) && close STDOUT;
	FTMPI::Error::failed("cannot write to standard output: $!");
	return;
}

# The file is there as a whole, or as it was. What is no regular file is written to as it is.
sub _save
{
	my ($path, $text) = @_;
	my $tmp = -e $path && !-f _ ? $path : "$path.$$.tmp";
	my $is_well = open my $file, '>:raw', $tmp;
	$is_well &&= print($file $text) && close $file;
	my $why = "$!";
	if ($is_well && $tmp ne $path) {
		$is_well = rename $tmp, $path;
		$why = "$!";
	}
	return if $is_well;
	unlink $tmp if $tmp ne $path;
	FTMPI::Error::failed("cannot write " . FTMPI::Error::clean($path) . ": $why");
	return;
}

1;

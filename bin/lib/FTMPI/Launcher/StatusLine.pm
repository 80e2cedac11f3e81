# SPDX-License-Identifier: BSD-3-Clause
#
# A job's state as one line for people: for -progress and ftmpi-top. Pure.
package FTMPI::Launcher::StatusLine;

use strict;
use warnings;

use FTMPI::Amounts  ();
use FTMPI::Error    ();
use FTMPI::Terminal ();

sub _count { my ($n, $what) = @_; return "$n $what" . ($n == 1 ? '' : 's') }

# How far the program says that it is, or nothing.
sub progress
{
	my ($s) = @_;
	return if !defined $s->{fraction};
	my $text = FTMPI::Error::clean($s->{text} // '');
	return sprintf('%.0f %%', 100 * $s->{fraction}) . (length $text ? " $text" : '');
}

# The last line, or checkpoint of a rank, or that there is none yet.
sub line
{
	my ($s) = @_;
	my $line = $s->{line} // return;
	my $what = $s->{checkpoints} ? _count($s->{checkpoints}, 'checkpoint') . ', the last' : "line $line->{number}";
	return "$what " . FTMPI::Amounts::duration($line->{age}) . ' ago' . (defined $line->{bytes} ? ' (' . FTMPI::Amounts::bytes($line->{bytes}) . ')' : '');
}

# The parts of the line. state: as FTMPI::Launcher::Overview shows it.
sub words
{
	my ($s) = @_;
	my @words = (FTMPI::Amounts::duration($s->{seconds}));
	push @words, $s->{state} if $s->{state} ne 'running';
	push @words, progress($s) // ();
	push @words, "$s->{alive}/$s->{ranks} ranks on " . _count($s->{hosts}, 'host');
	push @words, line($s) // ();
	push @words, 'lines cost ' . FTMPI::Amounts::percent($s->{cost}) if $s->{line};
	push @words, _count($s->{restarts}, 'restart') if $s->{restarts};
	push @words, 'logs ' . FTMPI::Amounts::bytes($s->{logs}) if defined $s->{logs};
	return @words;
}

# columns: of the terminal.
sub text
{
	my ($s, $columns) = @_;
	my $text = join ', ', words($s);
	return defined $columns ? FTMPI::Terminal::fitted($text, $columns) : $text;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The command line of ftmpi-report: one table, from which -h and the manual page are made. Pure.
package FTMPI::Report::Options;

use strict;
use warnings;

use FTMPI::Cli::Values ();
use FTMPI::Error       ();

# names; takes: what it wants behind it, or undef; text.
our @OPTIONS = (
	{ names => ['o'], takes => 'FILE', text => 'where the report goes; - is standard output. Default: report-SESSION.html in the current folder, and standard output for -text' },
	{ names => ['text'], text => 'for a terminal of 80 columns, in place of a page' },
	{ names => ['mtbf'], takes => 'TIME', text => 'mean time between failures with which the best interval is reckoned, in place of the one that was seen: 90, 12h, 7d' },
	{ names => ['verify'], text => 'read all files of the lines that are there, and say which are whole; this takes as long as reading them takes' },
	{ names => ['session'], takes => 'S', text => 'this session of the work directory' },
	{ names => [qw(h help)], text => 'print this list' },
	{ names => ['man'], text => 'print the manual page' },
	{ names => ['version'], text => 'print the version' },
);

use constant USAGE => 'ftmpi-report WORKDIR[/SESSION] [-o FILE] [-text] [-mtbf TIME] [-verify]';

my %KNOWN = map { my $option = $_; map { $_ => $option } @{ $option->{names} } } @OPTIONS;

# Returns a hash: path, and each option by its first name.
sub parse
{
	my (@words) = @_;
	my %chosen;
	while (@words) {
		my $word = shift @words;
		if ($word !~ /^--?(.+)\z/s) {
			FTMPI::Error::usage(FTMPI::Error::clean($word) . ': one work directory at a time') if defined $chosen{path};
			$chosen{path} = $word;
			next;
		}
		my $option = $KNOWN{$1} or FTMPI::Error::usage('unknown option ' . FTMPI::Error::clean($word) . '; ftmpi-report -h lists them');
		my $value = 1;
		if ($option->{takes}) {
			FTMPI::Error::usage("$word needs a $option->{takes} behind it") if !@words;
			$value = shift @words;
		}
		$chosen{ $option->{names}[0] } = $value;
	}
	_check(\%chosen) if !grep { $chosen{$_} } qw(h man version);
	return \%chosen;
}

sub _check
{
	my ($chosen) = @_;
	my $wrong = sub { my ($name, $text) = @_; FTMPI::Error::usage("-$name " . FTMPI::Error::clean($chosen->{$name}) . ": $text") };
	FTMPI::Error::usage('of what? give a work directory, or a session in it; ftmpi-report -h tells more') if !length($chosen->{path} // '');
	$wrong->('session', 'give the name of a session, as ftmpi-ckpt list has it') if defined $chosen->{session} && !FTMPI::Cli::Values::is_session($chosen->{session});
	$wrong->('o', 'give the name of a file') if defined $chosen->{o} && !length $chosen->{o};
	if (defined $chosen->{mtbf}) {
		my $seconds = FTMPI::Cli::Values::duration($chosen->{mtbf}, 1);
		$wrong->('mtbf', 'give a time, such as 90, 1.5h or 7d') if !defined $seconds || $seconds > 1e10;
		$chosen->{mtbf} = $seconds;
	}
	return;
}

# Text in lines of so many columns.
sub wrapped
{
	my ($text, $columns) = @_;
	my @lines = ('');
	for my $word (split ' ', $text) {
		push @lines, '' if length $lines[-1] && length($lines[-1]) + 1 + length $word > $columns;
		$lines[-1] .= (length $lines[-1] ? ' ' : '') . $word;
	}
	return @lines;
}

sub help
{
	my $text = 'usage: ' . USAGE . "\n\nWhat a job has done, from its run record and its recovery lines, as a page for a browser.\n\n";
	for my $option (@OPTIONS) {
		my $names = join(', ', map { "-$_" } @{ $option->{names} }) . ($option->{takes} ? " $option->{takes}" : '');
		my ($first, @more) = wrapped($option->{text}, 62);
		$text .= sprintf "  %-13s  %s\n", $names, $first;
		$text .= ' ' x 17 . "$_\n" for @more;
	}
	return "$text\nExit status: 0 the report is written, 1 there is no record that can be read, or the\nreport cannot be written, 2 the command line is wrong.\n";
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Cli::Options, which an ordinary start does without (FTMPI::Later): what command lines seldom are: other spellings, several
# parts, -help, and what is wrong with one.
package FTMPI::Cli::Options;

use strict;
use warnings;

use FTMPI::Cli::Options ();
use FTMPI::Cli::Values  ();
use FTMPI::Error        ();

# The same of a launcher that knows the second spelling only.
sub parse_plain
{
	return _parse(sub {
		my ($got, $words) = @_;
		return if defined $got->{ppn};
		_refuse_misplaced($words);
		_refuse('-n N is not given');
	}, @_);
}

# The same inside the job of a batch system, which may give hosts and the number of ranks: n is left out then.
sub parse_in_job
{
	my ($is_plain, @words) = @_;
	return _parse(sub {
		my ($got, $words, $untouched) = @_;
		_positional($got, $words) if !$is_plain && _is_positional($got, $words, $untouched);
	}, @words);
}

# MACHINEFILE N WORKDIR PROG are four words without an option between them, the second a number.
sub _is_positional
{
	my ($got, $words, $untouched) = @_;
	return !$untouched && @$words >= 4 && $words->[1] =~ /^[0-9]+\z/ && !_names_hosts($got);
}

sub _names_hosts { my ($got) = @_; return $got->{host} || defined $got->{machinefile} || defined $got->{workdir} }

# What -configfile takes the place of is not on the command line, too.
sub _without_program
{
	my ($got, $untouched, @words) = @_;
	_refuse('-configfile FILE takes the place of a program: leave out ' . FTMPI::Error::clean($words[0] // '--')) if @words || $untouched;
	for my $option (grep { defined $got->{$_} } qw(n x wdir)) {
		_refuse("-$option goes into the file of -configfile: each line has options of its own (for all of them there is -genv)");
	}
	return $got;
}

# The parts that the file of -configfile has, with what was parsed already: [number of the line, its words] each.
sub parse_lines
{
	my ($got, @lines) = @_;
	my @parts;
	for my $line (@lines) {
		my ($number, @words) = @$line;
		my $part = eval { my $its = _part(\@words, ''); _refuse('no program is named') if !@{ $its->{prog} }; $its };
		FTMPI::Error::usage('the file ' . FTMPI::Error::clean($got->{configfile}) . ", line $number: " . (ref $@ ? $@->text : die $@)) if !$part;
		push @parts, $part;
	}
	_refuse('the file ' . FTMPI::Error::clean($got->{configfile}) . ' names no program') if !@parts;
	my ($first, @more) = @parts;
	my %all = (%$got, %$first);
	$all{more} = \@more if @more;
	_check_sum(\%all);
	return _finished(\%all, 0, @{ $first->{prog} });
}

# A ":" that begins another part, of a job whose number of ranks is not given, would be an argument.
sub _refuse_parts
{
	my (@words) = @_;
	for my $i (grep { $words[$_] eq ':' } 1 .. $#words - 1) {
		_refuse('-n N is not given before the first program, and a ":" begins another one; if it is an argument, write -- before the program')
			if $words[ $i + 1 ] =~ /^--?np?\z/;
	}
	return;
}

# A command without -n N before the program, and no command of the first spelling either.
sub _refuse_misplaced
{
	my ($words) = @_;
	my ($first, $second) = @$words;
	return if !defined $second || $second =~ /^[0-9]+\z/;
	_refuse("write -n $first " . FTMPI::Error::clean($second) . " for $first " . FTMPI::Error::clean($second)) if $first =~ /^[0-9]+\z/;
	my ($option) = grep { /^--?(.+)\z/s && _entry($1) } @$words;
	_refuse("$option stands behind " . FTMPI::Error::clean($first) . ': options come before the program, as in -n N [OPTIONS] PROG [ARGS...]')
		if defined $option;
	return;
}

# "-restore auto" and "-restore -accept-binary" at the end: the program would be given both words, and begin at
# the beginning.
sub _refuse_almost_restore
{
	my ($words) = @_;
	my ($before, $last) = @$words[ -2, -1 ];
	my $own = '; if these words are the program\'s own, write -- before the program';
	FTMPI::Error::usage("write -restore=$last for -restore $last$own")
		if $before =~ /^--?restore\z/ && _is_restored($last);
	my ($accept) = grep { /^--?accept-binary\z/ } $before, $last;
	FTMPI::Error::usage("$accept goes before the program, also beside a final -restore$own")
		if $accept && grep { /^--?restore(?:=|\z)/ } $before, $last;
	return;
}

# The words of a part, with options of its own. where: they are, in words.
sub _part
{
	my ($words, $where) = @_;
	my %part;
	while (@$words && $words->[0] =~ /^--?(.+)\z/s) {
		my $word = shift @$words;
		_refuse("-- has no meaning$where") if $word eq '--';
		my $entry = _entry($1);
		_refuse("$word is for the whole job: it goes before the first program") if $entry && !$entry->{part};
		_option(\%part, $word, $1, $words);
	}
	_refuse("-n N is not given$where") if !defined $part{n};
	return { %part, prog => $words };
}

sub _check_sum
{
	my ($got) = @_;
	my $ranks = 0;
	$ranks += $_->{n} // 0 for $got, @{ $got->{more} };
	_refuse("the parts have $ranks ranks together, more than @{[RANKS_MAX]}") if $ranks > RANKS_MAX;
	return;
}

sub _refuse
{
	my ($text) = @_;
	FTMPI::Error::usage("$text; try ftmpirun -help");
}

sub _unknown
{
	my ($word, $name) = @_;
	my $text = 'unknown option ' . FTMPI::Error::clean($word);
	my ($before, $value) = $name =~ /^([^=]+)=(.*)/s;
	_refuse("$text; write -$before " . FTMPI::Error::clean($value))
		if defined $value && _entry($before) && defined _entry($before)->{arg};
	_refuse("$text; write -$1 $2") if $name =~ /^(np?)([0-9]+)\z/;
	require FTMPI::Cli::OtherLaunchers;
	my $answer = FTMPI::Cli::OtherLaunchers::answer($before // $name);
	_refuse("$text: $answer") if defined $answer;
	require FTMPI::Cli::Suggestion;
	return _refuse($text . FTMPI::Cli::Suggestion::hint('-', $before // $name, _names()));
}

# An option that may have a value, as "name=value".
sub _with_value
{
	my ($word) = @_;
	my ($name) = $word =~ /^(.*?)=/s or return;
	my $entry = _entry($name) or return;
	return ($entry->{kind} // '') eq 'optional' ? $entry : undef;
}

# The value of -restore, -restore=VALUE.
sub _restored
{
	my ($word) = @_;
	my (undef, $value) = split /=/, $word, 2;
	return FTMPI::Cli::Values::restore($value // 'latest', '-restore');
}

sub _is_restored
{
	my ($value) = @_;
	return eval { FTMPI::Cli::Values::restore($value, '-restore'); 1 };
}

# MACHINEFILE N WORKDIR, before PROG [ARGS...]
sub _positional
{
	my ($got, $words) = @_;
	_refuse_misplaced($words);
	for my $option (grep { defined $got->{$_} } qw(host machinefile workdir)) {
		_refuse("-$option goes with -n N");
	}
	for my $name (qw(machinefile n workdir)) {
		_refuse("neither -n N nor MACHINEFILE N WORKDIR PROG is given") if !@$words;
		$got->{$name} = shift @$words;
		_refuse(uc($name) . ' is an empty word') if $name ne 'n' && !length $got->{$name};
	}
	$got->{n} = FTMPI::Cli::Values::ranks($got->{n}, 'N');
	return;
}

# The lines of a command's spellings, the last for a batch job. `mpiexec` does not know the first.
sub usage
{
	my ($program) = @_;
	my $second = "$program -n N [OPTIONS] PROG [ARGS...] [: -n N ... PROG [ARGS...]] [-restore[=...]]";
	my $in_job = "$program [OPTIONS] PROG [ARGS...] [-restore[=...]]";
	return ($second, $in_job) if $program ne 'ftmpirun';
	return ("$program [OPTIONS] MACHINEFILE N WORKDIR PROG [ARGS...] [-restore[=...]]", $second, $in_job);
}

# An option as people write it: "-n N, -np N".
sub spelled
{
	my ($entry) = @_;
	my $arg = defined $entry->{arg} ? " $entry->{arg}" : '';
	$arg = "[=$entry->{arg}]" if ($entry->{kind} // '') eq 'optional';
	return join ', ', map { "-$_$arg" } @{ $entry->{names} };
}

sub help
{
	my ($program) = @_;
	my @usage = usage($program);
	my $text  = "usage: $usage[0]\n" . join '', map { "       $_\n" } @usage[ 1 .. $#usage ];
	for my $entry (table()) {
		my $words = $entry->{text};
		$words .= " Default: $entry->{default}." if defined $entry->{default};
		$text .= "\n  " . spelled($entry) . "\n" . _folded($words);
	}
	return $text;
}

sub _folded
{
	my ($words) = @_;
	my ($text, $line) = ('', '');
	for my $word (split ' ', $words) {
		if (length($line) + length($word) > 70) {
			$text .= "        $line\n";
			$line = '';
		}
		$line .= length $line ? " $word" : $word;
	}
	return "$text        $line\n";
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The record of a job: a text file beside the recovery lines in the session's folder, which the launcher
# writes when the first line is committed and again when the job has ended (doc/ckpt-format.md). It is for
# people, and for the choice that -restore makes; whether a line is valid does not depend on it.
package FTMPI::Launcher::Record;

use strict;
use warnings;

use FTMPI::Launcher::SessionFile ();

use constant { NAME => 'job.record', FIRST => 'FTMPI-JOB 1' };

# Bytes of a record; of the words of one part of the job, after which "..." stands for the rest; and the
# most parts of which there are words.
use constant { BYTES_MAX => 1 << 20, WORDS_MAX => 4096, PARTS_MAX => 64 };

# Processors that a rank is told of, at most (doc/control.md).
use constant PROCESSORS_MAX => 1 << 20;

# What stands for words that a part had no room for.
use constant REST => '...';

# Letters that would end a word or a line, and those that a terminal acts on, as %XX.
sub _escaped
{
	my ($text) = @_;
	$text =~ s/([^\x21-\x24\x26-\x7e\x80-\xff])/sprintf '%%%02X', ord $1/ge;
	return length $text ? $text : '%';
}

sub _plain
{
	my ($word) = @_;
	return '' if $word eq '%';
	$word =~ s/%([0-9A-F]{2})/chr hex $1/ge;
	return $word;
}

# ranks: how many; began: when, in Unix seconds; parts: [number of ranks, program, arguments] each;
# from: [session, line] that was restored, or undef; id: the 16 bytes of a session that -restore is to go on in (message logging), or undef, and of these kind: of its checkpoints, image or data; places: [node, processors] of each rank, by rank, and transport: tcp, or undef, as collectives were chosen by these; and, when it is read, sum: of its command; launcher: its process, as running_process has it, or undef; end:
# [status, when, sentence], or undef.
sub encode
{
	my ($record) = @_;
	my @lines = (FIRST, "ranks $record->{ranks}", "began $record->{began}");
	push @lines, "from $record->{from}[0] $record->{from}[1]" if $record->{from};
	push @lines, "launcher @{ $record->{launcher} }" if $record->{launcher};
	push @lines, 'session ' . unpack('H*', $record->{id}) . ' ' . sum($record->{parts}) if defined $record->{id};
	push @lines, "kind $record->{kind}" if defined $record->{id} && defined $record->{kind};
	push @lines, map { "node @$_" } _runs($record->{places}) if defined $record->{id} && $record->{places};
	push @lines, "transport $record->{transport}" if defined $record->{id} && defined $record->{transport};
	my @parts = @{ $record->{parts} };
	splice @parts, PARTS_MAX;
	for my $part (@parts) {
		my ($n, @words) = @$part;
		my $text = join ' ', map { _escaped($_) } @words;
		$text = substr($text, 0, WORDS_MAX) =~ s/%[0-9A-F]?\z//r . ' ' . REST if length $text > WORDS_MAX;
		push @lines, "part $n $text";
	}
	if (my $end = $record->{end}) {
		my $why = substr(_escaped($end->[2] // ''), 0, WORDS_MAX) =~ s/(?<=.)%[0-9A-F]?\z//r;
		push @lines, "end $end->[0] $end->[1] $why";
	}
	return join '', map { "$_\n" } @lines;
}

# Ranks that follow each other and have the same place are one: [node, processors, ranks] each.
sub _runs
{
	my ($places) = @_;
	my @runs;
	for my $place (@$places) {
		my $last = $runs[-1];
		if ($last && "@$last[0, 1]" eq "@$place") {
			$last->[2]++;
		} else {
			push @runs, [ @$place, 1 ];
		}
	}
	return @runs;
}

# The place of each rank, or nothing where these are none of a job.
sub _places
{
	my ($ranks, @runs) = @_;
	my @places;
	for my $run (@runs) {
		my ($node, $processors, $n) = @$run;
		return if $node >= $ranks || !$processors || $processors > PROCESSORS_MAX || $n > $ranks - @places;
		push @places, map { [ $node, $processors ] } 1 .. $n;
	}
	return @places == $ranks ? \@places : undef;
}

# The record in this text; nothing when the text is no record. Lines of a later version are ignored.
sub decode
{
	my ($text) = @_;
	my ($first, @lines) = split /\n/, $text;
	return if ($first // '') ne FIRST;
	my (%record, @runs) = (parts => []);
	for (@lines) {
		if (/^(ranks|began) ([0-9]{1,12})\z/) {
			$record{$1} = $2 + 0;
		} elsif (/^from (\S{1,255}) ([0-9]{1,10})\z/) {
			$record{from} = [ $1, $2 + 0 ];
		} elsif (/^launcher ([0-9]{1,10}) ([0-9]{1,20}) (\S{1,64})\z/) {
			$record{launcher} = [ $1 + 0, $2, $3 ];
		} elsif (/^session ([0-9a-f]{32}) ([0-9a-f]{64})\z/) {
			@record{qw(id sum)} = (pack('H*', $1), $2);
		} elsif (/^kind (image|data)\z/) {
			$record{kind} = $1;
		} elsif (/^node ([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9})\z/) {
			push @runs, [ $1 + 0, $2 + 0, $3 + 0 ];
		} elsif (/^transport (tcp)\z/) {
			$record{transport} = $1;
		} elsif (/^part ([0-9]{1,9}) (.+)\z/) {
			push @{ $record{parts} }, [ $1 + 0, map { _plain($_) } split / /, $2 ];
		} elsif (/^end ([0-9]{1,3}) ([0-9]{1,12}) (\S+)\z/) {
			$record{end} = [ $1 + 0, $2 + 0, _plain($3) ];
		}
	}
	return if !defined $record{ranks} || !defined $record{began};
	my $places = _places($record{ranks}, @runs);
	$record{places} = $places if $places;
	return \%record;
}

# Writes the record into this folder, which exists, in place of an older record. Returns why that failed, or
# nothing.
sub save
{
	my ($folder, $record) = @_;
	return FTMPI::Launcher::SessionFile::save($folder, NAME, encode($record));
}

# The record in this folder, or undef: also in a list of names and records.
sub load
{
	my ($folder) = @_;
	my $text = FTMPI::Launcher::SessionFile::load($folder, NAME, BYTES_MAX);
	return $text ? scalar decode($text) : undef;
}

# Its job came to its end, and every rank said that all was well.
sub is_finished
{
	my ($record) = @_;
	return $record && $record->{end} && $record->{end}[0] == 0;
}

# A process that runs here, in a way that no other process ever has: [pid, ticks after the boot when it began, the boot].
# undef: there is none, or it is not known.
sub running_process
{
	my ($pid) = @_;
	my ($stat, $boot) = map { _line($_) // '' } "/proc/$pid/stat", '/proc/sys/kernel/random/boot_id';
	my ($ticks) = $stat =~ /.*\) [^ZX] (?:\S+ ){18}([0-9]+) /s;
	return defined $ticks && $boot =~ /^(\S{1,64})$/ ? [ $pid, $ticks, $1 ] : undef;
}

sub _line
{
	my ($path) = @_;
	open my $file, '<', $path or return undef;
	return scalar readline $file;
}

# Its launcher runs, on this host: the process, or undef. Of another host nothing is known.
sub runs_here
{
	my ($record) = @_;
	my $was = $record && !$record->{end} && $record->{launcher} or return undef;
	my $now = running_process($was->[0]);
	return $now && "@$now" eq "@$was" ? $was->[0] : undef;
}

# Of all words of a command line, whatever room a record has for them.
sub sum
{
	my ($parts) = @_;
	require Digest::SHA;
	return Digest::SHA::sha256_hex(map { map { length($_) . ":$_" } scalar @$_, @$_ } @$parts);
}

# One command line: the same programs, arguments and numbers of ranks.
sub is_same_command
{
	my ($one, $other) = @_;
	return "@{[ map { join \"\0\", @$_ } @{ $one->{parts} } ]}" eq "@{[ map { join \"\0\", @$_ } @{ $other->{parts} } ]}";
}

1;

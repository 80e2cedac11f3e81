# SPDX-License-Identifier: BSD-3-Clause
#
# Which recovery line -restore means. Every job has a folder in WORKDIR, named for its session; each
# recovery line that counts has a manifest there (doc/ckpt-format.md). Whether the files of a line
# are whole is found out by the ranks; here only which one is asked for.
package FTMPI::Sessions;

use strict;
use warnings;

use FTMPI::Stop   ();
use FTMPI::Values ();

# A manifest is a line for each rank and a few more.
use constant MANIFEST_MAX => 64 << 20;

# wanted: as FTMPI::Values::restore returns it. Returns the session, and the line or 0 for its
# newest, fit for n ranks.
sub choose
{
	my ($workdir, $wanted, $n) = @_;
	my ($session, $number) = $wanted eq 'latest' ? () : split /:/, $wanted;
	my @lines = grep { !defined $number || $_->{line} == $number }
		map { _lines_of($workdir, $_) } $session // _sessions($workdir);
	_none($workdir, $session, $number) if !@lines;
	my @whole = grep { defined $_->{size} } @lines;
	FTMPI::Stop::failed("-restore: the manifest $lines[-1]{path} is damaged, and there is no other;"
			. ' see ftmpi-ckpt list')
		if !@whole;
	my ($newest) = reverse sort { _age($a, $b) } @whole;
	FTMPI::Stop::failed("-restore: line $newest->{line} of session $newest->{session} is of"
			. " $newest->{size} ranks, not of $n")
		if $newest->{size} != $n;
	return ($newest->{session}, $number // 0);
}

sub _age
{
	my ($one, $other) = @_;
	return $one->{time} <=> $other->{time} || $one->{session} cmp $other->{session}
		|| $one->{line} <=> $other->{line};
}

sub _none
{
	my ($workdir, $session, $number) = @_;
	my $what = defined $number ? "line $number of session $session"
		: defined $session ? "recovery line of session $session" : 'recovery line';
	FTMPI::Stop::failed("-restore: there is no $what in $workdir; see ftmpi-ckpt list");
}

sub _sessions
{
	my ($workdir) = @_;
	return grep { FTMPI::Values::is_session($_) } _names($workdir);
}

sub _names
{
	my ($path) = @_;
	opendir my $dir, $path or return;
	return sort readdir $dir;
}

# The lines of a session that have a manifest: { session, line, path } and, if it can be read, size
# and time.
sub _lines_of
{
	my ($workdir, $session) = @_;
	my @lines;
	for my $name (_names("$workdir/$session")) {
		my ($number) = $name =~ /^line-([0-9]{8,10})\.manifest\z/ or next;
		my $path = "$workdir/$session/$name";
		push @lines,
			{ read_manifest(_text($path)), session => $session, line => $number + 0,
				path => $path };
	}
	return @lines;
}

sub _text
{
	my ($path) = @_;
	open my $file, '<:raw', $path or return '';
	my $text = '';
	return defined read($file, $text, MANIFEST_MAX) ? $text : '';
}

# (size => ..., time => ...) of a manifest's text; nothing when they are not both there.
sub read_manifest
{
	my ($text) = @_;
	my ($size) = $text =~ /^ranks ([0-9]{1,9})$/m or return;
	my ($time) = $text =~ /^time ([0-9]{1,12})$/m or return;
	return (size => $size + 0, time => $time + 0);
}

1;

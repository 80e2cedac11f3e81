# SPDX-License-Identifier: BSD-3-Clause
#
# The recovery lines that are there, as ftmpi-ckpt tells of them: it is the one reader of their files.
package FTMPI::Report::Disk;

use strict;
use warnings;

use POSIX       qw(_exit);
use Time::HiRes ();

use FTMPI::Cli::Sessions ();

# Seconds for manifests, and for what lines hold; bytes that are read of an answer; lines whose contents are looked at, and files of ranks in all of these; sentences
# that are kept of what is damaged.
use constant { LIST_TIME => 30, SHOW_TIME => 30, ANSWER_MAX => 64 << 20, SHOWN_MAX => 4, FILES_MAX => 4096, PROBLEMS_MAX => 20 };

# verify: their files are to be read, too. Returns { lines => [{ line, epoch, time, ranks, bytes, kind, problem; messages, message_bytes, orphans, if that is known; whole, if that was
# verified }], notes => [sentences], problems => [sentences of verify] }: the newest line first.
sub of
{
	my ($workdir, $session, $verify) = @_;
	my %disk = (lines => [], notes => [], problems => []);
	my $text = _ask(\%disk, LIST_TIME, 'list', '-table', '-session', $session, $workdir) // return \%disk;
	for (split /\n/, $text) {
		my ($name, $line, $epoch, $time, $ranks, $bytes, undef, $kind, $problem) = split /\t/, $_, -1;
		next if !defined $problem || $name ne $session || $line !~ /^[0-9]{1,10}\z/;
		push @{ $disk{lines} }, $problem ne '' ? { line => $line, problem => $problem } : { line => $line, epoch => $epoch, time => $time, ranks => $ranks, bytes => $bytes, kind => $kind, problem => '' };
	}
	_show(\%disk, $workdir, $session);
	_verify(\%disk, $workdir, $session) if $verify && @{ $disk{lines} };
	return \%disk;
}

# Messages in transit, and orphans: of the newest lines, as far as that is done at once.
sub _show
{
	my ($disk, $workdir, $session) = @_;
	my ($lines, $files) = (0, 0);
	for my $line (grep { $_->{problem} eq '' } @{ $disk->{lines} }) {
		$files += $line->{ranks};
		if ($lines++ >= SHOWN_MAX || $files > FILES_MAX) {
			push @{ $disk->{notes} }, "messages in transit and orphans are counted in the newest lines alone, in up to @{[SHOWN_MAX]} of them and @{[FILES_MAX]} files of ranks.";
			last;
		}
		my $text = _ask($disk, SHOW_TIME, 'show', '-json', '-line', $line->{line}, '-session', $session, $workdir) // next;
		$line->{$_} = 0 for qw(messages message_bytes orphans);
		# within a text of JSON such a quotation mark has a backslash before it
		while ($text =~ /"messages":([0-9]{1,12}),"message_bytes":([0-9]{1,18})/g) {
			$line->{messages}      += $1;
			$line->{message_bytes} += $2;
		}
		$line->{orphans} += $1 while $text =~ /"tag":-?[0-9]{1,10},"first":[0-9]{1,20},"count":([0-9]{1,12})\}/g;
	}
	return;
}

sub _verify
{
	my ($disk, $workdir, $session) = @_;
	my $text = _ask($disk, undef, 'verify', '-session', $session, $workdir) // return;
	my %line = map { $_->{line} => $_ } @{ $disk->{lines} };
	for (split /\n/, $text) {
		if (/^\Q$session\E: line ([0-9]{1,10}) is (whole|damaged)/) { $line{$1}{whole} = $2 eq 'whole' if $line{$1} }
		elsif (/^  (\S.*)/ && @{ $disk->{problems} } < PROBLEMS_MAX) { push @{ $disk->{problems} }, $1 }
	}
	return;
}

# What ftmpi-ckpt answers within so many seconds; undef, and a note, when it does not.
sub _ask
{
	my ($disk, $seconds, @words) = @_;
	my $tool = FTMPI::Cli::Sessions::tool();
	my ($text, $why) = _answer($seconds, $tool, @words);
	if (!defined $why) {
		my @complaints = grep { !/^there is no session / } $text =~ /^ftmpi-ckpt: (.*)$/mg;    # a session without lines is none for it
		push @{ $disk->{notes} }, map { "ftmpi-ckpt $words[0]: $_" } splice @complaints, 0, 3;
		return $text;
	}
	push @{ $disk->{notes} }, "ftmpi-ckpt $words[0] $why.";
	return undef;
}

sub _answer
{
	my ($seconds, @command) = @_;
	my $pid = open(my $out, '-|') // return (undef, "cannot be started: $!");
	if (!$pid) {
		open STDERR, '>&', \*STDOUT;
		{
			no warnings 'exec';
			exec { $command[0] } @command;
		}
		_exit(127);
	}
	my $end = defined $seconds ? Time::HiRes::time() + $seconds : undef;
	my ($text, $why) = ('');
	while (1) {
		vec(my $ready = '', fileno $out, 1) = 1;
		my $left = defined $end ? $end - Time::HiRes::time() : undef;
		if ((defined $left && $left <= 0) || select($ready, undef, undef, $left) == 0) {
			$why = "did not answer within $seconds s: does its file system answer?";
			last;
		}
		my $n = sysread $out, $text, 1 << 16, length $text;
		last if defined $n && !$n;
		if (length $text > ANSWER_MAX) {
			$why = 'says more than ' . (ANSWER_MAX >> 20) . ' MiB, which is not read';
			last;
		}
	}
	kill 'KILL', $pid if defined $why;
	close $out;
	return (undef, $why) if defined $why;
	return (undef, "cannot be run: $command[0] is installed with ftmpirun, and reads the lines") if $? >> 8 == 127;
	return ($text);
}

1;

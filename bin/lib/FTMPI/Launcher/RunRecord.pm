# SPDX-License-Identifier: BSD-3-Clause
#
# The run record: what happened to a job, one JSON object a line, in the session's folder (doc/record.md). A line is
# written as it happens, with one write(2): what is there survives the launcher. It begins when there is a folder; what
# happened before is kept until then.
package FTMPI::Launcher::RunRecord;

use strict;
use warnings;

use Fcntl qw(O_APPEND O_CREAT O_NOFOLLOW O_NONBLOCK O_WRONLY);
use POSIX ();

use FTMPI::Json ();

use constant { NAME => 'events.jsonl', VERSION => 1 };

# Bytes of the file, after which nothing is written but the end, and what ranks have sent (FTMPI::Launcher::Traffic: seldom, and some 400 KiB at most); so many lines of what comes again and again are written one
# by one, as many more every second time, and so on; entries that wait for a folder.
use constant { BYTES_MAX => 64 << 20, OFTEN_MAX => 10_000, WAITING_MAX => 4096 };

# What a job of a week may have any number of.
my %OFTEN = map { $_ => 1 } qw(line_committed line_refused checkpoint);

# What is not written: it is part of another event, or of the status alone.
my %SILENT = map { $_ => 1 } qw(line_requested line_held started exited cost size logs sent);

# Seconds between two words of the program about its progress.
use constant PROGRESS_TIME => 60;

my %NUMBERS = map { $_ => 1 } qw(v ranks slots epoch rank line number bytes seconds stood stood_longest stood_mean stood_lines held lost count pid status
	interval fraction cost mtbf failures lines checkpoints restarts peer signal time_limit block from to messages);

# began: [Unix time, time of the notes] of the same moment; log => sub (sentence).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, waiting => [], often => 0, stride => 1, skipped => 0, bytes => 0, told => 0 }, $class;
}

# There is a folder for it, or it is made.
sub begin
{
	my ($self, $folder) = @_;
	return if $self->{path} || $self->{failed} || !-d $folder;
	my $path = "$folder/" . NAME;
	my $file = _open($path);
	if (!$file) {
		$self->{failed} = 1;
		$self->{log}->("the job has no run record: cannot open $path: $!");
		return;
	}
	@$self{qw(path bytes)} = ($path, -s $file);
	$self->{cut} = $self->{bytes} && !_is_ended($path);
	$self->_append($_) for splice @{ $self->{waiting} };
	return;
}

# It is open only while a line is written, so that its file system can be unmounted, or mounted anew to be read only.
sub _open
{
	my ($path) = @_;
	sysopen my $file, $path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600 or return;
	return $file if -f $file;
	$! = POSIX::EINVAL;
	return;
}

# The last line, of another launcher, is whole.
sub _is_ended
{
	my ($path) = @_;
	open my $file, '<:raw', $path or return 0;
	seek $file, -1, 2 or return 0;
	read $file, my $last, 1;
	return $last eq "\n";
}

# now: the time of the note.
sub note
{
	my ($self, $now, $event, $fields) = @_;
	return if $self->{failed} || $SILENT{$event} || !$self->_is_wanted($now, $event, $fields);
	my %more = $OFTEN{$event} && $self->{skipped} ? (count => 1 + $self->{skipped}) : ();
	$self->{skipped} = 0 if $OFTEN{$event};
	my $line = $self->_line($now, $event, { %$fields, %more });
	if ($self->{path}) {
		$self->_append($line, $event =~ /^(?:end|traffic)\z/);
		return;
	}
	my $waiting = $self->{waiting};
	push @$waiting, $line;
	return if @$waiting <= WAITING_MAX;
	splice @$waiting, 1, 1;    # the start stays
	$self->{lost}++;
	return;
}

sub _is_wanted
{
	my ($self, $now, $event, $fields) = @_;
	if ($event eq 'progress') {
		my $is_whole = $fields->{fraction} == 1 && !$self->{whole}++;
		return 0 if !$is_whole && defined $self->{progress} && $now - $self->{progress} < PROGRESS_TIME;
		$self->{progress} = $now;
	}
	return 1 if !$OFTEN{$event};
	my $n = ++$self->{often};
	$self->{stride} *= 2 if $n % (OFTEN_MAX * $self->{stride}) == 0;
	return 1 if $n % $self->{stride} == 0;
	$self->{skipped}++;
	return 0;
}

sub _line
{
	my ($self, $now, $event, $fields) = @_;
	my ($unix, $began) = @{ $self->{began} };
	my $rest = substr FTMPI::Json::encode($fields, \%NUMBERS), 1;
	my $head = sprintf '{"time":%.3f,"at":%.3f,"event":%s', $unix + $now - $began, $now - $began, FTMPI::Json::text($event);
	return $head . ($rest eq '}' ? "}\n" : ",$rest\n");
}

# What cannot be written is counted, and told when something can. A line that was cut is ended before.
sub _append
{
	my ($self, $line, $is_last) = @_;
	if ($self->{bytes} > BYTES_MAX && !$is_last) {
		$self->{lost}++;
		return;
	}
	$line = qq({"event":"dropped","count":$self->{lost}}\n) . $line if $self->{lost};
	$line = "\n$line" if $self->{cut};
	my $file = _open($self->{path});
	my $n    = $file ? syswrite $file, $line : undef;
	my $is_short = defined $n && $n < length $line;
	if (defined $n && !$is_short && close $file) {
		$self->{bytes} += $n;
		@$self{qw(lost cut)} = (0, 0);
		return;
	}
	$self->{lost}++;
	$self->{cut} ||= $n // 0;
	$self->{log}->("the run record cannot be written: " . ($is_short ? 'the disk is full' : "$!")) if !$self->{told}++;
	return;
}

1;

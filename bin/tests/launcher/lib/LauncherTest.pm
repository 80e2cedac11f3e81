# SPDX-License-Identifier: BSD-3-Clause
#
# What the launcher's tests share: commands with a deadline, and the question whether anything of a
# job is left. Every process of a job carries FTMPI_TEST_TAG in its environment.
package LauncherTest;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp ();
use Cwd qw(abs_path);
use POSIX qw(WNOHANG);
use Test::More ();
use Time::HiRes ();

use FTMPI::Test::Process ();

our @EXPORT = qw($FTMPIRUN $RANK ftmpirun begin wait_for wait_end left_over nobody_left fake_ssh
	text_file scratch eventually);

use constant DEADLINE => 120;

my $here = abs_path(dirname(__FILE__));
our $FTMPIRUN = abs_path("$here/../../../ftmpirun");
our $RANK     = abs_path("$here/../rank");

$ENV{FTMPI_TEST_TAG} = "$$-" . int rand 1e9;
delete $ENV{FTMPI_SSH};

my $scratch = File::Temp->newdir;

sub scratch { return "$scratch" }

sub text_file
{
	my ($name, $text) = @_;
	open my $file, '>', "$scratch/$name" or die "$scratch/$name: $!";
	print $file $text;
	close $file;
	return "$scratch/$name";
}

# Start a command; what it writes is gathered. stdin: text, or a handle to read from.
sub begin
{
	my ($command, %arg) = @_;
	my %job = (command => "@$command", out => '', err => '');
	pipe my $in, my $feed or die "pipe: $!";
	pipe my $out, my $out_writer or die "pipe: $!";
	pipe my $err, my $err_writer or die "pipe: $!";
	$job{pid} = fork // die "fork: $!";
	if (!$job{pid}) {
		setpgrp 0, 0;
		# whoever started the tests may ignore them, and ftmpirun respects that
		$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP QUIT TSTP);
		open STDIN,  '<&', $arg{stdin_handle} // $in or die;
		open STDOUT, '>&', $arg{stdout_handle} // $out_writer or die;
		open STDERR, '>&', $err_writer or die;
		$ENV{$_} = $arg{env}{$_} for keys %{ $arg{env} // {} };
		chdir $arg{dir} or die if $arg{dir};
		{
			no warnings 'exec';
			exec { $command->[0] } @$command;
		}
		POSIX::_exit(126);
	}
	$_->blocking(0) for $feed, $out, $err;
	$job{streams} = { out => $out, err => $err };
	@job{qw(feed to_feed keep_open)} = ($feed, $arg{stdin} // '', $arg{keep_open});
	local $SIG{PIPE} = 'IGNORE';
	_feed(\%job);
	return \%job;
}

sub _feed
{
	my ($job) = @_;
	my $feed = $job->{feed} or return;
	while (length $job->{to_feed}) {
		my $n = syswrite $feed, $job->{to_feed}, 65536;
		return if !defined $n && ($!{EAGAIN} || $!{EINTR});
		substr $job->{to_feed}, 0, $n // length $job->{to_feed}, '';
	}
	delete $job->{feed} if !$job->{keep_open};
	return;
}

# Read what there is, for at most `seconds`.
sub _gather
{
	my ($job, $seconds) = @_;
	my $streams = $job->{streams};
	my ($readable, $writable) = ('', '');
	vec($readable, fileno $_, 1) = 1 for values %$streams;
	vec($writable, fileno $job->{feed}, 1) = 1 if $job->{feed} && length $job->{to_feed};
	select $readable, $writable, undef, $seconds;
	local $SIG{PIPE} = 'IGNORE';
	_feed($job);
	for my $name (keys %$streams) {
		my $n = sysread $streams->{$name}, $job->{$name}, 1 << 20, length $job->{$name};
		delete $streams->{$name} if defined $n && $n == 0;
	}
	return;
}

sub _give_up
{
	my ($job, $what) = @_;
	kill 'KILL', -$job->{pid};
	Test::More::diag("no $what in time: $job->{command}\nstdout: $job->{out}\nstderr: $job->{err}");
	return;
}

# Gather until the stream (out, err) matches. False, after having said what was seen, at the
# deadline.
sub wait_for
{
	my ($job, $stream, $pattern) = @_;
	my $end = Time::HiRes::time() + DEADLINE;
	while ($job->{$stream} !~ $pattern) {
		if (Time::HiRes::time() > $end || !$job->{streams}{$stream}) {
			_give_up($job, "match of $pattern");
			return 0;
		}
		_gather($job, 0.2);
	}
	return 1;
}

# Gather until the command has ended. Sets status (as a shell has it).
sub wait_end
{
	my ($job) = @_;
	my $end = Time::HiRes::time() + DEADLINE;
	while (waitpid($job->{pid}, WNOHANG) == 0) {
		if (Time::HiRes::time() > $end) {
			_give_up($job, 'end');
			waitpid $job->{pid}, 0;
			last;
		}
		_gather($job, 0.02);
	}
	$job->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	_gather($job, 0) for 1 .. 40;
	return $job;
}

# Run ftmpirun to its end: ftmpirun([words], options of begin).
sub ftmpirun
{
	my ($words, %arg) = @_;
	return wait_end(begin([ $FTMPIRUN, @$words ], %arg));
}

# The processes that carry our tag, "pid: (name) command line" each, beside this one.
sub left_over
{
	opendir my $dir, '/proc' or die "/proc: $!";
	my @left;
	for my $pid (grep { /^\d+\z/ && $_ != $$ } readdir $dir) {
		my $environment = _slurp("/proc/$pid/environ") // next;
		next if index($environment, "FTMPI_TEST_TAG=$ENV{FTMPI_TEST_TAG}\0") < 0;
		my $line = _slurp("/proc/$pid/cmdline") // '';
		my $name = _slurp("/proc/$pid/comm")    // '';
		chomp $name;
		$line =~ tr/\0/ /;
		push @left, "$pid: ($name) $line" if length $line;
	}
	return @left;
}

sub _slurp
{
	my ($path) = @_;
	open my $file, '<', $path or return;
	local $/;
	return scalar <$file>;
}

# Wait until the condition holds; say what was seen last if it never does.
sub eventually
{
	my ($condition, $seen) = @_;
	return 1 if FTMPI::Test::Process::wait_until(DEADLINE / 4, $condition);
	Test::More::diag('not in time: ' . $seen->());
	return 0;
}

sub nobody_left
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::ok(
		eventually(sub { !left_over() }, sub { join "\n", left_over() }),
		$name // 'nobody is left running');
}

# A command for -ssh that runs the command here: hosts are names only. Those called "refuse" and
# "unknown" behave like ssh there.
sub fake_ssh
{
	my $path = text_file('fake ssh', <<'EOS');
#!/bin/sh
host=$1
shift
case $host in
unknown) echo "ssh: Could not resolve hostname unknown: Name or service not known" >&2; exit 255;;
refuse) echo "Warning: noise" >&2; printf 'Permission denied (publickey).\r\n' >&2; exit 255;;
chatty) echo "Welcome to the machine"; printf 'no line end';;
noperl) exec sh -c 'echo "sh: 1: perl: not found" >&2; exit 127';;
csh) exec csh -c "$*";;
esac
FAKE_HOST=$host; export FAKE_HOST
if [ $host = relay ]; then cat | sh -c "$*" | cat; exit; fi
exec sh -c "$*"
EOS
	chmod 0755, $path;
	return "'$path'";
}

1;

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Job;

# Runs a command with a deadline and keeps what it printed, its exit status and whether it left
# anybody behind. Every command gets a mark of its own in its environment, FTMPI_TEST_MARK, which
# ftmpirun hands on to ranks on other hosts too; so all processes of it can be found.
#
#	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, program('pi')]);
#	$job->is_status(0, 'pi ends well');
#	$job->none_left('pi');

use strict;
use warnings;

use Cwd ();
use Exporter qw(import);
use File::Basename qw(dirname);
use POSIX ();
use Test::More ();
use Time::HiRes qw(time);

use FTMPI::Test::Process qw(patience wait_readable wait_gone marked_pids process_name);

our @EXPORT_OK = qw(ftmpirun program sanitized data_file root);

use constant DEADLINE     => $ENV{FTMPI_TEST_DEADLINE} // 120;
use constant LEFT_SECONDS => 10;    # processes that end anyway get this long to do so

my $counter = 0;

# ---- where things are ----

sub root
{
	return Cwd::abs_path(dirname(__FILE__) . '/../../../../..');
}

sub ftmpirun { return $ENV{FTMPI_RUN} // root() . '/bin/ftmpirun' }

sub program
{
	my ($name) = @_;
	my $dir = $ENV{FTMPI_PROGRAMS} // root() . '/build/bin';
	-x "$dir/$name" or die "$dir/$name is not there: run make first\n";
	return Cwd::abs_path("$dir/$name");
}

sub data_file
{
	my ($name) = @_;
	return root() . "/bin/tests/data/$name";
}

# True when the program was built with a sanitizer: then valgrind and gdb cannot run it.
sub sanitized
{
	my ($name) = @_;
	open(my $in, '<:raw', program($name)) or die "$name: $!\n";
	local $/;
	return <$in> =~ /__(?:asan|tsan|ubsan)_/;
}

# ---- one command ----

# Starts it. Options: env (a hash), dir, stdin (text; default none), deadline (seconds, of patience).
sub start
{
	my ($class, $command, %option) = @_;
	my $self = bless {
		command => $command,
		mark    => "$$-" . ++$counter,
		out     => '',
		err     => '',
		until   => time + patience($option{deadline} // DEADLINE),
		begin   => time,
	}, $class;
	pipe(my $stdin, $self->{stdin})  or die "pipe: $!\n";
	pipe($self->{out_fh}, my $stdout) or die "pipe: $!\n";
	pipe($self->{err_fh}, my $stderr) or die "pipe: $!\n";
	$self->{pid} = fork() // die "cannot fork: $!\n";
	if (!$self->{pid}) {
		close($self->{$_}) for qw(stdin out_fh err_fh);
		$self->become($command, \%option, $stdin, $stdout, $stderr);
	}
	close($_) for $stdin, $stdout, $stderr;
	$self->{open} = {out => $self->{out_fh}, err => $self->{err_fh}};
	$self->give($option{stdin} // '');
	return $self;
}

# The child's way to the command: a process group and an environment of its own.
sub become
{
	my ($self, $command, $option, @fd) = @_;
	my $env = $option->{env} // {};
	setpgrp(0, 0);
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE);
	$ENV{FTMPI_TEST_MARK} = $self->{mark};
	$ENV{$_} = $env->{$_} for grep { defined $env->{$_} } keys %$env;
	delete $ENV{$_} for grep { !defined $env->{$_} } keys %$env;
	POSIX::dup2(fileno($fd[$_]), $_) for 0 .. 2;
	POSIX::_exit(126) if defined $option->{dir} && !chdir($option->{dir});
	exec { $command->[0] } @$command or syswrite(STDERR, "cannot run $command->[0]: $!\n");
	POSIX::_exit(127);
}

# The command's standard input: this text, then its end. Large texts are written by a child, so that
# a command that prints meanwhile is not kept waiting.
sub give
{
	my ($self, $text) = @_;
	my $in = delete $self->{stdin};
	local $SIG{PIPE} = 'IGNORE';
	if (length($text) <= 4096) {
		syswrite($in, $text) if length $text;
	} elsif (!(fork() // die "cannot fork: $!\n")) {
		$self->{out_fh} = $self->{err_fh} = undef;
		print $in $text;
		close($in);
		POSIX::_exit(0);
	}
	close($in);
	return;
}

# Take in what has been printed, waiting for something new until the time `until`. False when
# nothing came or everything is closed.
sub take
{
	my ($self, $until) = @_;
	my @open = sort keys %{$self->{open}};
	return 0 if !@open;
	my %ready = map { fileno($_) => 1 } wait_readable($until, map { $self->{open}{$_} } @open);
	for my $which (@open) {
		next if !$ready{fileno($self->{open}{$which})};
		my $n = sysread($self->{open}{$which}, $self->{$which}, 65536, length($self->{$which}));
		close(delete $self->{open}{$which}) if !$n;
	}
	return scalar %ready;
}

# Wait until what was printed on 'out' or 'err' matches, so many times (once); false (with a note) when it never does.
sub wait_for
{
	my ($self, $which, $pattern, $times) = @_;
	$times //= 1;
	while (_matches($self->{$which}, $pattern, $times) < $times) {
		next if $self->take($self->{until});
		Test::More::diag("waited for $pattern on $which in vain\n" . $self->saw);
		return 0;
	}
	return 1;
}

# One after the other; a pattern of many would look for all of them again from each that it finds.
sub _matches
{
	my ($text, $pattern, $most) = @_;
	my $n = 0;
	$n++ while $n < $most && $text =~ /$pattern/g;
	return $n;
}

# Signal the command itself, not its group.
sub signal
{
	my ($self, $name) = @_;
	return kill $name, $self->{pid};
}

# What the test could see, for messages.
sub saw
{
	my ($self) = @_;
	my $text = sprintf("command: %s\nafter %.2f s", "@{$self->{command}}", time - $self->{begin});
	$text .= ", status " . ($self->{status} // 'none yet') . "\n";
	for my $which (qw(out err)) {
		my $shown = $self->{$which};
		$shown = substr($shown, 0, 1500) . "\n[...]\n" . substr($shown, -1500)
			if length($shown) > 3200;
		$text .= "--- $which ---\n$shown\n";
	}
	return $text;
}

sub finish
{
	my ($self) = @_;
	while (%{$self->{open}}) {
		last if !$self->take($self->{until}) && %{$self->{open}};
	}
	my @late = wait_gone($self->{until}, $self->{pid});
	if (@late || %{$self->{open}}) {
		$self->{late} = 1;
		Test::More::diag("the deadline has passed\n" . $self->saw);
		kill 'KILL', -$self->{pid}, $self->pids;
	}
	waitpid($self->{pid}, 0);
	$self->{wait}   = $?;
	$self->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	$self->{time}   = time - $self->{begin};
	return $self;
}

sub run
{
	my ($class, $command, %option) = @_;
	return $class->start($command, %option)->finish;
}

sub out    { return $_[0]{out} }
sub err    { return $_[0]{err} }
sub pid    { return $_[0]{pid} }
sub status { return $_[0]{status} }
sub took   { return $_[0]{time} }

# Living processes of this command, itself too.
sub pids
{
	my ($self) = @_;
	return marked_pids("FTMPI_TEST_MARK=$self->{mark}");
}

# ---- assertions ----

# A failed assertion shows all there was to see.
sub verdict
{
	my ($self, $good, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 2;
	Test::More::ok($good, $name) or Test::More::diag($self->saw);
	return $good;
}

sub is_status
{
	my ($self, $status, $name) = @_;
	return $self->verdict(!$self->{late} && $self->{status} == $status, "$name: status $status");
}

sub out_like
{
	my ($self, $pattern, $name) = @_;
	return $self->verdict(scalar($self->{out} =~ $pattern), "$name: prints $pattern");
}

sub err_like
{
	my ($self, $pattern, $name) = @_;
	return $self->verdict(scalar($self->{err} =~ $pattern), "$name: says $pattern");
}

# Exactly this many lines on stderr.
sub err_lines
{
	my ($self, $count, $name) = @_;
	my $lines = () = $self->{err} =~ /\n/g;
	return $self->verdict($lines == $count, "$name: $count lines on stderr");
}

# What is on stderr, but that a host's ranks get too little of a processor where the load is more than its processors can do.
sub _news
{
	my ($self) = @_;
	my $starved = qr/^ftmpirun: [^\n]* gets too little of a processor \(load ([\d.]+) on (\d+) cores?\): [^\n]* \(-starved-limit\)\n/m;
	return $self->{err} =~ s/($starved)/$2 > $3 ? '' : $1/gemr;
}

# Nothing on stderr but that a signal came to ftmpirun, and what -restore can go on from.
sub only_the_signal
{
	my ($self) = @_;
	return $self->_news =~ /\A(?:ftmpirun:\ SIG(?:INT|TERM|HUP)\ came;\ the\ job\ is\ ended\.\n
		(?:ftmpirun:\ (?:-restore\ goes\ on\ from|no\ recovery\ line\ was\ made)[^\n]*\n)?)?\z/x;
}

# No process of the command lives.
sub none_left
{
	my ($self, $name) = @_;
	my $until = time + patience(LEFT_SECONDS);
	my @left  = $self->pids;
	while (@left) {
		last if wait_gone($until, @left);
		@left = $self->pids;
	}
	my $good = $self->verdict(!@left, "$name: nobody is left");
	Test::More::diag('left: ' . join(', ', map { process_name($_) } @left)) if !$good;
	kill 'KILL', @left;
	return $good;
}

# By Ctrl-C, to the command alone.
sub is_interrupted
{
	my ($self) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$self->signal('INT');
	$self->finish;
	$self->is_status(128 + 2, 'Ctrl-C');
	$self->none_left('a Ctrl-C');
	return;
}

# The usual end: status 0, this on stdout, nothing on stderr, nobody left.
sub well
{
	my ($self, $pattern, $name) = @_;
	my @left = $self->pids;
	my $good = !$self->{late} && $self->{status} == 0 && $self->{out} =~ $pattern
		&& $self->_news eq '';
	@left = wait_gone(time + patience(LEFT_SECONDS), @left) if @left;
	Test::More::diag('left: ' . join(', ', map { process_name($_) } @left)) if @left;
	return $self->verdict($good && !@left, "$name: right, quiet, nobody left");
}

1;

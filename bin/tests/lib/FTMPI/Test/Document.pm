# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Document;

# What a document shows, done as its reader does it: single commands, and sessions at a terminal, whose output is compared
# with what the document says.
#
#	my $document = FTMPI::Test::Document->new('doc/tutorial.md', dir => $dir);
#	$document->command('bin/ftmpicc -o hello');
#	$document->session($_) for $document->sessions;
#
# A session is an indented block whose commands begin with "$ ". What follows a command is what it prints: all of it, or, with a
# line "..." in it, some of its lines; "..." within a line stands for anything. Of a command that ends with "&", and
# after a kill, it is what comes next, in this order, and is waited for.

use strict;
use warnings;

use List::Util qw(min);
use POSIX ();
use Sys::Hostname ();
use Test::More ();
use Time::HiRes qw(time);

use FTMPI::Test::File    qw(read_file);
use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Process qw(patience);

use constant DEADLINE => 60;    # for each command
use constant IDLE     => 5;     # the shell alone, and silent

my $SESSION = '\d{8}-\d{6}-[0-9a-f]{8}';
my $TIME    = '\d{4}-\d\d-\d\d \d\d:\d\d:\d\d';

# dir: where it is done. instead: pairs of a pattern and what is done in its place (a string). varies: lines that match
# have other numbers each time. before: a function that is called with each command before it is given.
sub new
{
	my ($class, $path, %option) = @_;
	return bless { instead => [], varies => qr/(?!)/, before => sub {}, %option, path => $path, text => read_file(root() . "/$path"), numbers => 0 }, $class;
}

sub text { return $_[0]{text} }

# The command that begins so, without its comment.
sub command
{
	my ($self, $begin) = @_;
	my ($line) = $self->{text} =~ /^    (\Q$begin\E.*)$/m;
	Test::More::ok(defined $line, "$self->{path} has: $begin") or return 'false';
	$line =~ s/\s+#.*//;
	return $line;
}

# A command line in the folder.
sub run
{
	my ($self, $line, %option) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', "cd '$self->{dir}' && $line" ], %option);
}

# The blocks of indented lines, without the indentation.
sub blocks
{
	my ($self) = @_;
	my @blocks = "\n$self->{text}" =~ /\n\n((?:    .*\n|\n(?=    ))+)/g;
	return map { s/^    //mgr } @blocks;
}

# The block that begins so, as a program.
sub program_text
{
	my ($self, $begin) = @_;
	my ($block) = grep { /\A\Q$begin\E/ } $self->blocks;
	Test::More::ok(defined $block, "$self->{path} has a program that begins with: $begin");
	return $block // '';
}

# Each is a list of commands: [ command, lines that it prints ].
sub sessions
{
	my ($self) = @_;
	my @sessions;
	for my $block (grep { /\A\$ / } $self->blocks) {
		my @commands;
		for my $line (split /\n/, $block) {
			if ($line =~ /\A\$ (.*?)(?:\s\s+#.*)?\z/) {
				push @commands, [$1];
			} else {
				push @{ $commands[-1] }, $line;
			}
		}
		push @sessions, \@commands;
	}
	return @sessions;
}

# What a line of the document stands for. Sessions, times and checksums are others in each run; "node0" is this host.
sub pattern
{
	my ($self, $line) = @_;
	my $varies  = $line =~ $self->{varies};
	my $pattern = '';
	while ($line =~ /\G(?:(?<any>\.\.\.)|(?<session>$SESSION)|(?<time>$TIME)|(?<sum>\b[0-9a-f]{16,32}\b)|(?<host>\bnode0\b)|(?<number>\d+(?:\.\d+)?)|(?<space>\s+)|(?<text>.))/gc) {
		my ($kind) = keys %+;
		$pattern .= $kind eq 'any' ? '.*' : $kind eq 'session' ? $SESSION : $kind eq 'time' ? $TIME : $kind eq 'sum' ? '[0-9a-f]{16,32}'
			: $kind eq 'host' ? quotemeta Sys::Hostname::hostname() : $kind eq 'space' ? '\s+' : $kind eq 'number' && $varies ? '\d+(?:\.\d+)?'
			: quotemeta $+{$kind};
	}
	return qr/^$pattern$/m;
}

# ---- a shell that stays ----

sub begin
{
	my ($self, %option) = @_;
	my $pipe = "$self->{dir}/.commands";
	POSIX::mkfifo($pipe, 0600) or die "$pipe: $!\n";
	$self->{job} = FTMPI::Test::Job->start([ 'bash', '-c', "exec bash <'$pipe' 2>&1" ], dir => root(), deadline => 600, %option);
	open $self->{in}, '>', $pipe or die "$pipe: $!\n";
	$self->{in}->autoflush(1);
	$self->{seen} = 0;
	return;
}

# What was printed since the last command matches: moves behind it, and returns what lies before. Undef after the deadline, or
# when nobody is left who could print it.
sub await
{
	my ($self, $pattern) = @_;
	my $job   = $self->{job};
	my $until = time + patience(DEADLINE);
	my $idle  = time + patience(IDLE);
	for (;;) {
		my $news = substr $job->out, $self->{seen};
		if ($news =~ $pattern) {
			$self->{seen} += $+[0];
			return substr $news, 0, $-[0];
		}
		last if time >= min($until, $idle) || !%{ $job->{open} };
		$idle = time + patience(IDLE) if $job->take(min($until, $idle, time + 0.5)) || $job->pids > 1;
	}
	return undef;
}

# Gives the shell a command; it reads no input.
sub give
{
	my ($self, $command) = @_;
	my $number = ++$self->{numbers};
	print { $self->{in} } "{ $command\n} </dev/null; s=\$?; echo \"<$number: \$s>\"; (exit \$s)\n";
	return $number;
}

# Whether the lines of the document are those that were printed, whatever their order; with "..." some of them, in this order.
sub same
{
	my ($self, $text, @lines) = @_;
	if (grep { $_ eq '...' } @lines) {
		my $at = 0;
		for my $pattern (map { $self->pattern($_) } grep { $_ ne '...' } @lines) {
			substr($text, $at) =~ $pattern or return "no line like $pattern";
			$at += $+[0];
		}
		return;
	}
	my @printed = grep { length && !/^bash: line \d+: +\d+ Killed\b/ } split /\n/, $text;
	for my $line (grep { length } @lines) {
		my $pattern = $self->pattern($line);
		my ($at) = grep { $printed[$_] =~ $pattern } 0 .. $#printed;
		return "no line like $pattern" if !defined $at;
		splice @printed, $at, 1;
	}
	return @printed ? "not in the document: @printed" : undef;
}

# One command, with what the document says of it. False when it was otherwise.
sub step
{
	my ($self, $words, @lines) = @_;
	my $command = $words;
	$command =~ s/$_->[0]/$_->[1]/g for @{ $self->{instead} };
	$self->{before}->($self, $command);
	my $number = $self->give($command);
	my $name   = "$self->{path}: $words";
	if ($command =~ /&\z|\A(?:kill|pkill) /) {
		# what a job prints may come before the shell has said that the command is over
		my $from = $self->{seen};
		for my $line (grep { $_ ne '...' } @lines) {
			defined $self->await($self->pattern($line)) or return $self->failed("$name: $line");
		}
		my $behind = $self->{seen};
		$self->{seen} = $from;
		defined $self->await(qr/<$number: 0>\n/) or return $self->failed("$name: it does not begin");
		$self->{seen} = $behind if $behind > $self->{seen};
		return Test::More::pass($name);
	}
	my $printed = $self->await(qr/<$number: \d+>\n/);
	return $self->failed("$name: its end") if !defined $printed;
	my $wrong = $self->same($printed, @lines);
	return defined $wrong ? $self->failed("$name: $wrong") : Test::More::pass($name);
}

sub failed
{
	my ($self, $name) = @_;
	Test::More::fail($name);
	Test::More::diag($self->{job}->saw);
	kill 'KILL', $self->{job}->pids;
	return 0;
}

# All commands of a session; what runs in the background has ended when it is over.
sub session
{
	my ($self, $commands) = @_;
	for my $command (@$commands) {
		$self->step(@$command) or return 0;
	}
	return $self->step('wait', '...');
}

sub end
{
	my ($self) = @_;
	close delete $self->{in};
	$self->{job}->finish;
	return $self->{job}->none_left($self->{path});
}

1;

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::ConnectLater;

# A running job of the program connect_later whose secret the test knows: ftmpirun is made to start its agent
# through an ssh of ours, which runs it here and keeps a copy of what the agent is told.

use strict;
use warnings;

use File::Temp ();
use POSIX ();
use Test::More ();

use FTMPI::Control ();
use FTMPI::Wire    ();
use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process ();

# Bytes of a row of the table of ranks beside its strings.
use constant ROW => 20;

# Starts it on `ranks` ranks and waits until it runs. Options: before (words to put before the
# program), and those of FTMPI::Test::Job.
sub start
{
	my ($class, $ranks, %option) = @_;
	my $dir  = File::Temp->newdir('ftmpi-connect-XXXXXX', TMPDIR => 1);
	my $self = bless {dir => $dir, ranks => $ranks, program => program('connect_later')}, $class;
	POSIX::mkfifo("$dir/orders", 0600) or die "mkfifo: $!\n";
	open($self->{orders}, '+<', "$dir/orders") or die "$dir/orders: $!\n";
	$self->{orders}->autoflush(1);
	my @before = @{delete $option{before} // []};
	$self->{job} = FTMPI::Test::Job->start(
		[ftmpirun(), '-vv', '-ssh', write_ssh($dir), '-host', 'here', '-workdir', "$dir/work", '-n',
			$ranks, @before, $self->{program}, '-orders', "$dir/orders"], %option);
	return $self;
}

sub write_ssh
{
	my ($dir) = @_;
	mkdir "$dir/work" or die "$dir/work: $!\n";
	open(my $out, '>', "$dir/ssh") or die "$dir/ssh: $!\n";
	print $out qq(#!/bin/sh\nshift\ntee '$dir/heard' | sh -c "\$*" | cat\n);
	close($out);
	chmod 0700, "$dir/ssh";
	return "$dir/ssh";
}

sub job { return $_[0]{job} }

# Waits until rank 0 takes orders. Then the start message has been kept.
sub ready
{
	my ($self) = @_;
	$self->{job}->wait_for(out => qr/^connect_later: ready$/m) or return 0;
	$self->learn;
	return 1;
}

# What the agent was told: its modules, then frames, with session, secret and addresses in RUN.
sub learn
{
	my ($self) = @_;
	return if $self->{secret};
	open(my $in, '<:raw', "$self->{dir}/heard") or die "$self->{dir}/heard: $!\n";
	my $bytes = do { local $/; <$in> };
	my ($count) = unpack 'V', substr $bytes, 0, 4, '';
	for (1 .. 2 * $count) {
		my ($length) = unpack 'V', substr $bytes, 0, 4, '';
		substr $bytes, 0, $length, '';
	}
	my $wire = FTMPI::Wire->new;
	$wire->feed($bytes);
	while (my ($type, $body) = $wire->next_frame) {
		my ($name, @fields) = FTMPI::Control::decode('launcher', $type, $body);
		$self->learn_run(@fields) if $name eq 'RUN';
	}
	die "no RUN among what the agent was told\n" if !$self->{secret};
	return;
}

sub learn_run
{
	my ($self, @fields) = @_;
	@$self{qw(session secret epoch)} = @fields;
	my $table = $fields[-1];
	for (1 .. $self->{ranks}) {
		my ($name, $address, $port) = unpack 'V/a* V/a* v', $table;
		push @{$self->{at}}, [$address, $port];
		substr $table, 0, length($name) + length($address) + ROW, '';
	}
	return;
}

# Host and port at which a rank listens.
sub at { return @{$_[0]{at}[$_[1]]} }

# What a handshake is made of.
sub key { return {map { $_ => $_[0]{$_} } qw(session secret epoch)} }

# By rank, the process that is it.
sub pids
{
	my ($self) = @_;
	my @pids;
	for my $pid ($self->{job}->pids) {
		my $program = readlink "/proc/$pid/exe" or next;
		next if $program ne $self->{program};
		$pids[$1] = $pid if FTMPI::Test::Process::slurp("/proc/$pid/environ") =~ /(?:\A|\0)FTMPI_RANK=(\d+)\0/;
	}
	return @pids;
}

# Lets all ranks at this distance exchange messages; false (with a note) when they do not manage to.
sub connect
{
	my ($self, $distance) = @_;
	my $times = 1 + ($self->{connected}{$distance}++ // 0);
	print {$self->{orders}} "$distance\n";
	my $line = qr/^distance $distance: right after \d+ rounds\n/m;
	return $self->{job}->wait_for(out => $line, $times);
}

# How often the number had gone round when the last order was carried out.
sub rounds
{
	my ($self) = @_;
	return ($self->{job}->out =~ /right after (\d+) rounds$/mg)[-1];
}

# Ends it; true when its answer is right, its status 0, and nobody is left.
sub end_well
{
	my ($self, $name) = @_;
	print {$self->{orders}} "0\n";
	my $job = $self->{job}->finish;
	$job->out_like(qr/^connect_later: right, \d+ rounds, $self->{ranks} ranks$/m, $name);
	$job->is_status(0, $name);
	return $job->none_left($name);
}

# By rank, how many descriptors it has.
sub descriptors
{
	my ($self) = @_;
	return map { scalar(my @all = glob "/proc/$_/fd/*") } $self->pids;
}

# By rank, its resident memory in KiB.
sub memory
{
	my ($self) = @_;
	return map { FTMPI::Test::Process::slurp("/proc/$_/status") =~ /^VmRSS:\s*(\d+)/m ? $1 : 0 } $self->pids;
}

1;

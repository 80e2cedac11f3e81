# SPDX-License-Identifier: BSD-3-Clause
#
# The rows about failures, checkpoints, images and message logging: what it costs to be ready for them, how soon they are noticed,
# how soon all goes on. Nobody else among the peers does this, so there are no turns with them.
package FTMPI::Bench::Failures;

use strict;
use warnings;

use FTMPI::Bench::Beats        ();
use FTMPI::Bench::Disk         ();
use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Hosts        ();
use FTMPI::Bench::Images       ();
use FTMPI::Bench::Lines        ();
use FTMPI::Bench::Msglog       ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Slices       ();
use FTMPI::Bench::Stats        ();
use FTMPI::Bench::Strikes      ();

my %HOW = (
	heartbeat  => \&_heartbeat,
	checkpoint => \&_checkpoint,
	detect     => \&_strikes,
	restart    => \&_strikes,
	stall      => \&_lines,
	commit     => \&_lines,
	protocol   => \&_protocol,
	image_stall => \&_image_stalls,
	image_size  => \&_image_sizes,
	image_back  => \&_image_trials,
	image_cost  => \&_image_costs,
	msglog      => \&_msglog,
);

# peers, root, dir, rounds, limit; hosts: for /gbit; pairs: [case, row] each, of one job. Returns notes.
sub measure
{
	my ($arg, @pairs) = @_;
	my $case = $pairs[0][0];
	my ($kind) = $case->{what} =~ /^((?:image_)?[a-z]+)/;
	my ($ours) = grep { $_->{name} eq 'FTMPI' } @{ $arg->{peers} };
	my %with = (%$arg, peer => $ours, count => $case->{times} * $arg->{rounds},
		map { $_ => $case->{$_} } qw(what operation transport bytes ranks times));
	my @notes = eval { $HOW{$kind}->(\%with, @pairs) };
	my $why = $@;
	FTMPI::Bench::Process::stop();
	return @notes if $why eq '';
	die $why if ref $why;
	chomp $why;
	$_->[1]{state}{FTMPI} = 'failed' for @pairs;
	return "$case->{what}: $why.";
}

# A program of this folder, compiled for us.
sub _program
{
	my ($arg, $name) = @_;
	my %program = (%{ $arg->{peer} }, name => $name, sources => ["$name.c"]);
	FTMPI::Bench::Peers::build(\%program, "$arg->{root}/bench", $arg->{dir}, $arg->{limit});
	return $program{exe};
}

sub _heartbeat
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	my @exe = $arg->{what} eq 'heartbeat_pieces' ? (exe => _program($arg, 'pieces')) : ();
	my $got = FTMPI::Bench::Beats::pairs(%$arg, @exe);
	@{ $row->{values} }{ 'FTMPI', 'floor' } = map { [ map { $_->{figure} } @$_ ] } @$got{qw(with without)};
	return FTMPI::Bench::Beats::notes($row->{what}, $got);
}

sub _checkpoint
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	my ($ours, $theirs, $kind) = FTMPI::Bench::Disk::turns(%$arg, exe => _program($arg, 'save'));
	@{ $row->{values} }{ 'FTMPI', 'floor' } = ($ours, $theirs);
	return "checkpoint: on a file system of the kind $kind.";
}

sub _lines
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	@{ $row->{values} }{ 'FTMPI', 'floor' } = FTMPI::Bench::Lines::turns(%$arg, exe => _program($arg, $arg->{what}));
	return FTMPI::Bench::Lines::note($row);
}

# Messages are logged, but there is no checkpoint.
sub _protocol
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	@{ $row->{values} }{ 'FTMPI', 'floor' } = FTMPI::Bench::Slices::jobs(%$arg);
	return FTMPI::Bench::Slices::note($row);
}

# One job for all rows that follow from the same faults: detect_... when it was noticed, restart when
# the last rank was back.
sub _strikes
{
	my ($arg, @pairs) = @_;
	my $fault = $arg->{what} =~ /^detect_(\w+)/ ? $1 : 'killed';
	$arg->{bytes} ||= 1 << 20;
	if ($fault eq 'silent' && defined(my $why = FTMPI::Bench::Hosts::why_not($arg->{root}))) {
		$_->[1]{state}{FTMPI} = 'skipped' for @pairs;
		return "$arg->{what}: not measured: $why.";
	}
	my %job    = (%$arg, fault => $fault, exe => _program($arg, 'struck'));
	my @trials = $fault eq 'silent' ? FTMPI::Bench::Strikes::silent_hosts(%job)
		: FTMPI::Bench::Strikes::on_this_host(%job);
	my %ms = _parts(@trials);
	for my $pair (@pairs) {
		my ($case, $row) = @$pair;
		$row->{values}{FTMPI} = $ms{ $case->{what} eq 'restart' ? 'restored' : 'noticed' };
	}
	return ((map { _told($_->[1]) } @pairs), _way($arg->{what}, \%ms), _odd($arg->{what}, @trials));
}

sub _image_stalls
{
	my ($arg, $pair) = @_;
	my ($coord) = $arg->{what} =~ /^image_stall_(\w+)/;
	$pair->[1]{values} = FTMPI::Bench::Images::stalls(%$arg, coord => $coord, exe => _program($arg, 'gaps'));
	return;
}

sub _image_sizes
{
	my ($arg, $pair) = @_;
	$pair->[1]{values} = FTMPI::Bench::Images::sizes(%$arg, exe => _program($arg, 'gaps'));
	return;
}

# Until the last rank has summed up once more.
sub _image_trials
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	my $trials = FTMPI::Bench::Images::trials(%$arg, exe => _program($arg, 'struck'));
	my @notes;
	for my $who (qw(FTMPI floor)) {
		my %ms   = _parts(@{ $trials->{$who} });
		my $what = $row->{what} . ($who eq 'floor' ? ', by calls' : '');
		$row->{values}{$who} = $ms{computed};
		push @notes, _way($what, \%ms), _odd($what, @{ $trials->{$who} });
	}
	return (_told($row), @notes);
}

sub _image_costs
{
	my ($arg, $pair) = @_;
	my (undef, $row) = @$pair;
	my ($kernel) = $arg->{what} =~ /^image_cost_(\w+)/;
	$row->{values} = FTMPI::Bench::Images::costs(%$arg, kernel => $kernel);
	return FTMPI::Bench::Images::note($row);
}

sub _msglog
{
	my ($arg, $pair) = @_;
	my @exe = $arg->{operation} eq 'msglog_again' ? (exe => _program($arg, 'token')) : ();
	return FTMPI::Bench::Msglog::measure({ %$arg, @exe }, $pair->[1]);
}

# Milliseconds of each part, of all trials.
sub _parts
{
	my %ms;
	for my $trial (@_) {
		my %seconds = $trial->seconds;
		die "ftmpirun did not say that it had noticed the fault\n" if !defined $seconds{noticed};
		push @{ $ms{$_} }, sprintf('%.2f', 1000 * $seconds{$_}) + 0 for keys %seconds;
	}
	return %ms;
}

sub _told
{
	my ($row) = @_;
	return "$row->{what}: " . FTMPI::Bench::Distribution::words($row->{unit}, @{ $row->{values}{FTMPI} }) . '.';
}

sub _way
{
	my ($what, $ms) = @_;
	my %name = (noticed => 'noticed', told => 'all agents ready and ranks told to run', main => 'last rank in main',
		inited => 'last rank through MPI_Init', restored => 'last rank with what the line has', computed => 'last rank through a sum');
	return "$what: on the way, ms after the fault (medians): " . join(', ', map {
		sprintf '%s %.0f', $name{$_}, FTMPI::Bench::Stats::median(@{ $ms->{$_} })
	} grep { $ms->{$_} } qw(noticed told main inited restored computed)) . '.';
}

# Trials that went on otherwise than they should have.
sub _odd
{
	my ($what, @trials) = @_;
	my @more  = grep { $_->more_restarts } @trials;
	my @other = grep { defined $_->otherwise } @trials;
	return (
		@more ? @more . " of the $what trials took more than one restart." : (),
		@other ? @other . " of the $what trials were told of in other words, as in: " . $other[0]->otherwise : ());
}

1;

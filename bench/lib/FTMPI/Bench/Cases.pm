# SPDX-License-Identifier: BSD-3-Clause
#
# What is measured, and what is aimed at: data. Units, and what is better; the rows of the table with
# their targets; which of them run as one job. Nothing here measures anything.
#
# A row is "WHAT BYTES RANKS". WHAT is an operation, over TCP on this host; behind a slash over another
# transport: OPERATION/default over that which each implementation chooses on this host, OPERATION/gbit
# on two hosts with 1 Gbit/s between them.
package FTMPI::Bench::Cases;

use strict;
use warnings;

use constant {
	SECONDS => 0.25,    # one figure is measured for about so long
	WAITING => 3,       # seconds in one receive
	MIB     => 1 << 20,
	KIB64   => 64 << 10,
	SAVED   => 256 << 20,    # bytes of a rank in a checkpoint
	IMAGE_MOST => 1 << 30,   # and in the largest image
	NOTICED => 1200,         # ms: the default timeout of heartbeats and two periods
};

# The runs that show what logging of messages costs, and their ranks.
use constant PROTOCOL => qw(pingpong gauss laplace neurons disks matmul);
my %PROTOCOL_RANKS = (pingpong => 2, gauss => 4, laplace => 4, neurons => 4, disks => 2, matmul => 5);

# The protocols whose lines of images are measured, and the kernels that show what an image job without lines costs.
use constant IMAGE_PROTOCOLS => qw(blocking eventlog);
use constant IMAGE_KERNELS   => qw(cg halo);

# The two halves of the rows of a collective at small sizes are one job, and so on: starting a job
# can take longer than measuring.
my @FAMILIES = (
	[qw(barrier bcast reduce allreduce)],
	[qw(allgather alltoall)],
	[qw(gather scatter scan reduce_scatter)],
);
my @COLLECTIVES = map { @$_ } @FAMILIES;

# Those with a root, each after a barrier: back to back a root that only sends, or leaves that do, run ahead.
my @SYNCHRONISED = map { "${_}_sync" } qw(bcast reduce gather scatter);

# Whole programs, and their sizes (the heads of cg.c, transpose.c, halo.c, sort.c).
my %KERNEL_SIZE = (cg => 256, transpose => 1024, halo => 512, sort => MIB);
my @KERNELS     = qw(cg transpose halo sort);

# What message logging may cost, beside the same without a protocol, and in what sizes: a ratio, at most; of bandwidth,
# at least. msglog_again: seconds; msglog_kills, msglog_left: steps.
my %MSGLOG = (
	pingpong  => { bytes => 8, most => 1.05 },
	bandwidth => { bytes => MIB, least => 0.75 },
	ring_any  => { bytes => 8 },
	again     => { bytes => 10, most => 0.5 },
	kills     => { bytes => 25_000, below => 1.3 },
	left      => { bytes => 3000 },
	map { $_ => { bytes => $KERNEL_SIZE{$_}, most => 1.05 } } @KERNELS,
);

my @LENGTHS = map { 1 << $_ } 0, 3, 6, 8, 10, 12, 14, 16, 18, 20, 22;

my %UNIT = (
	pingpong => 'us',
	rate     => 'messages/s',
	match    => 'us',
	start    => 's',
	memory   => 'MiB',
	waiting  => '% of a core',
	beating  => '% of a core',
	checkpoint         => 'MB/s',
	heartbeat_pingpong => 'us',
	heartbeat_pieces   => 'ms',
	restart            => 'ms',
	stall              => 'us',
	commit             => 'ms',
	image_size         => 'MiB',
	image_back         => 'ms',
	(map { ("image_stall_$_" => 'ms') } IMAGE_PROTOCOLS),
	(map { ("image_cost_$_" => 'ms') } IMAGE_KERNELS),
	(map { ("protocol_$_" => 'ms') } PROTOCOL),
	msglog_pingpong  => 'us',
	msglog_bandwidth => 'MB/s',
	msglog_ring_any  => 'us',
	msglog_again     => 'ms',
	msglog_kills     => 's',
	msglog_left      => '% lost',
	(map { ("msglog_$_" => 'ms') } @KERNELS),
	(map { ("detect_$_" => 'ms') } qw(killed stopped silent)),
	(map { ($_ => 'ms') } @KERNELS),
	map { $_ => 'us' } @COLLECTIVES, @SYNCHRONISED,
);

my @PEERS_AND_US = ('FTMPI', 'Open MPI', 'MPICH');

sub collectives { return @COLLECTIVES }
sub kernels     { return @KERNELS }
sub kernel_size { return $KERNEL_SIZE{ $_[0] =~ s/^(?:image_cost|msglog)_//r } }

# The operation and the transport (tcp, default or gbit) of WHAT.
sub parts
{
	my ($operation, $transport) = $_[0] =~ m{^(\w*)(?:/(\w+))?\z};
	return ($operation, $transport // 'tcp');
}

# True when the greater number is the better one.
sub more_is_better
{
	my ($case) = @_;
	return $case->{unit} =~ m{/s\z};
}

# True when the values of floor and FTMPI were measured in pairs, and their ratios count.
sub is_paired
{
	my ($case) = @_;
	return $case->{what} =~ /^(?:heartbeat_|checkpoint\z|stall\z|commit\z|protocol_|image_stall_|image_cost_|msglog_)/;
}

# True when jobs differ by more than what is looked for: a target is met or not only if the median of
# the pairs is certain enough.
sub is_faint { return $_[0]{what} =~ /^(?:heartbeat|protocol|image_cost|msglog)_/ }

# A target: against => floor, peer (the better one), value, or greatest (value); most, below or least =>
# the limit.
my %TARGETS = (
	'pingpong 8'            => [ { against => 'floor', most => 1.15 }, { against => 'peer', below => 1 } ],
	'pingpong ' . MIB()     => [ { against => 'peer', most => 1 } ],
	'rate 8'                => [ { against => 'peer', least => 10 } ],
	'waiting ' . WAITING()   => [ { against => 'value', below => 1 } ],
	'start 0 128'           => [ { against => 'value', most => 2 } ],
	'start 0 512'           => [ { against => 'value', most => 8 } ],
	'memory 8'              => [ { against => 'value', most => 8 } ],
	'heartbeat_pingpong 8'  => [ { against => 'floor', most => 1.005 } ],
	'heartbeat_pieces 0'    => [ { against => 'floor', most => 1.005 } ],
	'beating ' . WAITING()   => [ { against => 'value', most => 0.5 } ],
	'checkpoint ' . SAVED()  => [ { against => 'floor', least => 0.9 } ],
	'detect_killed 0'       => [ { against => 'value', below => 50 } ],
	'detect_stopped 0'      => [ { against => 'greatest', most => NOTICED } ],
	'detect_silent 0'       => [ { against => 'greatest', most => NOTICED } ],
	'restart ' . MIB()       => [ { against => 'value', most => 300 } ],
	(map { ("stall $_" => [ { against => 'floor', most => 1.1 } ]) } MIB, 64 * MIB, SAVED),
	(map { ("image_cost_$_ $KERNEL_SIZE{$_}" => [ { against => 'floor', most => 1.01 } ]) } IMAGE_KERNELS),
	(map { ("protocol_$_ 0" => [ { against => 'floor', most => 1.01 } ]) } PROTOCOL),
);

# Small collectives have a target when the ranks outnumber the cores, long ones always.
sub _tcp_targets
{
	my ($operation, $bytes, $ranks, $cores) = @_;
	my $given = $TARGETS{"$operation $bytes $ranks"} // $TARGETS{"$operation $bytes"};
	return $given if $given;
	return [ { against => 'peer', most => 1 } ] if $KERNEL_SIZE{$operation};
	return [] if !grep { $_ eq $operation } @COLLECTIVES;
	return [ { against => 'peer', most => 1 } ] if $bytes >= MIB;
	return $ranks > $cores ? [ { against => 'peer', most => 0.7 } ] : [];
}

# As fast as the better peer; collectives of more ranks than cores faster.
sub _default_targets
{
	my ($operation, $bytes, $ranks, $cores) = @_;
	return $TARGETS{"$operation $bytes"} if $operation eq 'waiting';
	return [ { against => 'peer', least => 1 } ] if $operation eq 'rate';
	return [] if grep { $_ eq $operation } @SYNCHRONISED;
	my $crowded = $ranks > $cores && grep { $_ eq $operation } @COLLECTIVES;
	return [ { against => 'peer', most => $crowded ? 0.8 : 1 } ];
}

my %TARGETS_OF = (tcp => \&_tcp_targets, default => \&_default_targets, gbit => sub { [] });

# what: one for all the rows of a section. quick: the rows of -quick.
my %QUICK = map { $_ => 1 } 'pingpong 8 2', "pingpong @{[MIB]} 2", 'rate 8 2', 'barrier 0 4',
	'allreduce 8 8', 'alltoall 1024 8', "bcast @{[MIB]} 4", 'start 0 32', 'waiting 3 2',
	'pingpong/default 8 2', 'pingpong/gbit 8 2', 'cg/default 256 4';

# One row. More: job (rows with the same one share a job), who (implementations), rounds (at most), times
# (measurements a round, by FTMPI::Bench::Failures).
sub _case
{
	my ($cores, $section, $what, $bytes, $ranks, %more) = @_;
	my $id = "$what $bytes $ranks";
	my ($operation, $transport) = parts($what);
	return {
		id      => $id,
		section => $section,
		what    => $what,
		bytes   => $bytes,
		ranks   => $ranks,
		operation => $operation,
		transport => $transport,
		unit    => $UNIT{$operation},
		targets => $TARGETS_OF{$transport}->($operation, $bytes, $ranks, $cores),
		quick   => $QUICK{$id} // 0,
		job     => $id,
		who     => \@PEERS_AND_US,
		%more,
	};
}

sub _two_ranks
{
	my ($cores) = @_;
	my @with_floor = (who => [ 'floor', @PEERS_AND_US ]);
	return (map { _case($cores, 'Two ranks', 'pingpong', $_, 2, @with_floor) } @LENGTHS),
		_case($cores, 'Two ranks', 'rate', 8, 2),
		(map { _case($cores, 'Two ranks', 'match', $_, 2) } 100, 20_000);
}

# The rows of all collectives with so many ranks, over `where`: '', or a slash and the transport. A barrier has
# no bytes, and stands beside those of 8.
sub _collectives
{
	my ($cores, $section, $where, $ranks, @bytes) = @_;
	my @cases;
	for my $family (@FAMILIES) {
		my @job = (job => "@$family$where, @bytes, $ranks");
		for my $what (@$family) {
			my @sizes = $what ne 'barrier' ? @bytes : $bytes[0] == 8 ? 0 : ();
			push @cases, map { _case($cores, $section, "$what$where", $_, $ranks, @job) } @sizes;
		}
	}
	return @cases;
}

sub _synchronised
{
	my ($cores, $section, $where, $ranks, @bytes) = @_;
	my @rest = ($ranks, job => "@SYNCHRONISED$where, @bytes, $ranks");
	return map { my $what = $_; map { _case($cores, $section, "$what$where", $_, @rest) } @bytes } @SYNCHRONISED;
}

# What each implementation does when nobody tells it how.
sub _defaults
{
	my ($cores) = @_;
	my $two = 'Default transports, two ranks';
	my @job = (2, job => 'pingpong/default');
	return (
		(map { _case($cores, $two, 'pingpong/default', $_, @job) } grep { $_ >= 8 } @LENGTHS),
		_case($cores, $two, 'rate/default', 8, 2),
		_case($cores, $two, 'waiting/default', WAITING, 2),
		(map {
			my $ranks = $_;
			map { _collectives($cores, "Default transports, collectives on $ranks ranks", '/default', $ranks, @$_) }
				[ 8, 1024 ], [KIB64], [MIB];
		} 2, 4, 8, 16),
		(map {
			_synchronised($cores, 'Default transports, rooted collectives, each after a barrier', '/default', $_, 8, KIB64, MIB)
		} 2, 4, 8, 16),
	);
}

# Two ranks are on a host each; of four, the first two are on one.
sub _hosts
{
	my ($cores) = @_;
	my $row = sub { _case($cores, 'Two hosts at 1 Gbit/s', @_) };
	my @collectives = map { my $what = $_; map { [ $what, $_ ] } 8, 1024, KIB64, MIB } qw(bcast allreduce alltoall);
	return (
		(map { $row->('pingpong/gbit', $_, 2, job => 'pingpong/gbit') } 8, 1024, KIB64, MIB, 4 * MIB),
		$row->('rate/gbit', 8, 2),
		map { $row->("$_->[0]/gbit", $_->[1], 4, job => "$_->[0]/gbit") } @collectives,
	);
}

# A job each, for a wrong answer ends the job.
sub _kernels
{
	my ($cores) = @_;
	my $rows = sub {
		my ($section, $where, @ranks) = @_;
		map { my $kernel = $_; map { _case($cores, $section, "$kernel$where", $KERNEL_SIZE{$kernel}, $_) } @ranks } @KERNELS;
	};
	return ($rows->('Kernels', '', 4, 16), $rows->('Default transports, kernels', '/default', 2, 4, 8, 16, 64));
}

# The floor: without heartbeats; dd. Of the others none does this.
sub _failures
{
	my ($cores) = @_;
	my $row = sub { _case($cores, 'Failures', splice(@_, 0, 3), who => ['FTMPI'], @_) };
	my @with_floor = (who => [ 'floor', 'FTMPI' ]);
	my @killed = (job => 'killed', times => 10);
	return (
		$row->('heartbeat_pingpong', 8, 2, @with_floor, times => 12),
		$row->('heartbeat_pieces', 0, 2, @with_floor, times => 8),
		$row->('beating', WAITING, 2),
		$row->('checkpoint', SAVED, 2, @with_floor, times => 1),
		$row->('detect_killed', 0, 8, @killed),
		$row->('restart', MIB, 8, @killed),
		$row->('detect_stopped', 0, 8, times => 10),
		$row->('detect_silent', 0, 4, times => 10),
	);
}

# The floor: memcpy; bare system calls; the same without logging.
sub _checkpoints
{
	my ($cores) = @_;
	my $row = sub {
		_case($cores, 'Checkpoints without waiting', splice(@_, 0, 3), who => [ 'floor', 'FTMPI' ], @_);
	};
	return (
		$row->('stall', 1024, 2, times => 20),
		$row->('stall', MIB, 2, times => 20),
		$row->('stall', 64 * MIB, 2, times => 6),
		$row->('stall', SAVED, 2, times => 3),
		$row->('commit', 1024, 8, times => 20),
		(map { $row->("protocol_$_", 0, $PROTOCOL_RANKS{$_}, times => 8) } PROTOCOL),
	);
}

# The floor: the same by the program's own calls; of the costs, without -image.
sub _images
{
	my ($cores) = @_;
	my $row = sub { _case($cores, 'Images of processes', splice(@_, 0, 3), who => [ 'floor', 'FTMPI' ], @_) };
	return (
		(map {
			my @what = "image_stall_$_";
			($row->(@what, 64 * MIB, 2, times => 4), $row->(@what, IMAGE_MOST, 2, times => 2));
		} IMAGE_PROTOCOLS),
		$row->('image_size', IMAGE_MOST, 1, times => 1),
		$row->('image_back', 64 * MIB, 2, times => 10),
		(map { $row->("image_cost_$_", $KERNEL_SIZE{$_}, 2, times => 8) } IMAGE_KERNELS),
	);
}

# The floor: the same without a protocol; what had run before a rank was killed; without kills.
sub _msglog
{
	my ($cores) = @_;
	my $row = sub {
		my ($what, $where, $ranks, $times, %limit) = @_;
		my %of    = (%{ $MSGLOG{$what} }, %limit);
		my $bytes = delete $of{bytes};
		return _case($cores, 'Message logging', "msglog_$what$where", $bytes, $ranks, who => [ 'floor', 'FTMPI' ], times => $times,
			targets => [ %of ? { against => 'floor', %of } : () ]);
	};
	my @lost = (who => ['FTMPI'], targets => [ { against => 'value', most => 0 } ]);
	return (
		(map { $row->('pingpong', $_, 2, 4) } '', '/default'),
		(map { $row->('bandwidth', $_, 2, 4) } '', '/default'),
		$row->('bandwidth', '/gbit', 2, 4, least => 0.98),
		(map { $row->('ring_any', '/default', $_, 2) } 4, 8),
		(map { my $kernel = $_; map { $row->($kernel, '/default', $_, 4) } 4, 8 } @KERNELS),
		$row->('again', '/default', 8, 2),
		$row->('kills', '/default', 4, 2),
		(map { { %{ $row->('left', '/default', $_, 2) }, @lost } } 4, 8),
	);
}

# On a machine with so many cores.
sub all
{
	my ($cores) = @_;
	my $rest = 'Starting, waiting, memory';
	return (
		_two_ranks($cores),
		_collectives($cores, 'Collectives', '', 2, 8),
		(map { _collectives($cores, 'Collectives', '', $_, 8, 1024) } 4, 8, 16),
		(map { _collectives($cores, 'Collectives, 1 MiB', '', $_, MIB) } 2, 4, 8),
		(map { _synchronised($cores, 'Rooted collectives, each after a barrier', '', $_, 8, KIB64, MIB) } 2, 4, 8, 16),
		_case($cores, $rest, 'waiting', WAITING, 2),
		_case($cores, $rest, 'start', 0, 32),
		_case($cores, $rest, 'start', 0, 128),
		_case($cores, $rest, 'start', 0, 512, who => ['FTMPI']),
		_case($cores, $rest, 'memory', 8, 128, who => [ 'floor', @PEERS_AND_US ], rounds => 1),
		_defaults($cores),
		_kernels($cores),
		_hosts($cores),
		_failures($cores),
		_checkpoints($cores),
		_images($cores),
		_msglog($cores),
	);
}

# Those whose "WHAT BYTES RANKS" the pattern matches, of the quick ones alone when asked for.
sub chosen
{
	my ($cores, $pattern, $quick) = @_;
	return grep { $_->{id} =~ $pattern && ($_->{quick} || !$quick) } all($cores);
}

# In lists that run as one job each.
sub jobs
{
	my (@cases) = @_;
	my (%of, @order);
	for my $case (@cases) {
		push @order, $case->{job} if !$of{ $case->{job} };
		push @{ $of{ $case->{job} } }, $case;
	}
	return map { $of{$_} } @order;
}

1;

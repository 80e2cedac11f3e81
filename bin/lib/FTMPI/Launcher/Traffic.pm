# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks have sent to each other, from what each tells of itself (TRAFFIC, doc/control.md): all since its process began, as of a recovery line, or of all. What counts is
# what leads to where the job is: of a process that is gone, what it had sent before the line, or its own checkpoint, from which the next one goes on. Driven by notes (FTMPI::Launcher::Notes). Pure.
package FTMPI::Launcher::Traffic;

use strict;
use warnings;

# Blocks of ranks that are told apart; what the line of TRAFFIC is where that is all; of 64 bits those above 32, at most: less than 2^53, so that JSON's readers have all digits.
use constant { BLOCKS_MAX => 128, ALL => 0xffffffff, HIGH_MAX => (1 << 21) - 1 };

# Seconds of the job after which a line brings what is known by then into the record, and by how much longer the job has run the next time: some 60 times in a year.
use constant { FIRST => 60, GROWS => 1.25 };

# How many ranks are one block.
sub block_of { my ($size) = @_; return int(($size + BLOCKS_MAX - 1) / BLOCKS_MAX) }

# What a rank says, in few bytes; undef where it makes no sense. blocks: numbers, ascending; words: of each block the messages and the bytes, two of 32 bits each, the low one first.
sub packed
{
	my ($size, $ranks, $blocks, $words) = @_;
	return undef if $ranks != block_of($size) || @$blocks > BLOCKS_MAX || @$words != 4 * @$blocks;
	my $least = 0;
	for my $i (0 .. $#$blocks) {
		my ($low, $high, undef, $high_bytes) = @$words[ 4 * $i .. 4 * $i + 3 ];
		return undef if $blocks->[$i] < $least || $blocks->[$i] * $ranks >= $size || !($low || $high) || $high > HIGH_MAX || $high_bytes > HIGH_MAX;
		$least = $blocks->[$i] + 1;
	}
	return pack '(V5)*', map { ($blocks->[$_], @$words[ 4 * $_ .. 4 * $_ + 3 ]) } 0 .. $#$blocks;
}

# size: ranks; began: the time of the notes when the job did.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, epoch => 0, committed => 0, own => {}, now => {}, gone => {}, before => {}, next => $arg{began} + FIRST }, $class;
}

sub note
{
	my ($self, $event, $fields) = @_;
	if ($event eq 'start') {
		$self->{session} = $fields->{session};
	} elsif ($event eq 'sent') {
		$self->_sent($fields);
	} elsif ($event =~ /^(?:run|restart)\z/) {
		$self->{epoch} = $fields->{epoch};
	} elsif ($event eq 'line_committed') {
		$self->{committed} = $fields->{line};
	} elsif ($event eq 'checkpoint') {
		$self->{own}{ $fields->{rank} } = $fields->{number};
	} elsif ($event eq 'failure' && $fields->{decision} ne 'end') {
		$self->_goes($_) for $fields->{decision} eq 'restart' ? keys %{ $self->{now} } : @{ $fields->{ranks} };
	} elsif ($event eq 'restored') {
		$self->_restored($fields);
	}
	return;
}

# Of a rank that makes checkpoints alone, the last one; else the line.
sub _counts { my ($self, $rank) = @_; return $self->{own}{$rank} // $self->{committed} }

# What came from a process of an epoch before is on its way for a moment. Two are kept of each process: the newest, and the newest that counts already.
sub _sent
{
	my ($self, $f) = @_;
	my $rank = $f->{rank};
	return if $f->{epoch} != $self->{epoch};
	$self->_add_gone($rank);
	my $was = $self->{now}{$rank};
	my $settled = !$was ? undef : $was->{line} <= $self->_counts($rank) ? $was->{sent} : $was->{settled};
	$self->{now}{$rank} = { line => $f->{line} // ALL, sent => $f->{sent}, settled => $settled };
	return;
}

# Which line the next process goes on from may be known later.
sub _goes
{
	my ($self, $rank) = @_;
	my $now = delete $self->{now}{$rank} // return;
	$self->_add_gone($rank);
	$self->{gone}{$rank} = $now;
	return;
}

# It may be one that was committed when nobody could tell it any more.
sub _restored
{
	my ($self, $f) = @_;
	if (defined $f->{rank}) {
		$self->{own}{ $f->{rank} } = $f->{number} if $f->{number} > $self->_counts($f->{rank});
		$self->_add_gone($f->{rank});
		return;
	}
	$self->{committed} = $f->{line} if $f->{line} > $self->{committed} && $f->{session} eq ($self->{session} // '');
	$self->_add_gone($_) for keys %{ $self->{gone} };
	return;
}

sub _add_gone
{
	my ($self, $rank) = @_;
	$self->_add($self->{before}, $rank, $self->_sent_before_gone($rank));
	delete $self->{gone}{$rank};
	return;
}

sub _sent_before_gone
{
	my ($self, $rank) = @_;
	my $gone = $self->{gone}{$rank} // return undef;
	return $gone->{line} <= $self->_counts($rank) ? $gone->{sent} : $gone->{settled};
}

sub _add
{
	my ($self, $matrix, $rank, $sent) = @_;
	my $row   = int $rank / block_of($self->{size});
	my @words = unpack 'V*', $sent // '';
	while (my ($to, $low, $high, $low_bytes, $high_bytes) = splice @words, 0, 5) {
		my $cell = $matrix->{$row}{$to} //= [ 0, 0 ];
		$cell->[0] += $low + $high * 2**32;
		$cell->[1] += $low_bytes + $high_bytes * 2**32;
	}
	return;
}

# For the record, or undef where no rank has told of anything.
sub matrix
{
	my ($self) = @_;
	my %matrix = map { my $row = $_; ($row => { map { $_ => [ @{ $self->{before}{$row}{$_} } ] } keys %{ $self->{before}{$row} } }) } keys %{ $self->{before} };
	$self->_add(\%matrix, $_, $self->_sent_before_gone($_)) for keys %{ $self->{gone} };
	$self->_add(\%matrix, $_, $self->{now}{$_}{sent}) for keys %{ $self->{now} };
	my $block = block_of($self->{size});
	my @sent;
	for my $row (sort { $a <=> $b } keys %matrix) {
		my @to = sort { $a <=> $b } keys %{ $matrix{$row} };
		push @sent, { from => $row * $block, to => [ map { $_ * $block } @to ], messages => [ map { $matrix{$row}{$_}[0] } @to ], bytes => [ map { $matrix{$row}{$_}[1] } @to ] } if @to;
	}
	return @sent ? { block => $block, sent => \@sent } : undef;
}

# Is what is known now to be in the record, should ftmpirun be killed?
sub is_due
{
	my ($self, $now) = @_;
	return 0 if $now < $self->{next};
	$self->{next} = $self->{began} + GROWS * ($now - $self->{began});
	return 1;
}

1;

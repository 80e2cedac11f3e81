# SPDX-License-Identifier: BSD-3-Clause
#
# Connections between ranks that broke. Most often the other end has died, and the news of that is on its way: so each
# report waits for a while, and is a failure of its own only when nothing else has settled it. Pure.
package FTMPI::Launcher::LostConnections;

use strict;
use warnings;

# Seconds that a report waits for the news that explains it.
use constant EXPLAIN_TIME => 2;

# What an end of a connection says that was closed by the other, which knows why.
my $CLOSED = qr/^(?:Connection reset by peer|Broken pipe|it closed the connection)\z/;

# ranks: FTMPI::Launcher::RankTable; hosts: FTMPI::Launcher::HostTable; suspects: FTMPI::Launcher::Suspects.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg }, $class;
	$self->reset(0);
	return $self;
}

# Another epoch: what was told of it is settled.
sub reset { my ($self, $epoch) = @_; @$self{qw(epoch told)} = ($epoch, []); return }

# This rank has lost its connection to the peer.
sub tell
{
	my ($self, $rank, $peer, $reason) = @_;
	push @{ $self->{told} }, { rank => $rank, peer => $peer, reason => $reason };
	return [ timer => 'explain', EXPLAIN_TIME, $self->{epoch} ];
}

# The timer of the same name: nothing explained the oldest report in time. Returns the failure that it is, if it is one. It does no
# harm when one of the two is through with MPI. One that was fenced has closed its connections by that: its end, or that it does not
# end, is told by itself. So has one that has begun again alone; the report may be a late one.
sub explain
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my ($ranks, $hosts, $suspects) = @$self{qw(ranks hosts suspects)};
	my $lost = _best(@{ $self->{told} }) // return;
	shift @{ $self->{told} };
	my @ends = @$lost{qw(rank peer)};
	return if grep { $ranks->state($_) =~ /^(?:leaving|finalized|done)$/ || defined $suspects->fenced_at($_) || $ranks->has_come_back($_) } @ends;
	my ($one, $other) = map { $hosts->who($_) } @ends;
	return (
		class  => 'lost',
		status => 1,
		text   => "connection between $one and $other broke: $lost->{reason}",
		tail   => '; the job is ended.');
}

# Of the reports of a connection, the oldest report's, the one that says most.
sub _best
{
	my ($oldest, @others) = @_;
	my $pair = sub { join ' ', sort @{ $_[0] }{qw(rank peer)} };
	return $oldest if !$oldest || $oldest->{reason} !~ $CLOSED;
	my ($better) = grep { $pair->($_) eq $pair->($oldest) && $_->{reason} !~ $CLOSED } @others;
	return $better // $oldest;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Standard input on its way to rank 0: at most WINDOW bytes are sent before the rank has taken them. The bytes
# are kept, up to KEEP_MAX, and sent again when rank 0 begins again: from the beginning, or, when it goes on from the
# image of its process, from where that had come. How much rank 0 had read is measured before and after it makes its part of
# a line; when it has read in between, nobody knows how much of that the image holds. Under message logging (alone), where it stands still for
# a checkpoint of its own, it is measured then. All counts are from the beginning of
# the input, which a job that goes on from another one's line is given again; at a terminal, from where the line's input ended.
package FTMPI::Launcher::Stdin;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use POSIX ();

use FTMPI::Positions ();

# RETRY: seconds after which a terminal that belongs to another job is looked at again. ATTEMPTS, LINES: of how
# many, the newest ones, is known what was read.
use constant { WINDOW => 262144, CHUNK => 65536, RETRY => 0.5, KEEP_MAX => 64 << 20, ATTEMPTS => 8, LINES => 10000 };

# loop; on_bytes => sub (bytes); on_end => sub; keep: whether rank 0 may begin again; alone: it has checkpoints of its own; awaited: rank 0 is going to say from which
# line it goes on. These are told:
#	on_lost   => sub: more was given than is kept
#	on_unsure => sub (line): rank 0 gets again what it may have read
#	on_read   => sub (bytes by line): what is known of the lines, when one more is committed; undef: nobody asks
#	on_short  => sub (line, bytes, bytes that came): the input is shorter than what rank 0 had read of it; once
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { awaited => 0, %arg, under_way => 0, over => 0, held => $arg{awaited}, kept => '', base => 0, seen => 0,
		given => 0, from => 0, measures => {}, read => {}, stood => FTMPI::Positions->new }, $class;
	$self->_open;
	return $self;
}

# Give what is kept and was not given to this rank 0 yet; then read on.
sub _open
{
	my ($self) = @_;
	return if $self->{over} || $self->{held};
	my $end = $self->{base} + length $self->{kept};
	while ($self->{given} < $end && $self->{under_way} < WINDOW) {
		my $bytes = substr $self->{kept}, $self->{given} - $self->{base}, CHUNK;
		$self->{given}     += length $bytes;
		$self->{under_way} += length $bytes;
		$self->{on_bytes}->($bytes);
	}
	return if $self->{given} < $end;
	if ($self->{ended}) {
		$self->_end;
		$self->{over} = 1;
	} elsif ($self->{under_way} < WINDOW) {
		$self->{loop}->on_read(\*STDIN, sub { $self->_read });
	}
	return;
}

sub _end
{
	my ($self) = @_;
	$self->{on_short}->(@$self{qw(line from seen)}) if $self->{given} > $self->{seen} && !$self->{told_short}++;
	$self->{on_end}->();
	return;
}

# Rank 0 took so many bytes.
sub taken
{
	my ($self, $n) = @_;
	$self->{under_way} -= $n;
	$self->_open;
	return;
}

# Nobody reads any more: this rank 0 does not, or the job is over.
sub close
{
	my ($self) = @_;
	return if $self->{held};
	$self->{over} = 1;
	$self->{loop}->off_read(\*STDIN);
	return;
}

# Nothing more comes, or is read.
sub is_over { return $_[0]{over} }

# Rank 0 is about to begin again: nothing is sent meanwhile, and what its agent tells concerns the old process.
sub hold
{
	my ($self) = @_;
	$self->{held} = 1;
	$self->{loop}->off_read(\*STDIN);
	return;
}

# It has begun again, and gets everything from so many bytes on, or from the beginning.
sub rewind
{
	my ($self, $from) = @_;
	$from //= 0;
	$from = $self->{base} if $from < $self->{base};
	$self->{from} = $from;
	@$self{qw(held over given under_way awaited measures)} = (0, 0, $from, 0, 0, {});
	$self->_open;
	return;
}

# It has begun again, and is going to say from which line, or checkpoint of its own, it goes on, if from any.
sub await_line { $_[0]{awaited} = 1; return }

# It says that now.
sub go_on
{
	my ($self, $line) = @_;
	return if !$self->{awaited};
	my $read = !defined $line ? 0 : $self->{alone} ? $self->{stood}->of($line) : $self->{read}{$line};
	@$self{qw(line unsure)} = ($line, !defined $read);
	$self->_tell_unsure if $self->{seen};
	$self->rewind($read);
	return;
}

# Where there is no input that matters to nobody.
sub _tell_unsure
{
	my ($self) = @_;
	$self->{on_unsure}->($self->{line}) if delete $self->{unsure};
	return;
}

# The job goes on from this line of another one, whose rank 0 had read so many bytes by line (undef: nobody knows). Before
# go_on.
sub before
{
	my ($self, $line, $read) = @_;
	$self->{read}{$line} = $read ? $read->{$line} : undef;
	@$self{qw(base seen)} = ($self->{read}{$line}) x 2 if !$self->{seen} && $self->{read}{$line} && -t STDIN;
	return;
}

# So much of what this rank 0 was given it has read, before or after its part of the line that was asked for with the number
# n; undef: nobody knows.
sub measured
{
	my ($self, $n, $bytes) = @_;
	delete $self->{measures}{ $n - ATTEMPTS };
	push @{ $self->{measures}{$n} }, defined $bytes ? $self->{from} + $bytes : undef;
	return;
}

# The same of a rank 0 that stands for its checkpoint n; and when that is committed.
sub stands
{
	my ($self, $n, $bytes) = @_;
	$self->{stood}->note($n, defined $bytes ? $self->{from} + $bytes : undef);
	return;
}

sub stands_no_more_before { my ($self, $n) = @_; $self->{stood}->committed($n); return }

# A line of this number was committed; of an older one of the same number nothing counts any more. Where no input has come, none
# was read.
sub committed
{
	my ($self, $line) = @_;
	delete $self->{read}{ $line - LINES };
	$self->{read}{$line} = $self->{seen} || $self->{from} ? undef : 0;
	$self->_tell_read;
	return;
}

# The line that was asked for with the number n is this one.
sub saved
{
	my ($self, $n, $line) = @_;
	my @measures = @{ delete $self->{measures}{$n} // [] };
	my ($before, $after) = @measures > 1 ? @measures[ -2, -1 ] : ();
	return if !defined $before || !defined $after || $before != $after;
	$self->{read}{$line} = $before;
	$self->_tell_read;
	return;
}

sub _tell_read
{
	my ($self) = @_;
	my $read = $self->{read};
	return if !$self->{on_read};
	$self->{on_read}->({ map { defined $read->{$_} ? ($_ => $read->{$_}) : () } keys %$read });
	return;
}

# Reading a terminal in the background would stop us.
sub _in_background
{
	return if !-t STDIN;
	my $owner = POSIX::tcgetpgrp(0);
	return defined $owner && $owner != getpgrp;
}

sub _read
{
	my ($self) = @_;
	if (_in_background()) {
		$self->{loop}->off_read(\*STDIN);
		$self->{loop}->after(RETRY, sub { $self->_open });
		return;
	}
	my $n = sysread STDIN, my $bytes, CHUNK;
	return if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if (!$n) {
		$self->{ended} = 1;
		$self->close;
		$self->_end;
		return;
	}
	$self->_tell_unsure;
	$self->_keep($bytes);
	substr $bytes, 0, $self->{given} - $self->{seen}, '' if $self->{given} > $self->{seen} && $self->{given} < $self->{seen} + $n;
	$self->{seen} += $n;
	return if $self->{given} >= $self->{seen};
	$self->{given} = $self->{seen};
	$self->{under_way} += length $bytes;
	$self->{loop}->off_read(\*STDIN) if $self->{under_way} >= WINDOW;
	$self->{on_bytes}->($bytes);
	return;
}

sub _keep
{
	my ($self, $bytes) = @_;
	return if !$self->{keep};
	$self->{kept} .= $bytes;
	return if length $self->{kept} <= KEEP_MAX;
	@$self{qw(keep kept)} = (0, '');
	$self->{on_lost}->();
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Standard input on its way to rank 0: at most WINDOW bytes are sent before the rank has taken them. The bytes
# are kept, and sent again when rank 0 begins again: from the beginning, or, when it goes on from the image of its process, from
# where that says that it had come. Of more than KEEP_MAX bytes those go that the newest committed line, or checkpoint of rank 0, had read. All counts are from the
# beginning of the input, which a job that goes on from another one's line is given again; at a terminal, from where the line's
# input ended. That it is the same input is seen by the sum of what the image had read.
package FTMPI::Launcher::Stdin;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use POSIX ();

# RETRY: seconds after which a terminal that belongs to another job is looked at again. NOTED, SUMS: of how many lines, positions, the newest, it
# is known what was read.
use constant { WINDOW => 262144, CHUNK => 65536, RETRY => 0.5, KEEP_MAX => 64 << 20, NOTED => 16, SUMS => 1000 };

# loop; on_bytes => sub (bytes); on_end => sub; keep: whether rank 0 may begin again; awaited: rank 0 is going to say from where it goes on. These are told:
#	on_lost   => sub: more was given than is kept
#	on_gone   => sub (bytes): rank 0 goes on from there, and what is behind that is not kept any more
# line: as a sentence names it.
#	on_unsure => sub (line): rank 0 gets again what it may have read
#	on_sums   => sub (sums by bytes): the sums of what committed lines had read, when there is one more; undef: nobody asks
#	on_short  => sub (line, bytes, bytes that came): the input is shorter than what rank 0 had read of it; once
#	on_other  => sub (line, bytes): it is not the input that rank 0 had read so much of. None of it is given
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { awaited => 0, %arg, under_way => 0, over => 0, held => $arg{awaited}, kept => '', base => 0, seen => 0,
		given => 0, needed => 0, noted => {}, sums => {}, expected => {}, summed => 0 }, $class;
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
	$self->{on_short}->(@$self{qw(line given seen)}) if $self->{given} > $self->{seen} && !$self->{told_short}++;
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
	@$self{qw(held awaited)} = (1, 0);
	$self->{loop}->off_read(\*STDIN);
	return;
}

# It has begun again, and gets everything from so many bytes on, or from the beginning.
sub rewind
{
	my ($self, $from) = @_;
	$from //= 0;
	return if $from < $self->{base} && !$self->_begins_at($from);
	@$self{qw(held over given under_way awaited)} = (0, 0, $from, 0, 0);
	delete $self->{sums}{$_} for grep { $_ > $from } keys %{ $self->{sums} };
	$self->{check} = $from if defined $self->{expected}{$from};
	return if !$self->_is_the_same;
	$self->_open;
	return;
}

# Can what is kept be counted from there on? At a terminal, where what was typed to a job before is not given again.
sub _begins_at
{
	my ($self, $from) = @_;
	if ($self->{typed}) {
		$self->{seen} -= $self->{base} - $from;
		@$self{qw(base needed)} = ($from, $from);
		return 1;
	}
	$self->{on_gone}->($from);
	return 0;
}

# It has begun again, and is going to say from where it goes on, if not from the beginning.
sub await_line { @{ $_[0] }{qw(held awaited)} = (1, 1); return }

# It goes on from a line of which nobody knew, as its process before was killed when it had made that. Not where it was given input since:
# then nothing can be done for it, and this returns false.
sub await_late
{
	my ($self) = @_;
	return 1 if $self->{awaited};
	return 0 if $self->{given};
	$self->hold;
	$self->await_line;
	return 1;
}

# It goes on from this line, or checkpoint of its own, which has read so much (undef: nobody knows); or begins at its beginning.
sub go_on
{
	my ($self, $line, $read) = @_;
	return if !$self->{awaited};
	$read = 0 if !defined $line;
	@$self{qw(line unsure)} = ($line, !defined $read);
	$self->_tell_unsure if $self->{seen};
	$self->{needed} = $read // 0;
	$self->_is_typed_from($read) if !$self->{seen} && $read && -t STDIN;
	$self->rewind($read);
	return;
}

sub _is_typed_from
{
	my ($self, $from) = @_;
	@$self{qw(base seen typed)} = ($from, $from, 1);
	return;
}

# Where there is no input that matters to nobody.
sub _tell_unsure
{
	my ($self) = @_;
	$self->{on_unsure}->($self->{line}) if delete $self->{unsure};
	return;
}

# The job goes on from a line of another one: of what that had read, the sums by bytes. Before go_on.
sub expects { my ($self, $sums) = @_; $self->{expected} = { %{ $sums // {} } }; return }

# The image for this line has read so much; undef: nobody knows.
sub noted
{
	my ($self, $line, $bytes) = @_;
	my $noted = $self->{noted};
	$noted->{$line} = $bytes;
	my @lines = sort { $b <=> $a } keys %$noted;
	delete @$noted{ splice @lines, NOTED } if @lines > NOTED;
	return;
}

# That line was committed: nobody goes back to before it, unless it is damaged.
sub committed
{
	my ($self, $line) = @_;
	my $noted = $self->{noted};
	my $bytes = delete $noted->{$line};
	delete @$noted{ grep { $_ < $line } keys %$noted };
	return if !defined $bytes;
	$self->{needed} = $bytes;
	$self->_keep_sum($bytes);
	return;
}

sub _keep_sum
{
	my ($self, $bytes) = @_;
	my $sums = $self->{sums};
	return if !$self->{on_sums} || exists $sums->{$bytes};
	$sums->{$bytes} = ($bytes > $self->{seen} ? $self->{expected}{$bytes} : $self->_sum($bytes)) // return;
	my @positions = sort { $b <=> $a } keys %$sums;
	delete @$sums{ splice @positions, SUMS } if @positions > SUMS;
	$self->{on_sums}->($sums);
	return;
}

# Of the input from its beginning; undef: that is not kept.
sub _sum
{
	my ($self, $bytes) = @_;
	return undef if $self->{typed};
	if ($bytes < $self->{summed}) {
		return undef if $self->{base};
		delete $self->{sum};
		$self->{summed} = 0;
	}
	$self->_sum_to($bytes) or return undef;
	return $self->{sum}->clone->hexdigest;
}

sub _sum_to
{
	my ($self, $to) = @_;
	my $from = $self->{summed};
	return 0 if $from < $self->{base} || $to > $self->{base} + length $self->{kept};
	$self->{sum} //= eval { require Digest::SHA; Digest::SHA->new(256) } // return 0;
	$self->{sum}->add(substr $self->{kept}, $from - $self->{base}, $to - $from);
	$self->{summed} = $to;
	return 1;
}

# Is what came so far the input that the image has read? Until all of that has come it may be.
sub _is_the_same
{
	my ($self) = @_;
	my $bytes = $self->{check};
	return 1 if !defined $bytes || $self->{seen} < $bytes;
	delete $self->{check};
	my $sum = $self->_sum($bytes);
	return 1 if !defined $sum || $sum eq $self->{expected}{$bytes};
	$self->close;
	$self->{on_other}->($self->{line}, $bytes);
	return 0;
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
	my $seen = $self->{seen};
	$self->{seen} += $n;
	$self->_keep($bytes);
	return if !$self->_is_the_same || $self->{given} >= $self->{seen};
	substr $bytes, 0, $self->{given} - $seen, '' if $self->{given} > $seen;
	$self->{given} = $self->{seen};
	$self->{under_way} += length $bytes;
	$self->{loop}->off_read(\*STDIN) if $self->{under_way} >= WINDOW;
	$self->{on_bytes}->($bytes);
	return;
}

sub _keep
{
	my ($self, $bytes) = @_;
	if (!$self->{keep}) {
		@$self{qw(base kept)} = ($self->{seen}, '');
		return;
	}
	$self->{kept} .= $bytes;
	return if length $self->{kept} <= KEEP_MAX;
	$self->_forget_to($self->{needed} < $self->{seen} ? $self->{needed} : $self->{seen});
	return if length $self->{kept} <= KEEP_MAX;
	$self->{keep} = 0;
	$self->_forget_to($self->{seen});
	$self->{on_lost}->();
	return;
}

# But for the sum of it, where that is wanted.
sub _forget_to
{
	my ($self, $to) = @_;
	return if $to <= $self->{base};
	$self->_sum_to($to) if $self->{on_sums} && $self->{summed} < $to;
	substr $self->{kept}, 0, $to - $self->{base}, '';
	$self->{base} = $to;
	return;
}

1;

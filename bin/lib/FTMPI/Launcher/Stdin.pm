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

use FTMPI::Later qw(FTMPI::Terminal);
use FTMPI::Later rest => qw(Again);

# RETRY: seconds after which a terminal that belongs to another job is looked at again. NOTED, SUMS: of how many lines, positions, the newest, it
# is known what was read.
use constant { WINDOW => 262144, CHUNK => 65536, RETRY => 0.5, KEEP_MAX => 64 << 20, NOTED => 16, SUMS => 1000 };

# loop; on_bytes => sub (bytes); on_end => sub; keep: whether rank 0 may begin again; awaited: rank 0 is going to say from where it goes on. These are told:
#	on_lost   => sub (1): more was given than is kept; (0): a line that was committed since does not need it
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

# Reading a terminal in the background would stop us.
sub _in_background
{
	return -t STDIN && FTMPI::Terminal::is_others(\*STDIN);
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
	$self->_forget_to($self->{seen});
	$self->{keep} = 0 if !$self->{on_sums};    # rank 0 can begin at the beginning alone
	$self->{on_lost}->($self->{lost} = 1) if !$self->{lost};
	return;
}

1;

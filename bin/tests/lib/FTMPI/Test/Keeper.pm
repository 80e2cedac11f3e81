# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Keeper;

# A keeper, and ranks without a program (keeper_rank) that tell it records. Every wait has a deadline,
# after which the test dies and says what it saw.
#
#	my $job = FTMPI::Test::Keeper->new(dir => $dir, ranks => 4);
#	$job->start('-new');                  # a keeper
#	my $rank = $job->rank(0, 1, 0);       # rank, incarnation, what its checkpoint covers
#	$rank->until(5000);                   # it shall tell so many
#	$job->hear(sub { $rank->{acked} >= 5000 });

use strict;
use warnings;

use IO::Handle  ();
use IPC::Open3  qw(open3);
use POSIX       ();
use Socket      qw(AF_UNIX PF_UNSPEC SOCK_STREAM);
use Symbol      qw(gensym);
use Time::HiRes qw(time);

use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Process qw(patience wait_gone);

use constant SECONDS => 60;

sub program { return ($ENV{FTMPI_PROGRAMS} // root() . '/build/bin') . "/$_[0]" }

sub new
{
	my ($class, %o) = @_;
	open my $in, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
	read($in, my $secret, 48) == 48 or die "no random bytes\n";
	return bless { ranks => 4, secret => $secret, running => [], errors => '', %o }, $class;
}

# ---- the keeper ----

# Started, and not heard yet. env: FTMPI_FAULT.
sub spawn
{
	my ($self, $fault, @args) = @_;
	local $ENV{FTMPI_FAULT} = $fault // '';
	local $SIG{PIPE} = 'IGNORE';
	my $err = gensym;
	my $pid = open3(my $in, my $out, $err, program('ftmpi-keeper'), '-dir', $self->{dir}, '-ranks', $self->{ranks}, @args);
	$in->autoflush(1);
	print $in $self->{secret};
	$self->{keeper} = { pid => $pid, in => $in, out => reader($out), err => reader($err) };
	return;
}

# A keeper that says where it is; all ranks that are running are told.
sub start
{
	my ($self, @args) = @_;
	return $self->start_with(undef, @args);
}

sub start_with
{
	my ($self, $fault, @args) = @_;
	$self->spawn($fault, @args);
	return $self->ready;
}

# true: it is ready; false: it has ended before.
sub ready
{
	my ($self) = @_;
	my $port;
	$self->hear(sub {
		for (splice @{ $self->{keeper}{out}{lines} }) {
			$port = $1 if /\Aready 127\.0\.0\.1:(\d+)\z/;
		}
		return $port || $self->{keeper}{out}{ended};
	});
	return 0 if !$port;
	$self->{port} = $port;
	$_->tell("at $port") for @{ $self->{running} };
	return 1;
}

# Its wait status.
sub ended
{
	my ($self) = @_;
	my $keeper = delete $self->{keeper};
	my @left = wait_gone(time + patience(SECONDS), $keeper->{pid});
	die "the keeper does not end\n" if @left;
	waitpid $keeper->{pid}, 0;
	my $status = $?;
	drain($keeper->{err}, 1);
	$self->{errors} .= join '', map { "$_\n" } splice @{ $keeper->{err}{lines} };
	return $status;
}

sub kill_keeper
{
	my ($self, $signal) = @_;
	kill $signal // 'KILL', $self->{keeper}{pid};
	return $self->ended;
}

# Its standard input is closed.
sub let_go
{
	my ($self) = @_;
	close delete $self->{keeper}{in};
	return $self->ended;
}

# What keepers have said on stderr up to now.
sub errors
{
	my ($self) = @_;
	$self->{errors} .= join '', map { "$_\n" } splice @{ $self->{keeper}{err}{lines} } if $self->{keeper};
	return $self->{errors};
}

# ---- ranks ----

sub rank
{
	my ($self, $rank, $incarnation, $covered, @more) = @_;
	pipe(my $in, my $to)   or die "pipe: $!\n";
	pipe(my $from, my $out) or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		POSIX::dup2(fileno $in, 0);
		POSIX::dup2(fileno $out, 1);
		exec { program('keeper_rank') } 'keeper_rank', $rank, $incarnation, $covered, @more or POSIX::_exit(127);
	}
	$to->autoflush(1);
	my $one = bless { pid => $pid, to => $to, from => reader($from), acked => 0, covered => $covered, heard => [] },
		'FTMPI::Test::Keeper::Rank';
	$one->tell(unpack 'H*', $self->{secret});
	$one->tell("at $self->{port}") if $self->{port};
	push @{ $self->{running} }, $one;
	return $one;
}

# It is killed, or has nothing more to do.
sub end_rank
{
	my ($self, $one) = @_;
	kill 'KILL', $one->{pid};
	waitpid $one->{pid}, 0;
	drain($one->{from}, 1);
	$one->take;
	$self->{running} = [ grep { $_ != $one } @{ $self->{running} } ];
	return;
}

sub end
{
	my ($self) = @_;
	$self->end_rank($_) for @{ $self->{running} };
	$self->kill_keeper if $self->{keeper};
	return;
}

# ---- hearing all of them ----

sub reader { my ($handle) = @_; $handle->blocking(0); return { handle => $handle, buffer => '', lines => [], ended => 0 } }

# What is there now; all until the end, when it has ended.
sub drain
{
	my ($r, $all) = @_;
	my $until = time + patience(SECONDS);
	until ($r->{ended}) {
		my $n = sysread $r->{handle}, $r->{buffer}, 65536, length $r->{buffer};
		if (!defined $n) {
			last if !$all || !$!{EAGAIN} || time > $until;
			FTMPI::Test::Process::wait_readable($until, $r->{handle});
			next;
		}
		$r->{ended} = 1 if $n == 0;
	}
	push @{ $r->{lines} }, $1 while $r->{buffer} =~ s/\A([^\n]*)\n//;
	return;
}

sub readers
{
	my ($self) = @_;
	return grep { !$_->{ended} } ($self->{keeper} ? @{ $self->{keeper} }{qw(out err)} : ()), map { $_->{from} } @{ $self->{running} };
}

# Until `done`; dies when that takes too long.
sub hear
{
	my ($self, $done, $seconds) = @_;
	my $until = time + patience($seconds // SECONDS);
	for (;;) {
		drain($_) for $self->readers;
		$_->take for @{ $self->{running} };
		return if $done->();
		my @ready = FTMPI::Test::Process::wait_readable($until, map { $_->{handle} } $self->readers);
		die 'waited too long; ' . $self->saw . "\n" if !@ready && time > $until;
	}
}

sub saw
{
	my ($self) = @_;
	return 'the keeper said: ' . $self->errors . join '', map { "a rank: @{$_->{heard}}; acked $_->{acked}\n" } @{ $self->{running} };
}

package FTMPI::Test::Keeper::Rank;

use strict;
use warnings;

sub tell
{
	my ($self, $line) = @_;
	local $SIG{PIPE} = 'IGNORE';
	print { $self->{to} } "$line\n";
	return;
}

sub until { my ($self, $n) = @_; return $self->tell("until $n") }

sub take
{
	my ($self) = @_;
	for my $line (splice @{ $self->{from}{lines} }) {
		if    ($line =~ /\Aacked (\d+)\z/)   { $self->{acked} = $1 if $1 > $self->{acked} }
		elsif ($line =~ /\Acovered (\d+)\z/) { $self->{covered} = $1 }
		else {
			$self->{ready}   = [ $1, $2 ] if $line =~ /\Aready (\d+) (\d+)\z/;
			$self->{refused} = $1         if $line =~ /\Arefused (.*)\z/;
			push @{ $self->{heard} }, $line;
		}
	}
	return;
}

1;

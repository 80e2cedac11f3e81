# SPDX-License-Identifier: BSD-3-Clause
#
# Failures on order, to practise them (doc/practice.md): at its time each is passed to the agents that bring it about, and said when they have.
# What could not be done is said at the end. What comes of a failure is decided where it always is: nobody there knows that it was ordered.
package FTMPI::Launcher::Injector;

use strict;
use warnings;

use Fcntl qw(O_NOFOLLOW O_NONBLOCK O_RDWR O_RDONLY SEEK_SET);

use FTMPI::Amounts ();
use FTMPI::Control ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Loop    ();

# Failures that are kept and those that are named at the end; bytes of a manifest that are read.
use constant { MISSED_MAX => 1000, NAMED_MAX => 10, MANIFEST_MAX => 4096 };

my %STRIKES = map { $_ => "_$_" } qw(kill stop host cut diskfull corrupt);

# loop; injection: FTMPI::Launcher::Injection; hosts => sub: FTMPI::Launcher::HostTable; phase => sub: of the job; agent => sub (host): its
# FTMPI::Launcher::AgentLink, or nothing; workdir: FTMPI::Launcher::Workdir; say => sub (sentence); note => sub (event, fields).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, waiting => {}, serial => 0, missed => [], unnamed => 0, restarts => [ $arg{injection}->at_restart ] }, $class;
}

# All ranks have called MPI_Init, for the first time.
sub begin
{
	my ($self) = @_;
	return if defined $self->{began};
	$self->{began} = FTMPI::Loop::now();
	$self->_schedule;
	return;
}

sub _schedule
{
	my ($self) = @_;
	my $fault = $self->{next} = $self->{injection}->next_fault // return;
	my $left  = $self->{began} + $fault->{at} - FTMPI::Loop::now();
	$self->{timer} = $self->{loop}->after($left > 0 ? $left : 0, sub { $self->_due });
	return;
}

sub _due
{
	my ($self) = @_;
	my $fault  = delete $self->{next};
	my $strike = $STRIKES{ $fault->{kind} };
	$self->$strike($fault);
	$self->_schedule if !$self->{over};
	return;
}

# ---- ranks ----

sub _kill { my ($self, $fault) = @_; return $self->_order($fault, FTMPI::Control::INJECT_KILL, [ $fault->{rank}, 0 ]) }
sub _stop { my ($self, $fault) = @_; return $self->_order($fault, FTMPI::Control::INJECT_STOP, [ $fault->{rank}, 0 ]) }
sub _cut  { my ($self, $fault) = @_; return $self->_order($fault, FTMPI::Control::INJECT_CUT, [ @$fault{qw(rank peer)} ], [ @$fault{qw(peer rank)} ]) }

# To the agents of these ranks, [rank, peer] each; it is done when all have done it.
sub _order
{
	my ($self, $fault, $what, @whom) = @_;
	my $hosts = $self->{hosts}->();
	my @home  = map { $hosts->home($_->[0]) } @whom;
	return $self->_miss($fault) if $self->{phase}->() eq 'ending' || grep { !$self->_is_there($_) } @home;
	my $id = ++$self->{serial};
	$self->{waiting}{$id} = { fault => $fault, left => scalar @whom, who => $hosts->who($fault->{rank}) };
	$self->_tell($home[$_], $id, $what, @{ $whom[$_] }, _ms($fault)) for 0 .. $#whom;
	return;
}

sub _is_there
{
	my ($self, $host) = @_;
	my $agent = $self->{agent}->($host) // return 0;
	return $agent->connected;
}

sub _tell { my ($self, $host, @how) = @_; $self->{agent}->($host)->tell('INJECT', @how); return }

sub _ms { my ($fault) = @_; return defined $fault->{for} ? int 0.5 + 1000 * $fault->{for} : 0 }

# An agent has done it, or could not.
sub answered
{
	my ($self, $id, $done) = @_;
	my $waiting = $self->{waiting}{$id} // return;
	my $fault   = $waiting->{fault};
	if (!$done) {
		delete $self->{waiting}{$id};
		$self->_miss($fault);
		return;
	}
	return if --$waiting->{left};
	delete $self->{waiting}{$id};
	my $time = defined $fault->{for} ? FTMPI::Amounts::duration($fault->{for}) : '';
	$self->_done($fault,
		  $fault->{kind} eq 'kill' ? "$waiting->{who} is killed"
		: $fault->{kind} eq 'stop' ? "$waiting->{who} is stopped for $time"
		:                            "the connection between ranks $fault->{rank} and $fault->{peer} is cut for $time");
	return;
}

# ---- a host ----

# One that is this machine cannot fall silent.
sub _host
{
	my ($self, $fault) = @_;
	my $hosts   = $self->{hosts}->();
	my ($index) = grep { $hosts->name($_) eq $fault->{host} && $hosts->ranks($_) && $self->_is_there($_) } 0 .. $hosts->count - 1;
	return $self->_miss($fault) if !defined $index || $self->{phase}->() eq 'ending';
	my @ranks = $hosts->ranks($index);
	my $what  = $hosts->is_local($index) ? FTMPI::Control::INJECT_END : FTMPI::Control::INJECT_SILENCE;
	$self->_done($fault, "host $fault->{host} is lost, with " . FTMPI::Launcher::Sentences::numbered('rank', @ranks));
	$self->_tell($index, 0, $what, 0, 0, 0);
	return;
}

# ---- recovery lines ----

sub _diskfull
{
	my ($self, $fault) = @_;
	return $self->_miss($fault) if $self->{phase}->() eq 'ending';
	my $until = defined $fault->{for} ? FTMPI::Loop::now() + $fault->{for} : undef;
	$self->{full} = { until => $until };
	$self->_done($fault, 'the disk of recovery lines is full from now on' . (defined $until ? ', for ' . FTMPI::Amounts::duration($fault->{for}) : ''));
	$self->_tell_full;
	return;
}

# Ranks begin, maybe on hosts that have not been told.
sub _tell_full
{
	my ($self) = @_;
	my $full = $self->{full} // return;
	my $left = defined $full->{until} ? $full->{until} - FTMPI::Loop::now() : undef;
	return if defined $left && $left <= 0;
	my $ms = defined $left ? 1 + int 1000 * $left : FTMPI::Control::FAULT_ALWAYS;
	$self->_tell($_, 0, FTMPI::Control::INJECT_DISK_FULL, 0, 0, $ms) for grep { $self->_is_there($_) } $self->{hosts}->()->used;
	return;
}

sub _corrupt
{
	my ($self, $fault) = @_;
	$self->_change_file($fault) or $self->_miss($fault);
	return;
}

# A byte of the rank's file of the newest line: the last, which is of its last section.
sub _change_file
{
	my ($self, $fault) = @_;
	my $workdir = $self->{workdir};
	my $line    = $workdir->newest_line // return 0;
	my $epoch   = _epoch_of(sprintf '%s/line-%08d.manifest', $workdir->folder, $line) // return 0;
	my $path    = sprintf '%s/line-%08d.e%04d/rank-%05d.ckpt', $workdir->folder, $line, $epoch, $fault->{rank};
	_flip_last($path) or return 0;
	$self->_done($fault, "a byte of the file of rank $fault->{rank} in line $line is changed", line => $line);
	return 1;
}

sub _epoch_of
{
	my ($path) = @_;
	sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return;
	return if !-f $file || !sysread $file, my $text, MANIFEST_MAX;
	return $text =~ /^epoch ([0-9]{1,9})$/m ? $1 : undef;
}

sub _flip_last
{
	my ($path) = @_;
	sysopen my $file, $path, O_RDWR | O_NOFOLLOW | O_NONBLOCK or return 0;
	return 0 if !-f $file || !-s _;
	my $at = (-s _) - 1;
	sysseek $file, $at, SEEK_SET or return 0;
	return 0 if (sysread $file, my $byte, 1) != 1;
	sysseek $file, $at, SEEK_SET or return 0;
	return (syswrite($file, $byte ^ "\xff", 1) // 0) == 1;
}

# ---- restarts ----

# The ranks are about to be told to run: all of them again, or those that go to other hosts.
sub before_run
{
	my ($self, $is_restart) = @_;
	$self->_tell_full;
	@{ $self->{restarts} } = grep { !$self->_change_file($_) } @{ $self->{restarts} } if $is_restart;
	return;
}

# ---- what is said ----

sub _done
{
	my ($self, $fault, $words, %more) = @_;
	$self->{say}->("injected: $words ($fault->{text})");
	my %fields = map { defined $fault->{$_} ? ($_ => $fault->{$_}) : () } qw(kind rank peer host);
	$self->{note}->('injected', fault => $fault->{text}, %fields, (defined $fault->{for} ? (seconds => $fault->{for}) : ()), %more);
	return;
}

# At random there may be any number of them.
sub _miss
{
	my ($self, $fault) = @_;
	my $missed = $self->{missed};
	return $self->{unnamed}++ if @$missed >= MISSED_MAX;
	push @$missed, $fault;
	return;
}

# The job is over. Of those at random there would be more without end, so only those count whose time has come.
sub finish
{
	my ($self) = @_;
	return if $self->{over}++;
	$self->{loop}->cancel($self->{timer});
	my @unanswered = map { $self->{waiting}{$_}{fault} } sort { $a <=> $b } keys %{ $self->{waiting} };
	my @late = grep { $_ && !$_->{is_random} } delete $self->{next}, $self->{injection}->left;
	$self->_say_missed('nothing was there to fail at that time', $self->{unnamed}, @{ $self->{missed} }, @unanswered);
	$self->_say_missed('the job was over before', 0, @late);
	$self->_say_missed('there was no restart with a recovery line', 0, @{ $self->{restarts} });
	return;
}

sub _say_missed
{
	my ($self, $why, $more, @faults) = @_;
	return if !@faults;
	my @named = splice @faults, 0, NAMED_MAX;
	$more += @faults;
	$self->{say}->("not injected, as $why: " . join(', ', map { $_->{text} } @named) . ($more ? ", and $more more" : ''));
	return;
}

1;

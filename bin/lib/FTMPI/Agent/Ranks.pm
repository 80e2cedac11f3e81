# SPDX-License-Identifier: BSD-3-Clause
#
# The ranks of one host: they are started, watched, and restarted with the job. The happy path of a
# restart: every process is told to execute its program again and answers RESTARTING; RUN comes, and
# START is sent to the process. A process that cannot do that is killed, and its rank is started by a fork
# when RUN has come; so is one that does not answer, load its program or call MPI_Init in time, or that ends
# before it said anything in the new epoch. The launcher is told only what belongs to the present epoch.
# Under message logging one rank alone begins again, in the same epoch: it is started by a fork, once its process
# before is gone; the others hear nothing of it here.
#
# Failure modes: a rank has ended but other processes hold its pipes: what is in the pipes at that time is
# forwarded before the end of the rank is told, the rest as it comes, until a restart. A process that was
# killed to be replaced does not go (it waits for a disk in the kernel, or for its debugger): its successor
# is started beside it.
package FTMPI::Agent::Ranks;

use strict;
use warnings;

use Errno qw(ENOENT);
use POSIX ();

use FTMPI::Agent::Binding   ();
use FTMPI::Agent::Process   ();
use FTMPI::Agent::Spawn     ();
use FTMPI::Agent::StdinPipe ();
use FTMPI::Agent::Sweep     ();
use FTMPI::Control          ();
use FTMPI::KeeperFolder     ();
use FTMPI::Loop             ();
use FTMPI::RankFolders      ();
use FTMPI::Net              ();
use FTMPI::PartialLines     ();
use FTMPI::Processors       ();
use FTMPI::Wire             ();

# In seconds: TERM to KILL; RESTART to RESTARTING, and from there to LOADED; how long one that was
# killed may take to go (to give back much memory takes a while); the keeper, when the launcher is gone; between two attempts to fork one that begins again alone, of
# which there are so many. Ranks started in one turn of the loop.
use constant { GRACE => 1, ANSWER_TIME => 2, LOAD_TIME => 5, END_TIME => 10, KEEPER_TIME => 2, TRY_TIME => 0.2, TRIES => 50, BATCH => 16 };

# loop; tell => sub (message to the launcher); session: number of our session, or undef; listeners,
# pipes.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {
		%arg,
		ranks   => {},
		pids    => {},
		ended   => [],
		begun   => [],
		local   => {},
		here    => {},
		bound   => {},
		told    => '',
		waiting => [],
		epoch   => 0,
		ran     => 0,
	}, $class;
	$self->_open_complaints;
	return $self;
}

sub _tell { my ($self, @message) = @_; $self->{tell}->(@message); return }

# Starts.

# Why this RUN cannot be right now, or nothing. Under message logging it comes again when the host takes more ranks.
sub refuses
{
	my ($self, $run) = @_;
	my $epoch = $run->{epoch};
	return "a second RUN in epoch $self->{epoch}" if $self->{ran} && !($run->{alone} && $epoch == $self->{epoch} && !$self->{ending});
	return "a RUN of epoch $epoch, which is past" if $epoch < $self->{epoch};
	return;
}

# run: the fields of RUN, and program: an FTMPI::Agent::Program.
sub run
{
	my ($self, $run) = @_;
	my @ranks = @{ $run->{ranks} };
	$self->{pipes}->repeats if $run->{output_repeat};
	$self->{pipes}->keeps   if $run->{alone} && !$run->{image};
	$self->_know_moved($run);
	return $self->_take($run) if $self->{ran};
	@$self{qw(run epoch ran)} = ($run, $run->{epoch}, 1);
	$self->{here} = { map { $_ => 1 } @ranks };
	$_->doom for grep { !$self->{here}{ $_->{rank} } } values %{ $self->{ranks} };
	$self->_number(@ranks);
	my $why = $self->_bind(@ranks);
	return $self->_cannot_start($why) if defined $why;
	$self->_open_stdin if $self->{here}{0};
	$self->_go_on($_) for @ranks;
	$self->_start_some;
	return;
}

# Ranks that were elsewhere before, and what they have printed there.
sub _know_moved
{
	my ($self, $run) = @_;
	for my $rank (keys %{ $run->{printed} }) {
		$self->{pipes}->printed($rank, @{ $run->{printed}{$rank} });
		$self->{again}{$rank} = $self->{moved}{$rank} = 1;
	}
	return;
}

# What a rank is told of the job. One that has moved shares memory with nobody: of others of its node some may be elsewhere.
sub _run_of
{
	my ($self, $rank) = @_;
	my $run  = FTMPI::Agent::Spawn::of_part($self->{run}, $rank);
	my @more = $self->{moved}{$rank} ? 'apart=1' : ();
	push @more, map { "input=$_" } grep { defined } $self->{stdin}->count_at if $rank == 0 && $self->{stdin};
	return @more ? { %$run, settings => [ @{ $run->{settings} }, @more ] } : $run;
}

# More ranks than before: those that are here go on, and hear nothing of it. New ones are bound to no processor.
sub _take
{
	my ($self, $run) = @_;
	my @new = grep { !$self->{here}{$_} } @{ $run->{ranks} };
	$self->{run} = $run;
	$self->{here}{$_} = 1 for @new;
	$self->_number(@{ $run->{ranks} });
	$self->_open_stdin if grep { $_ == 0 } @new;
	push @{ $self->{waiting} }, @new;
	$self->_start_some;
	return;
}

# A rank keeps its number on this host while it is here.
sub _number
{
	my ($self, @ranks) = @_;
	my $local = $self->{local};
	delete $local->{$_} for grep { !$self->{here}{$_} } keys %$local;
	my %taken = map { $_ => 1 } values %$local;
	my $next  = 0;
	for my $rank (grep { !defined $local->{$_} } @ranks) {
		$next++ while $taken{$next};
		$local->{$rank} = $next++;
	}
	return;
}

# The processors of each rank, which depend on all that are here, in the order of their numbers on this host; the
# launcher is told when that changes. Returns why they cannot be bound, if the user insists on that: at the
# start of the job alone, for after a failure it is better to go on.
sub _bind
{
	my ($self, @ranks) = @_;
	my ($run, $local) = @$self{qw(run local)};
	$self->{bound} = {};
	return if $run->{bind} eq 'none';
	@ranks = sort { $local->{$a} <=> $local->{$b} } @ranks;
	my ($chosen, $why) = (undef, FTMPI::Processors::cannot_bind());
	my %host = (cores => [ FTMPI::Processors::cores() ], limit => scalar FTMPI::Processors::limit(),
		restricted => FTMPI::Processors::is_restricted());
	($chosen, $why) = FTMPI::Agent::Binding::choose($run->{bind}, \%host, map { $self->_threads($_) } @ranks) if !defined $why;
	return "its ranks cannot be bound (-bind core): $why; start fewer, or leave them unbound with -bind none"
		if !$chosen && $run->{bind} eq 'core' && !$run->{epoch} && !%{ $run->{printed} };
	@{ $self->{bound} }{@ranks} = @$chosen if $chosen;
	my @where = map { $self->_where($_) } @ranks;
	my $told  = "@ranks @where";
	$self->_tell('BOUND', \@ranks, \@where, $why // '') if $told ne $self->{told};
	$self->{told} = $told;
	return;
}

# How many threads the environment gives to a rank.
sub _threads
{
	my ($self, $rank) = @_;
	my $own = FTMPI::Agent::Spawn::of_part($self->{run}, $rank)->{own_env} // [];
	my ($last) = grep { /^OMP_NUM_THREADS(?:=|\z)/ } reverse @$own;
	my $value = defined $last ? (split /=/, $last, 2)[1] : $ENV{OMP_NUM_THREADS};
	return FTMPI::Agent::Binding::threads($value);
}

# The processors to which a rank is bound, as text: '' if it is not.
sub _where { my ($self, $rank) = @_; return FTMPI::Processors::text(@{ $self->{bound}{$rank} // [] }) }

# A process that is there goes on, if the table still gives it its own sockets, and it its processors; one
# that dies is followed by another.
sub _go_on
{
	my ($self, $rank) = @_;
	my $process = $self->{ranks}{$rank};
	if (!$process) {
		push @{ $self->{waiting} }, $rank;
		return;
	}
	$process->doom if $process->{at} ne $self->{listeners}->at($rank) || $process->{bound} ne $self->_where($rank);
	$self->_send_start($process);
	$self->_watch_init($process) if $process->state eq 'reexecuted';
	return;
}

# What it practises beside is told at once: it may write a checkpoint of its own before it has said anything.
sub _send_start
{
	my ($self, $process) = @_;
	my $rank = $process->{rank};
	$process->send_start($self->_run_of($rank), $self->{local}{$rank});
	my $ms = $self->_full_ms;
	$process->tell_fault($self->{epoch}, FTMPI::Control::FAULT_DISK_FULL, 0, $ms) if $ms;
	return;
}

# A batch of ranks; the others in later turns, so that orders are heard in between. All processes of a batch are there before the launcher
# hears of the first: it would take a processor from the next.
sub _start_some
{
	my ($self) = @_;
	return if $self->{suspended};
	for my $rank (splice @{ $self->{waiting} }, 0, BATCH) {
		return if !$self->_start_rank($rank);
	}
	$self->_adopt_all;
	$self->{loop}->after(0, sub { $self->_start_some }) if @{ $self->{waiting} };
	return;
}

sub _start_rank
{
	my ($self, $rank) = @_;
	my $run  = FTMPI::Agent::Spawn::of_part($self->{run}, $rank);
	my $path = $run->{program}->executable;
	return $self->_cannot_start($run->{program}->why) if !defined $path;
	my ($listen, $beat) = $self->{listeners}->of($rank);
	my $stdin = $rank == 0 ? $self->{stdin}->open : undef;
	my $started = FTMPI::Agent::Spawn::start({
		%$run,
		path       => $path,
		file       => $run->{program}->file_id,
		rank       => $rank,
		local_rank => $self->{local}{$rank},
		listen     => $listen,
		beat       => $beat,
		stdin      => $stdin,
		processors => $self->{bound}{$rank},
		complaints => $self->{complaints}{writer},
	});
	return $self->_try_again($rank, "cannot start rank $rank: " . FTMPI::Agent::Spawn::system_reason()) if !$started;
	delete $self->{tries}{$rank};
	push @{ $self->{begun} }, [ $rank, $started ];
	return 1;
}

# Where others of this host run, one that cannot be forked is waited for: this host is lost with all of them.
sub _try_again
{
	my ($self, $rank, $why) = @_;
	return $self->_cannot_start($why) if !$self->{again}{$rank} || ++$self->{tries}{$rank} > TRIES;
	$self->{loop}->after(TRY_TIME, sub {
		push @{ $self->{waiting} }, $rank if !$self->{ending} && !$self->{ranks}{$rank} && !grep { $_ == $rank } @{ $self->{waiting} };
		$self->_start_some;
	});
	return 1;
}

sub _cannot_start
{
	my ($self, $why) = @_;
	$self->{waiting} = [];
	$self->_adopt_all;
	$self->_tell('UNFIT', $why);
	return 0;
}

sub _adopt_all
{
	my ($self) = @_;
	$self->_adopt(@$_) for splice @{ $self->{begun} };
	return;
}

# From now on this process is ours to watch.
sub _adopt
{
	my ($self, $rank, $started) = @_;
	my $output  = $self->{pipes}->add($rank, $self->{again}{$rank}, %{ $started->{out} });
	my $process = FTMPI::Agent::Process->new(
		%$started,
		rank    => $rank,
		loop    => $self->{loop},
		tell    => $self->{tell},
		at      => $self->{listeners}->at($rank),
		bound   => $self->_where($rank),
		output  => $output,
		on      => { $self->{run}{alone} ? $self->_on_checkpoints($rank, $output) : () },
		on_back => sub { $self->{stdin}->release if $rank == 0 },
		on_doom => sub { $self->_watch_end($_[0]) });
	$self->{ranks}{$rank} = $self->{pids}{ $started->{pid} } = $process;
	$self->_tell('STARTED', $rank, $started->{pid});
	$self->_send_start($process);
	$self->{stdin}->release if $rank == 0;
	return;
}

# Each rank has checkpoints of its own, and goes on from them: what a process says of these, with these pipes of its. Only one that goes on from an image
# prints nothing before it says so.
sub _on_checkpoints
{
	my ($self, $rank, $output) = @_;
	my $pipes = $self->{pipes};
	my %on = (
		HELD  => sub { my ($n, $why) = @_; $self->_stands($rank, $n) if $why eq '' },
		SAVED => sub { my ($n, $committed) = @_; $pipes->committed($rank, $n) if $committed });
	return (%on, RESTORED => sub { $pipes->restored($output, $_[0]) }) if !$self->{run}{image};
	$pipes->listen_first($output, sub { my $process = $self->{ranks}{$rank}; $process->listen if $process }) if $self->{again}{$rank};
	return (
		%on,
		RESTORED => sub { $pipes->goes_on($output, $_[0]) },
		INITED   => sub { $pipes->begins($output) });
}

# A rank stands for its checkpoint n: what it has printed by now belongs to that, which it makes then, or, with data, restores. Where the launcher asks for
# images, one that was let go meanwhile does not. With data nobody asks, and the program reads its input again.
sub _stands
{
	my ($self, $rank, $n) = @_;
	my ($process, $image) = ($self->{ranks}{$rank}, $self->{run}{image});
	return if !$process || $image && !$process->is_held_for($n);
	my $printed = $self->{pipes}->stands($process->{output}, $n);
	$self->_tell('PRINTED', $rank, $n, $printed & 0xffffffff, $printed >> 32);
	$process->save($self->{epoch}, $n, FTMPI::Control::GO);
	return;
}

# Where a child writes (rank, errno, epoch) when its exec failed: one pipe for all.
sub _open_complaints
{
	my ($self) = @_;
	pipe my $reader, my $writer or die "pipe: $!\n";
	FTMPI::Loop::never_block($reader);
	$self->{complaints} = { reader => $reader, writer => $writer };
	$self->{loop}->on_read($reader, sub { $self->_read_complaints });
	return;
}

sub _read_complaints
{
	my ($self) = @_;
	while (sysread $self->{complaints}{reader}, my $record, FTMPI::Agent::Spawn::COMPLAINT) {
		my ($rank, $errno, $epoch) = unpack 'V V V', $record;
		next if $epoch != $self->{epoch};
		local $! = $errno;
		my $why = $!{ENOENT} ? "$! (that is, its interpreter)" : "$!";
		$self->_tell('CANNOT_RUN', $rank, "cannot run @{[ FTMPI::Agent::Spawn::of_part($self->{run}, $rank)->{argv}[0] ]}: $why");
	}
	return;
}

# Ends.

# A child of ours has ended, maybe one of the ranks. All that it said comes before the news of that.
sub reap
{
	my ($self, $pid, $status) = @_;
	my $process = $self->{pids}{$pid} or return;
	my $rank    = $process->{rank};
	$self->_read_complaints;
	$self->_forget($process);
	if ($process->state ne 'running' && !$self->{ending}) {
		$self->_follow($process);
		return;
	}
	$self->{pipes}->drain($process->{output});
	push @{ $self->{ended} }, $process;
	$self->{stdin}->close if $rank == 0 && $self->{stdin};
	my $signal = POSIX::WIFSIGNALED($status) ? POSIX::WTERMSIG($status) : 0;
	# a line that another rank told of before this one failed is the one to go back to
	$_->listen for $status && !$self->{ending} ? values %{ $self->{ranks} } : ();
	$self->{listeners}->hang_up($rank) if $process->{finalized};
	$self->_tell('EXITED', $rank, $signal ? 0 : POSIX::WEXITSTATUS($status), $signal);
	return;
}

# Its end belongs to an older epoch. Another takes its place, once it is known that there is one.
sub _follow
{
	my ($self, $process) = @_;
	my $rank = $process->{rank};
	$self->_bury($process);
	return if !$self->{ran} || !$self->{here}{$rank};
	push @{ $self->{waiting} }, $rank;
	$self->_start_some;
	return;
}

# Nothing of these is to be left: neither their children, nor what these would still write. Those of
# a doomed one were killed with it.
sub _bury
{
	my ($self, @processes) = @_;
	my @groups = map { $_->{pid} } grep { $_->state ne 'doomed' } @processes;
	FTMPI::Agent::Sweep::kill_groups($self->{session}, @groups) if @groups;
	$self->{pipes}->finish($_->{output}) for @processes;
	return;
}

# how: 1 at once; 0 with SIGTERM to all that ranks started, and GRACE seconds; else with SIGTERM to the
# MPI processes alone (what started them or was started by them goes on), and so many ms. Ranks that were not started yet, or not yet again,
# end here.
sub kill_all
{
	my ($self, $how) = @_;
	my @never = splice @{ $self->{waiting} };
	@never = grep { !$self->{ranks}{$_} } keys %{ $self->{here} } if !$self->{ran} && !$self->{ending};
	$self->{ending} = 1;
	$self->_tell('EXITED', $_, 0, POSIX::SIGTERM()) for @never;
	if ($how == 1) {
		$self->signal('KILL');
		return;
	}
	if ($how) {
		$_->sigterm($self->{session}) for values %{ $self->{pids} };
	} else {
		$self->signal('TERM');
	}
	$self->signal('CONT');
	$self->{loop}->after($how ? $how / 1000 : GRACE, sub { $self->signal('KILL') });
	return;
}

# When none is left and the job does not go on here.
sub remove_unfinished
{
	my ($self) = @_;
	my $run = $self->{run} or return;
	my $session = "$run->{workdir}/$run->{session_name}";
	my $folder  = FTMPI::KeeperFolder::path(@$run{qw(workdir session_name)});
	my $stays   = !_has_keeper($run) || FTMPI::RankFolders::with_checkpoint($session);
	FTMPI::RankFolders::remove($session) if !$stays && FTMPI::KeeperFolder::remove_left($folder, KEEPER_TIME);
	FTMPI::PartialLines::remove($session, $run->{epoch}, @{ $run->{ranks} });
	return;
}

# The keeper is on this host, and so is the launcher. Elsewhere its folder, in a work directory that hosts share, may be of a job that goes on.
sub _has_keeper
{
	my ($run) = @_;
	return 0 if $run->{remote_keeper};
	my ($address) = map { /^keeper=\[?(.*?)\]?:[0-9]+\z/s ? $1 : () } @{ $run->{settings} } or return 0;
	return $address eq '127.0.0.1' || grep { $_->[1] eq $address } @{ FTMPI::Net::interfaces() };
}

# By SIGSTOP: what has no terminal is not stopped by SIGTSTP.
sub suspend
{
	my ($self, $stop) = @_;
	$self->{suspended} = $stop;
	$self->signal($stop ? 'STOP' : 'CONT');
	$self->_start_some if @{ $self->{waiting} };
	$self->_watch_answers;
	return;
}

# Processes that run, and have not come to MPI_Init in this epoch, but for those that are known to be programs
# with our library.
sub not_in_mpi { return grep { !$_->{program} && !$_->{is_ours} } values %{ $_[0]{ranks} } }

sub has { return exists $_[0]{pids}{ $_[1] } }

# The process of this rank that speaks MPI, as far as that is known; undef when there is none.
sub process_of
{
	my ($self, $rank) = @_;
	my $process = $self->{ranks}{$rank} // return undef;
	my $speaker = $process->{mpi_pid} // $process->{pid};
	return FTMPI::Agent::Sweep::is_in($self->{session}, $speaker) ? $speaker : $process->{pid};
}

# It was stopped, not by us, and not continued for so many ms.
sub stopped
{
	my ($self, $pid, $ms) = @_;
	$self->{pids}{$pid}->stopped($ms) if $self->has($pid) && !$self->{ending};
	return;
}

# To all that were started here and what they started.
sub signal
{
	my ($self, $name) = @_;
	kill $name, -$_ for keys %{ $self->{pids} };
	return;
}

# It is taken to be stopped, or stuck. It may also have ended meanwhile.
sub fence
{
	my ($self, $rank) = @_;
	my $process = $self->{ranks}{$rank} or return;
	$process->tell_tracer;
	$process->sigkill;
	return;
}

# Failures that are practised.

# To the process of this rank and what that started. Returns the process, or nothing if there is none.
sub signal_rank
{
	my ($self, $rank, $name) = @_;
	my $process = $self->{ranks}{$rank} or return;
	return if !$process->{alive};
	return kill($name, -$process->{pid}) ? $process : undef;
}

# If it is still there; while all are stopped by SUSPEND it goes on with all.
sub continue_process
{
	my ($self, $rank, $process) = @_;
	$self->signal_rank($rank, 'CONT') if !$self->{suspended} && ($self->{ranks}{$rank} // 0) == $process;
	return;
}

# The ranks that are here, and those that begin here, find no room for recovery lines on the disk for so many ms (FAULT_ALWAYS: from now on).
sub disk_full
{
	my ($self, $ms) = @_;
	$self->{full_until} = $ms == FTMPI::Control::FAULT_ALWAYS ? undef : FTMPI::Loop::now() + $ms / 1000;
	$self->{full} = 1;
	$_->tell_fault($self->{epoch}, FTMPI::Control::FAULT_DISK_FULL, 0, $ms) for values %{ $self->{ranks} };
	return;
}

# For how many ms there is no room yet.
sub _full_ms
{
	my ($self) = @_;
	return 0 if !$self->{full};
	return FTMPI::Control::FAULT_ALWAYS if !defined $self->{full_until};
	my $left = $self->{full_until} - FTMPI::Loop::now();
	return $left > 0 ? 1 + int 1000 * $left : 0;
}

# The connection to its peer. Returns whether the rank runs.
sub cut
{
	my ($self, $rank, $peer, $ms) = @_;
	my $process = $self->{ranks}{$rank} or return 0;
	return $process->{inited} && $process->tell_fault($self->{epoch}, FTMPI::Control::FAULT_CUT, $peer, $ms);
}

# Before it is told that it is stopped.
sub tell_tracer
{
	my ($self, $rank) = @_;
	my $process = $self->{ranks}{$rank} or return;
	$process->tell_tracer;
	return;
}

# These ranks are where the table says now: those that begin from here on are told so, and so are those that run, but for these ranks themselves. all: incarnations.
# Returns what is wrong with it, or nothing.
sub moved
{
	my ($self, $ranks, $all, $table) = @_;
	return 'where ranks are, of a job that does not run' if !$self->{ran} || $self->{ending};
	my @rows = eval { FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, $table) };
	my @incarnations = split /,/, $all;
	return 'a wrong table of ranks that have moved'
		if @rows != $self->{run}{size} || @incarnations != @rows || grep { $_ >= @rows } @$ranks;
	my $run = $self->{run};
	my @settings = ((grep { !/^incarnations=/ } @{ $run->{settings} }), "incarnations=$all");
	$self->{run} = { %$run, settings => \@settings, table => $table };
	my %moved  = map { $_ => 1 } @$ranks;
	my @others = grep { !$moved{ $_->{rank} } } values %{ $self->{ranks} };
	for my $rank (@$ranks) {
		my (undef, $address, $data, $beat) = @{ $rows[$rank] };
		$_->tell_moved($self->{epoch}, $rank, $incarnations[$rank], $address, $data, $beat) for @others;
	}
	return;
}

# OBSERVE: all ranks of the job have come through MPI_Init in this epoch. DUMP: they shall print their
# queues. SAVE: a step of a recovery line. LEAVE: all have called MPI_Finalize.
sub order
{
	my ($self, $name, $epoch, @more) = @_;
	return if $epoch != $self->{epoch};
	$_->order($name, $epoch, @more) for values %{ $self->{ranks} };
	return;
}

# SAVE to one rank alone: a step of its own checkpoint (message logging).
sub save_one
{
	my ($self, $rank, $epoch, @step) = @_;
	my $process = $self->{ranks}{$rank};
	$process->save($epoch, @step) if $process && $epoch == $self->{epoch};
	return;
}

# Restarts.

# All begin again in this epoch. Returns what is wrong when that cannot be.
sub restart
{
	my ($self, $epoch) = @_;
	return "a restart in epoch $epoch, which is past" if $epoch <= $self->{epoch};
	return 'a restart of a job that is ended'         if $self->{ending};
	@$self{qw(epoch ran waiting)} = ($epoch, 0, []);
	$self->_bury(splice @{ $self->{ended} });
	my $fed = $self->{stdin} && $self->{stdin}->used;
	$_->restart($epoch, $_->{rank} == 0 && $fed) for values %{ $self->{ranks} };
	$self->_keep_stdin;
	$self->_watch_answers;
	return;
}

# This rank alone begins again, in the incarnation that the list of all ranks has for it. Most often its process has
# ended, and what that left is killed first; one that is still there is killed to be replaced, and its end is not told.
# Returns what is wrong when that cannot be.
sub rerun
{
	my ($self, $rank, $incarnation, $all) = @_;
	return "the order to run rank $rank again, which is not here" if !$self->{ran} || !$self->{here}{$rank};
	return 'the order to run a rank again of a job that is ended' if $self->{ending};
	return "a wrong list of incarnations: $all" if ((split /,/, $all)[$rank] // '') ne $incarnation;
	my $run = $self->{run};
	$self->{again}{$rank} = 1;
	$self->{run} = { %$run, settings => [ (grep { !/^incarnations=/ } @{ $run->{settings} }), "incarnations=$all" ] };
	if ($rank == 0) {
		$self->_drop_stdin;
		$self->_open_stdin;
	}
	if (my $process = $self->{ranks}{$rank}) {
		$process->doom;
		return;
	}
	$self->_bury(grep { $_->{rank} == $rank } @{ $self->{ended} });
	$self->{ended} = [ grep { $_->{rank} != $rank } @{ $self->{ended} } ];
	push @{ $self->{waiting} }, $rank if !grep { $_ == $rank } @{ $self->{waiting} };
	$self->_start_some;
	return;
}

# What does not answer is stuck, and so is what answered and has not executed its program some time
# later: before, in or after execve. Nothing is judged while all are stopped.
sub _watch_answers
{
	my ($self) = @_;
	my $loop = $self->{loop};
	$loop->cancel(delete $self->{$_}) for qw(answer_limit load_limit);
	return if $self->{suspended} || !$self->_stuck;
	$self->{answer_limit} = $loop->after(ANSWER_TIME,
		sub { $_->doom for grep { $_->state eq 'asked' } $self->_stuck });
	$self->{load_limit} = $loop->after(ANSWER_TIME + LOAD_TIME, sub { $_->doom for $self->_stuck });
	return;
}

sub _stuck
{
	my ($self) = @_;
	return grep { $_->is_stuck } values %{ $self->{ranks} };
}

# It was executed again and told START, and has come to MPI_Init before.
sub _watch_init
{
	my ($self, $process) = @_;
	my $epoch = $self->{epoch};
	$self->{loop}->cancel($process->{limit});
	$process->{limit} = $self->{loop}->after($process->init_limit, sub {
		return if $self->{epoch} != $epoch || $process->state ne 'reexecuted';
		return $self->_watch_init($process) if $self->{suspended};
		$process->doom;
	});
	return;
}

# It was killed.
sub _watch_end
{
	my ($self, $process) = @_;
	$self->{loop}->cancel($process->{limit});
	$process->{limit} = $self->{loop}->after(END_TIME, sub {
		$self->_follow($process) if !$self->{ending} && $self->_forget($process);
	});
	return;
}

# This process is none of ours any more. False if it was not.
sub _forget
{
	my ($self, $process) = @_;
	my ($rank, $pid) = @$process{qw(rank pid)};
	return 0 if ($self->{pids}{$pid} // 0) != $process;
	$process->end;
	$self->{loop}->cancel($process->{limit});
	delete $self->{pids}{$pid};
	delete $self->{ranks}{$rank};
	return 1;
}

# Standard input of rank 0. A process that begins again in place keeps its pipe, and gets nothing
# before it speaks: if it dies first, the next one gets all of it.

sub _keep_stdin
{
	my ($self) = @_;
	my $first = $self->{ranks}{0};
	if ($first && $first->state ne 'doomed') {
		$self->{stdin}->hold;
	} else {
		$self->_drop_stdin;
	}
	return;
}

sub _drop_stdin
{
	my ($self) = @_;
	my $pipe = delete $self->{stdin} // return;
	$pipe->drop;
	return;
}

sub _open_stdin
{
	my ($self) = @_;
	if ($self->{stdin}) {
		$self->{stdin}->hold;
		return;
	}
	$self->{stdin} = FTMPI::Agent::StdinPipe->new(
		loop      => $self->{loop},
		counted   => $self->{run}{image},
		on_taken  => sub { $self->_tell('STDIN_TAKEN', $_[0]) },
		on_closed => sub { $self->_tell('STDIN_CLOSED') });
	return;
}

sub input     { $_[0]{stdin}->add($_[1]) if $_[0]{stdin}; return }
sub input_end { $_[0]{stdin}->end        if $_[0]{stdin}; return }

1;

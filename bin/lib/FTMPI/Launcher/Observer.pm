# SPDX-License-Identifier: BSD-3-Clause
#
# Those who are told what happens to a job: the overview, the run record and the status file in the session's folder, -progress, -v.
package FTMPI::Launcher::Observer;

use strict;
use warnings;

use POSIX ();

use FTMPI::Amounts                ();
use FTMPI::Json                   ();
use FTMPI::Launcher::Overview     ();
use FTMPI::Launcher::RunRecord    ();
use FTMPI::Launcher::SessionFile  ();
use FTMPI::Launcher::Traffic      ();

# Seconds from one look at the state to the next, and after which it is written again although nothing has changed: the disk may be slow.
use constant { STATUS => 'status.json', STATUS_TIME => 2, SAME_TIME => 30 };

my %NUMBERS = map { $_ => 1 } qw(v time seconds epoch ranks alive hosts restarts lines checkpoints lost stood cost number age bytes logs fraction pid);

# loop; size; folder: of the session; say => sub (sentence): for -v, or undef; log => sub (sentence); auto: FTMPI::Launcher::AutoInterval, or undef; on_interval => sub (seconds) when it has another one; progress: wanted; put, put_at_once => sub (text, for standard
# error); waits => sub: output waits; began: [Unix time, time of the notes]; pid, host: of ftmpirun.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {%arg}, $class;
	$self->{overview} = FTMPI::Launcher::Overview->new(size => $arg{size}, began => $arg{began}[1]);
	$self->{traffic}  = FTMPI::Launcher::Traffic->new(size => $arg{size}, began => $arg{began}[1]);
	$self->{record}   = FTMPI::Launcher::RunRecord->new(began => $arg{began}, log => $arg{log});
	if ($arg{progress}) {
		require FTMPI::Launcher::Progress;
		$self->{line} = FTMPI::Launcher::Progress->new(loop => $arg{loop}, put => $arg{put}, put_at_once => $arg{put_at_once}, waits => $arg{waits}, state => sub { $self->state });
	}
	return $self;
}

sub state { my ($self) = @_; return $self->{overview}->shown(FTMPI::Loop::now()) }

# There may be a folder now.
sub begin_record
{
	my ($self) = @_;
	return if $self->{status_timer} || !-d $self->{folder};
	$self->{record}->begin($self->{folder});
	$self->_keep_status;
	return;
}

sub _keep_status
{
	my ($self) = @_;
	$self->_save_status if $self->_is_news;
	$self->{status_timer} = $self->{loop}->after(STATUS_TIME, sub { $self->_keep_status });
	return;
}

sub _is_news
{
	my ($self) = @_;
	my $state = $self->state;
	my $look  = join ' ', map { $_ // '' } @$state{qw(state alive hosts lines checkpoints restarts fraction text logs)};
	my $now   = FTMPI::Loop::now();
	return 0 if $look eq ($self->{look} // '') && $now - $self->{saved} < SAME_TIME;
	@$self{qw(look saved)} = ($look, $now);
	return 1;
}

sub _save_status
{
	my ($self) = @_;
	my %status = (%{ $self->state }, v => 1, time => time, pid => $self->{pid}, host => $self->{host});
	FTMPI::Launcher::SessionFile::save($self->{folder}, STATUS, FTMPI::Json::encode(\%status, \%NUMBERS) . "\n");
	return;
}

# A note: [time, event, fields].
sub take
{
	my ($self, $now, $event, $fields) = @_;
	my %all = (%$fields, $self->{overview}->note($now, $event, $fields));
	$self->{traffic}->note($event, $fields);
	$self->_record_traffic($now) if $event eq 'end';
	$self->{record}->note($now, $event, \%all);
	$self->_record_traffic($now) if $event =~ /^(?:line_committed|checkpoint)\z/ && $self->{traffic}->is_due($now);
	$self->_save_status if $self->{status_timer} && $event =~ /^(?:ready|restart|back)\z/;
	$self->_say($now, $event, \%all);
	my $better = $self->{auto} && $self->{auto}->note($now, $event, \%all) or return;
	$self->{record}->note($now, 'interval', $better);
	$self->_say($now, 'interval', $better);
	$self->{on_interval}->($better->{seconds});
	return;
}

sub _record_traffic
{
	my ($self, $now) = @_;
	my $matrix = $self->{traffic}->matrix // return;
	$self->{record}->note($now, 'traffic', $matrix);
	return;
}

sub _say
{
	my ($self, $now, $event, $fields) = @_;
	my $sentence = $self->{say} && _sentence($event, $fields);
	$self->{say}->($self->_clock($now) . " $sentence") if $sentence;
	return;
}

sub _clock
{
	my ($self, $now) = @_;
	my ($unix, $began) = @{ $self->{began} };
	return POSIX::strftime('%H:%M:%S', localtime $unix + $now - $began);
}

sub _count { my ($n, $what) = @_; return "$n $what" . ($n == 1 ? '' : 's') }

# What -v says of it: of what is said in any case nothing.
my %SENTENCES = (
	start => sub {
		my ($f) = @_;
		return "session $f->{session}: " . join ', ', map { "$_->{name} has " . (@{ $_->{ranks} } == 1 ? 'rank ' : 'ranks ') . _ranges(@{ $_->{ranks} }) } grep { @{ $_->{ranks} } } @{ $f->{hosts} };
	},
	ready          => sub { 'all ranks have called MPI_Init' },
	line_committed => sub {
		my ($f) = @_;
		my @words = map { defined $_ ? $_ : () } defined $f->{bytes} ? FTMPI::Amounts::bytes($f->{bytes}) : undef,
			defined $f->{seconds} ? FTMPI::Amounts::duration($f->{seconds}) . ' from its beginning' : undef,
			$f->{stood_lines} ? 'the program stood still for ' . FTMPI::Amounts::duration($f->{stood_longest}) . ($f->{stood_lines} > 1 ? " in the last $f->{stood_lines} lines" : '') : undef;
		return "line $f->{line} is committed" . (@words ? ': ' . join ', ', @words : '');
	},
	checkpoint => sub {
		my ($f) = @_;
		return "checkpoint $f->{number} of rank $f->{rank} is there" . (defined $f->{bytes} ? ': ' . FTMPI::Amounts::bytes($f->{bytes}) : '');
	},
	interval => sub {
		my ($f) = @_;
		return 'a recovery line is made every ' . FTMPI::Amounts::duration($f->{seconds}) . ' from now on: '
			. (defined $f->{cost} ? 'one costs ' . FTMPI::Amounts::duration($f->{cost}) . ', and' : 'there is none yet, and') . ' the job fails every ' . FTMPI::Amounts::duration($f->{mtbf}) . ' (' . _count($f->{failures}, 'failure') . ' seen)';
	},
	end => sub {
		my ($f) = @_;
		my @words = ('the job ended with status ' . $f->{status} . ' after ' . FTMPI::Amounts::duration($f->{seconds}));
		push @words, _count($f->{lines}, 'recovery line') if $f->{lines};
		push @words, _count($f->{checkpoints}, 'checkpoint') if $f->{checkpoints};
		push @words, 'stood still for them for ' . FTMPI::Amounts::duration($f->{stood}) if $f->{stood};
		push @words, _count($f->{restarts}, 'restart') . ', ' . FTMPI::Amounts::duration($f->{lost}) . ' of work done again' if $f->{restarts};
		return join ', ', @words;
	},
);

sub _sentence
{
	my ($event, $fields) = @_;
	my $sentence = $SENTENCES{$event} // return;
	return $sentence->($fields);
}

# 0 to 3, 5
sub _ranges
{
	my (@numbers) = @_;
	my @ranges;
	for my $n (@numbers) {
		if (@ranges && $n == $ranges[-1][1] + 1) {
			$ranges[-1][1] = $n;
		} else {
			push @ranges, [ $n, $n ];
		}
	}
	return join ', ', map { my ($first, $last) = @$_; $first == $last ? $first : $first + 1 == $last ? "$first, $last" : "$first to $last" } @ranges;
}

sub make_way
{
	my ($self, $stream, $text) = @_;
	return $self->{line} ? $self->{line}->make_way($stream, $text) : $text;
}

# ftmpirun is suspended; and goes on.
sub suspended { my ($self) = @_; $self->{line}->hide if $self->{line}; return }
sub resumed { my ($self) = @_; $self->{line}->show_again if $self->{line}; return }

# There is nothing in the session's folder that anybody goes on from: the record goes, too.
sub forget
{
	my ($self) = @_;
	unlink map { "$self->{folder}/$_" } STATUS, FTMPI::Launcher::RunRecord::NAME;
	return;
}

# The job is over.
sub finish
{
	my ($self) = @_;
	$self->{line}->finish if $self->{line};
	my $timer = delete $self->{status_timer} // return;
	$self->{loop}->cancel($timer);
	$self->_save_status;
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The work directory of a job, as the launcher sees it: whether all hosts have the same one, the record
# of the job in its session's folder, and that nothing is left there that means nothing. Recovery lines
# are the ranks' own affair. From here the directory may not be seen at all, when ranks are on other hosts.
package FTMPI::Launcher::Workdir;

use strict;
use warnings;

use FTMPI::Later qw(FTMPI::Launcher::InputRead FTMPI::Launcher::Record FTMPI::Launcher::SharedWorkdir FTMPI::RankFolders);
use FTMPI::PartialLines ();

# path; session: its name; id: its bytes, if -restore is to go on in it (message logging); kind: of its checkpoints then, image or data; transport: as the record has it; kept: see FTMPI::Launcher::SharedWorkdir; ranks: how many; parts: as the record has them; tell => sub (host, message); say
# and log => sub (sentence); name => sub (host).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, folder => "$arg{path}/$arg{session}", probe => ".ftmpi-$arg{session}", began => time }, $class;
}

# Whether all hosts share it: the host of rank 0, and the others that have ranks.
sub ask_whether_shared
{
	my ($self, $home, @others) = @_;
	$self->{shared} //= FTMPI::Launcher::SharedWorkdir->new(
		workdir => $self->{path},
		kept    => $self->{kept},
		tell    => sub { my ($host, $order, $number) = @_; $self->{tell}->($host, 'PROBE', $order, $self->{path}, "$self->{probe}.$number") },
		say     => $self->{say},
		name    => $self->{name});
	$self->{shared}->ask($home, @others);
	return;
}

sub answered { my ($self, @answer) = @_; $self->{shared}->answered(@answer) if $self->{shared}; return }

sub lost { my ($self, $host) = @_; $self->{shared}->lost($host) if $self->{shared}; return }

# The job goes on from this line; the first that is of another session is what it began with.
sub restored
{
	my ($self, $session, $line) = @_;
	$self->{from} //= [ $session, $line ] if $session ne $self->{session};
	return;
}

# The parts of the job, when they are known better than at the start.
sub restored_parts { my ($self, $parts) = @_; $self->{parts} = $parts; return }

# A job whose ranks make checkpoints alone can be gone on with from the start. places: of the ranks, as the record has them.
sub begin_alone
{
	my ($self, @places) = @_;
	$self->{places} = \@places;
	mkdir $self->{folder}, 0700;
	$self->keep_record;
	return;
}

# The record is kept where lines can be seen from here: at the first of them, and when the job is over.
# end: [status, time, reason] then.
sub keep_record
{
	my ($self, $end) = @_;
	return if $end ? !$self->{recorded} : $self->{recorded}++ || !-d $self->{folder};
	$self->{launcher} //= FTMPI::Launcher::Record::running_process($$);
	my $why = FTMPI::Launcher::Record::save($self->{folder}, { end => $end, map { $_ => $self->{$_} } qw(ranks began parts from launcher id kind places transport) });
	$self->{log}->("the job has no record: $why") if defined $why;
	return;
}

# Sums of what rank 0 has read of its standard input in lines of this job (by bytes), where its folder can be seen from here.
sub keep_input_sums
{
	my ($self, $sums) = @_;
	return if !-d $self->{folder};
	my $why = FTMPI::Launcher::InputRead::save($self->{folder}, $sums);
	$self->{log}->("the standard input of the job has no record: $why") if defined $why;
	return;
}

# The same of a session whose name a rank has told.
sub input_sums
{
	my ($self, $session) = @_;
	return $session =~ m{/|\A\.} ? undef : FTMPI::Launcher::InputRead::load("$self->{path}/$session");
}

sub session { return $_[0]{session} }

# The number of the newest recovery line of this job that can be seen from here: there is a manifest of its name. undef:
# none.
sub newest_line
{
	my ($self) = @_;
	opendir my $dir, $self->{folder} or return undef;
	my ($newest) = sort { $b <=> $a } map { /^line-([0-9]{8,10})\.manifest\z/ ? $1 + 0 : () } readdir $dir;
	return $newest;
}

# Recovery lines of this job, or checkpoints that its ranks have made alone, can be seen from here.
sub has_lines
{
	my ($self) = @_;
	return defined $self->newest_line || FTMPI::RankFolders::with_checkpoint($self->{folder});
}

# Of the session.
sub folder { return $_[0]{folder} }

# The agents have left, and have cleared up. What an agent left that was killed before it could do so is
# removed here, if the launcher sees the work directory.
sub clear
{
	my ($self, $epoch) = @_;
	FTMPI::PartialLines::remove_barren($self->{folder}, $epoch);
	unlink map { "$self->{path}/$self->{probe}.$_" } 1 .. $self->{shared}->asked if $self->{shared};
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The manual page ftmpirun(1): prose here, the options from their table. `ftmpirun -man` prints it,
# and doc/man/ftmpirun.1 is what it prints.
package FTMPI::Manual;

use strict;
use warnings;

use FTMPI::Options ();
use FTMPI::Version ();

my $DESCRIPTION = <<'EOR';
.B ftmpirun
starts N ranks of an MPI program on this machine or on several, carries their output here and
standard input to rank 0, and ends when all of them have ended.
On every other host it needs
.BR ssh (1),
.BR perl (1)
and the program, at the same path; FTMPI itself need not be installed there.
.PP
In the first spelling, MACHINEFILE names the hosts and WORKDIR is the directory for the records of
runs.
In the second, as other launchers have it, both are options.
Options come before the program; all that follows it is given to it untouched, but a final
.B \-restore
or
.B \-restore=...
in the first spelling.
They may be written with one dash or two.
.PP
A program without a slash in its name is looked for in PATH and then in the working directory.
It may be a script or another program that runs the MPI program, such as a shell,
.BR valgrind (1)
or
.BR gdb (1).
EOR

my $MACHINES = <<'EOR';
One host a line; what follows a # is a comment:
.PP
.nf
.RS
# the two large machines
node1 slots=16
node2:16
10.0.0.3
[fd00::4]:8
user@node5
localhost
.RE
.fi
.PP
A host without a number has one slot; a host that is named again adds slots.
Ranks fill the slots of the first host, then of the next, and when all are full go round again.
Then a note says so, unless
.B \-no\-oversubscribe
refuses it.
Without a machine file all ranks run on this machine.
.PP
Names and addresses of this machine are not reached by ssh.
When ranks run on several hosts, they talk over the address at which ssh reached a host, and on this
machine over the one that leads there;
.B \-iface
chooses another.
EOR

my $STREAMS = <<'EOR';
What ranks write to standard output and standard error arrives complete, and no line of one rank is
cut by another's.
The end of a prompt that rank 0 leaves without a line end is shown after a tenth of a second.
Standard input goes to rank 0; the others read nothing.
.PP
The first interrupt
.RB ( SIGINT ,
.B SIGTERM
or
.BR SIGHUP )
sends SIGTERM to every rank on every host, and SIGKILL a second later; another one kills them at
once.
No process of a job outlives it.
.PP
When
.B ftmpirun
is suspended by Ctrl\-Z
.RB ( SIGTSTP ),
so are the ranks on every host; when it goes on
.RB ( SIGCONT ),
they do.
The time of
.B \-timeout
runs on meanwhile.
EOR

my @STATUSES = (
	[ '0', 'All ranks ended with status 0.' ],
	[ '1', 'A host could not be reached or was lost, the program could not be run, or a rank'
			. ' ended without MPI_Finalize.' ],
	[ '2', 'The command line, the machine file or the work directory is wrong.' ],
	[ '124', 'The time of \-timeout was over.' ],
	[ '128+n', 'A rank was killed by signal n; or ftmpirun was sent signal n; or, with n = 13,'
			. ' the reader of standard output went away.' ],
	[ 'other', 'The status of the first rank that failed, or the code it gave to MPI_Abort'
			. ' (its lower 8 bits, 1 if these are 0).' ],
);

my @ENVIRONMENT = (
	[ 'FTMPI_SSH', 'The command that reaches another host, when \-ssh does not say.' ],
	[ 'FTMPI_RANK, FTMPI_SIZE, FTMPI_LOCAL_RANK, FTMPI_SESSION',
		'Set for every rank: its number, how many there are, its number on its host, and'
			. ' the name of the job.' ],
	[ 'FTMPI_CONTROL_FD, FTMPI_LISTEN_FD, FTMPI_BEAT_FD',
		'Set for every rank: descriptors that it inherits.' ],
	[ 'PATH, LD_LIBRARY_PATH, FTMPI_*', 'Given to the ranks on all hosts.' ],
);

my $EXAMPLES = <<'EOR';
.nf
ftmpirun \-n 4 ./cgs 494_bus.mtx
ftmpirun nodes.txt 64 /shared/runs ./solver input.dat
ftmpirun \-n 8 \-host a:4,b:4 \-x OMP_NUM_THREADS=2 \-tag\-output ./solver
ftmpirun \-n 4 sh \-c 'exec ./solver >out.$FTMPI_RANK'
.fi
EOR

sub page
{
	my $text = <<'EOR' . ".TH FTMPIRUN 1 \"\" \"FTMPI " . FTMPI::Version::NUMBER . "\"\n";
.\" SPDX-License-Identifier: BSD-3-Clause
.\" Made by ftmpirun -man: change bin/lib/FTMPI/Manual.pm or Options.pm instead.
EOR
	$text .= _section('NAME', "ftmpirun \\- run an MPI program on one machine or many\n");
	my @spellings = FTMPI::Options::usage('ftmpirun');
	my @options   = FTMPI::Options::table();
	$text .= _section('SYNOPSIS',                 join ".br\n", map { _usage($_) } @spellings);
	$text .= _section('DESCRIPTION',              $DESCRIPTION);
	$text .= _section('OPTIONS',                  join '', map { _option($_) } @options);
	$text .= _section('MACHINE FILE',             $MACHINES);
	$text .= _section('INPUT, OUTPUT, INTERRUPT', $STREAMS);
	$text .= _section('EXIT STATUS',              _list(@STATUSES));
	$text .= _section('ENVIRONMENT',              _list(@ENVIRONMENT));
	$text .= _section('EXAMPLES',                 $EXAMPLES);
	$text .= _section('SEE ALSO', ".BR ftmpicc (1),\n.BR ftmpi (7),\n.BR ssh (1)\n");
	return $text;
}

sub _section
{
	my ($title, $text) = @_;
	$title = qq("$title") if $title =~ / /;
	return ".SH $title\n$text";
}

sub _escape
{
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/-/\\-/g;
	$text =~ s/^([.'])/\\&$1/mg;
	return $text;
}

sub _usage
{
	my ($line) = @_;
	my ($program, $rest) = split / /, $line, 2;
	return ".B $program\n" . _escape($rest) . "\n";
}

sub _option
{
	my ($entry) = @_;
	my $words = $entry->{text};
	$words .= " Default: $entry->{default}." if defined $entry->{default};
	my $spelled = FTMPI::Options::spelled($entry);
	return join "\n", '.TP', '.B ' . _escape($spelled), _escape($words), '';
}

sub _list
{
	return join '', map { ".TP\n.B $_->[0]\n$_->[1]\n" } @_;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The manual page ftmpi-report(1): prose here, the options from their table. `ftmpi-report -man` prints it, and doc/man/ftmpi-report.1 is what it
# prints.
package FTMPI::Report::Manual;

use strict;
use warnings;

use FTMPI::Report::Options ();
use FTMPI::Version         ();

my $DESCRIPTION = <<'EOR';
A job leaves a record of its run in the folder of its session,
.IR events.jsonl :
from its beginning with
.BR "ftmpirun \-record" ,
else from its first recovery line on.
.B ftmpi-report
reads it, asks
.BR ftmpi-ckpt (1)
which lines are there, and writes one page for a browser, without scripts and without anything from elsewhere: it can be kept, sent and printed.
WORKDIR stands for its newest session that has a record.
The job may still run.
.PP
The page has:
.IP \(bu 2
where the time went: computing, standing still for lines, work that failures took away, the time until all ranks were back, in seconds and percent;
.IP \(bu 2
a timeline of each rank on each host where it was; of many ranks, of each host, or of several hosts together;
.IP \(bu 2
failures, with cause, decision, the line that the ranks went on from, work lost, and the time until all were back;
.IP \(bu 2
recovery lines, with size, the time that making one took, and how long the program stood still; those that are there now, with messages in transit and orphans;
.IP \(bu 2
how often a line is worth its price, see below;
.IP \(bu 2
who sent how much to whom, see below;
.IP \(bu 2
lines that could not be made, and why; which ranks were on which host; sessions that went on from one another
.RB ( "ftmpirun \-restore" ),
as far as their records are in the same work directory.
.SS How often a line is worth its price
Where C is the time that the program stands still for a line, and M the mean time between failures, the best time of computing between two lines is by J. W. Young (1974)
.PP
.nf
    T = sqrt(2 C M)
.fi
.PP
and by J. T. Daly (2006)
.PP
.nf
    T = sqrt(2 C M) (1 + 1/3 sqrt(C / 2M) + 1/9 C / 2M) \- C,  or M where C >= 2M
.fi
.PP
C is measured, M is the time in which ranks ran divided by the failures that were seen, or that of
.BR \-mtbf ;
without a failure and without
.B \-mtbf
nothing can be said.
A few failures say little about M: the range is told in which it lies 9 times of 10.
What an interval costs is told by Daly's model, M exp(R/M) (exp((T + C) / M) \- 1) / T \- 1 in parts of the computing, where R is the mean time of a restart.
Where ranks go back alone
.RB ( "\-coord msglog" )
these formulas say nothing.
.SS Who sent how much to whom
With
.BR "ftmpirun \-record" ,
or where it makes recovery lines, each rank tells how many messages and bytes it has sent to each other one.
The page has a matrix of at most 32 rows and columns, whose cells are the darker the more bytes were sent, by factors of four, and tables with the numbers; so has
.BR \-text .
Where there are more ranks each row and column is a host, with the ranks that it had in the end, if there are 2 to 32 hosts and at most 128 ranks, else a block of ranks that follow each other.
.PP
Counted are the program's messages when they are sent, with the bytes of its data: those of point-to-point calls, those that collective operations are made of, and data of windows that goes as a message, over TCP and through memory alike.
What FTMPI says to itself is not, nor what ranks of a host do in the memory of a shared window.
Work that a failure took away counts once, when it is done again.
Of a job that was killed the page has what its ranks had told at their last lines, and of one whose launcher was killed what that had written by then: after a minute, and whenever the job had run for a quarter longer.
EOR

my $REST = <<'EOR';
.SH WHAT IS READ
Nothing in a record is believed before it is checked: lines that are no JSON, are of an event that is not known, or have a value of another type or out of its range are left out, and the page says how many and why.
So it does of a last line that was cut, as that of a launcher that was killed may be.
A record without an end is of a job that still runs, if its launcher does on this host, or was killed.
.PP
Bounds: 96 MiB and 200,000 events of a record, 8 MiB of a line.
A page has at most 64 rows of a timeline (each of one host, or of several) with 430 columns, 500 lines, 200 failures, a matrix of 32 rows and columns, 100 hosts and 50 sessions of a chain; what is left out is counted.
Messages in transit and orphans are looked for in the newest 4 lines, as long as these have up to 4096 files.
.B ftmpi-ckpt
gets 30 s for each answer, and as long as it takes with
.BR \-verify .
.SH EXIT STATUS
.TP
.B 0
The report is written.
.TP
.B 1
There is no record, or nothing in it tells of the start of a job; or the report cannot be written.
.TP
.B 2
The command line is wrong.
.SH EXAMPLES
.nf
ftmpirun \-record \-image \-ckpt\-interval 600 \-workdir work \-n 64 ./ocean
ftmpi\-report work
ftmpi\-report \-text \-mtbf 3d work/20261121\-203610\-1a2b3c4d
.fi
.SH SEE ALSO
.BR ftmpirun (1),
.BR ftmpi\-ckpt (1),
.BR ftmpi (7)
EOR

sub _roff { my ($text) = @_; return $text =~ s/\\/\\e/gr =~ s/-/\\-/gr =~ s/^([.'])/\\&$1/gmr }

sub page
{
	my $text = '.\" SPDX-License-Identifier: BSD-3-Clause' . "\n" . '.TH FTMPI-REPORT 1 "" "FTMPI ' . FTMPI::Version::NUMBER . "\"\n.SH NAME\nftmpi-report \\- what a job has done, as a page\n.SH SYNOPSIS\n.B ftmpi-report\nWORKDIR[/SESSION] "
		. join(' ', map { '[' . _roff("-$_->{names}[0]" . ($_->{takes} ? " $_->{takes}" : '')) . ']' } grep { $_->{names}[0] !~ /^(?:h|man|version)\z/ } @FTMPI::Report::Options::OPTIONS)
		. "\n.SH DESCRIPTION\n$DESCRIPTION.SH OPTIONS\n";
	for my $option (@FTMPI::Report::Options::OPTIONS) {
		$text .= ".TP\n.B " . join(', ', map { _roff("-$_") } @{ $option->{names} }) . ($option->{takes} ? " $option->{takes}" : '') . "\n" . _roff(ucfirst $option->{text}) . ".\n";
	}
	return $text . $REST;
}

1;

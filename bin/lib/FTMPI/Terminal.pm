# SPDX-License-Identifier: BSD-3-Clause
#
# A terminal that something is shown on in place: how large it is, whose it is, and what fits into one of its lines.
package FTMPI::Terminal;

use strict;
use warnings;

use POSIX ();

# Of Linux; and the size of a terminal that does not tell its own.
use constant { TIOCGWINSZ => 0x5413, COLUMNS => 80, ROWS => 24 };

# Clears the line that the cursor is in, and what a terminal that was made narrower has wrapped of it: the rows below.
use constant CLEAR => "\r\e[J";

# Around a line: what does not fit is cut by the terminal itself, which may be narrower by now than it says.
use constant { CUT => "\e[?7l", WRAP => "\e[?7h" };

# Whether it can be written to in place.
sub is_one { my ($handle) = @_; return -t $handle && ($ENV{TERM} // 'dumb') ne 'dumb' }

# (columns, rows)
sub size
{
	my ($handle) = @_;
	my $size = "\0" x 8;
	my ($rows, $columns) = ioctl($handle, TIOCGWINSZ, $size) ? unpack 'SS', $size : ();
	return ($columns || COLUMNS, $rows || ROWS);
}

# Whether it is another job's of the shell now: this one is in the background. Where there are no jobs nobody is.
sub is_others
{
	my ($handle) = @_;
	my $group = POSIX::tcgetpgrp(fileno $handle) // return 0;
	return $group > 0 && $group != getpgrp;
}

# Bytes without a letter of UTF-8 at their end that is not whole.
sub whole { my ($bytes) = @_; return $bytes =~ s/(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\z//r }

# What fits into so many columns, and leaves the last one free: at that some terminals begin another line. No letter has more columns than
# bytes.
sub fitted
{
	my ($bytes, $columns) = @_;
	return $bytes if length $bytes < $columns;
	return $columns > 4 ? whole(substr $bytes, 0, $columns - 4) . '...' : '';
}

1;

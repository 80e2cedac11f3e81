# SPDX-License-Identifier: BSD-3-Clause
#
# The messages that launcher, agents and ranks exchange: one table of number, name, fields and the side that
# may send it. doc/control.md explains them. Pure.
package FTMPI::Control;

use strict;
use warnings;

use FTMPI::Wire ();

# The first bytes from an agent to the launcher: what comes before is not ours.
use constant GREETING => "\0FTMPI agent 1\n";

# Why a rank cannot be held (HELD) that is about to say FINALIZED.
use constant IN_FINALIZE => 'it is in MPI_Finalize';

# What ABORTED names when all ranks have looked for a recovery line, and none fits: no rank is to blame.
use constant NO_LINE => 'the search of all ranks for a recovery line';

# A write of so many bytes into a pipe is done as a whole or not at all, whoever else writes there (PIPE_BUF of Linux).
use constant PIPE_BUF => 4096;

# The steps of SAVE.
use constant { HOLD => 0, GO => 1, RELEASE => 2 };

# What INJECT asks for: signals to a rank, the end of the host (that falls silent, or is seen to end), and what a rank is told by
# FAULT; of what has no end: its ms.
use constant { INJECT_KILL => 1, INJECT_STOP => 2, INJECT_SILENCE => 3, INJECT_END => 4, INJECT_DISK_FULL => 5, INJECT_CUT => 6 };
use constant { FAULT_DISK_FULL => 1, FAULT_CUT => 2, FAULT_ALWAYS => 0xffffffff };

# Fields: see FTMPI::Wire.
my @TABLE = (
	# agent to rank
	[ 1, 'START',   'agent-rank', 'kuuuKuuussSr' ],
	[ 2, 'RESTART', 'agent-rank', 'u' ],
	[ 3, 'OBSERVE', 'agent-rank', 'u' ],
	[ 4, 'DUMP',    'agent-rank', 'u' ],
	[ 5, 'SAVE',    'agent-rank', 'uuu' ],
	[ 6, 'LEAVE',   'agent-rank', 'u' ],
	[ 7, 'MOVED',   'agent-rank', 'uuushh' ],
	[ 8, 'FAULT',   'agent-rank', 'uuuu' ],
	# rank to agent
	[ 16, 'INITED',     'rank', 'u' ],
	[ 17, 'FINALIZED',  'rank', '' ],
	[ 18, 'ABORTED',    'rank', 'us' ],
	[ 19, 'LOST',       'rank', 'us' ],
	[ 20, 'RESTARTING', 'rank', 'u' ],
	[ 21, 'SUSPECT',    'rank', 'uuu' ],
	[ 22, 'LINE',       'rank', 'u' ],
	[ 23, 'PROGRAM',    'rank', 'u' ],
	[ 24, 'RESTORED',   'rank', 'us' ],
	[ 25, 'HEARD',      'rank', 'u' ],
	[ 26, 'LOGS',       'rank', 'uuu' ],
	[ 27, 'RUNS',       'rank', 'ks' ],
	[ 28, 'LOADED',     'rank', 'u' ],
	[ 29, 'HELD',       'rank', 'us' ],
	[ 30, 'SAVED',      'rank', 'uu' ],
	[ 31, 'ENDING',     'rank', '' ],
	[ 88, 'COST',       'rank', 'uuu' ],
	[ 89, 'SIZE',       'rank', 'uuu' ],
	[ 90, 'PROGRESS',   'rank', 'us' ],
	[ 91, 'REFUSED',    'rank', 'us' ],
	[ 93, 'TRAFFIC',    'rank', 'uuuUU' ],
	[ 94, 'INPUT',      'rank', 'uuu' ],
	# launcher to agent
	[ 32, 'SETUP',     'launcher', 'uuu' ],
	[ 33, 'BIND',      'launcher', 'suuu' ],
	[ 34, 'RUN',       'launcher', 'kKuuussUsSSSr' ],
	[ 35, 'STDIN',     'launcher', 'r' ],
	[ 36, 'STDIN_END', 'launcher', '' ],
	[ 37, 'KILL',      'launcher', 'u' ],
	[ 38, 'CREDIT',    'launcher', 'u' ],
	[ 39, 'PING',      'launcher', '' ],
	[ 40, 'END',       'launcher', '' ],
	[ 41, 'SUSPEND',   'launcher', 'u' ],
	[ 42, 'RESTART_ALL', 'launcher', 'u' ],
	[ 43, 'FENCE',     'launcher', 'u' ],
	[ 44, 'OBSERVE_ALL', 'launcher', 'u' ],
	[ 45, 'DUMP_ALL',  'launcher', 'u' ],
	[ 46, 'EXAMINE',   'launcher', 'uu' ],
	[ 47, 'PATIENCE',  'launcher', 'u' ],
	[ 70, 'PROBE',     'launcher', 'uss' ],
	[ 80, 'OPEN',      'launcher', 'sSS' ],
	[ 81, 'PART',      'launcher', 'uusSS' ],
	[ 82, 'SAVE_ALL',  'launcher', 'uuu' ],
	[ 83, 'RERUN',     'launcher', 'uus' ],
	[ 84, 'LEAVE_ALL', 'launcher', 'u' ],
	[ 85, 'MOVED_ALL', 'launcher', 'Usr' ],
	[ 86, 'SAVE_ONE',  'launcher', 'uuuu' ],
	[ 87, 'PIECE',     'launcher', 'r' ],
	[ 92, 'INJECT',    'launcher', 'uuuuu' ],
	# agent to launcher
	[ 48, 'HERE',         'agent', 'usSS' ],
	[ 49, 'PORTS',        'agent', 'H' ],
	[ 50, 'UNFIT',        'agent', 's' ],
	[ 51, 'STARTED',      'agent', 'uu' ],
	[ 52, 'NEWS',         'agent', 'uhr' ],
	[ 53, 'BROKEN',       'agent', 'us' ],
	[ 54, 'CANNOT_RUN',   'agent', 'us' ],
	[ 55, 'OUT',          'agent', 'uhr' ],
	[ 56, 'EXITED',       'agent', 'uuu' ],
	[ 57, 'STDIN_TAKEN',  'agent', 'u' ],
	[ 58, 'STDIN_CLOSED', 'agent', '' ],
	[ 59, 'PONG',         'agent', '' ],
	[ 60, 'BYE',          'agent', '' ],
	[ 61, 'RESTARTING_ALL', 'agent', 'u' ],
	[ 62, 'STOPPED',      'agent', 'uu' ],
	[ 63, 'CONDITION',    'agent', 'uuu' ],
	[ 64, 'STRAINED',     'agent', 'uu' ],
	[ 65, 'FOREIGN',      'agent', 'uus' ],
	[ 66, 'OPENED',       'agent', 'SS' ],
	[ 67, 'TRACED',       'agent', 'uus' ],
	[ 68, 'BOUND',        'agent', 'USs' ],
	[ 71, 'PROBED',       'agent', 'us' ],
	[ 72, 'PRINTED',      'agent', 'uuuu' ],
	[ 73, 'INJECTED',     'agent', 'uu' ],
);

# One rank in the table of START and RUN: host, address, port, port for heartbeats (0: none), node,
# cores.
use constant ROW => 'sshhuu';

my %BY_NAME   = map { $_->[1] => { number => $_->[0], template => $_->[3] } } @TABLE;
my %BY_NUMBER = map { $_->[0] => { name => $_->[1], from => $_->[2], template => $_->[3] } } @TABLE;

# A whole frame, ready to be written.
sub encode
{
	my ($name, @values) = @_;
	my $entry = $BY_NAME{$name} or die "no message is called $name\n";
	return FTMPI::Wire::frame($entry->{number},
		FTMPI::Wire::pack_fields($entry->{template}, @values));
}

# A frame of any length as frames of at most PIPE_BUF bytes.
sub pieces
{
	my ($frame) = @_;
	return $frame if length $frame <= PIPE_BUF;
	my $most = PIPE_BUF - FTMPI::Wire::HEAD;
	return map { encode('PIECE', $_) } unpack "(a$most)*", $frame;
}

# (name, fields) of a frame that `from` sent ('rank', 'launcher', 'agent', 'agent-rank'). Dies with
# a text when it is none that may come from there.
sub decode
{
	my ($from, $type, $body) = @_;
	my $entry = $BY_NUMBER{$type};
	die "an unexpected message of type $type\n" if !$entry || $entry->{from} ne $from;
	my @values = eval { FTMPI::Wire::unpack_fields($entry->{template}, $body) };
	die "a bad $entry->{name} message: $@" if $@;
	return ($entry->{name}, @values);
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Cli::Values, which an ordinary start does without (FTMPI::Later): values that most command lines do not have.
package FTMPI::Cli::Values;

use strict;
use warnings;

use FTMPI::Cli::Values ();
use FTMPI::Address     ();
use FTMPI::Error       ();

# Protocols of lib/coord; auto: as the program asks; msglog: message logging.
my @COORDS = qw(auto blocking eventlog tagging compare msglog);
my @TRANSPORTS = qw(auto shm tcp);
my @WHATS  = qw(failure crash any none);
my @BINDS  = qw(auto core none);
my @FILES  = qw(cut keep);

# In which order ranks are asked for checkpoints of their own (FTMPI::Launcher::Checkpoints).
my @ORDERS = qw(round-robin adaptive random);
my @OUTPUT = qw(once repeat);
my @LAUNCHERS = qw(auto ssh slurm pbs lsf);

use constant TIME_WORDS => 'such as 90, 1.5h or 1h30m';

# Units of a time, the longest first, in seconds.
my @UNITS = ([ d => 86400 ], [ h => 3600 ], [ m => 60 ], [ s => 1 ], [ ms => 0.001 ]);

sub _refuse
{
	my ($word, $value, $text) = @_;
	FTMPI::Error::usage(
		"$word: '" . FTMPI::Error::clean($value) . "' is $text; try ftmpirun -help");
}

sub _none_of
{
	my ($word, $value, @values) = @_;
	return _refuse($word, $value, 'none of ' . join(', ', @values) . FTMPI::Cli::Suggestion::hint('', $value, @values));
}

# The seconds of "90", "10m", "1h30m", "1.5h": each unit once, the longest first; a number alone is of
# `bare` seconds. Nothing when it is no time, or none at all.
sub duration
{
	my ($value, $bare) = @_;
	my $number = qr/[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}/;
	my $sum    = 0;
	if ($value =~ /^(?:$number)\z/) {
		$sum = $value * $bare;
	} else {
		for my $unit (@UNITS) {
			my ($name, $seconds) = @$unit;
			$sum += $1 * $seconds if $value =~ s/^($number)$name(?=[0-9.]|\z)//;
		}
		return if length $value;
	}
	return $sum > 0 ? $sum : undef;
}

sub seconds
{
	my ($value, $word) = @_;
	return duration($value, 1) // _refuse($word, $value, 'not a time in seconds, or ' . TIME_WORDS);
}

# No time at all is one that is too short, which the range says better.
sub _seconds_or_none
{
	my ($value, $word) = @_;
	return $value =~ /^(?:0+\.?0*|\.0+)(?:d|h|m|s|ms)?\z/ ? 0 : seconds($value, $word);
}

# As what a batch system gives, or a program needs to come to where it can be saved.
sub grace
{
	my ($value, $word) = @_;
	my $seconds = _seconds_or_none($value, $word);
	return $seconds if $seconds >= 0.1 && $seconds <= GRACE_MAX;
	return _refuse($word, $value, 'not a time from 0.1 to ' . GRACE_MAX . ' s');
}

sub interval
{
	my ($value, $word) = @_;
	return $value if $value eq 'auto';
	my $seconds = _seconds_or_none($value, $word);
	return $seconds if $seconds >= 0.001 && $seconds <= INTERVAL_MAX;
	return _refuse($word, $value, 'not a time from 0.001 to ' . INTERVAL_MAX . ' s');
}

# For those that complete words.
sub coords { return @COORDS }
sub whats  { return @WHATS }

sub coord
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @COORDS;
	return _none_of($word, $value, @COORDS);
}

sub transport
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @TRANSPORTS;
	return _none_of($word, $value, @TRANSPORTS);
}

sub restart_on
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @WHATS;
	return _none_of($word, $value, @WHATS);
}

sub image_files
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @FILES;
	return _none_of($word, $value, @FILES);
}

sub ckpt_order
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @ORDERS;
	return _none_of($word, $value, @ORDERS);
}

sub launcher
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @LAUNCHERS;
	return _none_of($word, $value, @LAUNCHERS);
}

sub output
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @OUTPUT;
	return _none_of($word, $value, @OUTPUT);
}

sub binding
{
	my ($value, $word) = @_;
	return $value if grep { $_ eq $value } @BINDS;
	return _refuse($word, $value, 'none of ' . join(', ', @BINDS)
			. ': write -bind none, and bind ranks by FTMPI_LOCAL_RANK with taskset(1) or numactl(8)')
		if $value =~ /^(?:hwthread|l[123]cache|numa|package|socket)\z/;
	return _none_of($word, $value, @BINDS);
}

# slot, node or ppr:N:node. Objects that other launchers map ranks to within a host are a matter of binding here.
sub mapping
{
	my ($value, $word) = @_;
	return $value if $value =~ /^(?:slot|node)\z/;
	return $value if $value =~ /^ppr:([1-9][0-9]{0,4}):node\z/ && $1 <= RANKS_MAX;
	my $known = 'none of slot, node, ppr:N:node (with N from 1 to ' . RANKS_MAX . ')';
	return _refuse($word, $value, "$known: ranks are placed on hosts, and -bind gives them processors there")
		if $value =~ /^(?:ppr:[^:]*:)?(?:hwthread|core|l[123]cache|numa|package|socket|board)\b/;
	return _refuse($word, $value, "$known: write -oversubscribe or -no-oversubscribe") if $value =~ /oversubscribe\z/i;
	return _refuse($word, $value, "$known: OMP_NUM_THREADS says how many processors a rank needs") if $value =~ /:PE=/i;
	return _refuse($word, $value, $known);
}

# Where files have %r for the rank.
sub file_pattern
{
	my ($value, $word) = @_;
	my ($other) = $value =~ s/%[r%]//gr =~ /(%.?)/s;
	return $value if !defined $other;
	return _refuse($word, $value, "not a name of files: '" . FTMPI::Error::clean($other) . "' is neither %r, the number of the rank, nor %%, which is a %");
}

sub output_folder
{
	my ($value, $word) = @_;
	return $value if $value !~ /:nocopy\z/;
	return _refuse($word, $value, 'not a folder: leave out :nocopy, as what goes into files is not printed');
}

# latest, auto, SESSION or SESSION:LINE
sub restore
{
	my ($value, $word) = @_;
	return $value if $value eq 'latest' || $value eq 'auto';
	my $session = SESSION;
	my ($line) = $value =~ /^$session(?::([1-9][0-9]{0,9}))?\z/
		or return _refuse($word, $value,
		'neither auto nor a session such as 20261231-235959-0123abcd nor one of its lines'
			. ' (SESSION:LINE)');
	return $value if !defined $line || $line <= LINE_MAX;
	return _refuse($word, $value, 'no recovery line: the number is too large');
}

sub ports
{
	my ($value, $word) = @_;
	my ($first, $last) = $value =~ /^([0-9]{1,5})-([0-9]{1,5})\z/;
	return [ $first + 0, $last + 0 ]
		if defined $last && $first >= 1 && $first <= $last && $last <= 65535;
	return _refuse($word, $value, 'not a range of ports such as 5000-5100');
}

sub iface
{
	my ($value, $word) = @_;
	return $value if FTMPI::Address::matcher($value);
	return _refuse($word, $value, 'neither an interface nor a network such as 10.0.0.0/8');
}

sub variable
{
	my ($value, $word) = @_;
	return $value if $value =~ /^[A-Za-z_][A-Za-z0-9_.]*(?:=|\z)/;
	return _refuse($word, $value, 'neither VAR nor VAR=value');
}

# VAR and a value, as VAR=value.
sub pair
{
	my ($name, $value, $word) = @_;
	return "$name=$value" if $name =~ /^[A-Za-z_][A-Za-z0-9_.]*\z/;
	return _refuse($word, $name, 'no name of a variable');
}

1;

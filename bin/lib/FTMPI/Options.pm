# SPDX-License-Identifier: BSD-3-Clause
#
# The options of ftmpirun: one table from which the parser, -help and the manual page come, and the
# two spellings of a command line. Pure: words in, a hash out; bad words end in a FTMPI::Stop.
package FTMPI::Options;

use strict;
use warnings;

use FTMPI::Address ();
use FTMPI::Stop    ();

use constant RANKS_MAX => 65536;

# name: with its other names; arg: what follows it; kind: flag, value or list; check: how the value
# is read; default and text: for people.
my @TABLE = (
	{
		names => [qw(n np)],
		arg   => 'N',
		check => \&_ranks,
		text  => 'Start N ranks. Names the second spelling.',
	},
	{
		names   => [qw(machinefile hostfile f)],
		arg     => 'FILE',
		default => 'this machine alone',
		text    => 'The hosts of the job, a line each: "host", "host slots=4" or "host:4".',
	},
	{
		names => ['host'],
		arg   => 'LIST',
		kind  => 'list',
		text  => 'The hosts of the job, in place of a machine file: "a,b:4,[fd00::1]:2".',
	},
	{
		names   => ['workdir'],
		arg     => 'DIR',
		default => 'the current directory',
		text    => 'Where the records of runs are kept. Made if it is missing.',
	},
	{
		names   => ['wdir'],
		arg     => 'DIR',
		default => 'where ftmpirun was called',
		text    => 'The directory in which the ranks run, on every host.',
	},
	{
		names => ['x'],
		arg   => 'VAR[=VALUE]',
		kind  => 'list',
		check => \&_variable,
		text  => 'Give the ranks this environment variable, with the value it has here or'
			. ' with VALUE. May be repeated. PATH, LD_LIBRARY_PATH and FTMPI_* are always'
			. ' given.',
	},
	{
		names   => ['ssh'],
		arg     => 'CMD',
		default => '$FTMPI_SSH, else "ssh -o BatchMode=yes -o ConnectTimeout=10"',
		text    => 'The command that reaches another host; the host and one command line for'
			. ' its shell are added.',
	},
	{
		names => ['tag-output'],
		kind  => 'flag',
		text  => 'Begin every line of output with "[rank] ".',
	},
	{
		names => ['timeout'],
		arg   => 'S',
		check => \&_seconds,
		text  => 'End the job after S seconds, with status 124.',
	},
	{
		names   => ['ports'],
		arg     => 'A-B',
		check   => \&_ports,
		default => 'any free port',
		text    => 'Listen on TCP ports A to B only. Every host needs two for each of its'
			. ' ranks, or one with -heartbeat 0.',
	},
	{
		names => ['iface'],
		arg   => 'NAME|CIDR',
		check => \&_iface,
		text  => 'Ranks talk over this network: an interface (eth0) or its addresses'
			. ' (10.0.0.0/8), on every host.',
	},
	{
		names => ['no-oversubscribe'],
		kind  => 'flag',
		text  => 'Refuse to start more ranks than there are slots.',
	},
	{
		names => ['restore'],
		kind  => 'flag',
		text  => 'Go on from the latest recovery line. This version keeps none and'
			. ' refuses.',
	},
	{
		names => ['v'],
		kind  => 'count',
		text  => 'Tell on standard error what is being done. Twice: tell more.',
	},
	{
		names => ['version'],
		kind  => 'flag',
		text  => 'Print the version.',
	},
	{
		names => [qw(help h)],
		kind  => 'flag',
		text  => 'Print this list.',
	},
	{
		names => ['man'],
		kind  => 'flag',
		text  => 'Print the source of the manual page.',
	},
);

my %BY_NAME = map {
	my $entry = $_;
	map { $_ => $entry } @{ $entry->{names} }
} @TABLE;

sub table { return @TABLE }

# The words of a command line, without the program's name, as a hash: an option's first name => its
# value; n, machinefile, workdir from either spelling; prog => [program, arguments].
sub parse
{
	my (@words) = @_;
	my %got;
	while (@words && $words[0] =~ /^--?(.+)\z/s) {
		my $word = shift @words;
		last if $word eq '--';
		_option(\%got, $word, $1, \@words);
		return \%got if $got{help} || $got{version} || $got{man};
	}
	_positional(\%got, \@words) if !defined $got{n};
	_refuse("no program is named") if !@words;
	_refuse('-host and -machinefile exclude each other')
		if $got{host} && defined $got{machinefile};
	FTMPI::Stop::usage('-restore: this version keeps no recovery lines, so there is nothing to'
			. ' restore; start the job without it')
		if $got{restore};
	$got{prog} = \@words;
	return \%got;
}

sub _refuse
{
	my ($text) = @_;
	FTMPI::Stop::usage("$text; try ftmpirun -help");
}

sub _option
{
	my ($got, $word, $name, $words) = @_;
	my $entry = $BY_NAME{$name} or _refuse('unknown option ' . FTMPI::Stop::clean($word));
	my $key   = $entry->{names}[0];
	my $kind  = $entry->{kind} // 'value';
	if ($kind eq 'flag' || $kind eq 'count') {
		$got->{$key}++;
		return;
	}
	_refuse("$word needs a value: $word $entry->{arg}") if !@$words;
	my $value = shift @$words;
	_refuse("$word needs a value: $word $entry->{arg}") if !length $value;
	$value = $entry->{check}->($value, $word) if $entry->{check};
	if ($kind eq 'list') {
		push @{ $got->{$key} }, $value;
		return;
	}
	_refuse("-$key is given twice") if exists $got->{$key};
	$got->{$key} = $value;
	return;
}

# MACHINEFILE N WORKDIR PROG [ARGS...] [-restore]
sub _positional
{
	my ($got, $words) = @_;
	for my $option (grep { defined $got->{$_} } qw(host machinefile workdir)) {
		_refuse("-$option goes with -n N");
	}
	for my $name (qw(machinefile n workdir)) {
		_refuse("neither -n N nor MACHINEFILE N WORKDIR PROG is given") if !@$words;
		$got->{$name} = shift @$words;
		_refuse(uc($name) . ' is an empty word') if $name ne 'n' && !length $got->{$name};
	}
	$got->{n} = _ranks($got->{n}, 'N');
	$got->{restore} = 1 if @$words > 1 && $words->[-1] =~ /^--?restore\z/ && pop @$words;
	return;
}

sub _ranks
{
	my ($value, $word) = @_;
	return $value + 0 if $value =~ /^[0-9]{1,9}\z/ && $value >= 1 && $value <= RANKS_MAX;
	_refuse("$word: '" . FTMPI::Stop::clean($value) . "' is not a number of ranks from 1 to "
			. RANKS_MAX);
	return;
}

sub _seconds
{
	my ($value, $word) = @_;
	return $value if $value =~ /^(?:[0-9]{1,9}(?:\.[0-9]+)?|\.[0-9]+)\z/ && $value > 0;
	_refuse("$word: '" . FTMPI::Stop::clean($value) . "' is not a time in seconds");
	return;
}

sub _ports
{
	my ($value, $word) = @_;
	my ($first, $last) = $value =~ /^([0-9]{1,5})-([0-9]{1,5})\z/;
	return [ $first + 0, $last + 0 ]
		if defined $last && $first >= 1 && $first <= $last && $last <= 65535;
	_refuse("$word: '" . FTMPI::Stop::clean($value)
			. "' is not a range of ports such as 5000-5100");
	return;
}

sub _iface
{
	my ($value, $word) = @_;
	return $value if FTMPI::Address::matcher($value);
	_refuse("$word: '" . FTMPI::Stop::clean($value)
			. "' is neither an interface nor a network such as 10.0.0.0/8");
	return;
}

sub _variable
{
	my ($value, $word) = @_;
	return $value if $value =~ /^[A-Za-z_][A-Za-z0-9_.]*(?:=|\z)/;
	_refuse("$word: '" . FTMPI::Stop::clean($value) . "' is neither VAR nor VAR=value");
	return;
}

# The lines of a command's two spellings. `mpiexec` is the plain one.
sub usage
{
	my ($program) = @_;
	my $second = "$program -n N [OPTIONS] PROG [ARGS...]";
	return $second if $program ne 'ftmpirun';
	return ("$program [OPTIONS] MACHINEFILE N WORKDIR PROG [ARGS...] [-restore]", $second);
}

# An option as people write it: "-n N, -np N".
sub spelled
{
	my ($entry) = @_;
	my $arg = defined $entry->{arg} ? " $entry->{arg}" : '';
	return join ', ', map { "-$_$arg" } @{ $entry->{names} };
}

sub help
{
	my ($program) = @_;
	my @usage = usage($program);
	my $text  = "usage: $usage[0]\n" . join '', map { "       $_\n" } @usage[ 1 .. $#usage ];
	for my $entry (@TABLE) {
		my $words = $entry->{text};
		$words .= " Default: $entry->{default}." if defined $entry->{default};
		$text .= "\n  " . spelled($entry) . "\n" . _folded($words);
	}
	return $text;
}

sub _folded
{
	my ($words) = @_;
	my ($text, $line) = ('', '');
	for my $word (split ' ', $words) {
		if (length($line) + length($word) > 70) {
			$text .= "        $line\n";
			$line = '';
		}
		$line .= length $line ? " $word" : $word;
	}
	return "$text        $line\n";
}

1;

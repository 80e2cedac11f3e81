# SPDX-License-Identifier: BSD-3-Clause
#
# The options of ftmpirun: one table from which the parser, -help and the manual page come, and the
# two spellings of a command line. Pure: words in, a hash out; bad words end in a FTMPI::Stop.
package FTMPI::Options;

use strict;
use warnings;

use FTMPI::Stop   ();
use FTMPI::Values ();

use constant RANKS_MAX => FTMPI::Values::RANKS_MAX;

# name: with its other names; arg: what follows it; kind: flag, count, value, list, pair (of words, for
# -x) or optional (a value only after "="); check: how the value is read; default and text: for people.
my @TABLE = (
	{
		names => [qw(n np)],
		arg   => 'N',
		check => \&FTMPI::Values::ranks,
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
		check => \&FTMPI::Values::variable,
		text  => 'Give the ranks this environment variable, with the value it has here or'
			. ' with VALUE. May be repeated. PATH, LD_LIBRARY_PATH and FTMPI_* are always'
			. ' given.',
	},
	{
		names => [qw(env genv)],
		arg   => 'VAR VALUE',
		kind  => 'pair',
		text  => 'The same as -x VAR=VALUE, as other launchers spell it.',
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
		check => \&FTMPI::Values::seconds,
		text  => 'End the job after S seconds, with status 124.',
	},
	{
		names   => ['ports'],
		arg     => 'A-B',
		check   => \&FTMPI::Values::ports,
		default => 'any free port',
		text    => 'Listen on TCP ports A to B only. Every host needs two for each of its'
			. ' ranks, or one with -heartbeat 0.',
	},
	{
		names => ['iface'],
		arg   => 'NAME|CIDR',
		check => \&FTMPI::Values::iface,
		text  => 'Ranks talk over this network: an interface (eth0) or its addresses'
			. ' (10.0.0.0/8), on every host.',
	},
	{
		names => ['no-oversubscribe'],
		kind  => 'flag',
		text  => 'Refuse to start more ranks than there are slots.',
	},
	{
		names   => ['heartbeat'],
		arg     => 'MS',
		check   => FTMPI::Values::whole('a period in ms: 0 for none, or', 10, 60000, 0),
		default => 100,
		text    => 'Ranks show each other every MS milliseconds that they live. 0 switches that'
			. ' off: then only deaths and closed connections are noticed.',
	},
	{
		names   => ['timeout-heartbeat'],
		arg     => 'MS',
		check   => FTMPI::Values::whole('a time in ms', 30, 86400000),
		default => '1000, but at least 3 periods',
		text    => 'A rank or host that shows no life for so long has failed. At least 3 periods of'
			. ' -heartbeat.',
	},
	{
		names   => ['ckpt-interval'],
		arg     => 'S',
		check   => \&FTMPI::Values::interval,
		default => 'never',
		text    => 'FTMPI_Checkpoint_due() says yes when S seconds have gone by since the last'
			. ' checkpoint.',
	},
	{
		names   => ['keep'],
		arg     => 'N',
		check   => FTMPI::Values::whole('a number of recovery lines', 1, 1000000),
		default => 2,
		text    => 'Keep the newest N recovery lines. Room for one more is needed while it is made; after a'
			. ' restart those of before stay until there are N new ones.',
	},
	{
		names   => ['coord'],
		arg     => 'NAME',
		check   => \&FTMPI::Values::coord,
		default => 'blocking',
		text    => 'How ranks come to a recovery line. blocking: all stop, save and go on. eventlog:'
			. ' nobody waits, each rank copies its state and goes on; it asks a little of the'
			. ' program, see ftmpi.h. tagging: the same by another rule, to be compared.'
			. ' auto: what the program asks for, else eventlog. compare: both rules at once; the'
			. ' job ends when they differ (for tests).',
	},
	{
		names   => ['max-restarts'],
		arg     => 'N',
		check   => FTMPI::Values::whole('a number of restarts', 0, 1000000),
		default => 3,
		text    => 'Give up after N restarts in a row without a new recovery line. 0: never restart.',
	},
	{
		names   => ['restart-on'],
		arg     => 'WHAT',
		check   => \&FTMPI::Values::restart_on,
		default => 'failure',
		text    => 'Which failures are mended by a restart. failure: what came from outside (a rank'
			. ' that was killed or hangs, a host or connection that is gone). crash: also a rank'
			. ' that crashed (SIGSEGV and the like). any: also an exit status other than 0, and'
			. ' MPI_Abort. none: none.',
	},
	{
		names => ['restart-from-start'],
		kind  => 'flag',
		text  => 'Also restart a program that makes no checkpoints: it begins again.',
	},
	{
		names => ['restore'],
		arg   => 'SESSION[:LINE]',
		kind  => 'optional',
		check => \&FTMPI::Values::restore,
		text  => 'Go on from the newest recovery line in WORKDIR, or from that of a session named'
			. ' there, or from one of its lines.',
	},
	{
		names => ['accept-binary'],
		kind  => 'flag',
		text  => 'Restore also what another build of the program has saved.',
	},
	{
		names => ['debug'],
		kind  => 'flag',
		text  => 'Ranks may be stopped in a debugger: nothing is done about one that shows no life.',
	},
	{
		names => ['dump'],
		kind  => 'flag',
		text  => 'On SIGUSR1 to ftmpirun every rank prints what it waits for: sends and receives that'
			. ' are not done, and messages without a receive.',
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
sub parse { return _parse(\&_positional, @_) }

# The same of a launcher that knows the second spelling only.
sub parse_plain { return _parse(sub { _refuse('-n N is not given') }, @_) }

sub _parse
{
	my ($without_n, @words) = @_;
	my %got;
	while (@words && $words[0] =~ /^--?(.+)\z/s) {
		my $word = shift @words;
		last if $word eq '--';
		_option(\%got, $word, $1, \@words);
		return \%got if $got{help} || $got{version} || $got{man};
	}
	$without_n->(\%got, \@words) if !defined $got{n};
	_refuse("no program is named") if !@words;
	_refuse('-host and -machinefile exclude each other')
		if $got{host} && defined $got{machinefile};
	_check_heartbeat(\%got);
	$got{prog} = \@words;
	return \%got;
}

sub _refuse
{
	my ($text) = @_;
	FTMPI::Stop::usage("$text; try ftmpirun -help");
}

# Three periods: one lost, one late, one on its way.
sub _check_heartbeat
{
	my ($got) = @_;
	my ($period, $limit) = @$got{qw(heartbeat timeout-heartbeat)};
	return if !defined $limit;
	$period //= 100;
	_refuse('-timeout-heartbeat has no meaning with -heartbeat 0') if !$period;
	_refuse("-timeout-heartbeat $limit is less than three periods of -heartbeat $period")
		if $limit < 3 * $period;
	return;
}

# How long an agent that hears nothing of the launcher believes in it, in ms: longer than it takes to
# find out here that the host is lost.
sub silence
{
	my ($limit) = @_;
	return 5 * $limit > 5000 ? 5 * $limit : 5000;
}

# Period and timeout in ms; 0 for none.
sub heartbeat
{
	my ($got) = @_;
	my $period = $got->{heartbeat} // 100;
	my $limit = $got->{'timeout-heartbeat'} // (3 * $period > 1000 ? 3 * $period : 1000);
	return ($period, $limit);
}

sub _option
{
	my ($got, $word, $name, $words) = @_;
	my $entry = $BY_NAME{$name} // _with_value($name)
		// _refuse('unknown option ' . FTMPI::Stop::clean($word));
	my $key  = $entry->{names}[0];
	my $kind = $entry->{kind} // 'value';
	if ($kind eq 'optional') {
		_set($got, $key, _restored($word));
		return;
	}
	if ($kind eq 'flag' || $kind eq 'count') {
		$got->{$key}++;
		return;
	}
	if ($kind eq 'pair') {
		_refuse("$word needs two words: $word $entry->{arg}") if @$words < 2;
		push @{ $got->{x} }, FTMPI::Values::pair(splice(@$words, 0, 2), $word);
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
	_set($got, $key, $value);
	return;
}

sub _set
{
	my ($got, $key, $value) = @_;
	_refuse("-$key is given twice") if exists $got->{$key};
	$got->{$key} = $value;
	return;
}

# An option that may have a value, as "name=value".
sub _with_value
{
	my ($word) = @_;
	my ($name) = $word =~ /^(.*?)=/s or return;
	my $entry = $BY_NAME{$name} or return;
	return ($entry->{kind} // '') eq 'optional' ? $entry : undef;
}

# The value of -restore, -restore=VALUE.
sub _restored
{
	my ($word) = @_;
	my (undef, $value) = split /=/, $word, 2;
	return FTMPI::Values::restore($value // 'latest', '-restore');
}

# MACHINEFILE N WORKDIR PROG [ARGS...] [-restore[=...]]
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
	$got->{n} = FTMPI::Values::ranks($got->{n}, 'N');
	_set($got, 'restore', _restored(pop @$words))
		if @$words > 1 && $words->[-1] =~ /^--?restore(?:=|\z)/;
	return;
}

# The lines of a command's two spellings. `mpiexec` is the plain one.
sub usage
{
	my ($program) = @_;
	my $second = "$program -n N [OPTIONS] PROG [ARGS...]";
	return $second if $program ne 'ftmpirun';
	return ("$program [OPTIONS] MACHINEFILE N WORKDIR PROG [ARGS...] [-restore[=...]]", $second);
}

# An option as people write it: "-n N, -np N".
sub spelled
{
	my ($entry) = @_;
	my $arg = defined $entry->{arg} ? " $entry->{arg}" : '';
	$arg = "[=$entry->{arg}]" if ($entry->{kind} // '') eq 'optional';
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

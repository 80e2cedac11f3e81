# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpi-top: how the jobs of a work directory do, from the status files that their ftmpirun keep (doc/record.md). Nothing that such a
# file says is believed before it is checked.
package FTMPI::Cli::Top;

use strict;
use warnings;

use JSON::PP    ();
use Time::HiRes ();

use FTMPI::Amounts               ();
use FTMPI::Cli::Screen           ();
use FTMPI::Error                 ();
use FTMPI::Launcher::Record      ();
use FTMPI::Launcher::SessionFile ();
use FTMPI::Launcher::StatusLine  ();
use FTMPI::Net                   ();
use FTMPI::Terminal              ();
use FTMPI::Version               ();

# Bytes of a status file; seconds after which one that was not written again is old; between two looks; sessions that are looked at, the newest.
use constant { BYTES_MAX => 1 << 16, OLD_TIME => 60, TURN => 1, SESSIONS_MAX => 1000 };

use constant HELP => <<'END';
usage: ftmpi-top [OPTIONS] WORKDIR[/SESSION]

Show how the jobs of a work directory do, again each second: those that run, or else the one that
ran last. A job is known here from its first recovery line on, or from its start with -record.

  -once         show it once, and end
  -h, -help     print this list
  -version      print the version

Exit status: 0 a job was shown, 1 there is none, 2 the command line is wrong.
END

my $SESSION = qr/[0-9]{8}-[0-9]{6}-[0-9a-f]{8}/;

sub main
{
	my (@words) = @_;
	my $once = 0;
	while (@words && $words[0] =~ /^-/) {
		my $word = shift @words;
		return _print(HELP) if $word =~ /^--?h(?:elp)?\z/;
		return _print('ftmpi-top (FTMPI) ' . FTMPI::Version::NUMBER . "\n") if $word =~ /^--?version\z/;
		return _refuse('unknown option ' . FTMPI::Error::clean($word)) if $word !~ /^--?once\z/;
		$once = 1;
	}
	return _refuse(@words ? 'one work directory at a time' : 'no work directory is named') if @words != 1;
	return $once ? _once($words[0]) : FTMPI::Terminal::is_one(\*STDOUT) ? _watch($words[0]) : _follow($words[0]);
}

sub _print { my ($text) = @_; return print($text) && close(STDOUT) ? 0 : 1 }

sub _refuse
{
	my ($text) = @_;
	print STDERR "ftmpi-top: $text; try ftmpi-top -h\n";
	return 2;
}

sub _once
{
	my ($place) = @_;
	my ($text) = _look($place);
	return defined $text ? _print($text) : _nothing($place);
}

# On the second screen of a terminal, until all have ended, or somebody ends it; what was seen last stays.
sub _watch
{
	my ($place) = @_;
	my $screen = FTMPI::Cli::Screen->new;
	while (1) {
		my ($text, $runs) = _look($place);
		if (!$runs) {
			$screen->leave;
			return defined $text ? _print($text) : _nothing($place);
		}
		$screen->show($text);
		$screen->wait(TURN);
	}
}

# One look behind the other, where there is no such terminal.
sub _follow
{
	my ($place) = @_;
	local $| = 1;
	while (1) {
		my ($text, $runs) = _look($place);
		return _nothing($place) if !defined $text;
		print $text or return 1;
		return 0 if !$runs;
		Time::HiRes::sleep(TURN);
	}
}

# (what is shown, or undef: there is no job; how many run)
sub _look
{
	my ($place) = @_;
	my @states = _states($place) or return undef;
	my @run = grep { $_->{runs} } @states;
	return (join("\n", map { _block($_) } @run ? @run : $states[0]), scalar @run);
}

sub _nothing
{
	my ($place) = @_;
	my $why = -d $place ? 'no job there has a status: it is kept from the first recovery line on, or with -record from the start' : "$!";
	print STDERR "ftmpi-top: $place: $why\n";
	return 1;
}

# Of all sessions, the newest first; or of one.
sub _states
{
	my ($place) = @_;
	my @folders = $place =~ m{(?:^|/)$SESSION/?\z} ? $place : _sessions($place);
	return sort { $b->{time} <=> $a->{time} || $b->{session} cmp $a->{session} } map { _state($_) // () } @folders;
}

sub _sessions
{
	my ($workdir) = @_;
	opendir my $dir, $workdir or return;
	my @names = sort { $b cmp $a } grep { /^$SESSION\z/ } readdir $dir;
	splice @names, SESSIONS_MAX if @names > SESSIONS_MAX;
	return map { "$workdir/$_" } @names;
}

my @NUMBERS = qw(time seconds ranks alive hosts restarts lines checkpoints lost cost);

# What its status file says, as of now; undef where there is none, or it says what no ftmpirun would.
sub _state
{
	my ($folder) = @_;
	my $text = FTMPI::Launcher::SessionFile::load($folder, 'status.json', BYTES_MAX) // return undef;
	my $s = eval { JSON::PP::decode_json($text) };
	return undef if ref $s ne 'HASH' || grep { !_is_number($s->{$_}) } @NUMBERS;
	return undef if grep { !defined $s->{$_} || ref $s->{$_} } qw(session state host);
	my $line = $s->{line};
	return undef if defined $line && (ref $line ne 'HASH' || grep { defined $line->{$_} && !_is_number($line->{$_}) || !defined $line->{age} } qw(number age bytes));
	delete @$s{ grep { defined $s->{$_} && !_is_number($s->{$_}) } qw(fraction logs) };
	$s->{text} = '' if ref $s->{text};
	utf8::encode($_) for grep { defined } @$s{qw(session state host text)};
	_as_of_now($s, $folder);
	return $s;
}

sub _is_number { my ($value) = @_; return defined $value && !ref $value && $value =~ /\A-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,2})?\z/ }

# A job whose ftmpirun is gone, or was here and is no more, does not run whatever its file says.
sub _as_of_now
{
	my ($s, $folder) = @_;
	my $ago = time - $s->{time};
	$ago = 0 if $ago < 0;
	$s->{runs} = $s->{state} ne 'ended';
	if ($s->{runs} && $s->{host} eq FTMPI::Net::hostname() && _is_number($s->{pid}) && !kill(0, $s->{pid}) && !$!{EPERM}) {
		@$s{qw(runs state)} = (0, 'gone');
	}
	$s->{old} = $s->{runs} && $ago > OLD_TIME ? $ago : 0;
	return if !$s->{runs};
	$s->{seconds} += $ago;
	$s->{line}{age} += $ago if $s->{line};
	return;
}

# What is shown of a job.
sub _block
{
	my ($s) = @_;
	my ($session, $host) = map { FTMPI::Error::clean($_) } @$s{qw(session host)};
	my @rows = ([ session => "$session, ftmpirun on $host" . ($s->{pid} && _is_number($s->{pid}) ? ", process $s->{pid}" : '') ]);
	push @rows, [ state => _state_words($s) ];
	push @rows, [ progress => FTMPI::Launcher::StatusLine::progress($s) // () ] if defined $s->{fraction};
	push @rows, [ ranks => "$s->{alive} of $s->{ranks} on " . ($s->{hosts} == 1 ? '1 host' : "$s->{hosts} hosts") ];
	push @rows, [ last => FTMPI::Launcher::StatusLine::line($s) =~ s/ ago/$s->{runs} ? ' ago' : ' before the end'/er ] if $s->{line};
	push @rows, [ lines => "$s->{lines}; they cost " . FTMPI::Amounts::percent($s->{cost}) . ' of the time' ] if $s->{lines};
	push @rows, [ restarts => "$s->{restarts}; work done again: " . FTMPI::Amounts::duration($s->{lost}) ] if $s->{restarts};
	push @rows, [ logs => FTMPI::Amounts::bytes($s->{logs}) . ' of messages' ] if defined $s->{logs};
	return join '', map { sprintf "%-9s %s\n", @$_ } @rows;
}

sub _state_words
{
	my ($s) = @_;
	my $time = FTMPI::Amounts::duration($s->{seconds});
	return "ended, after $time" if $s->{state} eq 'ended';
	return 'ftmpirun is gone: it was killed, or its machine went down; -restore goes on from the last line' if $s->{state} eq 'gone';
	return FTMPI::Error::clean($s->{state}) . " for $time" . ($s->{old} ? '; nothing was heard of it for ' . FTMPI::Amounts::duration($s->{old}) : '');
}

1;

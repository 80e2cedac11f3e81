# SPDX-License-Identifier: BSD-3-Clause
#
# Sessions that went on from one another (ftmpirun -restore): `from` in the first event of each says from which. And which session is meant, and whether its job still runs.
package FTMPI::Report::Chain;

use strict;
use warnings;

use Cwd        ();
use List::Util qw(max);

use FTMPI::Cli::Sessions    ();
use FTMPI::Cli::Values      ();
use FTMPI::Error            ();
use FTMPI::Launcher::Record ();
use FTMPI::Net              ();
use FTMPI::Report::Course   ();
use FTMPI::Report::Events   ();

# Sessions of a work directory that are looked at, the newest; of one chain; bytes of a record that is read whole for it.
use constant { SESSIONS_MAX => 2000, CHAIN_MAX => 50, WHOLE_MAX => 8 << 20 };

# Seconds by which the clock of this host and the record may differ.
use constant CLOCKS => 2;

# (workdir, session) of what the user has named. A folder with a record, or the name of one, is a session; of a work directory it is the newest with a record.
sub choose
{
	my ($path, $session) = @_;
	$path =~ s{(?<=.)/+\z}{};
	FTMPI::Error::failed("$path: $!") if !-e $path;
	FTMPI::Error::failed("$path is no folder") if !-d _;
	$path = Cwd::abs_path($path) // $path;
	return ($path, $session) if defined $session && -d "$path/$session";
	FTMPI::Error::failed("there is no session $session in $path; ftmpi-ckpt list says which there are") if defined $session;
	my ($above, $name) = $path =~ m{\A(.*)/([^/]*)\z}s ? ($1 eq '' ? '/' : $1, $2) : ('.', $path);
	return ($above, $name) if FTMPI::Cli::Values::is_session($name);
	my @sessions = reverse FTMPI::Cli::Sessions::sessions($path);
	for my $one (@sessions) {
		return ($path, $one) if -s "$path/$one/" . FTMPI::Report::Events::NAME;
	}
	FTMPI::Error::failed("there is no session in $path, and so nothing to report") if !@sessions;
	FTMPI::Error::failed("no session in $path has a run record: ftmpirun -record keeps one from the beginning of a job");
	return;
}

# ended; running, of a record without an end, when its launcher lives here; killed, when it does not; away, when it was on another host, of which nothing is known here.
sub state
{
	my ($course, $folder) = @_;
	return 'ended' if FTMPI::Report::Course::end($course);
	return 'running' if defined FTMPI::Launcher::Record::runs_here(FTMPI::Launcher::Record::load($folder));
	my $start = FTMPI::Report::Course::last_start($course);
	return 'away' if ($start->{host} // '') ne FTMPI::Net::hostname();
	return defined $start->{pid} && _ran_since($start->{pid}, $start->{time}) ? 'running' : 'killed';
}

# Whether this process has been there since then, and is no other that got its number later.
sub _ran_since
{
	my ($pid, $time) = @_;
	my $process = FTMPI::Launcher::Record::running_process($pid) // return 0;
	open my $stat, '<', '/proc/stat' or return 0;
	my ($boot) = map { /^btime ([0-9]+)/ ? $1 : () } <$stat>;
	require POSIX;
	return defined $boot && $boot + $process->[1] / POSIX::sysconf(POSIX::_SC_CLK_TCK()) <= $time + CLOCKS;
}

# The sessions before and behind this one, in their order, with it: { session, is_this, has_record, began, from, line, ended: [status] or undef, seconds, lines, failures, back: seconds of work that the next one did again }.
sub of
{
	my ($workdir, $session) = @_;
	my @names = reverse FTMPI::Cli::Sessions::sessions($workdir);
	splice @names, SESSIONS_MAX;
	my %first = map { my $first = FTMPI::Report::Events::first("$workdir/$_"); $first ? ($_ => $first) : () } @names;
	my (%next, %from);
	for my $name (sort keys %first) {
		my $from = $first{$name}{from} // next;
		next if $from->{session} eq $name;
		$from{$name} = $from;
		push @{ $next{ $from->{session} } }, $name;
	}
	my (@chain, %seen);
	for (my $name = $session; defined $name && !$seen{$name}++ && @chain < CHAIN_MAX; $name = $from{$name} && $from{$name}{session}) {
		unshift @chain, $name;
	}
	my @behind = @{ $next{$session} // [] };
	while (defined(my $name = shift @behind)) {
		next if $seen{$name}++ || @chain >= CHAIN_MAX;
		push @chain, $name;
		unshift @behind, @{ $next{$name} // [] };
	}
	return [] if @chain < 2;
	my @links = map { _link($workdir, $_, $from{$_}) } @chain;
	my %link = map { $_->{session} => $_ } @links;
	for my $link (grep { $_->{from} && defined $_->{line} && $link{ $_->{from} } } @links) {
		my $before = $link{ $link->{from} };
		my ($line) = grep { $_->{line} == $link->{line} } reverse @{ $before->{course} ? $before->{course}{lines} : [] };
		$before->{back} = max(0, $before->{seconds} - $line->{begun}) if $line;
	}
	delete $_->{course} for @links;
	$link{$session}{is_this} = 1;
	return \@links;
}

sub _link
{
	my ($workdir, $name, $from) = @_;
	my %link = (session => $name, from => $from && $from->{session}, line => $from && $from->{line});
	my $folder = "$workdir/$name";
	my $first = FTMPI::Report::Events::first($folder) // return \%link;
	@link{qw(has_record began)} = (1, $first->{time});
	return \%link if -s "$folder/" . FTMPI::Report::Events::NAME > WHOLE_MAX;
	my ($record) = FTMPI::Report::Events::load($folder);
	return \%link if !$record || !@{ $record->{events} };
	my $course = FTMPI::Report::Course::of($record->{events});
	return \%link if !@{ $course->{runs} };
	my $end = FTMPI::Report::Course::end($course);
	@link{qw(course seconds lines failures status)} = ($course, $course->{span}, scalar @{ $course->{lines} }, scalar @{ $course->{failures} }, $end ? $end->{status} : undef);
	$link{state} = state($course, $folder);
	return \%link;
}

1;

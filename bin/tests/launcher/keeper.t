#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The keeper of a job in its launcher's hands, over a script in its place: its start, its deaths, its end.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use POSIX qw(WNOHANG);
use Test::More;

use FTMPI::KeeperFolder     ();
use FTMPI::Launcher::Keeper ();
use FTMPI::Loop             ();
use FTMPI::Test::Process    qw(patience);
use LauncherTest;

my $place = scratch();
mkdir "$place/$_" or die "$place/$_: $!\n" for qw(bin lib);
text_file('bin/ftmpi-keeper', <<'EOS');
#!/bin/sh
place=${0%/*}
echo "$*" >>"$place/starts"
read mode <"$place/mode"
case $mode in
bad) echo 'ftmpi-keeper: no room' >&2; exit 1 ;;
killed) kill -KILL $$ ;;
once) echo good >"$place/mode"; kill -KILL $$ ;;
esac
head -c 48 >"$place/given"
echo 'ready 127.0.0.1:7000'
exec cat >"$place/rest"
EOS
chmod 0755, "$place/bin/ftmpi-keeper";

sub text { my ($name) = @_; open my $in, '<', "$place/bin/$name" or return ''; local $/; return scalar <$in> }
sub mode { my ($mode) = @_; text_file('bin/mode', "$mode\n"); return }
sub starts { return split /\n/, text('starts') }

$SIG{PIPE} = 'IGNORE';    # as ftmpirun does

my (@said, $loop);

sub keeper
{
	my (%more) = @_;
	$loop = FTMPI::Loop->new;
	@said = ();
	return FTMPI::Launcher::Keeper->new(
		loop => $loop, folder => "$place/folder", ranks => 3, address => '10.0.0.1', session => 's' x 16, secret => 'k' x 32,
		say => sub { push @said, "say $_[0]" }, log => sub { push @said, 'log ' . $_[0] =~ s/process \d+/process N/r },
		on_ready => sub { push @said, 'ready' }, on_failed => sub { push @said, "failed $_[0]" }, %more);
}

# Until the condition holds.
sub turn_until
{
	my ($keeper, $name, $condition) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $end = FTMPI::Loop::now() + patience(60);
	while (!$condition->() && FTMPI::Loop::now() < $end) {
		$loop->after(0.01, sub { });
		$loop->turn;
		while ((my $pid = waitpid -1, WNOHANG) > 0) {
			$keeper->ended($pid, $?);
		}
	}
	return ok($condition->(), $name) || diag join "\n", @said;
}

sub has { my ($what) = @_; return scalar grep { $_ eq $what } @said }

my $down = 'say the keeper was killed by signal 9 (Killed); it is started again.';

{
	local $ENV{FTMPI_LIBDIR} = "$place/lib";
	mode('good');
	my $keeper = keeper();
	is($keeper->at, undef, 'it is started');
	turn_until($keeper, '... and ready', sub { has('ready') });
	is($keeper->at, '127.0.0.1:7000', '... where it says');
	is_deeply([ starts() ], ["-dir $place/folder -ranks 3 -listen 10.0.0.1 -new"], '... with new files');
	is(text('given'), 's' x 16 . 'k' x 32, '... session and secret come on its standard input');
	ok(!$keeper->is_gone, '... which stays open');

	@said = ();
	kill 'KILL', $keeper->{pid};
	turn_until($keeper, 'one that dies', sub { has('log the keeper is process N, and listens at 127.0.0.1:7000') });
	is(has($down), 1, '... is told of');
	is((starts())[-1], "-dir $place/folder -ranks 3 -listen 127.0.0.1:7000", '... and started again, on its files and at its address');
	is(has('ready'), 0, '... the job has begun before');

	@said = ();
	mode('bad');
	kill 'KILL', $keeper->{pid};
	my $before = starts();
	turn_until($keeper, 'one that does not come up is tried again', sub { starts() > $before + 4 });
	is_deeply(\@said, [ $down, 'say the keeper: no room' ], '... which is told once, with its own words');
	mode('good');
	turn_until($keeper, '... until it does', sub { has('log the keeper is process N, and listens at 127.0.0.1:7000') });
	cmp_ok($keeper->{pause}, '>', FTMPI::Launcher::Keeper::PAUSE_LEAST, '... after pauses that grow');
	cmp_ok($keeper->{pause}, '<=', FTMPI::Launcher::Keeper::PAUSE_MOST, '... to a second');

	@said = ();
	$keeper->close;
	turn_until($keeper, 'it ends when its standard input is closed', sub { $keeper->is_gone });
	is_deeply(\@said, [], '... without a word');
	is(text('rest'), '', '... where nothing more has come');

	$keeper = keeper(verbose => 1);
	turn_until($keeper, 'another', sub { has('ready') });
	like((starts())[-1], qr/ -new -v\z/, '... of a verbose job');
	kill 'STOP', $keeper->{pid};
	$keeper->abandon;
	ok($keeper->is_gone, 'one that does not end is not waited for');
	is(waitpid(-1, 0) > 0 ? $? : undef, 9, '... and killed');

	mode('bad');
	$keeper = keeper();
	turn_until($keeper, 'one that does not come up at first', sub { @said });
	is_deeply(\@said, ['failed the keeper of the job (-coord msglog) cannot be started: no room'], '... is told of once, and not tried again');
	ok($keeper->is_gone, '... and gone');

	mode('once');
	$keeper = keeper();
	turn_until($keeper, 'one that is killed before it is ready is begun again', sub { has('ready') });
	is(scalar(grep { / -new\z/ } (starts())[-2, -1]), 2, '... as if it were the first one');
	$keeper->close;
	turn_until($keeper, '... and ends', sub { $keeper->is_gone });

	mode('killed');
	$keeper = keeper();
	turn_until($keeper, 'one that is killed each time', sub { @said });
	is_deeply(\@said, ['failed the keeper of the job (-coord msglog) cannot be started: it was killed by signal 9 (Killed)'], '... is given up');
}
{
	local $ENV{FTMPI_LIBDIR} = "$place/nowhere/lib";
	my $keeper = keeper();
	turn_until($keeper, 'one that is not there', sub { @said });
	like("@said", qr/^failed .* cannot be started: cannot run \S+ftmpi-keeper: No such file or directory\z/, '... is missed');
}

# Its folder.
my $folder = FTMPI::KeeperFolder::path($place, 'S');
is($folder, "$place/keeper-S", 'a folder for each session');
mkdir $folder or die "$folder: $!\n";
text_file("keeper-S/$_", 'x') for qw(lock rank-00000.events rank-00001.events rank-00001.events.new);
FTMPI::KeeperFolder::remove($folder);
ok(!-e $folder, '... goes with all that is in it');
mkdir $folder or die "$folder: $!\n";
text_file("keeper-S/$_", 'x') for qw(lock notes);
FTMPI::KeeperFolder::remove($folder);
is_deeply([ map { s{.*/}{}r } glob "$folder/*" ], ['notes'], '... but for what is another\'s');
FTMPI::KeeperFolder::remove("$place/none");

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The keeper of a job in its launcher's hands, over a script in its place: its start, its deaths, whether it is well, its end.
use strict;
use warnings;

use Fcntl ();
use FindBin ();
use lib "$FindBin::RealBin/lib";
use POSIX qw(WNOHANG WUNTRACED);
use Test::More;

use FTMPI::KeeperFolder     ();
use FTMPI::Launcher::Keeper ();
use FTMPI::Launcher::Pulse  ();
use FTMPI::Loop             ();
use FTMPI::Test::File       qw(read_file);
use FTMPI::Test::Job        qw(root);
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
taken) echo 'ftmpi-keeper: cannot listen: Address already in use; give another address or port with -listen' >&2; exit 1 ;;
killed) kill -KILL $$ ;;
silent) exec sleep 1000 ;;
once) echo good >"$place/mode"; kill -KILL $$ ;;
esac
head -c 48 >"$place/given"
mkdir -p "$2"
[ $mode = unlocked ] || { exec 9>"$2/lock"; flock -x 9; }
: >"$place/rest"
[ $mode = old ] && printf 'incarnation 0 3\nincarnation 2 1\nincarnation x 1\n'
echo "ready ${FTMPI_AT-127.0.0.1:7000}"
[ $mode = mute ] && exec cat >"$place/rest"
exec perl -e '$| = 1; open my $rest, ">", shift; while (sysread STDIN, my $asked, 100) { syswrite $rest, $asked; print "alive\n" x length $asked }' \
	"$place/rest"
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
		loop => $loop, folder => "$place/folder", ranks => 3, limit => 5_000_000, address => '10.0.0.1', session => 's' x 16, secret => 'k' x 32,
		say => sub { push @said, 'say ' . $_[0] =~ s/process \d+/process N/r }, log => sub { push @said, 'log ' . $_[0] =~ s/process \d+/process N/r },
		on_ready => sub { my ($seen) = @_; push @said, join ' ', 'ready', map { "$_:$seen->{$_}" } sort keys %$seen }, on_failed => sub { push @said, "failed $_[0]" }, %more);
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

my $ready = 'log the keeper is process N, and listens at 127.0.0.1:7000';
my $down  = 'say the keeper was killed by signal 9 (Killed); it is started again.';

{
	local $ENV{FTMPI_LIBDIR} = "$place/lib";
	mode('good');
	my $keeper = keeper();
	is($keeper->at, undef, 'it is started');
	turn_until($keeper, '... and ready', sub { has('ready') });
	is($keeper->at, '127.0.0.1:7000', '... where it says');
	is_deeply([ starts() ], ["-dir $place/folder -ranks 3 -limit 5000000 -clear -listen 10.0.0.1 -new"], '... with new files');
	is(text('given'), 's' x 16 . 'k' x 32, '... session and secret come on its standard input');
	ok(!$keeper->is_gone, '... which stays open');

	@said = ();
	kill 'KILL', $keeper->{pid};
	turn_until($keeper, 'one that dies', sub { has($ready) });
	is(has($down), 1, '... is told of');
	is((starts())[-1], "-dir $place/folder -ranks 3 -limit 5000000 -clear -listen 127.0.0.1:7000", '... and started again, on its files and at its address');
	is(has('ready'), 0, '... the job has begun before');

	@said = ();
	mode('bad');
	kill 'KILL', $keeper->{pid};
	my $before = starts();
	turn_until($keeper, 'one that does not come up is tried again', sub { starts() > $before + 4 });
	is_deeply(\@said, [ $down, 'say the keeper: no room' ], '... which is told once, with its own words');
	mode('good');
	turn_until($keeper, '... until it does', sub { has($ready) });
	cmp_ok($keeper->{pause}, '>', FTMPI::Launcher::Keeper::PAUSE_LEAST, '... after pauses that grow');
	cmp_ok($keeper->{pause}, '<=', FTMPI::Launcher::Keeper::PAUSE_MOST, '... to a second');

	@said = ();
	mode('taken');
	kill 'KILL', $keeper->{pid};
	$before = starts();
	turn_until($keeper, 'one whose port another has is tried again', sub { starts() > $before + 2 });
	is_deeply(\@said, [ $down, 'say the keeper: cannot listen: Address already in use' ], '... which ends nothing yet, and is told without the advice of ftmpi-keeper');
	mode('good');
	turn_until($keeper, '... until it has it', sub { has($ready) });
	ok(!exists $keeper->{unheard}, '... and that is forgotten');

	@said = ();
	mode('silent');
	$keeper->{ready_time} = 0.3;
	kill 'KILL', $keeper->{pid};
	turn_until($keeper, 'one that does not get ready', sub { has('say the keeper (process N) is not ready after 0.3 s; it was killed, and is started again.') });
	mode('good');
	$keeper->{ready_time} = 60;
	turn_until($keeper, '... is killed', sub { has($ready) });

	@said = ();
	$keeper->close;
	turn_until($keeper, 'it ends when its standard input is closed', sub { $keeper->is_gone });
	is_deeply(\@said, [], '... without a word');
	like(text('rest'), qr/\A\?*\z/, '... where nothing but questions has come');

	mode('good');
	$keeper = keeper(port_tries => 3, on_cannot => sub { push @said, "cannot $_[0]" });
	turn_until($keeper, 'one that has a port', sub { has('ready') });
	mode('bad');
	kill 'KILL', $keeper->{pid};
	$before = starts();
	turn_until($keeper, '... and ends', sub { starts() > $before + 3 });
	is(scalar(grep { /^cannot/ } @said), 0, '... for another reason');
	like(read_file(root() . '/bin/keeper/main.c'), qr/"cannot listen: %s; give another address or port with -listen"/, '... in the words of ftmpi-keeper');
	mode('taken');
	turn_until($keeper, '... which another has too long', sub { grep { /^cannot/ } @said });
	like($said[-1], qr/the keeper had to begin again, and 3 times could not listen at 127\.0\.0\.1:7000, .*; the job is ended\.$/, '... ends the job');
	ok(!$keeper->{timer}, '... and is not tried again');
	$keeper->close;

	mode('old');
	$keeper = keeper(goes_on => 1, stays => 1);
	turn_until($keeper, 'one on the files of another launcher', sub { has('ready 0:3 2:1') });
	is((starts())[-1], "-dir $place/folder -ranks 3 -limit 5000000 -listen 10.0.0.1 -wait 40", '... which stay');
	$keeper->abandon;
	mode('good');

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

# ---- on another host ----

text_file('bin/ssh', <<'EOS');
#!/bin/sh
place=${0%/*}
host=$1
echo "$*" >>"$place/ssh"
[ $host = lost ] && { echo 'ssh: no route' >&2; exit 255; }
[ $host = slow ] && exec sleep 1000
[ $host = false ] && { echo 'ready 127.0.0.1:7'; exit 255; }
[ $host = old ] || export SSH_CONNECTION='10.0.0.9 4000 10.0.0.7 22'
exec sh -c "$2"
EOS
chmod 0755, "$place/bin/ssh";

sub hosts { return [ map { FTMPI::Launcher::KeeperHost->new(name => $_, local => $_ eq 'mine', ssh => ["$place/bin/ssh"]) } @_ ] }

{
	local $ENV{FTMPI_LIBDIR} = "$place/lib";
	local $ENV{FTMPI_AT} = '10.0.0.7:7000';
	mode('good');
	my $keeper = keeper(hosts => hosts('there'), folder => "$place/it's here");
	turn_until($keeper, 'a keeper on another host', sub { has('ready') });
	my $words = "-dir $place/it's here -ranks 3 -limit 5000000 -clear";
	is((starts())[-1], "$words -new -silence 30 -listen 10.0.0.7", '... listens where that was reached, and ends when it hears nothing');
	is_deeply([ grep { /^log/ } @said ], ['log the keeper is on there, and listens at 10.0.0.7:7000'], '... which is told');
	@said = ();
	kill 'KILL', $keeper->{pid};
	turn_until($keeper, '... begins again', sub { has('log the keeper is on there, and listens at 10.0.0.7:7000') });
	is((starts())[-1], "$words -listen 10.0.0.7:7000 -silence 30", '... where it was');
	seconds($keeper, 1);
	stop($keeper);
	@said = ();
	$keeper->{pulse} = FTMPI::Launcher::Pulse->new(silent => 3, hung => 6);
	seconds($keeper, 6);
	is($said[0], 'say the keeper on there does not answer for 3 s; what depends on it is held up.', 'one that does not answer is told of');
	seconds($keeper, 1);
	is($said[1], 'say the keeper on there hangs, and does not answer for 6 s; its connection was ended, and it is started again.', '... and begun again, as its host may be lost');
	end($keeper);

	$keeper = keeper(hosts => hosts(qw(lost old mine)));
	turn_until($keeper, 'of several hosts', sub { has('ready') });
	is($keeper->host->name, 'mine', '... the first that bears it');
	is_deeply([ grep { /^say/ } @said ], [ 'say the keeper cannot be started on lost: ssh: no route; old is tried.',
		'say the keeper cannot be started on old: ssh does not tell at which address it was reached (SSH_CONNECTION); mine is tried.' ], '... which is told');
	is((starts())[-1], "-dir $place/folder -ranks 3 -limit 5000000 -clear -listen 10.0.0.1 -new -wait 40", '... which waits for the others to end');
	end($keeper);

	$keeper = keeper(hosts => hosts(qw(slow lost)), ready_time => 3);
	turn_until($keeper, 'hosts that do not bear it', sub { grep { /^failed/ } @said });
	is_deeply(\@said, [ 'say the keeper cannot be started on slow: it is not ready after 3 s; lost is tried.',
		'failed the keeper of the job (-coord msglog) cannot be started on lost: ssh: no route' ], '... end the job');
	end($keeper);

	mode('unlocked');
	unlink "$place/folder/lock";
	$keeper = keeper(hosts => hosts(qw(there)));
	turn_until($keeper, 'one whose folder is not the one of this host', sub { @said });
	like("@said", qr/^failed the keeper .* cannot be started on there: the work directory there is not the one of this host, or locks \(flock\) do not reach/, '... is not taken');
	turn_until($keeper, '... but ended', sub { $keeper->is_gone });
	like(text('rest'), qr/\A\?*c\z/, '... and its files are removed');
	mode('good');
	{
		local $ENV{FTMPI_AT} = '[::1]:7000';
		$keeper = keeper(hosts => hosts(qw(there)));
		turn_until($keeper, 'one at an address that is of no use', sub { @said });
		like("@said", qr/^failed .* on there: ssh has reached it at ::1, which other hosts do not reach\z/, '... is not taken');
		end($keeper);
	}

	for (1 .. 5) {
		$keeper = keeper(hosts => hosts(qw(false mine)));
		turn_until($keeper, 'the end of one that is not taken', sub { grep { /^ready|^failed/ } @said });
		is(join('', grep { /^failed/ } @said), '', '... is not that of the next one');
		end($keeper);
	}

	$keeper = keeper(ask_time => 0.001);
	$keeper->close;
	turn_until($keeper, 'one that is ready when the job is over', sub { $keeper->is_gone });
	is("@said", '', '... is not asked, and nobody is told');

	$keeper = keeper(hosts => hosts('there'), goes_on => 1, stays => 1);
	turn_until($keeper, 'one on the files of another launcher', sub { has('ready') });
	is((starts())[-1], "-dir $place/folder -ranks 3 -limit 5000000 -silence 30 -wait 40 -listen 10.0.0.7", '... waits for an older one to end');
	end($keeper);

	$keeper = keeper(stays => 1);
	turn_until($keeper, 'a keeper whose files stay', sub { has('ready') });
	$keeper->close(1);
	turn_until($keeper, '... ends', sub { $keeper->is_gone });
	like(text('rest'), qr/\A\?*c\z/, '... and is told if they are to go all the same');
}
{
	local $ENV{FTMPI_LIBDIR} = "$place/nowhere/lib";
	my $keeper = keeper();
	turn_until($keeper, 'one that is not there', sub { @said });
	like("@said", qr/^failed .* cannot be started: cannot run \S+ftmpi-keeper: No such file or directory\z/, '... is missed');
}

# ---- whether it is well ----

# One that is ready. Its seconds are over when the test says so.
sub ready_keeper
{
	my ($mode, %more) = @_;
	mode($mode);
	my $keeper = keeper(ask_time => 1000, patience => { silent => 3, hung => 6 }, %more);
	turn_until($keeper, "a keeper ($mode)", sub { has('ready') });
	@said = ();
	return $keeper;
}

sub seconds { my ($keeper, $n) = @_; $keeper->_turn for 1 .. $n; return }

# It does not take its questions.
sub stop { my ($keeper) = @_; kill 'STOP', $keeper->{pid}; waitpid $keeper->{pid}, WUNTRACED; return }

sub end
{
	my ($keeper) = @_;
	$keeper->abandon;
	waitpid -1, 0;
	return;
}

{
	local $ENV{FTMPI_LIBDIR} = "$place/lib";
	my $again = 'it was killed, and is started again.';

	my $keeper = ready_keeper('good', ask_time => 0.01, patience => { silent => 1e9, hung => 1e9 });
	turn_until($keeper, 'it is asked time after time', sub { length text('rest') > 3 && !$keeper->{pulse}->is_open });
	is_deeply(\@said, [], '... and answers, which nobody is told');
	end($keeper);

	$keeper = ready_keeper('good');
	stop($keeper);
	my $pid = $keeper->{pid};
	seconds($keeper, 2);
	$_->[0] -= 3600 for values %{ $loop->{timers} };
	$loop->{first} = undef;
	$loop->turn;
	is($keeper->{pulse}{turns}, 2, 'an hour in which ftmpirun was stopped itself counts as a second');
	is_deeply(\@said, [], 'one that is stopped is waited for');
	seconds($keeper, 1);
	turn_until($keeper, '... and then started again', sub { has($ready) });
	is_deeply(\@said, [ "say the keeper (process N) was stopped, and does not answer for 3 s; $again", $ready ], '... which is told once');
	isnt($keeper->{pid}, $pid, '... another process');
	is((starts())[-1], "-dir $place/folder -ranks 3 -limit 5000000 -clear -listen 127.0.0.1:7000", '... on its files and at its address');
	@said = ();
	seconds($keeper, 1);
	turn_until($keeper, '... that answers', sub { !$keeper->{pulse}->is_open });
	mode('bad');
	kill 'KILL', $keeper->{pid};
	my $starts = starts();
	turn_until($keeper, 'one that does not come up again', sub { starts() > $starts + 2 });
	is($keeper->{asking}, undef, '... is not asked');
	is(has($down), 1, '... and that it died is told as ever');
	end($keeper);

	$keeper = ready_keeper('mute', state => sub { 'S' });
	seconds($keeper, 6);
	is_deeply(\@said, ['say the keeper (process N) does not answer for 3 s; what depends on it is held up.'], 'one that hangs is told of once');
	turn_until($keeper, '... and asked', sub { length text('rest') });
	is(text('rest'), '?', '... once');
	@said = ();
	mode('good');
	seconds($keeper, 1);
	turn_until($keeper, '... and started again', sub { has($ready) });
	is_deeply(\@said, [ "say the keeper (process N) hangs, and does not answer for 6 s; $again", $ready ], '... with one more sentence');
	end($keeper);

	$keeper = ready_keeper('good', state => sub { 'D' });
	stop($keeper);
	seconds($keeper, 100);
	is_deeply(\@said, ['say the keeper (process N) does not answer for 3 s: it waits for its disk; what depends on it is held up.'],
		'one that waits for its disk is told of, and waited for');
	@said = ();
	kill 'CONT', $keeper->{pid};
	turn_until($keeper, '... until it answers', sub { @said });
	is_deeply(\@said, ['say the keeper answers again.'], '... which is told, too');
	seconds($keeper, 1);
	turn_until($keeper, '... and is asked again', sub { !$keeper->{pulse}->is_open });
	is_deeply(\@said, ['say the keeper answers again.'], '... without more words');
	end($keeper);

	$keeper = ready_keeper('good', debug => 1);
	is($keeper->{asking}, undef, 'with -debug it is not asked');
	end($keeper);
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
unlink "$folder/notes";
text_file("keeper-S/$_", 'x') for qw(lock rank-00000.events);
open my $held, '<', "$folder/lock" or die "$folder/lock: $!\n";
flock $held, Fcntl::LOCK_EX() or die "flock: $!\n";
FTMPI::KeeperFolder::remove_left($folder);
ok(-e "$folder/rank-00000.events", 'that of a keeper that is there stays');
close $held;
FTMPI::KeeperFolder::remove_left($folder);
ok(!-e $folder, '... as long as it is there');

done_testing;

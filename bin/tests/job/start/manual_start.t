# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs without ftmpirun: one process alone, and ranks that are started by hand with -ftmpi.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Socket qw(pack_sockaddr_in INADDR_LOOPBACK PF_INET SOCK_STREAM);
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Job      qw(program);
use FTMPI::Test::Process  qw(wait_readable);
use FTMPI::Test::Programs qw(check_program all_programs);

my $dir    = File::Temp->newdir('ftmpi-byhand-XXXXXX', TMPDIR => 1);
my $secret = secret_file('secret', 'a secret that nobody guesses, 32+');

sub secret_file
{
	my ($name, $text) = @_;
	open(my $out, '>', "$dir/$name") or die "$dir/$name: $!\n";
	print $out $text;
	close($out);
	chmod 0600, "$dir/$name";
	return "$dir/$name";
}

# The first of `n` ports in a row that are free now.
sub free_ports
{
	my ($n) = @_;
	for (my $base = 21000 + $$ % 1000 * 10; $base < 32000; $base += $n) {
		my @held;
		for my $port ($base .. $base + $n - 1) {
			socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
			push @held, $s if bind($s, pack_sockaddr_in($port, INADDR_LOOPBACK));
		}
		return $base if @held == $n;
	}
	die "no free ports\n";
}

# Start these ranks of a job of `size`; returns the jobs.
sub by_hand
{
	my ($size, $ranks, $command, %option) = @_;
	my @table = map { ($_, $option{host} // '127.0.0.1') } 0 .. $size - 1;
	my $base = $option{base} // free_ports($size);
	return map {
		FTMPI::Test::Job->start(
			[@$command, '-ftmpi', "$dir", $_, $size, @table],
			env => {FTMPI_SECRET_FILE => $option{secret} // $secret, FTMPI_PORT_BASE => $base},
			deadline => $option{deadline} // 60)
	} @$ranks;
}

subtest 'one rank alone' => sub {
	check_program($_, 1, []) for all_programs();
};

subtest 'by hand' => sub {
	for my $size (1, 2, 3, 5) {
		my @jobs = by_hand($size, [0 .. $size - 1], [program('init_calls'), 'one', 'two']);
		$_->finish for @jobs;
		my $all = 5 + 2 * $size + 3;
		for my $rank (0 .. $size - 1) {
			my $job = $jobs[$rank];
			$job->well(qr/^Size: $size Rank: $rank$/m, "rank $rank of $size");
			$job->out_like(qr/^Initial parameters \[\d\d?\] : .* -ftmpi /m, 'it sees -ftmpi');
			$job->out_like(qr/^Initial parameters \[3\] : \S+ one two$/m, 'which MPI_Init takes out');
		}
		$jobs[0]->out_like(qr/^init_calls: right, $size ranks, 3 arguments$/m, "$size ranks");
	}
};

subtest 'ranks may be started in any order' => sub {
	my @jobs = by_hand(3, [2, 1, 0], [program('collective'), 50]);
	$_->finish for @jobs;
	$jobs[2]->well(qr/^collective: right, .* 3 ranks/m, 'rank 0 last');
	$_->well(qr/\A\z/, 'the others') for @jobs[0, 1];
};

subtest 'a host by name' => sub {
	my @jobs = by_hand(2, [0, 1], [program('passnum'), 100], host => 'localhost');
	$_->finish for @jobs;
	$jobs[0]->well(qr/^passnum: right, number 300 /m, 'localhost');
};

# What the other end of a connection to this port says to `bytes` before it closes; undef when it
# does not close in time.
sub shown_out
{
	my ($port, $bytes) = @_;
	socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
	connect($s, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die "connect: $!\n";
	local $SIG{PIPE} = 'IGNORE';
	syswrite($s, $bytes);
	my ($said, $until) = ('', time + 30);
	while (wait_readable($until, $s)) {
		return $said if !sysread($s, $said, 65536, length $said);
	}
	return undef;
}

subtest 'strangers are shown out' => sub {
	my $base = free_ports(2);
	my ($job) = by_hand(2, [0], [program('badcall'), 'hang'], base => $base);
	$job->wait_for(out => qr/^rank 0 waits$/m);
	my %strangers = (
		'a web browser'  => "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" . ' ' x 1000,
		'noise'          => join('', map { chr(($_ * 7919) % 251) } 1 .. 5000),
		'nothing but zeros' => "\0" x 5000,
		'one byte, and then nothing' => 'F',
		'nothing at all' => '',
	);
	for my $name (sort keys %strangers) {
		my $said = shown_out($base, $strangers{$name});
		ok(defined $said, "$name: the connection is closed");
		cmp_ok(length($said // ''), '<', 1000, '... and little is said before');
	}
	is(scalar(my @alive = $job->pids), 1, 'the rank goes on');
	$job->signal('KILL');
	$job->finish;
};

subtest 'another secret' => sub {
	my $base = free_ports(2);
	my ($one) = by_hand(2, [0], [program('init_calls')], base => $base);
	my ($two) = by_hand(2, [1], [program('init_calls')], base => $base,
		secret => secret_file('other', 'another secret that nobody guesses'));
	ok($two->wait_for(err => qr/^rank 1 on 127\.0\.0\.1: still trying to reach peer 0: .* secret/m),
		'the one who connects is told');
	$_->signal('KILL') for $one, $two;
	$_->finish for $one, $two;
};

subtest 'arguments that are wrong' => sub {
	my $init_calls = program('init_calls');
	my %env = (FTMPI_SECRET_FILE => $secret, FTMPI_PORT_BASE => free_ports(2));
	my @wrong = (
		['no rank', qr/-ftmpi/, '-ftmpi', "$dir"],
		['rank too large', qr/-ftmpi.*5/, '-ftmpi', "$dir", 5, 2, 0, '127.0.0.1', 1, '127.0.0.1'],
		['host missing', qr/-ftmpi/, '-ftmpi', "$dir", 0, 2, 0, '127.0.0.1'],
		['host unknown', qr/no-such-host\.invalid/, '-ftmpi', "$dir", 0, 2, 0, '127.0.0.1', 1,
			'no-such-host.invalid'],
	);
	for my $case (@wrong) {
		my ($name, $pattern, @args) = @$case;
		my $job = FTMPI::Test::Job->run([$init_calls, @args], env => \%env, deadline => 30);
		ok($job->status > 0 && $job->status < 128, "$name: an error status") or diag($job->saw);
		$job->err_like($pattern, $name);
	}
	my $job = FTMPI::Test::Job->run(
		[$init_calls, '-ftmpi', "$dir", 0, 2, 0, '127.0.0.1', 1, '127.0.0.1'],
		env => {%env, FTMPI_SECRET_FILE => undef}, deadline => 30);
	ok($job->status > 0 && $job->status < 128, 'no secret: an error status') or diag($job->saw);
	$job->err_like(qr/FTMPI_SECRET_FILE/, 'no secret');
};

done_testing();

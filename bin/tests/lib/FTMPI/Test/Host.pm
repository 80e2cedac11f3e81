# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Host;

# One host of the cluster: a network namespace on the bridge with addresses of its own, and an sshd
# in it that also has its own host name, /etc/hosts and /run. Made and removed by
# FTMPI::Test::Cluster.

use strict;
use warnings;

use POSIX ();
use Time::HiRes qw(time);

use FTMPI::Test::Process qw(must_run run_quiet wait_readable wait_until kill_gone);

use constant START_SECONDS => 20;
use constant KILL_SECONDS  => 10;

# BR_STATE_FORWARDING of linux/if_bridge.h
use constant BRIDGE_FORWARDING => 3;

# name, netns, bridge, address, address6 (or undef), dir (for its files), hosts (path of /etc/hosts)
sub new
{
	my ($class, %self) = @_;
	return bless {%self}, $class;
}

sub name     { return $_[0]{name} }
sub address  { return $_[0]{address} }
sub address6 { return $_[0]{address6} }
sub netns    { return $_[0]{netns} }

# The namespace and its link to the bridge; the outer end has the name of the namespace.
sub make_network
{
	my ($self) = @_;
	my $ns = $self->{netns};
	must_run('ip', 'netns', 'add', $ns);
	must_run('ip', 'link', 'add', $ns, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', $ns);
	must_run('ip', 'link', 'set', $ns, 'master', $self->{bridge}, 'up');
	must_run('ip', '-n', $ns, 'addr', 'add', "$self->{address}/24", 'dev', 'eth0');
	must_run('ip', '-n', $ns, '-6', 'addr', 'add', "$self->{address6}/64", 'dev', 'eth0', 'nodad')
		if defined $self->{address6};
	must_run('ip', '-n', $ns, 'link', 'set', $_, 'up') for 'lo', 'eth0';
	$self->wait_forwarding;
	return;
}

# The kernel tells the bridge of a link that is up in its own time, and until then the bridge passes nothing on.
sub wait_forwarding
{
	my ($self) = @_;
	my $path = "/sys/class/net/$self->{netns}/brport/state";
	my $state;
	my $forwards = sub {
		open(my $in, '<', $path) or return 0;
		chomp($state = readline($in) // '');
		return $state eq BRIDGE_FORWARDING;
	};
	wait_until(START_SECONDS, $forwards)
		or die "the bridge does not forward to $self->{name}: state " . ($state // 'unknown') . "\n";
	return;
}

# Logins are cheap: the shell finds no start-up files of the user, and the keys are exchanged in the quickest way.
sub write_config
{
	my ($self, $authorized) = @_;
	my ($dir, $path) = ($self->{dir}, "$self->{dir}/$self->{name}.sshd");
	my @listen = grep { defined } $self->{address}, $self->{address6};
	open(my $out, '>', $path) or die "cannot write $path: $!\n";
	print $out map { "ListenAddress $_\n" } @listen;
	print $out <<"END";
Port 22
HostKey $dir/host_key
AuthorizedKeysFile $authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
MaxStartups 100
SetEnv "HOME=$dir"
KexAlgorithms curve25519-sha256
END
	close($out) or die "cannot write $path: $!\n";
	return ($path, scalar @listen);
}

# Copies sshd's log to a file, and a byte to `ready` for every address it listens on.
sub drain_log
{
	my ($self, $log, $ready) = @_;
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
	# whoever reads what the test prints must not wait for this process, which has copies of that output too
	open($_, '+<', '/dev/null') for *STDIN, *STDOUT, *STDERR;
	my %mine = map { $_ => 1 } 0 .. 2, fileno($log), fileno($ready);
	POSIX::close($_) for grep { !$mine{$_} } map { m{/(\d+)\z} } glob('/proc/self/fd/*');
	open(my $copy, '>>', "$self->{dir}/$self->{name}.log") or POSIX::_exit(1);
	while (defined(my $line = <$log>)) {
		syswrite($copy, $line);
		syswrite($ready, '.') if $line =~ /^Server listening on /;
	}
	POSIX::_exit(0);
}

sub wait_listening
{
	my ($self, $ready, $addresses) = @_;
	my ($until, $seen) = (time + START_SECONDS, '');
	while (length($seen) < $addresses) {
		last if !wait_readable($until, $ready);
		sysread($ready, $seen, 10, length($seen)) or last;
	}
	return if length($seen) == $addresses;
	my (undef, $log) = run_quiet('cat', "$self->{dir}/$self->{name}.log");
	die "the sshd of $self->{name} does not listen: $log\n";
}

# Start the host's sshd and return when it listens.
sub start
{
	my ($self) = @_;
	my ($config, $addresses) = $self->write_config("$self->{dir}/user_key.pub");
	pipe(my $log, my $log_in)     or die "pipe: $!\n";
	pipe(my $ready, my $ready_in) or die "pipe: $!\n";
	my $setup = 'hostname "$1" && mount --bind "$2" /etc/hosts && mount -t tmpfs tmpfs /run && '
		. 'mkdir /run/sshd && exec /usr/sbin/sshd -D -e -f "$3"';
	my @command = (
		'ip',     'netns', 'exec', $self->{netns}, 'unshare',      '--uts', '--mount', 'sh',
		'-c',     $setup,  'sh',   $self->{name},  $self->{hosts}, $config
	);
	$self->{sshd} = fork() // die "cannot fork: $!\n";
	if (!$self->{sshd}) {
		setpgrp(0, 0);
		$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
		open(STDIN,  '<',  '/dev/null');
		open(STDOUT, '>&', $log_in);
		open(STDERR, '>&', $log_in);
		exec { $command[0] } @command or POSIX::_exit(127);
	}
	$self->{drain} = fork() // die "cannot fork: $!\n";
	if (!$self->{drain}) {
		close($log_in);
		close($ready);
		$self->drain_log($log, $ready_in);
	}
	close($_) for $log_in, $ready_in, $log;
	return $self->wait_listening($ready, $addresses);
}

# The command as one that runs in this host.
sub inside
{
	my ($self, @command) = @_;
	return ('nsenter', '-t', $self->{sshd}, '--net', '--uts', '--mount', '--', @command);
}

# All processes in the host, its sshd too.
sub pids
{
	my ($self) = @_;
	my ($status, $text) = run_quiet('ip', 'netns', 'pids', $self->{netns});
	return $status ? () : ($text =~ /\d+/g);
}

# Processes that do not belong to a host at rest.
sub strangers
{
	my ($self) = @_;
	return grep { $_ != ($self->{sshd} // 0) } $self->pids;
}

sub cut  { return must_run('ip', 'link', 'set', $_[0]{netns}, 'down') }

sub heal
{
	my ($self) = @_;
	must_run('ip', 'link', 'set', $self->{netns}, 'up');
	$self->wait_forwarding;
	return;
}

# Cut in one direction: what the host sends is lost, or what is sent to it.
sub mute   { return must_run('tc', '-n', $_[0]{netns}, qw(qdisc replace dev eth0 root blackhole)) }
sub deafen { return must_run(qw(tc qdisc replace dev), $_[0]{netns}, qw(root blackhole)) }

# Limit both directions, e.g. to '10mbit'.
sub slow
{
	my ($self, $rate) = @_;
	my @limit = ('root', 'tbf', 'rate', $rate, 'burst', '64kb', 'latency', '400ms');
	must_run('tc', '-n', $self->{netns}, 'qdisc', 'replace', 'dev', 'eth0', @limit);
	must_run('tc', 'qdisc', 'replace', 'dev', $self->{netns}, @limit);
	return;
}

# Take away limits and cuts in one direction.
sub full_speed
{
	my ($self) = @_;
	run_quiet('tc', '-n', $self->{netns}, 'qdisc', 'del', 'dev', 'eth0', 'root');
	run_quiet('tc', 'qdisc', 'del', 'dev', $self->{netns}, 'root');
	return;
}

# End every process in the host, its sshd too; start() brings the sshd back.
sub kill_all
{
	my ($self) = @_;
	kill_gone(sub { $self->pids }, KILL_SECONDS);
	for my $child (grep { defined } delete @$self{qw(sshd drain)}) {
		kill 'KILL', $child;
		waitpid($child, 0);
	}
	return;
}

# Nothing is left of it, whatever state it is in.
sub remove
{
	my ($self) = @_;
	$self->kill_all;
	run_quiet('ip', 'link',  'del', $self->{netns});
	run_quiet('ip', 'netns', 'del', $self->{netns});
	return;
}

1;

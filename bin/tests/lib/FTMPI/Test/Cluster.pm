# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Cluster;

# A cluster on one machine: hosts (network namespaces) node1, node2, ... on one bridge, each with
# its own sshd, and this machine outside on the same bridge. Keys, addresses and names are made for
# the run. Everything is removed by remove(), at the end of the program, and on INT, TERM and HUP
# (a program that handles these itself before it loads this module goes on doing so); what a run that
# was killed left behind is removed by the next one.
#
#	my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
#	system $cluster->host(1)->inside('ftmpirun', '-ssh', $cluster->ssh, ...);
#	$cluster->host(2)->cut;
#	$cluster->remove;

use strict;
use warnings;

use File::Path ();
use File::Spec ();
use File::Temp ();
use Test::More ();

use FTMPI::Test::Host ();
use FTMPI::Test::Process qw(must_run patience process_name run_quiet wait_gone);

use constant HOSTS_MOST   => 26;
use constant NETWORK      => '10.213';
use constant NETWORK6     => 'fd00:213';
use constant OUTSIDE_HOST => 254;
use constant REST_SECONDS => 30;

# for an ssh to reach a host, which a busy machine may delay
use constant CONNECT_SECONDS => 10;

my %live;
my $owner = $$;

# A sentence that says why there can be no cluster here, or undef.
sub why_not
{
	return 'the cluster of network namespaces needs root' if $> != 0;
	for my $tool (qw(ip tc nsenter unshare mount hostname ssh ssh-keygen /usr/sbin/sshd)) {
		my ($status) = run_quiet('sh', '-c', 'command -v "$1"', 'sh', $tool);
		return "the cluster of network namespaces needs $tool, which is not installed" if $status;
	}
	my $probe = "ftm${$}z";
	my ($status, $text) = run_quiet('ip', 'netns', 'add', $probe);
	return "no network namespaces can be made here: $text" if $status;
	run_quiet('ip', 'netns', 'del', $probe);
	return undef;
}

sub new
{
	my ($class, %option) = @_;
	my $count = $option{hosts} // 4;
	die "a cluster has 1 to " . HOSTS_MOST . " hosts, not $count\n"
		if $count < 1 || $count > HOSTS_MOST;
	remove_stale();
	my $self = bless {hosts => [], bridge => "ftm$$", number => free_network()}, $class;
	$live{$self} = $self;
	$self->{dir} = File::Temp::tempdir("ftmpi-cluster-$$-XXXXXX", TMPDIR => 1);
	my $good = eval { $self->build($count); 1 };
	my $error = $@;
	return $self if $good;
	$self->remove;
	die $error if ref $error;
	die "the cluster cannot be made: $error";
}

# A third number of 10.213.x.0/24 that no interface here uses.
sub free_network
{
	my $used = must_run('ip', '-o', '-4', 'addr', 'show');
	for my $try (0 .. 248) {
		my $n = 1 + ($$ + $try) % 249;    # ssh would write an address with a 0 otherwise than known_hosts
		return $n if index($used, NETWORK . ".$n.") < 0;
	}
	die "every network " . NETWORK . ".x.0/24 is in use\n";
}

sub build
{
	my ($self, $count) = @_;
	my $six = -e '/proc/net/if_inet6';
	my ($net, $net6) = (NETWORK . ".$self->{number}", NETWORK6 . ":$self->{number}:");
	for my $n (1 .. $count) {
		push @{$self->{hosts}}, FTMPI::Test::Host->new(
			name     => "node$n",
			netns    => $self->{bridge} . chr(ord('a') + $n - 1),
			bridge   => $self->{bridge},
			address  => "$net.$n",
			address6 => $six ? "$net6:$n" : undef,
			dir      => $self->{dir},
			hosts    => "$self->{dir}/hosts",
		);
	}
	$self->{address}  = "$net." . OUTSIDE_HOST;
	$self->{address6} = $six ? "$net6:" . OUTSIDE_HOST : undef;
	$self->write_names;
	$self->make_keys;
	$self->make_bridge;
	$_->make_network for @{$self->{hosts}};
	$_->start        for @{$self->{hosts}};
	return;
}

sub write_file
{
	my ($path, @lines) = @_;
	open(my $out, '>', $path) or die "cannot write $path: $!\n";
	print $out map { "$_\n" } @lines;
	close($out) or die "cannot write $path: $!\n";
	return $path;
}

sub write_names
{
	my ($self) = @_;
	my @lines = ('127.0.0.1 localhost', '::1 localhost');
	push @lines, "$self->{address} outside";
	push @lines, map { $_->address . ' ' . $_->name } @{$self->{hosts}};
	push @lines, map { $_->address6 . ' ' . $_->name . '-six' }
		grep { defined $_->address6 } @{$self->{hosts}};
	write_file("$self->{dir}/hosts", @lines);
	return;
}

sub make_keys
{
	my ($self) = @_;
	must_run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', "$self->{dir}/$_")
		for qw(host_key user_key);
	open(my $in, '<', "$self->{dir}/host_key.pub") or die "host_key.pub: $!\n";
	my $key   = <$in>;
	my @names = map { ($_->name, $_->name . '-six', $_->address, $_->address6 // ()) }
		@{$self->{hosts}};
	chomp $key;
	write_file("$self->{dir}/known_hosts", join(',', @names) . " $key");
	return;
}

sub make_bridge
{
	my ($self) = @_;
	my $bridge = $self->{bridge};
	must_run('ip', 'link', 'add', $bridge, 'type', 'bridge');
	must_run('ip', 'link', 'set', $bridge, 'up');
	must_run('ip', 'addr', 'add', "$self->{address}/24", 'dev', $bridge);
	must_run('ip', '-6', 'addr', 'add', "$self->{address6}/64", 'dev', $bridge, 'nodad')
		if defined $self->{address6};
	return;
}

sub hosts { return @{$_[0]{hosts}} }

# Host number n, from 1.
sub host
{
	my ($self, $n) = @_;
	return $self->{hosts}[$n - 1] // die "there is no host $n\n";
}

sub dir      { return $_[0]{dir} }
sub address  { return $_[0]{address} }
sub address6 { return $_[0]{address6} }

# The ssh command: it reaches every host from every host and from outside, and never asks.
sub ssh
{
	my ($self) = @_;
	return join ' ', 'ssh', '-F', '/dev/null', '-i', "$self->{dir}/user_key",
		map { ('-o', $_) } 'IdentitiesOnly=yes', "UserKnownHostsFile=$self->{dir}/known_hosts",
		'GlobalKnownHostsFile=/dev/null', 'StrictHostKeyChecking=yes', 'BatchMode=yes',
		'ConnectTimeout=' . CONNECT_SECONDS, 'LogLevel=ERROR';
}

# The command as one that runs on this machine, outside the hosts, but knows their names.
sub outside
{
	my ($self, @command) = @_;
	my $setup = 'mount --bind "$0" /etc/hosts && exec "$@"';
	return ('unshare', '--mount', 'sh', '-c', $setup, "$self->{dir}/hosts", @command);
}

# Write a machine file; returns its path.
sub machine_file
{
	my ($self, @lines) = @_;
	return write_file("$self->{dir}/machines." . ++$self->{files}, @lines);
}

# Processes in any host that do not belong to a host at rest.
sub strangers
{
	my ($self) = @_;
	return map { $_->strangers } @{$self->{hosts}};
}

# A check that no host has anything left, in a while.
sub at_rest
{
	my ($self, $name) = @_;
	my $until = time + patience(REST_SECONDS);
	my @left;
	while (@left = $self->strangers) {
		last if wait_gone($until, @left);
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::is(scalar @left, 0, "$name: no host has anything left")
		|| Test::More::diag(join ', ', map { process_name($_) } @left);
}

sub remove
{
	my ($self) = @_;
	return if !delete $live{$self};
	for my $host (@{$self->{hosts}}) {
		eval { $host->remove; 1 } or warn "removing $host->{name}: $@";
	}
	run_quiet('ip', 'link', 'del', $self->{bridge});
	File::Path::remove_tree($self->{dir});
	return;
}

# What is left of clusters whose makers are no longer there.
sub remove_stale
{
	my $dead = sub { my ($pid) = $_[0] =~ /^ftm(\d+)/; return $pid && !-d "/proc/$pid" };
	for my $ns (grep { $dead->($_) } must_run('ip', 'netns', 'list') =~ /^(ftm\d+[a-z])\b/mg) {
		FTMPI::Test::Host->new(name => $ns, netns => $ns)->remove;
	}
	my $links = must_run('ip', '-o', 'link', 'show', 'type', 'bridge');
	run_quiet('ip', 'link', 'del', $_) for grep { $dead->($_) } $links =~ /^\d+: (ftm\d+):/mg;
	my $tmp = File::Spec->tmpdir;
	for my $dir (glob "$tmp/ftmpi-cluster-*") {
		my ($pid) = $dir =~ /ftmpi-cluster-(\d+)-/;
		File::Path::remove_tree($dir) if $pid && !-d "/proc/$pid";
	}
	return;
}

# Everything on this machine that belongs to a cluster of the process `pid`: names, paths, processes.
sub remains
{
	my ($pid) = @_;
	my (undef, $ns)    = run_quiet('ip', 'netns', 'list');
	my (undef, $links) = run_quiet('ip', '-o', 'link');
	my $files     = "ftmpi-cluster-$pid-";
	my $tmp       = File::Spec->tmpdir;
	my @processes = grep { index(FTMPI::Test::Process::slurp("$_/cmdline"), $files) >= 0 }
		glob '/proc/[0-9]*';
	return ($ns =~ /^(ftm$pid[a-z]?)\b/mg, $links =~ /(ftm$pid[a-z]?)[:@]/g,
		glob("$tmp/ftmpi-cluster-$pid-*"), @processes);
}

sub remove_all
{
	return if $$ != $owner;
	$_->remove for values %live;
	return;
}

sub on_signal
{
	my ($name) = @_;
	remove_all();
	$SIG{$name} = 'DEFAULT';
	kill $name, $$;
	return;
}

for my $name (qw(INT TERM HUP)) {
	$SIG{$name} = \&on_signal if ($SIG{$name} // 'DEFAULT') eq 'DEFAULT';
}

END {
	local $?;
	local $@;
	remove_all();
}

1;

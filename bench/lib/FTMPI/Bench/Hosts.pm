# SPDX-License-Identifier: BSD-3-Clause
#
# Two hosts on this machine with 1 Gbit/s between them, for jobs of all implementations: network namespaces
# with an sshd each (FTMPI::Test::Cluster of bin/tests), of which nothing stays behind.
package FTMPI::Bench::Hosts;

use strict;
use warnings;

# GONE: seconds in which what a job leaves on the hosts is gone after SIGKILL.
use constant { HOSTS => 2, RATE => '1gbit', GONE => 10 };
use constant SIGNALS => qw(INT TERM HUP);

# Why there can be no hosts on this machine, a sentence, or undef. root: of the tree. Afterwards the modules
# of the tests are loaded.
sub why_not
{
	my ($root) = @_;
	my $why;
	my $loaded = eval {
		_undisturbed(sub {
			local @INC = ("$root/bin/tests/lib", @INC);
			require FTMPI::Test::Cluster;
			require FTMPI::Test::Process;
			$why = FTMPI::Test::Cluster->why_not;
		});
		1;
	};
	return $why if $loaded;
	die $@ if ref $@;
	return $@ =~ s/\n.*//sr;
}

# Why a run has no hosts, a sentence, or undef: then they are $run->{hosts}, made for the first row that needs them. It
# has root, too, and removes them.
sub none_for
{
	my ($run) = @_;
	return $run->{no_hosts} if exists $run->{no_hosts};
	my $why = why_not($run->{root});
	if (!defined $why && !eval { $run->{hosts} = __PACKAGE__->new; 1 }) {
		die $@ if ref $@;
		$why = $@ =~ s/\.?\s*\n.*//sr;
	}
	return $run->{no_hosts} = $why;
}

# After why_not. Dies with a sentence, and then nothing is left.
sub new
{
	my ($class) = @_;
	my $self = bless { owner => $$, files => {} }, $class;
	_undisturbed(sub {
		my $cluster = $self->{cluster} = FTMPI::Test::Cluster->new(hosts => HOSTS);
		eval { $_->slow(RATE) for $cluster->hosts; 1 } or die 'no network can be limited to ' . RATE . " here: $@";
		$self->_write_ssh;
	});
	return $self;
}

# A program that takes the words of ssh; launchers take no options with it.
sub _write_ssh
{
	my ($self) = @_;
	$self->{ssh} = $self->{cluster}->dir . '/ssh';
	open my $out, '>', $self->{ssh} or die "cannot write $self->{ssh}: $!\n";
	print $out "#!/bin/sh\nexec ", $self->{cluster}->ssh, ' "$@"', "\n";
	close $out or die "cannot write $self->{ssh}: $!\n";
	chmod 0755, $self->{ssh} or die "cannot make $self->{ssh} a program: $!\n";
	return;
}

# What a command line is given: the program in place of ssh, and a file of the hosts in which each line
# is `format` with a host and how many of the ranks it has, as many as the others.
sub given
{
	my ($self, $format, $ranks) = @_;
	my @lines = map { sprintf $format, $_->name, $ranks / HOSTS } $self->{cluster}->hosts;
	$self->{files}{"@lines"} //= $self->{cluster}->machine_file(@lines);
	return (ssh => $self->{ssh}, hosts => $self->{files}{"@lines"});
}

# The command as one that runs on the first host.
sub inside
{
	my ($self, @command) = @_;
	return $self->{cluster}->host(1)->inside(@command);
}

# End what a job has left on the hosts: what sshd has started is not marked by FTMPI::Bench::Process.
sub quiet
{
	my ($self) = @_;
	FTMPI::Test::Process::kill_gone(sub { $self->{cluster}->strangers }, GONE);
	return;
}

sub remove
{
	my ($self) = @_;
	my $cluster = delete $self->{cluster} or return;
	_undisturbed(sub { $cluster->remove });
	return;
}

# When an exception has left whoever had it.
sub DESTROY
{
	my ($self) = @_;
	return if $self->{owner} != $$;
	local $@;
	eval { $self->remove; 1 } or warn "the hosts could not be removed: $@";
	return;
}

# What is half made could not be removed, and what is half removed stays: a signal takes effect afterwards.
sub _undisturbed
{
	my ($do) = @_;
	my %signal = map { $_ => $SIG{$_} } SIGNALS;
	my @came;
	$SIG{$_} = sub { push @came, $_[0] } for SIGNALS;
	my $done = eval { $do->(); 1 };
	my $why  = $@;
	$SIG{$_} = $signal{$_} // 'DEFAULT' for SIGNALS;
	kill $_, $$ for @came;
	die $why if !$done;
	return;
}

1;

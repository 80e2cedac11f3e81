# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Cli::Machines, which an ordinary start does without (FTMPI::Later): hosts that the user names.
package FTMPI::Cli::Machines;

use strict;
use warnings;

use FTMPI::Cli::Machines ();
use FTMPI::Address       ();
use FTMPI::Error         ();

# The hosts of a machine file, in the order of their first line: { name, slots } each.
sub parse_file
{
	my ($file, $text) = @_;
	my @entries;
	my $number = 0;
	for my $line (split /\n/, $text, -1) {
		$number++;
		$line =~ s/#.*//;
		my ($host, @settings) = split ' ', $line;
		next if !defined $host;
		my $entry = eval { _parse_line($host, @settings) };
		FTMPI::Error::usage("machine file $file, line $number: " . _reason($@)) if !$entry;
		push @entries, $entry;
	}
	FTMPI::Error::usage("the machine file $file names no host") if !@entries;
	return merge(\@entries, sub { $_[0] });
}

# The hosts of an option, as in -host a,b:4,c.
sub parse_list
{
	my ($option, $text) = @_;
	my @entries;
	for my $word (split /,/, $text, -1) {
		my $entry = eval { _parse_host($word) };
		FTMPI::Error::usage("$option $text: " . _reason($@)) if !$entry;
		push @entries, $entry;
	}
	FTMPI::Error::usage("$option names no host") if !@entries;
	return merge(\@entries, sub { $_[0] });
}

sub _reason
{
	my ($error) = @_;
	die $error if ref $error;
	chomp $error;
	return $error;
}

sub _parse_line
{
	my ($host, @settings) = @_;
	my $entry   = _parse_host($host);
	my $counted = $entry->{counted};
	for my $setting (@settings) {
		my ($key, $value) = split /=/, $setting, 2;
		die _quote($key) . " is not known here (write slots=4)\n" if $key ne 'slots';
		die "the number of slots is given twice\n" if $counted++;
		$entry->{slots} = _slots($value, $setting);
	}
	return $entry;
}

# host, host:4, user@host, 10.0.0.1:4, fd00::1, [fd00::1], [fd00::1]:4
sub _parse_host
{
	my ($word) = @_;
	my ($name, $count);
	if ($word =~ /^\[([^\[\]]*)\](?::(.*))?\z/s) {
		($name, $count) = ($1, $2);
		die _quote($name) . " is not an IPv6 address\n" if !_is_ipv6($name);
	} elsif ($word =~ /^[^:]*:[^:]*:/) {
		($name, $count) = ($word, undef);
		die _quote($word) . " is neither host:slots nor an IPv6 address\n"
			if !_is_ipv6($name);
	} else {
		($name, $count) = split /:/, $word, 2;
		die _quote($name // '') . " is not a host name\n"
			if !defined $name || $name !~ /^[A-Za-z0-9_][A-Za-z0-9_.\@-]*\z/;
	}
	die _quote($name) . ' is longer than ' . NAME_MAX . " characters\n"
		if length $name > NAME_MAX;
	my $slots = defined $count ? _slots($count, $word) : 1;
	return { name => $name, slots => $slots, counted => defined $count };
}

sub _is_ipv6 { return (FTMPI::Address::family($_[0]) // 0) == 6 }

sub _slots
{
	my ($value, $where) = @_;
	$value //= '';
	return $value + 0 if $value =~ /^[1-9][0-9]{0,5}\z/ && $value <= SLOTS_MAX;
	die _quote($where) . ' does not give a number of slots from 1 to ' . SLOTS_MAX . "\n";
}

sub _quote { return q(') . FTMPI::Error::clean($_[0]) . q(') }

sub _by_node
{
	my ($hosts, $n) = @_;
	my @ranks = map { [] } @$hosts;
	my $next  = 0;
	for (my $rounds = 1; $next < $n; $rounds++) {
		my @open = 0 .. $#$hosts;
		while ($next < $n && (@open = grep { @{ $ranks[$_] } < $rounds * $hosts->[$_]{slots} } @open)) {
			push @{ $ranks[$_] }, $next < $n ? $next++ : () for @open;
		}
	}
	return \@ranks;
}

1;

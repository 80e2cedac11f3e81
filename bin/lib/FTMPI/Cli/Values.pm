# SPDX-License-Identifier: BSD-3-Clause
#
# The values of ftmpirun's options: each sub takes what was written and the option's word, and
# returns what is meant, or ends in a FTMPI::Error that says what would be right. Pure.
package FTMPI::Cli::Values;

use strict;
use warnings;

use FTMPI::Later qw(FTMPI::Cli::Suggestion);
use FTMPI::Later rest => qw(Rare);

use constant RANKS_MAX => 65536;

# Seconds of -ckpt-interval: in ms it is a number of 32 bits.
use constant { INTERVAL_MAX => 4000000, GRACE_MAX => 86400 };

use constant LINE_MAX => 4294967295;

# The name of a session, and of its folder in WORKDIR.
use constant SESSION => qr/[0-9]{8}-[0-9]{6}-[0-9a-f]{8}/;

sub ranks
{
	my ($value, $word) = @_;
	return $value + 0 if $value =~ /^[0-9]{1,9}\z/ && $value >= 1 && $value <= RANKS_MAX;
	return _refuse($word, $value, 'not a number of ranks from 1 to ' . RANKS_MAX);
}

# A check for sizes from least to most bytes: a number, and K, M, G or T for powers of 1024.
sub size
{
	my ($least, $most) = @_;
	return sub {
		my ($value, $word) = @_;
		my ($number, $unit) = $value =~ /^([0-9]{1,14})([kKMGT]?)\z/;
		my $bytes = defined $number ? $number * 1024**index(' KMGT', $unit eq '' ? ' ' : uc $unit) : -1;
		return $bytes if $bytes >= $least && $bytes <= $most;
		return _refuse($word, $value, "not a size from $least to $most bytes, as 500M or 2G");
	};
}

# A check for whole numbers from least to most, or `beside`.
sub whole
{
	my ($what, $least, $most, $beside) = @_;
	return sub {
		my ($value, $word) = @_;
		my $is = $value =~ /^[0-9]{1,9}\z/;
		return $value + 0 if $is && $value >= $least && $value <= $most;
		return $value + 0 if $is && defined $beside && $value == $beside;
		return _refuse($word, $value, "not $what from $least to $most");
	};
}

# A check for times in ms from least to most, or `beside`; a number alone is of ms.
sub milliseconds
{
	my ($what, $least, $most, $beside) = @_;
	my $whole = whole($what, $least, $most, $beside);
	return sub {
		my ($value, $word) = @_;
		my $seconds = $value =~ /[a-z]/ ? duration($value, 0.001) : undef;
		return $whole->($value, $word) if !defined $seconds;
		my $ms = int 0.5 + 1000 * $seconds;
		return $ms if $ms >= $least && $ms <= $most;
		return _refuse($word, $value, "not $what from $least to $most");
	};
}

sub is_session { my $session = SESSION; return $_[0] =~ /^$session\z/ }

1;

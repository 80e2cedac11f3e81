# SPDX-License-Identifier: BSD-3-Clause
#
# Frames and their fields, as doc/control.md lays them down. Pure: bytes in, values out. A frame is
# valid if and only if its version is ours, its body is at most BODY_MAX bytes, and its fields fill
# the body exactly.
package FTMPI::Wire;

use strict;
use warnings;

use constant { VERSION => 1, HEAD => 8, BODY_MAX => 16 * 1024 * 1024 };

sub frame
{
	my ($type, $body) = @_;
	return pack('V v v', length $body, $type, VERSION) . $body;
}

# An incremental decoder: feed it what was read, take whole frames out of it.
sub new
{
	my ($class) = @_;
	return bless { bytes => '', error => undef }, $class;
}

sub feed
{
	my ($self, $bytes) = @_;
	$self->{bytes} .= $bytes;
	return;
}

# The next whole frame as (type, body), or nothing: more bytes are needed, or error() says why there
# will never be another.
sub next_frame
{
	my ($self) = @_;
	return if defined $self->{error} || length $self->{bytes} < HEAD;
	my ($length, $type, $version) = unpack 'V v v', $self->{bytes};
	if ($version != VERSION) {
		$self->{error} = "a frame of version $version instead of " . VERSION;
		return;
	}
	if ($length > BODY_MAX) {
		$self->{error} = "a frame of $length bytes, more than " . BODY_MAX;
		return;
	}
	return if length $self->{bytes} < HEAD + $length;
	substr $self->{bytes}, 0, HEAD, '';
	return ($type, substr $self->{bytes}, 0, $length, '');
}

sub error   { return $_[0]{error} }
sub pending { return length $_[0]{bytes} }

# Fields: u = u32, h = u16, s = string, k = 16 bytes, K = 32 bytes, r = all bytes that are left;
# U, H, S = a u32 count and as many of u, h, s, given and returned as an array reference.
my %PACK = (
	u => sub { pack 'V', $_[0] },
	h => sub { pack 'v', $_[0] },
	s => sub { pack 'V/a*', $_[0] },
	k => sub { pack 'a16', $_[0] },
	K => sub { pack 'a32', $_[0] },
	r => sub { $_[0] },
	U => sub { pack 'V V*', scalar @{ $_[0] }, @{ $_[0] } },
	H => sub { pack 'V v*', scalar @{ $_[0] }, @{ $_[0] } },
	S => sub { pack 'V (V/a*)*', scalar @{ $_[0] }, @{ $_[0] } },
);

my %UNPACK = (
	u => sub { unpack 'V', _take($_[0], 4) },
	h => sub { unpack 'v', _take($_[0], 2) },
	s => sub { _take($_[0], unpack 'V', _take($_[0], 4)) },
	k => sub { _take($_[0], 16) },
	K => sub { _take($_[0], 32) },
	r => sub { _take($_[0], length(${ $_[0]{body} }) - $_[0]{at}) },
	U => sub { [ unpack 'V*', _take($_[0], 4 * unpack 'V', _take($_[0], 4)) ] },
	H => sub { [ unpack 'v*', _take($_[0], 2 * unpack 'V', _take($_[0], 4)) ] },
	S => \&_take_strings,
);

sub pack_fields
{
	my ($template, @values) = @_;
	my @letters = split //, $template;
	die "template $template and " . @values . " values\n" if @letters != @values;
	return join '', map { $PACK{ $letters[$_] }->($values[$_]) } 0 .. $#letters;
}

# Dies with a text when the body is not exactly what the template says.
sub unpack_fields
{
	my ($template, $body) = @_;
	my $cursor = { body => \$body, at => 0 };
	my @values = map { scalar $UNPACK{$_}->($cursor) } split //, $template;
	die "bytes are left over\n" if $cursor->{at} != length $body;
	return @values;
}

# Rows of such fields, as many as there are: a list of array references.
sub unpack_rows
{
	my ($template, $body) = @_;
	my @letters = split //, $template;
	my $cursor  = { body => \$body, at => 0 };
	my @rows;
	while ($cursor->{at} < length $body) {
		push @rows, [ map { scalar $UNPACK{$_}->($cursor) } @letters ];
	}
	return @rows;
}

sub _take
{
	my ($cursor, $n) = @_;
	die "the body is too short\n" if $n > length(${ $cursor->{body} }) - $cursor->{at};
	my $bytes = substr ${ $cursor->{body} }, $cursor->{at}, $n;
	$cursor->{at} += $n;
	return $bytes;
}

sub _take_strings
{
	my ($cursor) = @_;
	my $count = $UNPACK{u}->($cursor);
	die "the body is too short\n" if $count > length(${ $cursor->{body} }) / 4;
	return [ map { scalar $UNPACK{s}->($cursor) } 1 .. $count ];
}

1;

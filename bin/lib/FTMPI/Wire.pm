# SPDX-License-Identifier: BSD-3-Clause
#
# Frames and their fields, as doc/control.md lays them down. Pure: bytes in, values out. A frame is
# valid if and only if its version is ours, its body is at most BODY_MAX bytes, and its fields fill
# the body exactly.
package FTMPI::Wire;

use strict;
use warnings;

use List::Util ();

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

# Fields of a fixed size, and bytes that are left, are one pack and one unpack: most messages are nothing else, and
# perl takes long for a call of each field's. By template: format, number of fields and of bytes, whether bytes are left;
# or 0.
my %AT_ONCE;
my %SIZE = (u => 4, h => 2, k => 16, K => 32, r => 0);
my %FORMAT = (u => 'V', h => 'v', k => 'a16', K => 'a32', r => 'a*');

sub _at_once
{
	my ($template) = @_;
	return 0 if $template !~ /\A[uhkK]*r?\z/;
	my @letters = split //, $template;
	return [ join(' ', @FORMAT{@letters}), scalar @letters, List::Util::sum0(@SIZE{@letters}), $template =~ /r/ ];
}

sub pack_fields
{
	my ($template, @values) = @_;
	if (my $at_once = $AT_ONCE{$template} //= _at_once($template)) {
		my ($format, $fields) = @$at_once;
		die "template $template and " . @values . " values\n" if $fields != @values;
		return pack $format, @values;
	}
	my @letters = split //, $template;
	die "template $template and " . @values . " values\n" if @letters != @values;
	return join '', map { $PACK{ $letters[$_] }->($values[$_]) } 0 .. $#letters;
}

# Dies with a text when the body is not exactly what the template says.
sub unpack_fields
{
	my ($template, $body) = @_;
	if (my $at_once = $AT_ONCE{$template} //= _at_once($template)) {
		my ($format, undef, $bytes, $open) = @$at_once;
		die "the body is too short\n" if length $body < $bytes;
		die "bytes are left over\n"   if length $body > $bytes && !$open;
		return unpack $format, $body;
	}
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

# SPDX-License-Identifier: BSD-3-Clause
#
# JSON (RFC 8259) as ftmpirun writes it: one object on one line. Perl does not tell a number from a text that looks like
# one, so the caller says under which names numbers stand.
package FTMPI::Json;

use strict;
use warnings;

my %ESCAPES = ("\b" => '\b', "\t" => '\t', "\n" => '\n', "\f" => '\f', "\r" => '\r', '"' => '\"', '\\' => '\\\\');

# A text of bytes. Those that are no UTF-8 stand for themselves as U+0080 to U+00FF: names of files may have any.
sub text
{
	my ($bytes) = @_;
	# of a text that was cut the letter that is not whole is left out
	my $text = $bytes =~ s/(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\z//r;
	utf8::decode($text) && $text !~ /[\x{d800}-\x{dfff}]|[^\x{0}-\x{10ffff}]/ or utf8::upgrade($text = $bytes);
	$text =~ s/([\x00-\x1f\x7f"\\])/$ESCAPES{$1} \/\/ sprintf '\u%04x', ord $1/ge;
	utf8::encode($text);
	return "\"$text\"";
}

# value: a text, undef for null, \0 or \1, or a reference to a list or hash of these. numbers: names whose values, or the members
# of whose lists, are numbers. name: of this value.
sub encode
{
	my ($value, $numbers, $name) = @_;
	return 'null' if !defined $value;
	return '[' . join(',', map { encode($_, $numbers, $name) } @$value) . ']' if ref $value eq 'ARRAY';
	return '{' . join(',', map { text($_) . ':' . encode($value->{$_}, $numbers, $_) } sort keys %$value) . '}'
		if ref $value eq 'HASH';
	return $$value ? 'true' : 'false' if ref $value;
	return number($value) if defined $name && $numbers->{$name};
	return text($value);
}

# With as many digits as it has, but for what is less than a millionth.
sub number
{
	my ($value) = @_;
	return sprintf '%.0f', $value if $value == int $value;
	return sprintf('%.6f', $value) =~ s/\.?0+\z//r;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The one kind of exception of the launcher: a sentence for the user and the exit status that goes
# with it. Whatever else dies is a fault of the launcher.
package FTMPI::Error;

use strict;
use warnings;

# The caller wrote something wrong (USAGE), or something in the world is not as it must be (FAILED).
use constant { FAILED => 1, USAGE => 2 };

sub usage
{
	my ($text) = @_;
	die bless { status => USAGE, text => _line($text) }, __PACKAGE__;
}

sub failed
{
	my ($text) = @_;
	die bless { status => FAILED, text => _line($text) }, __PACKAGE__;
}

# Names of files and words of the user stand in it as they were given: it stays one line all the same.
sub _line
{
	my ($text) = @_;
	$text =~ s/[\x00-\x1f\x7f]/ /g;
	return $text;
}

sub status { return $_[0]{status} }
sub text   { return $_[0]{text} }

# Foreign text (a line of a file, words of ssh) made safe to show: one line, no control characters (of UTF-8, too),
# not endless.
sub clean
{
	my ($text) = @_;
	$text =~ s/(?:[\x00-\x1f\x7f]|\xc2[\x80-\x9f])+/ /g;
	$text =~ s/^ +| +$//g;
	return length $text > 300 ? substr($text, 0, 300) . '...' : $text;
}

1;

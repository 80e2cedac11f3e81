# SPDX-License-Identifier: BSD-3-Clause
#
# Small text files that the launcher keeps beside the recovery lines in a session's folder: each is replaced as a whole.
package FTMPI::Launcher::SessionFile;

use strict;
use warnings;

use Fcntl qw(O_CREAT O_EXCL O_WRONLY O_NOFOLLOW O_NONBLOCK O_RDONLY);

# Into this folder, which exists, in place of an older one. Returns why that failed, or nothing.
sub save
{
	my ($folder, $name, $text) = @_;
	my ($path, $tmp) = ("$folder/$name", "$folder/$name.tmp");
	unlink $tmp;
	if (!sysopen my $file, $tmp, O_WRONLY | O_CREAT | O_EXCL, 0600) {
		return "cannot make $tmp: $!";
	} elsif ((syswrite($file, $text) // -1) != length $text || !close $file || !rename $tmp, $path) {
		my $why = "$!";
		unlink $tmp;
		return "cannot write $path: $why";
	}
	return;
}

# Its text, up to so many bytes; undef: there is none, or it cannot be read.
sub load
{
	my ($folder, $name, $most) = @_;
	sysopen my $file, "$folder/$name", O_RDONLY | O_NONBLOCK | O_NOFOLLOW or return undef;
	return undef if !-f $file;
	my $text;
	return defined read($file, $text, $most) ? $text : undef;
}

1;

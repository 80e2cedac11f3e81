# SPDX-License-Identifier: BSD-3-Clause
#
# Paths as words. (File::Spec and Cwd do this, too, and an ordinary start would wait longer for perl to compile them than for
# all of the ranks to begin.) Pure.
package FTMPI::Path;

use strict;
use warnings;

# The path from the root on, where `here` (which begins with /) is the current directory; without needless / and "."; ".." stays, as what it
# leads to depends on links.
sub absolute
{
	my ($path, $here) = @_;
	my @names = grep { $_ ne '' && $_ ne '.' } split m{/}, $path =~ m{^/} ? $path : "$here/$path";
	shift @names while @names && $names[0] eq '..';
	return '/' . join '/', @names;
}

# The last name.
sub name { my ($path) = @_; return $path =~ m{([^/]*)/*\z} ? $1 : '' }

1;

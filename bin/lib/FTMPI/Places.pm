# SPDX-License-Identifier: BSD-3-Clause
#
# Where an installed FTMPI has what. `make install` writes the places of the installation here
# (libexec/install.pl); what stands below is where they are when none was chosen.
package FTMPI::Places;

use strict;
use warnings;

# From the folder of the modules to the prefix; and from the prefix on, unless they begin with /.
use constant {
	UP      => '../..',
	INCLUDE => 'include',
	LIB     => 'lib',
	FORTRAN => 'include',
};

# The prefix; in the source tree its top.
sub root
{
	my ($modules) = __FILE__ =~ m{\A(.*)/FTMPI/[^/]+\z}s;
	$modules //= '.';
	return $modules =~ m{\A(.*)/[^/.]+/[^/.]+\z}s && UP eq '../..' ? $1 : "$modules/" . UP;
}

# FTMPI in its source tree, not installed.
sub is_source { return -d "$_[0]/bin/lib/FTMPI" }

# Absolute, for this prefix.
sub below
{
	my ($root, $place) = @_;
	return $place =~ m{^/} ? $place : "$root/$place";
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# How much lies in a pipe, written and not read yet.
package FTMPI::Unread;

use strict;
use warnings;

# Of Linux; perl does not have it.
use constant FIONREAD => 0x541b;

# Bytes, or undef: this is no pipe.
sub bytes
{
	my ($handle) = @_;
	my $unread = pack 'i', 0;
	return ioctl($handle, FIONREAD, $unread) ? unpack 'i', $unread : undef;
}

1;

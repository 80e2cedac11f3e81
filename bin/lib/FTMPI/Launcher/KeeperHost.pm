# SPDX-License-Identifier: BSD-3-Clause
#
# A host for the keeper of a job (-keeper-hosts): this one, or another one, which ssh reaches. There FTMPI and the work directory
# have to be where they are here. Pure.
package FTMPI::Launcher::KeeperHost;

use strict;
use warnings;

# The address at which a host was reached is one at which others reach it, too, so the keeper listens there. It goes through a
# shell of unknown kind as one single-quoted word: no single quote, no exclamation mark, no line end in it.
my $SHELL = 'h=${SSH_CONNECTION#* }; h=${h#* }; h=${h% *};'
	. ' test -n "$h" || { echo "ssh does not tell at which address it was reached (SSH_CONNECTION)" >&2; exit 1; };'
	. ' exec "$@" -listen "$h"';

sub here { my ($class) = @_; return bless { name => 'this host', local => 1 }, $class }

# name; local: it is this one; ssh => [words].
sub new { my ($class, %arg) = @_; return bless { %arg }, $class }

sub name { return $_[0]{name} }

sub is_here { return $_[0]{local} }

# What starts the keeper there: its words, with -listen if it is known where.
sub command
{
	my ($self, @keeper) = @_;
	return @keeper if $self->{local};
	my @before = (grep { $_ eq '-listen' } @keeper) ? 'exec' : "exec sh -c '$SHELL' ftmpi-keeper";
	return (@{ $self->{ssh} }, $self->{name}, join ' ', @before, map { "'" . s/'/'\\''/gr . "'" } @keeper);
}

1;

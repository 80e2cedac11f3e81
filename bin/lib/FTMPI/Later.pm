# SPDX-License-Identifier: BSD-3-Clause
#
# Code that an ordinary start does not need, and does not wait for perl to compile: it is compiled when the first of its subs is
# called, or by a launcher whose job has run for a while, one package after the other (one()). (Hours into the job the files might not be
# there any more, or be another version's.)
#
#	use FTMPI::Later qw(FTMPI::Launcher::Checkpoints);    # in place of use FTMPI::Launcher::Checkpoints ();
#	use FTMPI::Later rest => qw(Failures);                # more subs of this package are in its folder, in Failures.pm
#
# Constants of such a module are called with parentheses.
package FTMPI::Later;

use strict;
use warnings;

use FTMPI::Error ();

our $AUTOLOAD;

# Packages whose subs are compiled later, with the files that have them.
my %files;

sub import
{
	my ($class, @names) = @_;
	my $is_rest = @names && $names[0] eq 'rest' && shift @names;
	my $caller  = caller;
	for my $name (@names) {
		my $package = $is_rest ? $caller : $name;
		my $file    = ($is_rest ? "${caller}::$name" : $name) =~ s{::}{/}gr . '.pm';
		next if $INC{$file};
		push @{ $files{$package} }, $file;
		no strict 'refs';
		*{"${package}::AUTOLOAD"} = \&_missing;
	}
	return;
}

# The sub that was called is there when its package is.
sub _missing
{
	my ($package, $name) = $AUTOLOAD =~ /^(.*)::(.*)/;
	return if $name eq 'DESTROY';
	{
		local ($@, $!, $?);
		eval { _load($package); 1 } or FTMPI::Error::failed('a part of the program cannot be loaded (was its installation removed, or replaced?): ' . FTMPI::Error::clean($@));
	}
	my $sub = $package->can($name) or die "there is no $AUTOLOAD\n";
	goto &$sub;
}

sub _load
{
	my ($package) = @_;
	my $files = $files{$package} or return;
	require $_ for @$files;
	delete $files{$package};
	no strict 'refs';
	delete ${"${package}::"}{AUTOLOAD};
	return;
}

# Packages that one() could not compile, as their files are not there any more: they are missed only when they are called.
my %missing;

# Compile one package, which may name more, of those whose names match. False when none is left for later.
sub one
{
	my ($names) = @_;
	my ($package) = grep { !$missing{$_} && /$names/ } sort keys %files;
	return 0 if !defined $package;
	local $@;
	$missing{$package} = !eval { _load($package); 1 };
	return 1;
}

# Nothing is left for later.
sub all
{
	1 while one(qr/./);
	return;
}

1;

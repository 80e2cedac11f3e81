# SPDX-License-Identifier: BSD-3-Clause
#
# Code that an ordinary start does not need, and does not wait for perl to compile: it is compiled when the first of its subs is
# called, or by all(), which a launcher calls as soon as its job has run for a while. (Hours into the job the files might not be
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

# Nothing is left for later. What this compiles may name more. What cannot be compiled, as its files are not there any more, is
# missed only when it is called.
sub all
{
	my %tried;
	while (defined(my $package = (grep { !$tried{$_} } sort keys %files)[0])) {
		local $@;
		$tried{$package} = 1;
		eval { _load($package) };
	}
	return;
}

1;

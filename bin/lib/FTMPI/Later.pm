# SPDX-License-Identifier: BSD-3-Clause
#
# Code that an ordinary start does not need, and does not wait for perl to compile: it is compiled when the first of its subs is
# called. A launcher whose job has run for a while reads it, one package after the other (read_one()): hours into the job the files might not be
# there any more, or be another version's. To compile it then would take a processor for several times as long from a rank that computes.
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

# Packages that read_one() has dealt with; where their files could not be read, they are missed only when they are called.
my %is_read;

# Files that were read, as [path, text], by their names as in %INC: perl asks _text() for them before it looks for files.
my %texts;

sub _text
{
	my ($hook, $file) = @_;
	my ($path, $text) = @{ $texts{$file} // return };
	$text = "#line 1 \"$path\"\n$text";
	return \$text;
}

# Read the files of one package, of those whose names match, with all that they use. False when there is none left.
sub read_one
{
	my ($names) = @_;
	my ($package) = grep { !$is_read{$_} && /$names/ } sort keys %files;
	return 0 if !defined $package;
	local ($@, $!);
	unshift @INC, \&_text if !%is_read;
	$is_read{$package} = 1;
	_read($_, $names) for @{ $files{$package} };
	return 1;
}

# With the modules that it uses, at once or later, and those of ours that it requires. Modules that are not ours are loaded.
sub _read
{
	my ($file, $names) = @_;
	return if $INC{$file} || $texts{$file};
	my ($path) = grep { -f } map { ref ? () : "$_/$file" } @INC or return;
	open my $in, '<:raw', $path or return;
	my $text = do { local $/; <$in> };
	$texts{$file} = [ $path, $text ];
	my ($package) = $text =~ /^package ([\w:]+);/m or return;
	my @used = $text =~ /\brequire (FTMPI::[\w:]+);/g;
	while ($text =~ /^use ([A-Z][\w:]*)([^;]*);/mg) {
		my ($module, $words) = ($1, $2);
		push @used, $module eq __PACKAGE__ ? grep { /$names/ } _later_of($package, $words) : $module;
	}
	for my $module (@used) {
		my $its = $module =~ s{::}{/}gr . '.pm';
		$module =~ /^FTMPI::/ ? _read($its, $names) : eval { require $its };
	}
	return;
}

# The modules of such words in a file of this package.
sub _later_of
{
	my ($package, $words) = @_;
	my ($is_rest, $list) = $words =~ /^\s*(rest\s*=>)?\s*qw\(([^)]*)\)/ or return;
	return map { $is_rest ? "${package}::$_" : $_ } split ' ', $list;
}

# Nothing is left for later.
sub all
{
	my %failed;
	while (my ($package) = grep { !$failed{$_} } sort keys %files) {
		local $@;
		$failed{$package} = !eval { _load($package); 1 };
	}
	return;
}

1;

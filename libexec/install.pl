#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# install.pl install|uninstall NAME=VALUE...: what `make install` and `make uninstall` do. Places are absolute:
# PREFIX, LIBDIR, INCLUDEDIR, FORTRANDIR, ABIDIR, DATADIR, MANDIR, DOCDIR; all of them are below DESTDIR meanwhile. B is
# the folder of what was built; FORTRAN says whether that has the Fortran library; MPI_NAMES puts mpicc and the
# like in bin.
#
# DATADIR/ftmpi/installed lists every file, and every folder that was not there before; it is written before
# anything is made, so that an installation that was broken off can be taken away, too. Uninstalling removes what the
# list has: a folder only when it is empty, a link only when it still points to the same file.
use strict;
use warnings;

use Errno          ();
use Fcntl          qw(O_CREAT O_EXCL O_WRONLY);
use File::Basename qw(dirname);
use File::Spec     ();

use constant LIST_MOST => 1 << 20;    # bytes of the list of what is installed

my @PLACES = qw(PREFIX LIBDIR INCLUDEDIR FORTRANDIR ABIDIR DATADIR MANDIR DOCDIR);

# The commands that every MPI has, and whose they are here.
my %COMMAND = (
	(map { $_ => 'ftmpicc' } qw(mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90)),
	(map { $_ => 'ftmpirun' } qw(mpiexec mpirun)),
);

# Files that another MPI may have in the same folder, and the one of ours that is beside them.
my %OF_EVERY_MPI = ('mpi.h' => 'ftmpi.h', 'mpif.h' => 'ftmpif.h', 'mpi.mod' => 'ftmpi.mod', 'mpi_f08.mod' => 'ftmpi_f08.mod');

sub failed { print STDERR "$_[0]\n"; exit 1 }

sub read_file
{
	my ($path) = @_;
	open my $in, '<:raw', $path or failed("cannot read $path: $!");
	local $/;
	return readline($in) // '';
}

# Written beside it first: a running job may have the old file mapped.
sub write_file
{
	my ($path, $mode, $bytes) = @_;
	my $new = "$path.ftmpi-new";
	unlink $new;
	sysopen my $out, $new, O_WRONLY | O_CREAT | O_EXCL or failed("cannot write $new: $!");
	print {$out} $bytes or failed("cannot write $new: $!");
	close $out          or failed("cannot write $new: $!");
	chmod($mode, $new) && rename $new, $path or failed("cannot write $path: $!");
	return;
}

sub write_link
{
	my ($path, $target) = @_;
	unlink "$path.ftmpi-new";
	symlink($target, "$path.ftmpi-new") && rename "$path.ftmpi-new", $path or failed("cannot make the link $path: $!");
	return;
}

# ---- what is installed ----

# To a path, from a folder: with it a tree can be moved.
sub way
{
	my ($to, $from) = @_;
	return File::Spec->abs2rel($to eq '' ? '/' : $to, $from);
}

# From the prefix on where it is below that.
sub from_prefix
{
	my ($at, $path) = @_;
	return $path =~ s{^\Q$at->{PREFIX}\E/}{}r;
}

# A folder of the system, in which programs find libraries anyway.
sub is_searched { return $_[0] =~ m{^(?:/usr)?/lib(?:32|64)?(?:/[a-z0-9_]+-linux-[a-z0-9]+)?\z} }

# A template with @NAME@ in it.
sub filled
{
	my ($template, %value) = @_;
	return read_file($template) =~ s/\@(\w+)\@/$value{$1} \/\/ failed("$template asks for $1, which nobody knows")/gre;
}

sub pc_file
{
	my ($at, $include, $libraries, $flags) = @_;
	my ($lib, $of) = map { m{^/} ? $_ : "\${prefix}/$_" } map { from_prefix($at, $_) } $at->{LIBDIR}, $include;
	return filled('ftmpi.pc.in', PREFIX => $at->{PREFIX}, LIBDIR => $lib, INCLUDEDIR => $of, VERSION => $at->{VERSION}, CFLAGS => $flags,
		LIBS => join ' ', is_searched($at->{LIBDIR}) ? () : '-Wl,-rpath,${libdir}', $libraries);
}

# FTMPI::Places with the places of this installation.
sub places_module
{
	my ($at) = @_;
	my $text = read_file('bin/lib/FTMPI/Places.pm');
	my %value = (UP => way($at->{PREFIX}, "$at->{DATADIR}/ftmpi"), map { ($_ => from_prefix($at, $at->{"${_}DIR"})) } qw(INCLUDE LIB FORTRAN));
	for my $name (sort keys %value) {
		$value{$name} =~ s/([\\'])/\\$1/g;
		$text =~ s/^(\s*$name\s*=>\s*)'[^']*'/$1'$value{$name}'/m or failed("bin/lib/FTMPI/Places.pm has no $name");
	}
	return $text;
}

# A command with the way from it to its modules.
sub command_text
{
	my ($at, $path) = @_;
	my $way = way("$at->{DATADIR}/ftmpi", "$at->{PREFIX}/bin");
	my $text = read_file($path);
	$text =~ s{\.\./share/ftmpi}{$way}g or failed("$path does not say where its modules are");
	return $text;
}

# Everything, by its path: a file with mode and bytes (`from` names the file that has them), or a link.
sub table
{
	my ($at) = @_;
	my ($prefix, $lib, $share, $man) = @$at{qw(PREFIX LIBDIR DATADIR MANDIR)};
	my $names = "$prefix/libexec/ftmpi";
	my %made;
	my $file = sub { my ($to, $mode, @from) = @_; $made{ "$to/" . s{.*/}{}sr } = { mode => $mode, from => $_ } for @from; return };
	my $text = sub { my ($path, $mode, $bytes) = @_; $made{$path} = { mode => $mode, bytes => $bytes }; return };
	my $link = sub { my ($path, $target) = @_; $made{$path} = { link => way($target, dirname($path)) }; return };

	$text->("$prefix/bin/$_", 0755, command_text($at, "bin/$_")) for qw(ftmpirun ftmpicc ftmpi-top ftmpi-report);
	$file->("$prefix/bin", 0755, "$at->{B}/bin/ftmpi-ckpt");
	$link->("$prefix/bin/$_", "$prefix/bin/ftmpicc") for 'ftmpicxx', $at->{FORTRAN} ? 'ftmpifort' : ();
	$file->($names, 0755, "$at->{B}/bin/ftmpi-keeper");
	$file->("$share/ftmpi/" . s{^bin/lib/|/[^/]+\z}{}gr, 0644, $_) for glob 'bin/lib/FTMPI/*.pm bin/lib/FTMPI/*/*.pm bin/lib/FTMPI/*/*/*.pm';
	$file->("$share/ftmpi/python", 0644, 'lib/python/ftmpi.py');
	$text->("$share/ftmpi/FTMPI/Places.pm", 0644, places_module($at));

	$file->($at->{INCLUDEDIR}, 0644, 'include/mpi.h', 'include/ftmpi.h');
	$file->($lib, 0755, "$at->{B}/lib/libftmpi.so.0");
	$file->($lib, 0644, "$at->{B}/lib/libftmpi.a");
	$link->("$lib/libftmpi.so", "$lib/libftmpi.so.0");
	$link->("$at->{ABIDIR}/libmpi_abi.so.1", "$lib/libftmpi.so.0");
	$text->("$lib/pkgconfig/ftmpi.pc", 0644, pc_file($at, $at->{INCLUDEDIR}, '-lftmpi', ''));
	$link->("$names/pkgconfig/ompi-$_.pc", "$lib/pkgconfig/ftmpi.pc") for qw(c cxx);
	my $cmake = "$lib/cmake/FTMPI";
	my %way = map { $_ => way(/BIN/ ? "$prefix/bin" : $at->{$_}, $cmake) } qw(LIBDIR INCLUDEDIR FORTRANDIR BINDIR);
	my $pointer = substr(read_file("$at->{B}/lib/libftmpi.so.0"), 4, 1) eq "\2" ? 8 : 4;    # EI_CLASS
	$text->("$cmake/$_.cmake", 0644, filled("libexec/cmake/$_.cmake.in", VERSION => $at->{VERSION}, POINTER => $pointer, %way)) for qw(FTMPIConfig FTMPIConfigVersion);

	if ($at->{FORTRAN}) {
		$file->($at->{FORTRANDIR}, 0644, map { "$at->{B}/include/$_" } qw(mpif.h ftmpif.h ftmpi_types.mod mpi.mod mpi_f08.mod ftmpi.mod ftmpi_f08.mod));
		$file->($lib, 0755, "$at->{B}/lib/libftmpifort.so.0");
		$file->($lib, 0644, "$at->{B}/lib/libftmpifort.a");
		$link->("$lib/libftmpifort.so", "$lib/libftmpifort.so.0");
		$text->("$lib/pkgconfig/ftmpifort.pc", 0644, pc_file($at, $at->{FORTRANDIR}, '-lftmpifort -lftmpi', '-fallow-argument-mismatch'));
		$link->("$names/pkgconfig/ompi-fort.pc", "$lib/pkgconfig/ftmpifort.pc");
		$text->("$cmake/FTMPIFortran.cmake", 0644, filled('libexec/cmake/FTMPIFortran.cmake.in', %way));
	}

	$file->("$man/man1",                 0644, glob 'doc/man/*.1');
	$file->("$man/man7",                 0644, glob 'doc/man/*.7');
	$file->("$man/man3",                 0644, glob "$at->{B}/man/man3/*.3");
	$file->("$at->{DOCDIR}",             0644, 'LICENSE', glob 'doc/*.md');
	$file->("$at->{DOCDIR}/examples",    0644, glob 'examples/*.*');
	$link->("$man/man1/ftmpicxx.1", "$man/man1/ftmpicc.1");
	my $words = "$share/bash-completion/completions";
	$file->($words, 0644, map { "$at->{B}/completions/$_" } qw(ftmpirun ftmpi-ckpt ftmpi-report ftmpi-top ftmpicc));
	$link->("$words/$_", "$words/ftmpicc") for 'ftmpicxx', $at->{FORTRAN} ? 'ftmpifort' : ();
	for my $name (sort keys %COMMAND) {
		my $page = ($name =~ /^mpif/ ? 'ftmpifort' : $COMMAND{$name}) . '.1';
		$link->("$names/bin/$name",              "$prefix/bin/$COMMAND{$name}");
		$link->("$names/share/man/man1/$name.1", "$man/man1/$page");
		$link->("$names/share/bash-completion/completions/$name", "$words/$COMMAND{$name}");
		next if !$at->{MPI_NAMES};
		$link->("$prefix/bin/$name",   "$prefix/bin/$COMMAND{$name}");
		$link->("$man/man1/$name.1", "$man/man1/$page");
		$link->("$words/$name",        "$words/$COMMAND{$name}");
	}
	return \%made;
}

# ---- the list of what is installed ----

# The same path, or one in that folder.
sub is_below
{
	my ($path, $folder) = @_;
	return index("$path/", $folder =~ s{/?\z}{/}r) == 0;
}

sub list_path { return "$_[0]{DATADIR}/ftmpi/installed" }

# Path => 'file', 'folder' or the target of a link. What the list says is looked at: it may be any file.
sub read_list
{
	my ($at) = @_;
	my $path = $at->{DESTDIR} . list_path($at);
	return {} if !-e $path;
	failed("$path is no list of what is installed: remove it")                 if !-f _;
	failed("$path is too long for a list of what is installed: remove it") if -s _ > LIST_MOST;
	my @roots = map { $at->{$_} } @PLACES;
	my %entry;
	for my $line (split /\n/, read_file($path)) {
		next if $line =~ /^#/;
		my ($what, $name, $target) = $line =~ m{^(file|folder|link)\t(/[^\t]*)(?:\t([^\t]+))?\z};
		my $in = defined $name && $name !~ m{/\.\.?(?:/|\z)} && grep { is_below($name, $_) || $what eq 'folder' && is_below($_, $name) } @roots;
		failed("$path has a line that `make install` did not write with these places: $line") if !$in || ($what eq 'link') != defined $target;
		$entry{$name} = $target // $what;
	}
	return \%entry;
}

sub write_list
{
	my ($at, $entry) = @_;
	my $text = "# what `make install` of FTMPI $at->{VERSION} made, for `make uninstall`\n";
	for my $path (sort keys %$entry) {
		my $what = $entry->{$path};
		$text .= $what =~ /^(?:file|folder)\z/ ? "$what\t$path\n" : "link\t$path\t$what\n";
	}
	write_file($at->{DESTDIR} . list_path($at), 0644, $text);
	return;
}

# ---- installing ----

# The folders of these paths that are not there, each before those in it; '/' is DESTDIR.
sub missing_folders
{
	my ($at, @paths) = @_;
	my %missing;
	for my $path (@paths) {
		for (my $folder = dirname($path); !-d "$at->{DESTDIR}$folder"; $folder = dirname($folder)) {
			$missing{$folder} = 1;
			last if $folder eq '/';
		}
	}
	return sort keys %missing;
}

sub make_folders
{
	my ($at, @folders) = @_;
	for my $folder (map { "$at->{DESTDIR}$_" } @folders) {
		next if -d $folder;
		mkdir($folder) && chmod 0755, $folder or failed("cannot make $folder: $!");
	}
	return;
}

# What another MPI has at this path.
sub is_foreign
{
	my ($path) = @_;
	my ($folder, $name) = $path =~ m{^(.*)/([^/]*)\z};
	return 0 if !-e $path && !-l $path;
	return !-e "$folder/$OF_EVERY_MPI{$name}" if $OF_EVERY_MPI{$name};
	return 0 if $name ne 'libmpi_abi.so.1' && !$COMMAND{ $name =~ s/\.1\z//r };
	return !(-l $path && readlink($path) =~ m{(?:^|/)(?:lib)?ftmpi[^/]*\z});
}

sub install
{
	my ($at) = @_;
	my $made = table($at);
	my $old  = read_list($at);
	for my $path (sort keys %$made) {
		my $there = "$at->{DESTDIR}$path";
		failed("$there is another MPI's: remove that, or install " . ($COMMAND{ $path =~ s{.*/|\.1\z}{}gr } ? 'without MPI_NAMES' : 'with another PREFIX'))
			if !$old->{$path} && is_foreign($there);
		failed("$there is a folder, and a file is to be there: remove it") if -d $there && !-l $there;
	}
	if (length $at->{DESTDIR} && !-d dirname($at->{DESTDIR})) {
		require File::Path;
		File::Path::make_path(dirname($at->{DESTDIR}));
	}
	my @folders = missing_folders($at, keys %$made, list_path($at));
	my %list    = (
		list_path($at) => 'file',
		(map { $_ => $made->{$_}{link} // 'file' } keys %$made),
		(map { $_ => 'folder' } @folders, grep { $old->{$_} eq 'folder' } keys %$old),
	);
	make_folders($at, grep { is_below(list_path($at), $_) } @folders);
	write_list($at, { %$old, %list });
	make_folders($at, @folders);
	for my $path (sort keys %$made) {
		my $item = $made->{$path};
		if (defined $item->{link}) {
			write_link("$at->{DESTDIR}$path", $item->{link});
		} else {
			write_file("$at->{DESTDIR}$path", $item->{mode}, $item->{bytes} // read_file($item->{from}));
		}
	}
	my %gone = map { $_ => $old->{$_} } grep { !$list{$_} || $old->{$_} eq 'folder' } keys %$old;
	remove($at, \%gone);
	delete $list{$_} for grep { $list{$_} eq 'folder' && !-d "$at->{DESTDIR}$_" } keys %list;
	write_list($at, \%list);
	print "installed: " . keys(%$made) . " files, which " . $at->{DESTDIR} . list_path($at) . " lists\n";
	return 0;
}

# ---- uninstalling ----

# Whether all that was there is gone, but for what is not ours.
sub remove
{
	my ($at, $entry) = @_;
	my $well = 1;
	for my $path (reverse sort keys %$entry) {
		my ($there, $what) = ("$at->{DESTDIR}$path", $entry->{$path});
		unlink "$there.ftmpi-new" if $what ne 'folder';
		next if !-e $there && !-l $there;
		if ($what eq 'folder') {
			rmdir $there or $!{ENOTEMPTY} || $!{EEXIST} or ($well = 0, print STDERR "cannot remove $there: $!\n");
		} elsif ($what eq 'file' ? -l $there : (readlink($there) // '') ne $what) {
			print STDERR "$there stays: it is not what `make install` made\n";
		} elsif (!unlink $there) {
			$well = 0;
			print STDERR "cannot remove $there: $!\n";
		}
	}
	return $well;
}

sub uninstall
{
	my ($at) = @_;
	my $path = list_path($at);
	failed("nothing is uninstalled: there is no $at->{DESTDIR}$path, which `make install` writes with the same PREFIX, DATADIR and DESTDIR")
		if !-e "$at->{DESTDIR}$path";
	my $entry = read_list($at);
	# the list goes last but for its folders, and stays as long as there is something to remove
	my %above = map { $_ => delete $entry->{$_} } $path, grep { $entry->{$_} eq 'folder' && is_below($path, $_) } keys %$entry;
	my $well = remove($at, $entry) && remove($at, \%above);
	return $well ? 0 : 1;
}

# ---- the arguments ----

sub main
{
	my ($what, @words) = @_;
	my %at = (DESTDIR => '', map { /^(\w+)=(.*)\z/s ? ($1 => $2) : failed("not NAME=VALUE: $_") } @words);
	for my $name (@PLACES, 'DESTDIR') {
		my $path = $at{$name} // failed("$name is not given");
		failed("$name is '$path', which has to be an absolute path") if $path !~ m{^/} && !($name eq 'DESTDIR' && $path eq '');
		failed("$name has a tab or a line end in it")                 if $path =~ /[\t\n]/;
		failed("$name has .. in it: write the path without")         if $path =~ m{/\.\.(?:/|\z)};
		$at{$name} = $path =~ s{/(?:\.?/)+}{/}gr =~ s{/\.?\z}{}r;
	}
	$at{MPI_NAMES} = 0 if ($at{MPI_NAMES} // '') =~ /^0?\z/;
	return install(\%at)   if $what eq 'install';
	return uninstall(\%at) if $what eq 'uninstall';
	failed("install.pl install|uninstall, not $what");
}

exit main(@ARGV);

# SPDX-License-Identifier: BSD-3-Clause
#
# Files in which the output of ranks goes, in place of standard output and standard error of ftmpirun. They are written here, on
# ftmpirun's host, so that what a rank prints again is left out as it is of standard output. All of them are there, and empty, before
# anything is started. MOST of them are open at a time; each is written at its end.
package FTMPI::Launcher::OutputFiles;

use strict;
use warnings;

use Errno qw(EINTR EMFILE ENFILE);
use Fcntl qw(O_APPEND O_CREAT O_NONBLOCK O_TRUNC O_WRONLY);
use File::Basename ();

use FTMPI::Error ();

use constant MOST => 32;

# size: number of ranks; patterns: by the number of the stream, with %r for the rank; width: digits of a rank at least; appends: what is there
# stays. Ends in a FTMPI::Error where a file cannot be written.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, handles => {}, gone => {} }, $class;
	my (%seen, %folders);
	for my $rank (0 .. $arg{size} - 1) {
		for my $path (map { $self->_path($rank, $_) } sort keys %{ $arg{patterns} }) {
			next if $seen{$path}++;
			my $folder = File::Basename::dirname($path);
			_make_folder($folder) if !$folders{$folder}++;
			my $handle = _open($path, $arg{appends} ? 0 : O_TRUNC) // FTMPI::Error::usage("cannot write to the file $path: $!");
			FTMPI::Error::usage("cannot write to $path: it is no file") if !-f $handle && (!-c _ || -t $handle);
		}
	}
	return $self;
}

sub _make_folder
{
	my ($folder) = @_;
	return if -d $folder;
	require File::Path;
	File::Path::make_path($folder, { error => \my $errors });
	my ($why) = map { values %$_ } @$errors;
	FTMPI::Error::usage("the folder $folder cannot be made: $why") if defined $why;
	return;
}

# A pipe that nobody reads is refused, and not waited for.
sub _open
{
	my ($path, $how) = @_;
	my $opened = sysopen my $handle, $path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | $how, 0666;
	return $opened ? $handle : undef;
}

# Whether this stream goes into files.
sub has { my ($self, $stream) = @_; return defined $self->{patterns}{$stream} }

sub _path
{
	my ($self, $rank, $stream) = @_;
	my %value = (r => sprintf('%0*d', $self->{width} // 1, $rank), '%' => '%');
	return $self->{patterns}{$stream} =~ s/%([r%])/$value{$1}/gr;
}

# Returns nothing, or the file that cannot be written and why, once for each file.
sub write
{
	my ($self, $rank, $stream, $text) = @_;
	my $path = $self->_path($rank, $stream);
	return if $self->{gone}{$path};
	my $handle = $self->_handle($path) // return $self->_fails($path);
	while (length $text) {
		my $n = syswrite $handle, $text;
		next if !defined $n && $!{EINTR};
		return $self->_fails($path) if !defined $n;
		substr $text, 0, $n, '';
	}
	return;
}

sub _handle
{
	my ($self, $path) = @_;
	my $handles = $self->{handles};
	return $handles->{$path} if $handles->{$path};
	%$handles = () if keys %$handles >= MOST;
	my $handle = _open($path, 0);
	if (!$handle && ($!{EMFILE} || $!{ENFILE}) && %$handles) {
		%$handles = ();
		$handle = _open($path, 0);
	}
	return $handle && ($handles->{$path} = $handle);
}

sub _fails
{
	my ($self, $path) = @_;
	my $why = "$!";
	$self->{gone}{$path} = 1;
	delete $self->{handles}{$path};
	return ($path, $why);
}

1;

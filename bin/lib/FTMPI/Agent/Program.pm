# SPDX-License-Identifier: BSD-3-Clause
#
# The program's file on one host, held open from the start of the job: what is executed later is what
# the job began with, whatever has its name by then. A file that was changed in place cannot be had
# back, and one that may be executed but not read cannot be held: then its name has to lead to the
# same file as before.
package FTMPI::Agent::Program;

use strict;
use warnings;

use Time::HiRes ();

use FTMPI::Agent::Spawn ();

# Bytes of a file that its identity covers, beside its size; bytes of one sum.
use constant { COVERED_MAX => 256 << 20, PIECE => 4096, READ => 1 << 20 };

# With the environment and in the working directory of the job, or of its part; wdir names that, if the path is
# to lead there from elsewhere.
sub hold
{
	my ($class, $name, $wdir) = @_;
	my $self = bless { name => $name, id => '' }, $class;
	$self->{path} = FTMPI::Agent::Spawn::find_program($name);
	if (!defined $self->{path}) {
		$self->{why} = "cannot run $name: $!";
		return $self;
	}
	$self->{path} = "$wdir/$self->{path}" if defined $wdir && $self->{path} !~ m{^/};
	$self->{first} = [ _state($self->{path}) ];
	if (open my $file, '<:raw', $self->{path}) {
		$self->{file}  = $file;
		$self->{first} = [ _state($file) ];
		$self->{id}    = $self->_sum // '';
	}
	return $self;
}

sub name { return $_[0]{name} }

# Where it was found, or nothing.
sub path { return $_[0]{path} }

# What it holds: the same on hosts that have the same; '' when that cannot be known.
sub id { return $_[0]{id} }

# device:inode of what is executed.
sub file_id { return $_[0]{first}[0] }

# Device and inode, size, time of change.
sub _state
{
	my ($file) = @_;
	my @stat = Time::HiRes::stat($file) or return;
	return ("$stat[0]:$stat[1]", @stat[ 7, 9 ]);
}

# The path to execute, or nothing; then why() says why not.
sub executable
{
	my ($self) = @_;
	return if defined $self->{why};
	my @named = _state($self->{path});
	if (!$self->{file}) {
		return $self->{path} if "@named" eq "@{ $self->{first} }";
		$self->{why} = "cannot run $self->{name}: it was replaced while the job ran, and may not be read, so"
			. ' that what the job began with was not kept';
		return;
	}
	$self->_check_held or return;
	return $self->{path} if @named && $named[0] eq $self->file_id;
	return "/proc/$$/fd/" . fileno $self->{file};
}

sub why { return $_[0]{why} }

# What is held is as it was.
sub _check_held
{
	my ($self) = @_;
	my @now = _state($self->{file});
	return 1 if @now && "@now" eq "@{ $self->{first} }";
	if (@now && ($self->_sum // '') eq $self->{id}) {
		$self->{first} = \@now;
		return 1;
	}
	$self->{why} = "cannot run $self->{name}: " . (@now ? 'its file was changed in place while the job ran' : "$!");
	return 0;
}

# Its size and a sum in which each word and its place count: against mistakes, not against malice.
# (What a host's perl comes with differs: no module is needed.)
sub _sum
{
	my ($self) = @_;
	my $file = $self->{file};
	sysseek $file, 0, 0 or return;
	my ($sum, $left, $bytes) = (0, COVERED_MAX);
	while ($left > 0) {
		my $n = sysread $file, $bytes, READ;
		return if !defined $n;
		last   if !$n;
		$left -= $n;
		$bytes .= "\0" x (-$n % 4);
		use integer;
		for (my $at = 0; $at < length $bytes; $at += PIECE) {
			$sum = ($sum * 1000003 + unpack '%32V*', substr $bytes, $at, PIECE) & (1 << 47) - 1;
		}
	}
	return (-s $file) . sprintf '-%x', $sum;
}

1;

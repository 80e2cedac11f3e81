# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::StopAt;

# Signals that come at chosen moments of ftmpirun's life, without a word about it in ftmpirun: this
# module is loaded into its perl by PERL5OPT and puts a call of its own before every sub. A moment
# is the call of a sub, by its number since the last shot, or the first of that name. Every shot, and
# every call after 'list', is written to a file: so the test knows all moments, and which came.
#
#	env => stop_at($file, 'list')
#	env => stop_at($file, 'INT:group:FTMPI::Launcher::Stdin::new', 'INT:self:120')

use strict;
use warnings;

use Exporter ();

our @EXPORT_OK = qw(stop_at moments of_a_job);

# The environment that brings this about.
sub stop_at
{
	my ($file, @shots) = @_;
	die "$file cannot stand in PERL5OPT\n" if $file =~ /[\s,;]/;
	unlink $file;
	return {PERL5OPT => join ',', "-MFTMPI::Test::StopAt=$file", @shots};
}

# What was written: names of subs.
sub moments
{
	my ($file) = @_;
	open(my $in, '<', $file) or return ();
	chomp(my @names = <$in>);
	return @names;
}

# Those of them that are subs of what starts processes, talks to them, waits for them and ends them.
sub of_a_job { return grep { /::Launcher::(?:(?:Fleet|AgentLink|Inbox|Patience|Workdir)::)?\w+\z/ } @_ }

# ---- in the launcher ----

my ($owner, $file, @shots);
my $calls = 0;

# From PERL5OPT the first word is a file.
sub import
{
	my (undef, @arg) = @_;
	goto &Exporter::import if !@arg || $arg[0] !~ m{/};
	delete $ENV{PERL5OPT};
	return if $0 !~ m{(?:^|/)ftmpirun\z};
	($owner, $file, @shots) = ($$, @arg);
	$_ = [split /:/, $_, 3] for @shots;
	return;
}

# The launcher has made its early agent, which is none of this; everything is compiled, what is compiled later else (FTMPI::Later) now, and
# nothing else has run yet. Constants are inlined, and so never called.
sub wrap_all
{
	require FTMPI::Cli;
	FTMPI::Later::all();
	wrap($_) for map { m{^FTMPI/(?!Test/)([\w/]+)\.pm\z} ? 'FTMPI::' . $1 =~ s{/}{::}gr : () } sort keys %INC;
	return;
}

INIT {
	if (defined $owner) {
		my $start = \&FTMPI::Launcher::EarlyAgent::start;
		no warnings 'redefine';
		*FTMPI::Launcher::EarlyAgent::start = sub { $start->(@_); wrap_all() };
	}
}

sub wrap
{
	my ($package) = @_;
	no strict 'refs';
	no warnings 'redefine';
	for my $name (map { "${package}::$_" } sort keys %{"${package}::"}) {
		next if !defined &$name || defined prototype $name || $name =~ /::AUTOLOAD\z/;
		my $code = \&$name;
		*$name = sub { moment($name); goto &$code };
	}
	return;
}

# Numbers count calls of the launcher itself; what has a name may also be in a child of it.
sub moment
{
	my ($name) = @_;
	my $shot = $shots[0] // return;
	my ($signal, $whom, $where) = @$shot;
	if ($signal eq 'list') {
		note($name) if $$ == $owner;
		return;
	} elsif ($where =~ /^\d+\z/) {
		return if $$ != $owner || ++$calls < $where;
	} elsif ($name ne $where) {
		return;
	}
	shift @shots;
	$calls = 0;
	note($name);
	kill $signal, $whom eq 'group' ? -getpgrp($owner) : $owner;
	return;
}

sub note
{
	my ($name) = @_;
	open(my $out, '>>', $file) or die "$file: $!\n";
	syswrite($out, "$name\n");
	return;
}

1;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# arrows.pl [-circles] TOP [OBJECTS]
#
# Folders are layers (doc/design.md): what includes what, and with OBJECTS (the folder of what was
# compiled) what needs what, goes downwards only. That holds between the folders of lib, and between
# the rooms of lib/mpi. Files of one folder may need each other in a circle only as far as CIRCLES
# says; one over two folders is an arrow upwards. -circles prints all of them. What goes by a pointer
# to a function is not seen, and is the way for what stands below to reach up.
# Of the launcher's modules in bin/lib/FTMPI, what one uses or calls by name.
use strict;
use warnings;

# folder of lib => the folders below that it may know
my %MAY = (
	base      => [],
	transport => ['base'],
	heartbeat => ['base'],
	ckpt      => ['base'],
	launch    => ['base'],
	image     => ['base'],
	coord     => ['base'],
	keeper    => ['base'],
	mpi       => [qw(base launch transport heartbeat coord ckpt image keeper)],
	fortran   => [],    # over mpi.h and ftmpi.h alone
);

# the rooms of lib/mpi, from the roof to the floor: each may know all that stand below it
my @ROOMS = qw(tools bindings init recovery rma construct coll p2p comm type handle engine sched);
my %STOREY = map { $ROOMS[$_] => $_ } 0 .. $#ROOMS;

# folder => how many of its files are in circles: what is left to be opened. It only becomes less.
my %CIRCLES = (
);

# folder of bin/lib/FTMPI => the folders that its modules may use beside their own. Shared is what lies in
# none, but for the door of each folder: Agent.pm is of Agent.
my %MODULES_MAY = (
	Shared   => [],
	Agent    => ['Shared'],
	Launcher => ['Shared'],
	Cli      => [qw(Launcher Shared)],
	Report   => [qw(Cli Launcher Shared)],
);

my $bad = 0;

sub wrong
{
	my ($text) = @_;
	print "$text\n";
	$bad++;
	return;
}

# "lib/mpi/p2p/match.c", or its object: (mpi, p2p); "lib/base/log.c": (base, undef). What is generated
# beside the rooms is a binding.
sub place
{
	my ($path) = @_;
	my ($layer, $room) = $path =~ m{(?:\A|/)lib/(\w+)/(?:(\w+)/)?[^/]+\z} or die "arrows.pl: where is $path?\n";
	$room = $layer eq 'mpi' ? $room // 'bindings' : undef;
	die "arrows.pl: lib/$layer is no layer\n" if !$MAY{$layer};
	die "arrows.pl: lib/mpi/$room is no room\n" if defined $room && !exists $STOREY{$room};
	return ($layer, $room);
}

sub folder { my ($layer, $room) = @_; return defined $room ? "$layer/$room" : $layer }

# May something in the first place know something in the second?
sub may
{
	my ($layer, $room, $to_layer, $to_room) = @_;
	return grep { $_ eq $to_layer } @{ $MAY{$layer} } if $layer ne $to_layer;
	return 1 if !defined $room;
	return $STOREY{$room} <= $STOREY{$to_room};
}

# ---- includes ----

# The place of what a file of this place includes; empty: a public header.
sub included
{
	my ($top, $file, $what) = @_;
	return if $what =~ /\A(?:ft)?mpi\.h\z/;
	return place("lib/$what") if $what =~ m{/};
	return place($file) if $file =~ m{/lib/fortran/};    # some are made by the build
	return place($file) if -e ($file =~ s{[^/]+\z}{}r) . $what;
	die "$file: where is $what?\n";
}

sub includes
{
	my ($top) = @_;
	my $seen = 0;
	for my $file (glob "$top/lib/*/*.[ch] $top/lib/*/*/*.[ch]") {
		my @from = place($file);
		open my $in, '<', $file or die "$file: $!\n";
		while (<$in>) {
			my ($quote, $what) = m{^\s*#\s*include\s+(["<])([^">]+)} or next;
			next if $quote eq '<' && $what !~ /\A(?:ft)?mpi\.h\z/ && !-e "$top/lib/$what";
			$seen++;
			my @to = included($top, $file, $what);
			# the public headers are what lib/mpi implements; no other layer has MPI words
			next if @to ? may(@from, @to) : $from[0] =~ /\A(?:mpi|fortran)\z/;
			wrong("$file:$.: " . folder(@from) . " must not include $what");
		}
	}
	die "arrows.pl: no includes found under $top/lib\n" unless $seen;
	return $seen;
}

# ---- calls, and whatever else the linker binds ----

# Of every object what it defines, and what it needs of others. One whose source is gone is old.
sub symbols
{
	my ($top, $objects) = @_;
	my (%home, %needs);
	for my $object (glob "$objects/lib/*/*.o $objects/lib/*/*/*.o") {
		my $source = $object =~ s{\A\Q$objects\E/(.*)\.o\z}{$1.c}r;
		next if !-e "$top/$source" && $source ne 'lib/mpi/stubs.c';
		next if $source =~ m{\Alib/fortran/};    # a library of its own
		open my $nm, '-|', 'nm', $object or die "nm: $!\n";
		while (<$nm>) {
			my ($kind, $name) = /(\w) (\S+)$/ or next;
			if    ($kind =~ /[Uwv]/)     { $needs{$object}{$name} = 1 }
			elsif ($kind =~ /[TDBRVWC]/) { $home{$name} = $object }
		}
		close $nm or die "arrows.pl: nm cannot read $object\n";
	}
	die "arrows.pl: nothing is compiled under $objects\n" unless %needs;
	return (\%home, \%needs);
}

# object => { object it needs => [symbols] }
sub calls
{
	my ($home, $needs) = @_;
	my %calls;
	for my $from (keys %$needs) {
		for my $name (sort keys %{ $needs->{$from} }) {
			my $to = $home->{$name};
			push @{ $calls{$from}{$to} }, $name if defined $to && $to ne $from;
		}
	}
	return \%calls;
}

sub check_calls
{
	my ($calls) = @_;
	my $seen = 0;
	for my $from (sort keys %$calls) {
		for my $to (sort keys %{ $calls->{$from} }) {
			$seen++;
			my (@a, @b) = place($from);
			@b = place($to);
			next if may(@a, @b);
			wrong(short($from) . ' (' . folder(@a) . ') must not need ' . join(', ', @{ $calls->{$from}{$to} })
				. ' of ' . short($to) . ' (' . folder(@b) . ')');
		}
	}
	return $seen;
}

sub short { my ($path) = @_; return $path =~ m{([^/]+)\.o\z} ? $1 : $path }

# ---- circles ----

# Tarjan: the strongly connected parts of more than one object.
sub circles
{
	my ($edges) = @_;
	my (%index, %low, %open, @stack, @found);
	my $visit;
	$visit = sub {
		my ($v) = @_;
		$index{$v} = $low{$v} = keys %index;
		push @stack, $v;
		$open{$v} = 1;
		for my $w (sort keys %{ $edges->{$v} // {} }) {
			if    (!exists $index{$w}) { $visit->($w) }
			elsif (!$open{$w})         { next }
			my $reached = $open{$w} ? ($low{$w} < $index{$w} ? $low{$w} : $index{$w}) : $low{$v};
			$low{$v} = $reached if $reached < $low{$v};
		}
		return if $low{$v} != $index{$v};
		my @part;
		do { push @part, pop @stack; $open{ $part[-1] } = 0 } while $part[-1] ne $v;
		push @found, [ sort @part ] if @part > 1;
	};
	exists $index{$_} or $visit->($_) for sort keys %$edges;
	undef $visit;
	return sort { @$b <=> @$a } @found;
}

sub check_circles
{
	my ($top, $calls, $print) = @_;
	my @found = circles($calls);
	my %left  = %CIRCLES;
	for my $circle (@found) {
		my %folder = map { folder(place($_)) => 1 } @$circle;
		my ($one) = keys %folder;
		my $names = join ' ', map { short($_) } @$circle;
		print scalar(@$circle), " files in a circle (@{[sort keys %folder]}): $names\n" if $print;
		if    (keys %folder > 1)                             { wrong("a circle over folders: $names") }
		else                 { $left{$one} = ($left{$one} // 0) - @$circle }
	}
	for my $folder (sort keys %left) {
		next if !$left{$folder} || !-d "$top/lib/$folder";
		wrong("files in circles of $folder: " . (($CIRCLES{$folder} // 0) - $left{$folder}) . ', and CIRCLES says '
			. ($CIRCLES{$folder} // 0));
	}
	return @found ? scalar @{ $found[0] } : 0;
}

# ---- the launcher's modules ----

sub shelf
{
	my ($module) = @_;
	my ($folder, $inner) = $module =~ /\AFTMPI::(\w+)(::)?/;
	die "arrows.pl: bin/lib/FTMPI/$folder is no folder of modules\n" if defined $inner && !$MODULES_MAY{$folder};
	return $MODULES_MAY{$folder} ? $folder : 'Shared';
}

# What a line of a module names, to load or to call it. A name in quotes is a word: what is said to
# perl on another host.
sub named
{
	my ($line, $is_module) = @_;
	return if $line =~ /^\s*#|^package /;
	my @names = $line =~ /(?<!['\w:])FTMPI((?:::\w+)+)/g;
	for (@names) {
		my $whole = $_;
		$_ =~ s/::\w+\z// while length && !$is_module->{"FTMPI$_"};
		die "arrows.pl: there is no FTMPI$whole\n" if !length;
	}
	return map { "FTMPI$_" } @names;
}

# module => { module it names => where first }
sub module_uses
{
	my ($top) = @_;
	my %path = map { m{/bin/lib/(.*)\.pm\z} ? ($1 =~ s{/}{::}gr => $_) : () }
		glob join ' ', map { "$top/bin/lib/FTMPI/$_.pm" } qw(* */* */*/*);
	die "arrows.pl: no modules found under $top/bin/lib\n" unless %path;
	my %uses;
	for my $module (keys %path) {
		open my $in, '<', $path{$module} or die "$path{$module}: $!\n";
		$uses{$module} = {};
		while (<$in>) {
			$uses{$module}{$_} //= "$path{$module}:$." for grep { $_ ne $module } named($_, \%path);
		}
	}
	return \%uses;
}

sub check_modules
{
	my ($uses) = @_;
	my $seen = 0;
	for my $module (sort keys %$uses) {
		my $from = shelf($module);
		for my $used (sort keys %{ $uses->{$module} }) {
			$seen++;
			my $to = shelf($used);
			next if $to eq $from || grep { $_ eq $to } @{ $MODULES_MAY{$from} };
			wrong("$uses->{$module}{$used}: $from must not use $used");
		}
	}
	wrong('a circle of modules: ' . join ' ', @$_) for circles($uses);
	return $seen;
}

my $print = @ARGV && $ARGV[0] eq '-circles' && shift;
my ($top, $objects) = @ARGV;
$top //= '.';
my $seen = includes($top);
my $said = "$seen includes, " . check_modules(module_uses($top)) . ' uses of modules';
if (defined $objects) {
	my $calls = calls(symbols($top, $objects));
	$said .= ', ' . check_calls($calls) . ' calls from file to file, largest circle ' . check_circles($top, $calls, $print);
}
print "arrows: $said, $bad against the arrows\n";
exit($bad ? 1 : 0);

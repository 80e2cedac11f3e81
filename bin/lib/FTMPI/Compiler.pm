# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpicc, ftmpicxx and ftmpifort, also by the names that every MPI has (mpicc, ...): the user's compiler with
# FTMPI's headers and library added. Pure but for main(): a tree, an environment and words in, a command out.
package FTMPI::Compiler;

use strict;
use warnings;

use FTMPI::Places  ();
use FTMPI::Version ();

# What libftmpi.a needs from elsewhere.
my @STATIC_LIBS = qw(-levent_core -lsodium -lxxhash -lpthread);

# Words after which a compiler does not link.
my %NO_LINK = map { $_ => 1 } qw(-c -S -E -M -MM -fsyntax-only);

# Words whose next word belongs to them.
my %TAKES_NEXT = map { $_ => 1 } qw(-o -I -L -D -U -x -T -u -z -A -B -F -V -G
	-include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore
	-isysroot -MF -MT -MQ -Xlinker -Xpreprocessor -Xassembler -Xclang -aux-info -dumpbase
	-dumpdir -wrapper --param -arch -target);

my %LANGUAGE = (
	c       => { variable => 'FTMPI_CC',  compiler => 'cc',       name => 'C' },
	cxx     => { variable => 'FTMPI_CXX', compiler => 'c++',      name => 'C++' },
	fortran => { variable => 'FTMPI_FC',  compiler => 'gfortran', name => 'Fortran' },
);

# Folders of the system, in which programs find their libraries anyway.
my $SEARCHED = qr{^(?:/usr)?/lib(?:32|64)?(?:/[a-z0-9_]+-linux-[a-z0-9]+)?\z};

# The language by the end of the command's name.
my @NAMES = ([ cxx => qr/(?:cxx|c\+\+|CC)\z/ ], [ fortran => qr/(?:fort|f77|f90)\z/ ], [ c => qr// ]);

# What is asked for in place of a run, in the words of other MPIs: -show of all, -compile_info and -link_info of
# MPICH, -showme and the like of Open MPI. With one dash or two.
my $QUESTION = qr/^--?(show|(?:compile|link)[-_]info|showme(?::.*)?)\z/s;

# Where things are: in the source tree the library lies in build/lib, installed where FTMPI::Places says.
sub paths
{
	my ($root, $env) = @_;
	my $in_source = FTMPI::Places::is_source($root);
	my $lib = length($env->{FTMPI_LIBDIR} // '') ? $env->{FTMPI_LIBDIR}
		: $in_source ? "$root/build/lib"
		:              FTMPI::Places::below($root, FTMPI::Places::LIB);
	# mpif.h and the modules are made beside the library
	my $fortran = $in_source ? $lib =~ s{/lib/*\z}{/include}r : FTMPI::Places::below($root, FTMPI::Places::FORTRAN);
	return { include => FTMPI::Places::below($root, FTMPI::Places::INCLUDE), lib => $lib, fortran => $fortran };
}

# The command for these words: (show, words of the command). show: 0 to run it, 1 to print it, 'help', or
# 'unknown' of a question that has no answer.
sub command
{
	my ($language, $paths, $env, @words) = @_;
	my ($question, $archives, @theirs) = ('', 0);
	for my $word (@words) {
		return ('help') if $word =~ /^--?(?:help|showme:help)\z/;
		if ($word =~ $QUESTION) {
			($question = $1) =~ tr/_/-/;
		} elsif ($word eq '-ftmpi-static') {
			$archives = 1;
		} else {
			push @theirs, $word;
		}
	}
	my $entry    = $LANGUAGE{$language};
	my $wanted   = $env->{ $entry->{variable} } // '';
	my @compiler = split ' ', length $wanted ? $wanted : $entry->{compiler};
	my @compile  = _compile_words($language, $paths, $compiler[0]);
	my $static   = $archives || grep { $_ eq '-static' } @theirs;
	my @link     = _link_words($language, $paths, $static);
	my %answer   = (
		'compile-info'   => [ @compiler, @theirs, @compile ],
		'link-info'      => [ @compiler, @theirs, @link ],
		'showme:command' => \@compiler,
		'showme:compile' => \@compile,
		'showme:link'    => \@link,
		'showme:incdirs' => [ map { /^-I(.+)/ ? $1 : () } @compile ],
		'showme:libdirs' => [ $paths->{lib} ],
		'showme:libs'    => [ _libraries($language) ],
		'showme:version' => [ 'FTMPI', FTMPI::Version::NUMBER, "(Language: $entry->{name})" ],
	);
	return (1, @{ $answer{$question} }) if $answer{$question};
	return ('unknown', "-$question") if $question =~ /:/;
	my $links = !(grep { $NO_LINK{$_} } @theirs) && ($question || _has_input(@theirs));
	return ($question ? 1 : 0, @compiler, @compile, @theirs, $links ? @link : ());
}

# What -showme:WHAT may be.
sub questions { return qw(command compile link incdirs libdirs libs version) }

sub _libraries { return ($_[0] eq 'fortran' ? 'ftmpifort' : (), 'ftmpi') }

# A program with mpif.h calls MPI_SEND with buffers of different types, for which it has no interface.
sub _compile_words
{
	my ($language, $paths, $compiler) = @_;
	return ("-I$paths->{include}") if $language ne 'fortran';
	return ("-I$paths->{fortran}", $compiler =~ /gfortran/ ? '-fallow-argument-mismatch' : ());
}

# The archive by its name only when it is asked for: -lftmpi takes it too where only archives count.
sub _link_words
{
	my ($language, $paths, $static) = @_;
	my @names = _libraries($language);
	return ((map { "$paths->{lib}/lib$_.a" } @names), @STATIC_LIBS) if $static;
	my @path = $paths->{lib} =~ $SEARCHED ? () : ("-Wl,-rpath,$paths->{lib}");
	return ("-L$paths->{lib}", @path, map { "-l$_" } @names);
}

# Something to compile or link: `ftmpicc -v` and its like have none, and -lftmpi would be one.
sub _has_input
{
	my (@words) = @_;
	while (@words) {
		my $word = shift @words;
		return 1 if $word !~ /^-/ || $word eq '-' || $word =~ /^-l./;
		shift @words if $TAKES_NEXT{$word};
	}
	return 0;
}

# A word as a shell reads it.
sub quoted
{
	my ($word) = @_;
	return $word if $word =~ m{^[A-Za-z0-9_./:=,+\@%-]+\z};
	$word =~ s/'/'\\''/g;
	return "'$word'";
}

sub help
{
	my ($program, $language) = @_;
	my $entry = $LANGUAGE{$language};
	return <<"EOT";
usage: $program [OPTIONS] [arguments of the $entry->{name} compiler]

  -show           print the command instead of running it (also -showme)
  -compile-info   print the command that compiles (also -compile_info)
  -link-info      print the command that links (also -link_info)
  -showme:WHAT    print: command, compile (the options alone), link, incdirs,
                  libdirs, libs or version
  -ftmpi-static   link archives of FTMPI instead of shared libraries
  -help           print this list

The compiler is \$$entry->{variable}, else $entry->{compiler}.
EOT
}

sub language
{
	my ($name) = @_;
	my ($entry) = grep { $name =~ $_->[1] } @NAMES;
	return $entry->[0];
}

# Run the command; returns only if it cannot be run, or had only to be shown.
sub main
{
	my ($program, $root, @words) = @_;
	my ($name)   = $program =~ m{([^/]*)\z};
	my $language = language($name);
	my $paths    = paths($root, \%ENV);
	if ($language eq 'fortran' && !FTMPI::Places::is_source($root) && !-e "$paths->{fortran}/mpif.h") {
		print STDERR "$name: this FTMPI was built without gfortran, and has nothing for Fortran\n";
		return 1;
	}
	my ($show, @command) = command($language, $paths, \%ENV, @words);
	if ($show eq 'unknown') {
		print STDERR "$name: $command[0] is not known; $name -help lists what is\n";
		return 1;
	}
	if ($show) {
		print $show eq 'help' ? help($name, $language)
			: join(' ', map { quoted($_) } @command) . "\n";
		return 0;
	}
	no warnings 'exec';
	exec { $command[0] } @command;
	print STDERR "$name: cannot run the compiler $command[0]: $!; set"
		. " $LANGUAGE{$language}{variable}\n";
	return 1;
}

1;

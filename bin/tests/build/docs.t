# SPDX-License-Identifier: BSD-3-Clause
#
# The documents speak of the tree as it is: what they name in backquotes is there. Looked up are paths, links, modules, functions and
# structures of C, options, targets of make and fault points; and the tables of messages are those of the source.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Cwd            ();
use File::Basename qw(dirname);
use File::Find     ();
use Test::More;

use FTMPI::Test::File qw(read_file);

# What a file of C defines: functions with a body, macros, and variables that are given a value.
sub names_in
{
	my ($text) = @_;
	return { map { $_ => 1 } $text =~ /^[A-Za-z_][^;{}()\n]*?\b(\w+)\([^;{}]*?\)\s*\{/mg, $text =~ /^\s*# *define (\w+)/mg,
		$text =~ /^[a-z][^;(\n]*?\b(\w+)(?:\[.*\])? =/mg };
}

my $root      = Cwd::abs_path("$FindBin::Bin/../../..");
my @documents = map { s{^\Q$root/}{}r } sort map { glob "$root/$_" } qw(README.md CONTRIBUTING.md doc/*.md bench/README.md bench/papers/README.md);

# Paths from the top of the tree; what is built, and results of earlier builds, are no part of it.
my @files;
File::Find::find({ no_chdir => 1, wanted => sub {
	my $path = $File::Find::name;
	$File::Find::prune = 1, return if -d $path && $path =~ m{^\Q$root\E/(?:build[^/]*|\.[^/]+|\Qbin/tests/data/fuzz\E)\z};
	push @files, substr $path, length "$root/" if -f $path;
} }, $root);
my %file = map { $_ => 1 } @files;
my %stem = map { m{([^/]+)\.\w+\z} ? ($1 => 1) : () } @files;
my %top  = map { $_ => 1 } map { m{^([^/]+)/} ? $1 : () } @files;
my %text = map { $_ => read_file("$root/$_") } grep { m{^(?:lib|bin/ckpt|bin/keeper|bin/tests/programs|bench|include|examples)/.*\.[ch]\z} } @files;
my %defined = map { $_ => names_in($text{$_}) } keys %text;
my %known   = ((map { %$_ } values %defined), map { $_ => 1 } map { read_file("$root/$_") =~ /^def (\w+)\(/mg } grep { m{^lib/python/} } @files);
my $source  = join "\n", values %text;
my $manuals = join "\n", map { read_file($_) =~ s/\\-/-/gr } glob "$root/doc/man/*.1";
my $scripts = join "\n", map { read_file("$root/$_") } grep { m{^(?:bench/lib/.*\.pm|bin/tests/[^/]+\.pl)\z} } @files;
my $make    = join "\n", map { read_file("$root/$_") } grep { /(?:^Makefile|\.mk)\z/ } @files;
my $cmake   = join "\n", map { read_file("$root/$_") } grep { m{^libexec/cmake/} } @files;
my %command = map { $_ => 1 } map { m{^(?:bin|libexec/ftmpi/bin)/([^/]+)\z} ? $1 : () } @files;

# Functions of the system, a pattern of names, a row of older results of the bench.
my %foreign = map { $_ => 1 } qw(epoll_wait sched_yield lib_object_verb heartbeat_pi);

# A path may be that of a folder, a file that make writes from `path.in`, a pattern, or the name of a file without its extension or the
# folders before it. What stands for a name (SUBJECT) or is left out (...) ends it.
sub has_path
{
	my ($path) = @_;
	$path =~ s{/(?:[A-Z]{3,}(?![\w.])|\.\.\.|found-).*}{};
	$path =~ s{/\z}{};
	my @stem = glob "$root/$path.*";
	return 1 if $path eq '' || -e "$root/$path" || -e "$root/$path.in" || @stem;
	my $pattern = join '[^/]*', map { quotemeta } split /\*/, $path, -1;
	return scalar grep { m{(?:^|/)$pattern(?:\.in)?\z} } @files;
}

# In FILE, or in the header beside it.
sub is_in
{
	my ($name, $file) = @_;
	my ($stem) = $file =~ m{([^/]+?)\.[ch]\z};
	return scalar grep { m{/\Q$stem\E\.[ch]\z} && $defined{$_}{$name} } keys %text;
}

# What is wrong with a word in backquotes: nothing, or a few words.
sub wrong
{
	my ($word) = @_;
	if ($word =~ m{^[\w.*/-]+\z} && (($word =~ m{^([^/]+)/} && $top{$1} && $1 !~ /^build/) || $word =~ /\w\.(?:[ch]|p[lm]|t|md|mk|f90|pml|txt|in)\z/)) {
		return has_path($word) ? () : 'no such path';
	}
	if ($word =~ /^(FTMPI(?:::\w+)+)\z/) {
		my $path = $word =~ s{::}{/}gr;
		return $cmake =~ /^\s*add_(?:library|executable)\(\Q$word\E /m || (grep { $file{"$_/lib/$path.pm"} } qw(bin bin/tests bench bench/papers)) ? () : 'no such module';
	}
	if ($word =~ /^(p?mpi_\w*)\z/ || $foreign{$word}) {
		return;    # Fortran's
	}
	if ($word =~ /^((?=\w*_\w|\w+\(\))[a-z]\w*)(?:\(\))?\z/) {
		return $known{$1} || $stem{$1} || $scripts =~ /\b$1\b/ ? () : 'no such function';
	}
	if ($word =~ /^struct (\w+)\z/) {
		return $source =~ /^struct $1 \{/m ? () : 'no such structure';
	}
	if ($word =~ /^make ([a-z-]+)/) {
		return $make =~ /^(?:[\w-]+ )*$1(?: [\w-]+)*:/m ? () : 'no such target';
	}
	if ($word =~ /^(?:([\w-]+) )?(?:[a-z]+ )?(-[a-z]{2,}[a-z0-9-]*)/ && (!defined $1 || $command{$1})) {
		my $option = substr $2, 1;
		return $manuals =~ /(?<![\w-])-$option(?![\w-])/ || $source =~ /"-$option"/ || $scripts =~ /'-?$option'/ ? () : 'no such option';
	}
	if ($word =~ /^(?:ckpt|keeper|line|manifest|prune|restore)-[a-z]+\z/) {
		return $source =~ /"\Q$word\E"/ ? () : 'no such step';
	}
	return;
}

# Complaints about a document. Examples (indented, or between fences) are passed over.
sub complaints
{
	my ($text, $folder) = @_;
	my @said;
	$text =~ s/^```.*?^```$//gms;
	$text =~ s/^    .*$//gm;
	for my $word ($text =~ /`([^`]+)`/g) {
		push @said, map { "`$word`: $_" } wrong($word);
	}
	while ($text =~ /`([a-z]\w*_\w+)(?:\(\))?` \(`([\w\/]+\.[ch])`\)/g) {
		my ($name, $path) = ($1, $2);
		push @said, "`$name` (`$path`): not there" if !$foreign{$name} && !is_in($name, $path);
	}
	push @said, map { "$_: no such link" } grep { !/^https?:/ && !-e "$root/$folder/$_" } $text =~ /\]\(([^)#]+)\)/g;
	return @said;
}

for my $document (@documents) {
	is_deeply([ complaints(read_file("$root/$document"), dirname($document)) ], [], "$document speaks of what there is");
}

# Each kind of complaint is made.
for my $wrong (
	[ 'a path',                        'see `lib/attic/old.c`',             '`lib/attic/old.c`: no such path' ],
	[ 'a file without its folder',     'see `attic_old.c`',                 '`attic_old.c`: no such path' ],
	[ 'a pattern',                     'see `lib/ckpt/attic_*`',            '`lib/ckpt/attic_*`: no such path' ],
	[ 'a folder of what is not there', 'see `bin/tests/attic/SUBJECT`',     '`bin/tests/attic/SUBJECT`: no such path' ],
	[ 'a link',                        'see [it](attic.md)',                'attic.md: no such link' ],
	[ 'a module',                      '`FTMPI::Attic` has it',             '`FTMPI::Attic`: no such module' ],
	[ 'a function',                    'then `engine_attic`',               '`engine_attic`: no such function' ],
	[ 'a function, as a call',         'then `attic()`',                    '`attic()`: no such function' ],
	[ 'a function of another file',    '`engine_wait_on` (`engine_lock.c`)', '`engine_wait_on` (`engine_lock.c`): not there' ],
	[ 'a structure',                   'a `struct attic`',                  '`struct attic`: no such structure' ],
	[ 'a target',                      'call `make attic`',                 '`make attic`: no such target' ],
	[ 'an option',                     'with `-attic 5`',                   '`-attic 5`: no such option' ],
	[ 'an option of a command',        'with `ftmpirun -attic`',            '`ftmpirun -attic`: no such option' ],
	[ 'a step',                        'at `ckpt-attic`',                   '`ckpt-attic`: no such step' ],
) {
	my ($name, $text, $said) = @$wrong;
	is_deeply([ complaints($text, 'doc') ], [$said], "$name that is not there");
}
is_deeply([ complaints("`engine_wait_on` (`engine.c`), `bin/tests/job/SUBJECT`, `lib/ckpt/section_*`, `mpif.h`, `struct link`, `make check`, `-dump`, [it](wire.md)", 'doc') ],
	[], 'what is there');

# The tables of messages: number and name (and sender) of each.
my %control = reverse read_file("$root/doc/control.md") =~ /^\| (\d+) \| ((?:agent|rank|launcher) \| [A-Z_]+) \|/mg;
my %in_table;
my $table = read_file("$root/bin/lib/FTMPI/Control.pm");
while ($table =~ /\[ (\d+), '(\w+)', +'(agent|rank|launcher)/g) {
	$in_table{"$3 | $2"} = $1;
}
is_deeply(\%control, \%in_table, 'doc/control.md has the messages of bin/lib/FTMPI/Control.pm');
my %of_rank = map { s/.*\| //r => $control{$_} } grep { $control{$_} < 32 || /^rank / } keys %control;
is_deeply(\%of_rank, { $text{'lib/launch/control.h'} =~ /^\tCONTROL_(\w+) = (\d+),$/mg }, '... and those of a rank are those of lib/launch/control.h');

my %frames = reverse read_file("$root/doc/wire.md") =~ /^\| (\d+) ([A-Z]+) \|/mg;
my ($kinds) = $text{'lib/transport/wire.h'} =~ /^enum wire_kind \{(.*?)^\};/ms;
is_deeply(\%frames, { $kinds =~ /\bWIRE_(\w+)\s*=\s*(\d+)/g }, 'doc/wire.md has the frames of lib/transport/wire.h');

my %keeper = read_file("$root/doc/wire.md") =~ /^\| ([A-Z]+) \| (\d+) \| (?:rank|keeper) \|/mg;
my ($of_keeper) = $text{'lib/keeper/keeper_wire.h'} =~ /^enum keeper_kind \{(.*?)^\};/ms;
is_deeply(\%keeper, { $of_keeper =~ /\bKEEPER_(\w+)\s*=\s*(\d+)/g }, '... and those of lib/keeper/keeper_wire.h');

done_testing();

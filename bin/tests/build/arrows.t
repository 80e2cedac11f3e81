# SPDX-License-Identifier: BSD-3-Clause
#
# make arrows: a small tree of its own, in which one thing at a time is wrong.
use strict;
use warnings;

use FindBin ();

use File::Path ();
use File::Temp ();
use Test::More;

# The tree with these files more or instead: status and what is said, with the objects and without.
sub arrows
{
	my (%more) = @_;
	my $top = File::Temp->newdir('ftmpi-arrows-XXXXXX', TMPDIR => 1);
	my %file = (
		'base/log.c'         => 'void log_it(void); void log_it(void) {}',
		'base/log.h'         => 'void log_it(void);',
		'mpi/p2p/match.c'    => "#include \"match.h\"\n#include \"base/log.h\"\nvoid match_it(void) { log_it(); }",
		'mpi/p2p/match.h'    => 'void match_it(void);',
		'mpi/bindings/api.c' => "#include \"mpi/p2p/match.h\"\nvoid api_it(void); void api_it(void) { match_it(); }",
		%more,
	);
	for my $name (sort keys %file) {
		my ($folder) = "$top/lib/$name" =~ m{(.*)/};
		File::Path::make_path($folder, $folder =~ s{/lib/}{/o/lib/}r);
		open my $out, '>', "$top/lib/$name" or die "$name: $!\n";
		print $out "$file{$name}\n";
		close $out or die "$name: $!\n";
	}
	for my $source (grep { /\.c\z/ } sort keys %file) {
		my $object = "$top/o/lib/" . $source =~ s/c\z/o/r;
		system('cc', "-I$top/lib", '-c', "$top/lib/$source", '-o', $object) == 0 or die "$source does not compile\n";
	}
	my $said = `$^X $FindBin::Bin/../arrows.pl $top $top/o 2>&1`;
	return ($? >> 8, $said);
}

my ($status, $said) = arrows();
is($status, 0, 'a tree in order') or diag($said);
like($said, qr/^arrows: 3 includes, 2 calls from file to file, largest circle 0, 0 against the arrows$/m, 'what was seen is said');

for my $wrong (
	[ 'a layer that includes one above it', { 'base/up.h' => '#include "mpi/p2p/match.h"' }, qr{base/up\.h:1: base must not include mpi/p2p/match\.h} ],
	[ 'a room that includes one above it', { 'mpi/p2p/up.h' => '#include "mpi/bindings/api.h"', 'mpi/bindings/api.h' => '' },
		qr{up\.h:1: mpi/p2p must not include mpi/bindings/api\.h} ],
	[ 'a layer below that knows MPI', { 'base/up.h' => '#include "mpi.h"' }, qr{base must not include mpi\.h} ],
	[ 'a call upwards without an include', { 'mpi/p2p/up.c' => 'void api_it(void); void up(void); void up(void) { api_it(); }' },
		qr{^up \(mpi/p2p\) must not need api_it of api \(mpi/bindings\)$}m ],
	[ 'a circle within a room', { 'mpi/sched/a.c' => 'void b(void); void a(void); void a(void) { b(); }',
			'mpi/sched/b.c' => 'void a(void); void b(void); void b(void) { a(); }' }, qr{^a circle in mpi/sched: a b$}m ],
	[ 'a room that nobody knows', { 'mpi/attic/a.c' => '#include "mpi/p2p/match.h"' }, qr{lib/mpi/attic is no room} ],
) {
	my ($name, $files, $sentence) = @$wrong;
	($status, $said) = arrows(%$files);
	isnt($status, 0, $name);
	like($said, $sentence, '... is named');
}

done_testing();

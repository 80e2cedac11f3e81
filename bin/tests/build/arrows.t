# SPDX-License-Identifier: BSD-3-Clause
#
# make arrows: a small tree of its own, in which one thing at a time is wrong.
use strict;
use warnings;

use FindBin ();

use File::Path ();
use File::Temp ();
use Test::More;

# What a module of the launcher is, that uses these.
sub module { my ($name, @uses) = @_; return join "\n", "package $name;", (map { "use $_ ();" } @uses), '1;' }

# The tree with these files of lib, and modules of bin/lib, more or instead: status and what is said.
sub arrows
{
	my (%more) = @_;
	my $top = File::Temp->newdir('ftmpi-arrows-XXXXXX', TMPDIR => 1);
	my %file = (
		'base/log.c'         => 'void log_it(void); void log_it(void) {}',
		'base/log.h'         => 'void log_it(void);',
		'mpi/handle/live.c'  => "#include \"live.h\"\n#include \"base/log.h\"\nvoid live_it(void) { log_it(); }",
		'mpi/handle/live.h'  => 'void live_it(void);',
		'mpi/bindings/api.c' => "#include \"mpi/handle/live.h\"\nvoid api_it(void); void api_it(void) { live_it(); }",
		%more,
	);
	my %module = (
		'FTMPI/Wire.pm'         => module('FTMPI::Wire'),
		'FTMPI/Agent.pm'        => module('FTMPI::Agent', 'FTMPI::Agent::Ranks'),
		'FTMPI/Agent/Ranks.pm'  => module('FTMPI::Agent::Ranks', 'FTMPI::Wire'),
		'FTMPI/Launcher/Job.pm' => module('FTMPI::Launcher::Job', 'FTMPI::Wire'),
		'FTMPI/Cli.pm'          => module('FTMPI::Cli', 'FTMPI::Launcher::Job'),
		map { $_ => delete $file{$_} } grep { /\.pm\z/ } keys %file,
	);
	for my $name (sort keys %module) {
		my ($folder) = "$top/bin/lib/$name" =~ m{(.*)/};
		File::Path::make_path($folder);
		open my $out, '>', "$top/bin/lib/$name" or die "$name: $!\n";
		print $out "$module{$name}\n";
		close $out or die "$name: $!\n";
	}
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
like($said, qr/^arrows: 3 includes, 4 uses of modules, 2 calls from file to file, largest circle 0, 0 against the arrows$/m, 'what was seen is said');

for my $wrong (
	[ 'a layer that includes one above it', { 'base/up.h' => '#include "mpi/handle/live.h"' }, qr{base/up\.h:1: base must not include mpi/handle/live\.h} ],
	[ 'a room that includes one above it', { 'mpi/handle/up.h' => '#include "mpi/bindings/api.h"', 'mpi/bindings/api.h' => '' },
		qr{up\.h:1: mpi/handle must not include mpi/bindings/api\.h} ],
	[ 'a layer below that knows MPI', { 'base/up.h' => '#include "mpi.h"' }, qr{base must not include mpi\.h} ],
	[ 'a call upwards without an include', { 'mpi/handle/up.c' => 'void api_it(void); void up(void); void up(void) { api_it(); }' },
		qr{^up \(mpi/handle\) must not need api_it of api \(mpi/bindings\)$}m ],
	[ 'a circle within a room', { 'mpi/sched/a.c' => 'void b(void); void a(void); void a(void) { b(); }',
			'mpi/sched/b.c' => 'void a(void); void b(void); void b(void) { a(); }' }, qr{^files in circles of mpi/sched: 2, and CIRCLES says 0$}m ],
	[ 'a circle over folders', { 'base/log.c' => 'void live_it(void); void log_it(void); void log_it(void) { live_it(); }' },
		qr{^a circle over folders: log live$}m ],
	[ 'an include as of the system', { 'base/up.h' => '#include <mpi/handle/live.h>' }, qr{base must not include mpi/handle/live\.h} ],
	[ 'Fortran that knows more than the interface', { 'fortran/up.h' => '#include "mpi/handle/live.h"' },
		qr{fortran must not include mpi/handle/live\.h} ],
	[ 'a layer that nobody knows', { 'attic/a.h' => '#include "base/log.h"' }, qr{lib/attic is no layer} ],
	[ 'a room that nobody knows', { 'mpi/attic/a.c' => '#include "mpi/handle/live.h"' }, qr{lib/mpi/attic is no room} ],
	[ 'an agent that uses the launcher', { 'FTMPI/Agent/Ranks.pm' => module('FTMPI::Agent::Ranks', 'FTMPI::Launcher::Job') },
		qr{Agent/Ranks\.pm:2: Agent must not use FTMPI::Launcher::Job$}m ],
	[ 'an agent that uses the command line', { 'FTMPI/Agent.pm' => module('FTMPI::Agent', 'FTMPI::Cli') },
		qr{Agent\.pm:2: Agent must not use FTMPI::Cli$}m ],
	[ 'a launcher that uses an agent', { 'FTMPI/Launcher/Job.pm' => module('FTMPI::Launcher::Job', 'FTMPI::Agent::Ranks') },
		qr{Launcher/Job\.pm:2: Launcher must not use FTMPI::Agent::Ranks$}m ],
	[ 'a launcher that loads the command line later', { 'FTMPI/Launcher.pm' => "package FTMPI::Launcher;\nsub late { require FTMPI::Cli }\n1;" },
		qr{Launcher\.pm:2: Launcher must not use FTMPI::Cli$}m ],
	[ 'a call of a module that somebody else has loaded', { 'FTMPI/Wire.pm' => "package FTMPI::Wire;\nsub f { return FTMPI::Launcher::Job::f() }\n1;" },
		qr{Wire\.pm:2: Shared must not use FTMPI::Launcher::Job$}m ],
	[ 'a command line that uses an agent', { 'FTMPI/Cli.pm' => module('FTMPI::Cli', 'FTMPI::Agent') }, qr{Cli must not use FTMPI::Agent$}m ],
	[ 'a circle of modules', { 'FTMPI/Agent/Ranks.pm' => module('FTMPI::Agent::Ranks', 'FTMPI::Agent') },
		qr{^a circle of modules: FTMPI::Agent FTMPI::Agent::Ranks$}m ],
	[ 'a folder of modules that nobody knows', { 'FTMPI/Attic/Old.pm' => module('FTMPI::Attic::Old') }, qr{FTMPI/Attic is no folder of modules} ],
) {
	my ($name, $files, $sentence) = @$wrong;
	($status, $said) = arrows(%$files);
	isnt($status, 0, $name);
	like($said, $sentence, '... is named');
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpi.py: what each call returns and refuses, what comes back after a rank was killed, and which library it calls.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Copy qw(copy);
use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(ftmpirun root);
use FTMPI::Test::Process qw(run_quiet);
use FTMPI::Test::Python  qw(script environment module_folder library);

FTMPI::Test::Python::enter();
my $dir = File::Temp->newdir('ftmpi-python-XXXXXX', TMPDIR => 1);

sub run { my ($env, @command) = @_; return FTMPI::Test::Job->run([@command], dir => "$dir", env => $env) }

# ---- calls ----

my ($of_header) = read_file(root() . '/include/ftmpi.h') =~ /^#define FTMPI_VERSION "(\S+)"/m;
my ($of_module) = read_file(module_folder() . '/ftmpi.py') =~ /^__version__ = "(\S+)"/m;
is($of_module, $of_header, 'the version of the module is that of ftmpi.h');

for my $case ([ 'in a job', 3, ftmpirun(), '-n', 3, '-workdir', 'calls' ], [ 'alone', 1 ]) {
	my ($name, $ranks, @launcher) = @$case;
	my $job = run(environment(), @launcher, script('calls'));
	$job->is_status(0, "calls, $name");
	is($job->out, "calls: all right\n" x $ranks, "calls, $name: each does as its text says") or diag($job->saw);
	$job->none_left("calls, $name");
}

# What ftmpirun hears of it.
write_file("$dir/script.py", <<'PY');
import ftmpi
ftmpi.library().MPI_Init(None, None)
ftmpi.progress(0.25, "\u00f6" * 40)
ftmpi.library().MPI_Finalize()
PY
my $told = run(environment(), ftmpirun(), qw(-n 1 -record -workdir told), script("$dir/script.py"));
$told->is_status(0, 'progress');
like(read_file((glob "$dir/told/*/events.jsonl")[0] // '/dev/null'), qr/"event":"progress","fraction":0\.25,"rank":0,"text":"(?:\xc3\xb6){31}"/, 'progress: the record has it, with whole letters') or diag($told->saw);

# ---- what comes back ----

my $killed = qr/^ftmpirun: rank 2 on \S+ was killed by signal 9 \(Killed\)/m;

sub kinds
{
	my ($coord, @how) = @_;
	my $job = run(environment(), ftmpirun(), '-n', 3, '-coord', $coord, '-workdir', "$coord-@how", script('kinds', @how));
	my @ranks = $coord eq 'msglog' ? 2 : 0 .. 2;
	return ($job, @ranks);
}

for my $coord (qw(blocking eventlog msglog)) {
	for my $how ([], ['late'], ['other']) {
		my $name = "$coord @$how";
		my ($job, @ranks) = kinds($coord, @$how);
		$job->is_status(0, $name);
		$job->err_like($killed, $name);
		is(scalar(() = $job->out =~ /^rank \d: CHECKPOINTED$/mg), 3, "$name: the line is committed") or diag($job->saw);
		is_deeply([ sort $job->out =~ /^rank (\d): RESTORED, all as it was$/mg ], \@ranks, "$name: all that was protected is back")
			or diag($job->saw);
		next if "@$how" ne 'other';
		my @refused = $job->out =~ /^rank \d: ftmpi\.protect\(9\): the line that is restored has another number of bytes under this id than the 5 given: [^\n]*, 52$/mg;
		is(scalar @refused, scalar @ranks, "$name: another size is refused");
	}
	my ($job) = kinds($coord, 'gone');
	$job->is_status(3, "$coord: a class that is gone");
	$job->out_like(qr/^rank \d: ftmpi\.State\(8\): it cannot be restored: AttributeError: [^\n]*'Point'/m, "$coord: a class that is gone");
	$job->none_left("$coord: a class that is gone");
}

# ---- which library ----

# A script, what is in PYTHONPATH, and what its Error says.
sub refused
{
	my ($name, $script, $pattern, %more) = @_;
	write_file("$dir/script.py", $script);
	my $job = run(environment(%more), script("$dir/script.py"));
	$job->is_status(1, $name);
	like($job->err, qr/^ftmpi\.Error: $pattern\n\z/m, "$name: a sentence") or diag($job->saw);
	return;
}

# The library at another place, and an extension that is linked with it; libraries of another MPI and of another FTMPI.
mkdir "$dir/$_" for qw(own other new alone abi static);
copy(library(), "$dir/own/libftmpi.so.0") or die "copying the library: $!\n";
write_file("$dir/module.c", 'int MPI_Init(int *, char ***); int module(void) { return MPI_Init(0, 0); }');
write_file("$dir/other.c", <<'C');
#include <string.h>
int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }
int MPI_Get_library_version(char *to, int *n) { strcpy(to, "Some MPI v4.1.4, package: some\nmore"); *n = 36; return 0; }
C
write_file("$dir/new.c", <<'C');
#include <string.h>
int FTMPI_Restore(void) { return 3; }
int MPI_Get_library_version(char *to, int *n) { strcpy(to, "FTMPI 7.1.0 (MPI 5.0 ABI 1.0)"); *n = 29; return 0; }
C
my ($failed, undef, $why) = run_quiet('sh', '-c', <<'SH', 'sh', "$dir", root() . '/bin/ftmpicc');
set -e; cd "$1"
ln -s libftmpi.so.0 own/libmpi_abi.so.1
cc -shared -fPIC -o abi/stub.so -Wl,-soname,libmpi_abi.so.1 other.c
cc -shared -fPIC -o abi/MPI.so module.c abi/stub.so -Wl,-rpath,"$1/own"
"$2" -ftmpi-static -shared -fPIC -o static/MPI.so module.c
cc -shared -fPIC -o other/libmpi.so.40 -Wl,-soname,libmpi.so.40 other.c
cc -shared -fPIC -o new/libftmpi.so.0 -Wl,-soname,libftmpi.so.0 new.c
cc -shared -fPIC -o own/MPI.so module.c own/libftmpi.so.0 -Wl,-rpath,"$1/own"
cc -shared -fPIC -o other/MPI.so module.c other/libmpi.so.40 -Wl,-rpath,"$1/other"
SH
is($failed, 0, 'the libraries are there') or BAIL_OUT($why);

# As Python does with an extension: its names are not for others (RTLD_LOCAL).
my $imported = <<'PY';
import ctypes, sys, types
def imported(path):
    module = types.ModuleType("mpi4py.MPI")
    module.__file__ = path
    sys.modules["mpi4py.MPI"] = module
    return ctypes.CDLL(path)
PY

my @own = "$dir/own/libftmpi.so.0";
for my $case (
	[ 'an mpi4py',                             \@own, "imported('own/MPI.so').module()" ],
	[ 'an mpi4py that is imported later',      \@own, "ctypes.CDLL('own/libftmpi.so.0')\nftmpi.library()\nimported('own/MPI.so').module()" ],
	[ 'an mpi4py for the MPI ABI',             \@own, "imported('abi/MPI.so').module()" ],
	[ '... that is imported later',            \@own, "ctypes.CDLL('own/libftmpi.so.0')\nftmpi.library()\nimported('abi/MPI.so').module()" ],
	[ 'a library without mpi4py',              \@own, "ctypes.CDLL('own/libftmpi.so.0').MPI_Init(None, None)" ],
	[ 'an mpi4py that is linked with libftmpi.a', [], "imported('static/MPI.so').module()" ],
) {
	my ($name, $loaded, $order) = @$case;
	write_file("$dir/script.py", "$imported\nimport ftmpi\n$order\nftmpi.State(0)\n" . <<'PY');
print(sorted({line.split()[-1] for line in open("/proc/self/maps") if "libftmpi" in line}), ftmpi.checkpoint().name)
ftmpi.library().MPI_Finalize()
PY
	my $job = run(environment(), script("$dir/script.py"));
	$job->is_status(0, $name);
	is($job->out, sprintf("[%s] CHECKPOINTED\n", join ', ', map { "'$_'" } @$loaded), "$name: its library is called, and no other is loaded")
		or diag($job->saw);
}

refused('mpi4py of another MPI', "$imported\nimported('$dir/other/MPI.so')\nimport ftmpi\nftmpi.due()\n",
	qr{mpi4py \(\Q$dir\E/other/MPI\.so\) is built for another MPI \(Some MPI v4\.1\.4\): build it for FTMPI as doc/python\.md says, and start [^\n]*ftmpirun});
refused('mpi4py of another MPI, imported later', "$imported\nimport ftmpi\nftmpi.library()\nimported('$dir/other/MPI.so')\nftmpi.due()\n",
	qr{mpi4py \(\Q$dir\E/other/MPI\.so\) is built for another MPI \(Some MPI v4\.1\.4\): [^\n]*});
refused('a library of another version', "import ctypes\nlibrary = ctypes.CDLL('$dir/new/libftmpi.so.0')\nimport ftmpi\nftmpi.due()\n",
	qr{the library that is loaded is FTMPI 7\.1\.0 \(MPI 5\.0 ABI 1\.0\), and this module \(\S+/ftmpi\.py\) is of FTMPI \Q$of_module\E: set PYTHONPATH [^\n]*});
copy(module_folder() . '/ftmpi.py', "$dir/alone/ftmpi.py") or die "copying the module: $!\n";
write_file("$dir/alone/libftmpi.so.0", '');    # where the loader looks first
refused('no library', "import ftmpi\nftmpi.due()\n",
	qr{the library of FTMPI cannot be loaded \(tried \S+/libftmpi\.so\.0, [^\n]*\): run make install, or set LD_LIBRARY_PATH to its folder},
	PYTHONPATH => "$dir/alone", LD_LIBRARY_PATH => "$dir/alone");

# Started by the launcher of another MPI, each process would be a job of one.
write_file("$dir/script.py", "from mpi4py import MPI\n");
my $job = run(environment(OMPI_COMM_WORLD_SIZE => 2), script("$dir/script.py"));
$job->is_status(1, 'under the launcher of another MPI');
$job->err_like(qr/^ftmpi: MPI_Init\w*: Open MPI's mpirun has started several processes [^\n]*: start the program with ftmpirun/m, 'under the launcher of another MPI');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# What the Debian packages hold, made by dpkg-buildpackage of what is built here: every file that `make install` installs is in exactly
# one of them, where no other MPI has one. (bin/tests/long/packages.t makes, installs and removes those that users get.)
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Basename qw(dirname);
use File::Temp ();
use Module::CoreList ();
use Test::More;

use FTMPI::Test::File    qw(read_file);
use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(must_run run_quiet);
use FTMPI::Version ();

plan skip_all => 'no package has sanitized programs' if sanitized('pi');
plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

my $dir    = File::Temp->newdir('ftmpi-packages-XXXXXX', TMPDIR => 1);
my $number = FTMPI::Version::NUMBER;
my $source = "$dir/ftmpi-$number";

sub shell
{
	my ($in, $line, %env) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', $line ], dir => $in, env => { (map { $_ => undef } qw(MAKEFLAGS MAKELEVEL FTMPI_LIBDIR PERL5LIB CFLAGS)), %env });
}

# Its sources are older than what is built, so that nothing is built again.
shell(root(), "make -s dist DIST='$dir/ftmpi.tar.gz'", SOURCE_DATE_EPOCH => 978307200)->is_status(0, 'make dist');
must_run('tar', 'xzf', "$dir/ftmpi.tar.gz", '-C', "$dir");
symlink dirname($ENV{FTMPI_LIBDIR}), "$source/build" or die "symlink: $!\n";
my $job = shell($source, 'dpkg-buildpackage -us -uc -b -nc -d 2>&1',
	DEB_BUILD_OPTIONS => 'nocheck nostrip noautodbgsym', DPKG_DEB_COMPRESSOR_TYPE => 'none');
$job->is_status(0, 'dpkg-buildpackage') or BAIL_OUT('no packages');
unlike($job->out, qr/^  (?:CC|LD|FC) /m, '... of what is built') or diag('the tree here is not built: run make first');

# ---- where each file is ----

my @names = qw(libftmpi0 libftmpi-dev ftmpi-bin ftmpi-fortran);
my ($arch) = must_run(qw(dpkg --print-architecture)) =~ /(\w+)/;
my ($triplet) = must_run(qw(dpkg-architecture -qDEB_HOST_MULTIARCH)) =~ /(\S+)/;
my (%package, @odd, %control);
for my $name (@names) {
	my $file = "$dir/${name}_$number-1_$arch.deb";
	ok(-f $file, "$name, of version $number") or next;
	for my $line (split /\n/, must_run('dpkg-deb', '-c', $file)) {
		my ($mode, $owner, undef, undef, undef, $path, $target) = $line =~ m{^(\S+) (\S+) +(\d+) (\S+) (\S+) \.(/.*?)(?: -> (.*))?\z} or die "dpkg-deb says: $line\n";
		push @odd, $line if $owner ne 'root/root' || $mode !~ /^(?:l|drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)/;
		push @{ $package{$path} }, $name if $mode !~ /^d/;
	}
	$control{$name} = must_run('dpkg-deb', '-f', $file);
}
is_deeply([ sort map { m{/([^/_]+)_[^/]*\.deb\z} } glob "$dir/*.deb" ], [ sort @names ], 'there are no other packages');
is_deeply(\@odd, [], 'all is of root, and for everybody to read');
is_deeply([ grep { @{ $package{$_} } > 1 } sort keys %package ], [], 'no file is in two packages');

my %installed = map { $_ => 1 } read_file("$source/debian/tmp/usr/share/ftmpi/installed") =~ /^(?:file|link)\t([^\t\n]+)/mg;
my %aside = map { $_ => 1 } split /\n/, read_file("$source/debian/not-installed") =~ s{^(?=.)}{/}gmr;
is_deeply([ sort keys %aside ], [ '/usr/share/doc/ftmpi/LICENSE', '/usr/share/ftmpi/installed' ], 'what packages have no use for');
cmp_ok(scalar(keys %installed), '>', 150, 'make install made a list');
is_deeply([ grep { !$package{$_} && !$package{"$_.gz"} && !$aside{$_} } sort keys %installed ], [], 'every other file that make install installs is in a package');
my @more = grep { !$installed{$_} && !$installed{s/\.gz\z//r} && !m{^/usr/share/(?:doc|lintian/overrides)/(?:libftmpi0|libftmpi-dev|ftmpi-bin|ftmpi-fortran)(?:/|\z)} } sort keys %package;
is_deeply(\@more, [], 'and there is nothing else but what Debian has of each package');

for my $case (
	[ libftmpi0 => "/usr/lib/$triplet/libftmpi.so.0", "/usr/lib/$triplet/ftmpi/libmpi_abi.so.1" ],
	[ 'libftmpi-dev' => '/usr/bin/ftmpicc', '/usr/bin/ftmpicxx', "/usr/include/$triplet/ftmpi/mpi.h", "/usr/lib/$triplet/libftmpi.so", "/usr/lib/$triplet/libftmpi.a",
		"/usr/lib/$triplet/pkgconfig/ftmpi.pc", "/usr/lib/$triplet/cmake/FTMPI/FTMPIConfig.cmake", '/usr/libexec/ftmpi/bin/mpicc', '/usr/share/man/man3/FTMPI_Restore.3.gz',
		'/usr/share/doc/ftmpi/examples/heat.c' ],
	[ 'ftmpi-bin' => '/usr/bin/ftmpirun', '/usr/bin/ftmpi-ckpt', '/usr/libexec/ftmpi/ftmpi-keeper', '/usr/libexec/ftmpi/bin/mpirun', '/usr/share/ftmpi/FTMPI/Cli.pm',
		'/usr/share/man/man1/ftmpirun.1.gz', '/usr/share/man/man7/ftmpi.7.gz' ],
	[ 'ftmpi-fortran' => '/usr/bin/ftmpifort', "/usr/lib/$triplet/libftmpifort.so.0", "/usr/lib/$triplet/pkgconfig/ftmpifort.pc", '/usr/libexec/ftmpi/bin/mpif90',
		grep { m{/mpi_f08\.mod\z|/mpif\.h\z} } keys %package ],
) {
	my ($name, @paths) = @$case;
	is_deeply([ grep { "@{ $package{$_} // ['no package'] }" ne $name } @paths ], [], "$name has what it is for");
	ok($package{"/usr/share/doc/$name/$_"}, "$name has its $_") for qw(copyright changelog.gz changelog.Debian.gz);
}

# ---- beside other packages ----

my @generic = grep { m{/(?:lib)?mpi[^/]*\z}i && !m{^/usr/(?:libexec/ftmpi|share/ftmpi)/|/ftmpi/[^/]+\z} } sort keys %package;
is_deeply(\@generic, [], 'what any MPI may have is in folders of FTMPI alone');
my @foreign = grep { my ($status, $text) = run_quiet('dpkg', '-S', $_); !$status && $text !~ /^(?:lib)?ftmpi/ } grep { -e || -l } sort keys %package;
is_deeply(\@foreign, [], 'and no package that is installed here has one of the files');

# ---- what they ask for ----

like($control{$_}, qr/^Section: (?:libs|libdevel|science)$/m, "$_: a section") for @names;
like($control{libftmpi0}, qr/^Multi-Arch: same$/m, 'the library may be there for several architectures');
like($control{libftmpi0}, qr/^Depends: (?=.*libevent-core)(?=.*libsodium)(?=.*libxxhash)(?=.*libc6)/m, '... and asks for its libraries');
unlike($control{libftmpi0}, qr/^Depends:.*perl/m, '... without Perl, which a host that ranks only run on has anyway or not');
like($control{'libftmpi-dev'}, qr/^Depends: (?=.*ftmpi-bin \(= \Q$number\E-1\))(?=.*libftmpi0 \(= \Q$number\E-1\))(?=.*libevent-dev)(?=.*libsodium-dev)(?=.*libxxhash-dev)(?=.*perl)/m,
	'to link, statically, too');
like($control{'ftmpi-bin'}, qr/^Depends: (?=.*libftmpi0 \(= )(?=.*\bperl(?::any)?(?:,|$))/m, 'the launcher: Perl, and not perl-base alone');
like($control{'ftmpi-bin'}, qr/^Recommends: openssh-client/m, '... and ssh for other hosts');
like($control{'ftmpi-fortran'}, qr/^Depends: (?=.*libftmpi-dev \(= )(?=.*gfortran-\d+ \| gfortran-mod-\d+)(?=.*libftmpi0 \(>= )/m, "Fortran: the gfortran of the modules");

my %module;
for my $file (glob "$source/bin/ftmpirun $source/bin/ftmpicc $source/bin/lib/FTMPI/*.pm $source/bin/lib/FTMPI/*/*.pm $source/bin/lib/FTMPI/*/*/*.pm") {
	$module{$_} = $file for grep { !/^FTMPI/ } read_file($file) =~ /^\s*(?:use|require) ([A-Za-z][\w:]*)/mg;
}
cmp_ok(scalar(keys %module), '>', 10, 'the launcher uses modules');
is_deeply([ grep { !Module::CoreList::is_core($_) } sort keys %module ], [], '... which all come with Perl');

# ---- texts ----

like(must_run('dpkg-parsechangelog', '-l', "$source/debian/changelog", '-S', 'Version'), qr/^\Q$number\E-\d+$/, 'debian/changelog is of this version');
my ($licence) = read_file("$source/debian/copyright") =~ /^License: BSD-3-Clause\n((?: .*\n)+)\z/m;
is(($licence // '') =~ s/^ //gmr =~ s/^\.$//gmr, read_file("$source/LICENSE") =~ s/\A.*?(?=^Redistribution)//msr, 'debian/copyright has the words of LICENSE');
my ($symbols) = must_run('sh', '-c', "dpkg-deb --ctrl-tarfile '$dir'/libftmpi0_*.deb | tar xO ./symbols");
like($symbols, qr/^ $_\@Base 0\.1\.0$/m, "the list of symbols has $_") for qw(MPI_Send PMPI_Send MPI_T_init_thread FTMPI_Restore);

done_testing();

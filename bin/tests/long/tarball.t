# SPDX-License-Identifier: BSD-3-Clause
#
# The tarball of `make dist` builds by itself, and passes the tests of the build, where there is no git.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(must_run);
use FTMPI::Version ();

plan skip_all => 'once is enough' if sanitized('pi');

my $dir    = File::Temp->newdir('ftmpi-tarball-XXXXXX', TMPDIR => 1);
my $source = "$dir/ftmpi-" . FTMPI::Version::NUMBER;
my %clean  = map { $_ => undef } grep { !/^(?:PATH|HOME|TMPDIR)\z/ } keys %ENV;

write_file("$dir/bin/git", "#!/bin/sh\necho \"git \$*\" >>'$dir/asked'\nexit 1\n");
chmod 0755, "$dir/bin/git";

sub shell
{
	my ($in, $line, %env) = @_;
	my $job = FTMPI::Test::Job->run([ 'sh', '-c', $line ], dir => $in, env => { %clean, %env }, deadline => 1800);
	$job->is_status(0, $line =~ s/\Q$dir\E/DIR/gr) or diag($job->saw);
	return $job;
}

shell(root(), "make -s dist DIST='$dir/ftmpi.tar.gz'");
must_run('tar', 'xzf', "$dir/ftmpi.tar.gz", '-C', "$dir");
my %without = (PATH => "$dir/bin:$ENV{PATH}");
shell($source, 'make -j2 all', %without);
shell($source, "prove bin/tests/build/*.t", %without, FTMPI_LIBDIR => "$source/build/lib", FTMPI_PROGRAMS => "$source/build/bin",
	PERL5LIB => "$source/bin/lib:$source/bin/tests/lib")->out_like(qr/^Result: PASS$/m, 'its tests pass');
ok(!-e "$dir/asked", 'git was not asked for') or diag(read_file("$dir/asked"));

done_testing();

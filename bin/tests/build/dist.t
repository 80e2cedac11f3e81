# SPDX-License-Identifier: BSD-3-Clause
#
# `make dist` makes the same bytes of the same commit whoever makes it, where and when, and from the tarball itself, without git.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Process qw(must_run);
use FTMPI::Version ();

my $dir  = File::Temp->newdir('ftmpi-dist-XXXXXX', TMPDIR => 1);
my $name = 'ftmpi-' . FTMPI::Version::NUMBER;
my $root = root();
my %clean = map { $_ => undef } qw(MAKEFLAGS MAKELEVEL B SANITIZER SOURCE_DATE_EPOCH GZIP TAR_OPTIONS);

sub shell
{
	my ($in, $line, %env) = @_;
	return FTMPI::Test::Job->run([ 'sh', '-c', $line ], dir => $in, env => { %clean, %env });
}

# The tarball's path, as `make dist` prints it.
sub dist
{
	my ($in, $line, %env) = @_;
	my $job = shell($in, "$line make -s dist", %env);
	$job->is_status(0, "make dist in $in" =~ s/\Q$dir\E/DIR/r) or return '/dev/null';
	chomp(my $path = $job->out);
	return "$in/$path";
}

sub unpack_to
{
	my ($tarball, $to) = @_;
	must_run('mkdir', $to);
	must_run('tar', 'xzf', $tarball, '-C', $to);
	return "$to/$name";
}

# A source of its own, as somebody has it who has neither our umask nor our clock.
my $clone = -e "$root/.git";
sub source
{
	my ($to, $umask) = @_;
	if ($clone) {
		my $job = shell("$dir", "umask $umask; git clone -q '$root' '$to'");
		$job->is_status(0, 'git clone');
		return $to;
	}
	must_run('cp', dist($root, ''), "$dir/root.tar.gz") if !-e "$dir/root.tar.gz";
	return unpack_to("$dir/root.tar.gz", $to);
}

my $first  = source("$dir/first",               '077');
my $second = source("$dir/a second, far below", '002');
my $a = dist($first, 'umask 077; TZ=Asia/Tokyo LC_ALL=C');
is($a, "$first/build/$name.tar.gz", 'it lies in build');
write_file("$second/notes",         "of my own\n");
write_file("$second/build/obj/x.o", "built\n");
must_run('touch', '-d', '2001-02-03', map { "$second/$_" } qw(Makefile README.md lib));
my $b = dist($second, 'umask 002; TZ=America/Lima LC_ALL=C.UTF-8');
ok(read_file($a) eq read_file($b), 'two make the same bytes');

my $source = unpack_to($a, "$dir/unpacked");
my $list   = must_run('tar', 'tvzf', $a);
is(scalar(grep { !m{^[-l]r[-w]x?\S+ 0/0 .* \Q$name\E/} } split /\n/, $list), 0, 'all files are in one folder, and nobody owns them');
is(scalar(grep { /^-/ && !/^-rw(?:-r--r--|xr-xr-x) / } split /\n/, $list), 0, '... with modes that say no more than what is a program');
my %day = map { $_ => 1 } $list =~ /(\d{4}-\d\d-\d\d \d\d:\d\d)/g;
is(keys %day, 1, '... all of one time');
unlike($list, qr{ \Q$name\E/(?:notes|build|\.git)(?:/|$)}m, '... and nothing that is not of the source');
is(join("\n", sort grep { $_ ne 'MANIFEST' } split /\n/, must_run('sh', '-c', "cd '$source' && find . ! -type d | cut -c 3-")) . "\n", must_run('sort', "$source/MANIFEST"), 'MANIFEST lists it');
my $c = dist($source, 'umask 027;');
ok(read_file($a) eq read_file($c), 'the tarball makes itself, without git');

my $epoch = dist($second, '', SOURCE_DATE_EPOCH => 981173106);
like(must_run('sh', '-c', "TZ=UTC tar tvzf '$epoch' $name/README.md"), qr/2001-02-03 04:05/, 'SOURCE_DATE_EPOCH is the time of all');
my $job = shell($second, 'make -s dist', SOURCE_DATE_EPOCH => 'yesterday');
isnt($job->{status}, 0, 'a time that is none');
like($job->err, qr/^SOURCE_DATE_EPOCH is 'yesterday', which has to be seconds since 1970$/m, '... is refused');

# what is not as in the commit
SKIP: {
	skip('no clone, no commit', 1) if !$clone;
	write_file("$second/README.md", "mine\n");
	like(shell($second, 'make -s dist')->err, qr/^note: 1 files are not as in the commit/m, 'a change that is not in the commit is told');
}
unlink "$source/LICENSE" or die "unlink: $!\n";
$job = shell($source, 'make -s dist');
isnt($job->{status}, 0, 'a file that is gone');
like($job->err, qr/^LICENSE is not there, and belongs to the source/m, '... is named');
write_file("$source/MANIFEST", "README.md\n../../first/README.md\n");
like(shell($source, 'make -s dist')->err, qr{^MANIFEST has a path that leads out of the tree: \.\./\.\./first/README\.md$}m, 'a list that leads out of the tree');
unlink "$source/MANIFEST" or die "unlink: $!\n";
like(shell($source, 'make -s dist')->err, qr/^neither a clone with git nor an unpacked tarball: there is no MANIFEST/m, 'neither git nor list');
is(must_run('sh', '-c', "ls '$source/build'"), "$name.tar.gz\n", '... none of them leaves a tarball in part');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# doc/images.md: its commands do what it says, as they stand there, and its sentences are those of the source.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Find ();
use File::Spec ();
use File::Temp ();
use Test::More;
use Time::HiRes qw(time);

use FTMPI::FixedAddresses ();
use FTMPI::Test::File            qw(read_file);
use FTMPI::Test::Job             qw(program root);

use constant LOOK => 0.01;    # seconds between looks for a line

my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
plan skip_all => $why if defined $why;

my $root     = root();
my $document = read_file("$root/doc/images.md");
# where a line takes no disk's time: there are to be two before the program ends
my $dir      = File::Temp->newdir('ftmpi-images-XXXXXX', DIR => -w '/dev/shm' ? '/dev/shm' : File::Spec->tmpdir);
my $answer   = qr/^(laplace: right, .*?)(?:, [\d.]+ s)?$/m;

# The program's, so that it runs for many times the interval.
my @arguments = qw(400 -steps 4000);

# The command of the document that matches, without its comment, and with arguments.
sub command
{
	my ($pattern) = @_;
	my ($line) = $document =~ /^    (bin\/ftmpirun .*$pattern)/m;
	ok(defined $line, "the document has a command like $pattern") or return 'false';
	return $line =~ s/\s+#.*//r =~ s/\bARGS\b/@arguments/r;
}

sub begin
{
	my ($command) = @_;
	return FTMPI::Test::Job->start([ 'sh', '-c', "cd '$dir' && exec $command" ]);
}

sub lines { my @lines = glob "$dir/work/*/line-*.manifest"; return scalar @lines }

# ---- commands ----

symlink "$root/bin", "$dir/bin" or die "symlink: $!\n";
symlink program('plain_laplace'), "$dir/program" or die "symlink: $!\n";

my $undisturbed = FTMPI::Test::Job->run([ "$root/bin/ftmpirun", '-n', 4, program('plain_laplace'), @arguments ]);
$undisturbed->is_status(0, 'a program that calls MPI alone');
my ($expected) = $undisturbed->out =~ $answer;

# ftmpirun is ended as soon as there is a second line: it has asked for that when it knew of the first.
my $job = begin(command(qr/ARGS  .*/));
$job->take(time + LOOK) while lines() < 2 && %{ $job->{open} } && time < $job->{until};
cmp_ok(lines(), '>', 1, 'lines are made by time') or diag $job->saw;
$job->signal('INT');
$job->finish;
$job->is_status(130, 'ftmpirun is ended by Ctrl-C');
$job->err_like(qr/ -restore goes on from line \d+ of session \S+\.$/m, 'ftmpirun is ended by Ctrl-C');
$job->none_left('the job that was ended');

$job = begin(command(qr/ARGS -restore.*/));
$job->finish;
$job->is_status(0, 'the same command with -restore');
$job->err_like(qr/-restore: going on from line \d+ /, 'the same command with -restore');
unlike($job->err, qr/began at its beginning/, '... goes on from the line');
is(($job->out =~ $answer)[0], $expected, '... has the answer of the undisturbed run');
$job->none_left('the job that was restored');

# ---- sentences ----

# What the source says, without comments, and with the pieces of a text put together.
my @source;
File::Find::find(sub { push @source, read_file($_) if /\.(?:c|pm)\z/ }, map { "$root/$_" } qw(lib/image lib/mpi lib/ckpt bin/lib/FTMPI));
my $source = join "\n", map { s{/\*.*?\*/|^\s*#.*?$}{}gmsr =~ s/"\s*\n\s*"//gr =~ s/'\s*\.\s*'//gr =~ s/\\'/'/gr } @source;
my ($chapter) = $document =~ /^## What it says, and what to do\n(.*)/ms;
my @sentences = $chapter =~ /^\| `(.*?)` \|/mg;
cmp_ok(scalar @sentences, '>', 20, 'the document has sentences');
for my $sentence (@sentences) {
	ok(index($source, $sentence) >= 0, "the source has: $sentence");
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# doc/tutorial.md, as a reader goes through it at a terminal: its commands, and what it says that they print. Jobs are
# shorter than there, and its hosts are this one, which a stand-in for ssh reaches.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::FixedAddresses ();
use FTMPI::Test::Alone    ();
use FTMPI::Test::Document ();
use FTMPI::Test::File     qw(read_file write_file);
use FTMPI::Test::Job      qw(sanitized);
use FTMPI::Test::Process  qw(wait_until);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
plan skip_all => $why if defined $why;
FTMPI::Test::Alone::enter();

my $home = File::Temp->newdir('ftmpi-tutorial-XXXXXX', TMPDIR => 1);
my $tour = "$home/tour";
my $ssh  = write_file("$home/ssh", <<'SH');
#!/bin/sh
# the host, and one command line for its shell
shift
SSH_CONNECTION="127.0.0.1 40000 127.0.0.1 22" exec sh -c "$*"
SH
chmod 0755, $ssh or die "$ssh: $!\n";

# A reader who kills has seen that the job runs for a while: there is a line that is not of an earlier job.
my (%old, $job_has_lines);

sub manifests { return glob "$tour/work/*/line-*.manifest" }

sub before
{
	my ($tutorial, $command) = @_;
	if ($command =~ /&\z/) {
		%old           = map { $_ => 1 } manifests();
		$job_has_lines = $command =~ /-ckpt-interval/;
	} elsif ($command =~ /\Ap?kill / && $job_has_lines) {
		ok(wait_until(60, sub { grep { !$old{$_} } manifests() }), 'there is a line before the kill');
	}
	return;
}

my $tutorial = FTMPI::Test::Document->new('doc/tutorial.md',
	dir     => "$home",
	instead => [
		# hosts that are one would bind their ranks to the same processors
		[ qr/-v \.\/plate 5000 1000\b/ => '-v -bind none ./plate 100 20' ],
		[ qr/\b5000 1000\b/            => '300 60' ],
		[ qr/-ckpt-interval 0\.5\b/     => '-ckpt-interval 0.2' ],
	],
	varies  => qr/^ftmpirun: |plate|^step \d|line|variable/,
	before  => \&before,
);

write_file("$tour/hello.c",  $tutorial->program_text('#include <mpi.h>'));
write_file("$tour/machines", $tutorial->program_text('node1 slots=2'));
$tutorial->begin(env => { HOME => "$home", FTMPI_SSH => $ssh });
for my $session ($tutorial->sessions) {
	$tutorial->session($session) or last;
}
$tutorial->end;
my @log = split /\n/, read_file("$tour/images/plate.log");
is_deeply([ map { /^step (\d+) / ? $1 : $_ } @log ], [ 1 .. 300 ], 'each step is in the log once');
FTMPI::Test::Alone::at_rest('the tutorial', "$home");
done_testing();

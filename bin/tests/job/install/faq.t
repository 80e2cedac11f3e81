# SPDX-License-Identifier: BSD-3-Clause
#
# The sessions of doc/faq.md: what they print, and with which status they end.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Alone    ();
use FTMPI::Test::Document ();
use FTMPI::Test::Job      qw(root sanitized);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');
FTMPI::Test::Alone::enter();

my $home = File::Temp->newdir('ftmpi-faq-XXXXXX', TMPDIR => 1);
my $faq  = FTMPI::Test::Document->new('doc/faq.md',
	dir     => "$home",
	instead => [ [ qr/\b5000 1000\b/ => '300 100' ], [ qr/-ckpt-interval 0\.5\b/ => '-ckpt-interval 0.2' ] ],
	varies  => qr/^ftmpirun: (?:rank|-restore: line)|^plate/,
);
$faq->begin(env => { HOME => "$home" });
$faq->step('export PATH=$PWD/bin:$PATH; cd ~');
$faq->step('ftmpicc -O2 -o plate ' . root() . '/examples/plate.c -lm');
my @sessions = $faq->sessions;
cmp_ok(scalar @sessions, '>', 0, 'there are sessions');
for my $session (@sessions) {
	$faq->session($session) or last;
}
$faq->end;
FTMPI::Test::Alone::at_rest('the questions', "$home");
done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What the launcher does in the work directory: when the record of a job is kept, what it says, what is cleared.
use strict;
use warnings;

use FindBin    ();
use File::Temp ();
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use FTMPI::Launcher::Record  ();
use FTMPI::Launcher::Workdir ();
use FTMPI::Probe             ();

use constant SESSION => '20240102-030405-00000001';

my $path = File::Temp->newdir('ftmpi-workdir-XXXXXX', TMPDIR => 1);
my (@told, @said, @logged);

sub workdir
{
	@told = @said = @logged = ();
	return FTMPI::Launcher::Workdir->new(path => "$path", session => SESSION, ranks => 3, parts => [ [ 3, 'pi', '1000' ] ],
		tell => sub { push @told, "@_" }, say => sub { push @said, @_ }, log => sub { push @logged, @_ },
		name => sub { "host$_[0]" });
}

my $folder = "$path/" . SESSION;
sub record { return FTMPI::Launcher::Record::load($folder) }

my $job = workdir();
$job->keep_record([ 0, time, undef ]);
ok(!-e $folder, 'a job without lines has no record');
$job->keep_record;
is("@logged", '', '... and one whose lines are not seen from here none either, without a word');
$job = workdir();

mkdir $folder or die "$folder: $!\n";
$job->restored('other', 4);
$job->restored(SESSION, 5);
$job->restored('third', 6);
$job->keep_record;
my $record = record();
is("$record->{ranks} @{ $record->{from} }", '3 other 4', 'at the first line: how many ranks, and what the job began with');
ok(!$record->{end}, '... it has not ended');
unlink glob "$folder/*";
$job->keep_record;
ok(!record(), '... once only');
$job->keep_record([ 3, time, 'rank 1 ended' ]);
is(record()->{end}[0], 3, 'and again at the end, with the status');
is("@logged", '', 'nothing is to be told of that');

unlink glob "$folder/*";
chmod 0500, $folder;
SKIP: {
	skip 'root may write anywhere', 1 if -w $folder;
	workdir()->keep_record;
	like("@logged", qr/^the job has no record: /, 'one that cannot be written is told');
}
chmod 0700, $folder;

# The file by which hosts find out whether they share the directory.
$job = workdir();
my $probe = '.ftmpi-' . SESSION . '.1';
$job->ask_whether_shared(0, 1, 2);
is_deeply(\@told, [ "0 PROBE @{[ FTMPI::Probe::MAKE ]} $path $probe" ], 'the host of rank 0 is told to make it');
$job->answered(0, FTMPI::Probe::MAKE, '');
$job->lost(2);
$job->answered(1, FTMPI::Probe::LOOK, '');
is($told[-1], "0 PROBE @{[ FTMPI::Probe::REMOVE ]} $path $probe", '... and to remove it, when all that are left have answered');

open my $left, '>', "$path/$probe" or die "$path/$probe: $!\n";
close $left;
$job->clear(0);
ok(!-e "$path/$probe", 'one that an agent left behind is cleared');
ok(!-e $folder, '... and the folder of a session in which nothing came to be');

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# ftmpi-top, and -progress, without a terminal: with one see terminal.t.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use File::Temp ();
use Test::More;

use FTMPI::Net ();
use LauncherTest;

my $TOP = "$FindBin::RealBin/../../ftmpi-top";

sub top
{
	my (@words) = @_;
	my $job = begin([ $^X, $TOP, @words ]);
	wait_end($job);
	return $job;
}

sub status_file
{
	my ($folder, $text) = @_;
	mkdir $folder;
	open my $file, '>', "$folder/status.json" or die "$folder/status.json: $!\n";
	print $file $text;
	close $file or die "$folder/status.json: $!\n";
	return $folder;
}

my %said = (
	'words' => [ ['-h'], 0, qr/\Ausage: ftmpi-top /, qr/\A\z/ ],
	'version' => [ ['-version'], 0, qr/\Aftmpi-top \(FTMPI\) \d/, qr/\A\z/ ],
	'nothing' => [ [], 2, qr/\A\z/, qr/\Aftmpi-top: no work directory is named; try ftmpi-top -h\n\z/ ],
	'an odd option' => [ ['-x'], 2, qr/\A\z/, qr/\Aftmpi-top: unknown option -x; try / ],
	'no folder' => [ [ '-once', '/no/such' ], 1, qr/\A\z/, qr{\Aftmpi-top: /no/such: No such file} ],
	'an empty folder' => [ [ '-once', scratch() ], 1, qr/\A\z/, qr/: no job there has a status: / ],
);
for my $name (sort keys %said) {
	my ($words, $status, $out, $err) = @{ $said{$name} };
	my $job = top(@$words);
	is($job->{status}, $status, $name);
	like($job->{out}, $out, '... what it prints');
	like($job->{err}, $err, '... and says');
}

# Files that no ftmpirun has written.
my $dir = File::Temp->newdir;
my $good = '{"v":1,"time":%d,"session":"s","state":"%s","host":"%s","pid":%d,"seconds":60,"ranks":4,"alive":3,"hosts":2,"restarts":1,"lines":5,"checkpoints":0,"lost":2.5,"cost":0.4,"line":{"number":5,"age":7,"bytes":1048576}}';
my $session = "$dir/20260101-000000-01234567";
for my $bad ('', 'x' x 100_000, '[]', '{}', '{"session":{}}', sprintf($good, 1, 'running', 'a', 1) =~ s/"ranks":4/"ranks":"many"/r, sprintf($good, 1, 'running', 'a', 1) =~ s/"age":7/"age":[]/r, "\x00\xff") {
	status_file($session, $bad);
	is(top('-once', "$dir")->{status}, 1, 'a file that says nothing: ' . substr $bad, 0, 40);
}
status_file($session, sprintf($good, time, 'running', FTMPI::Net::hostname(), $$) =~ s/"s"/"s\\u001b[2J"/r);
my $job = top('-once', "$dir");
like($job->{out}, qr/^session +s \[2J, ftmpirun on \S+, process $$\nstate +running for 1 min(?: 1 s)?\nranks +3 of 4 on 2 hosts\nlast +line 5 [78] s ago \(1\.00 MiB\)\nlines +5; they cost 0\.4 % of the time\nrestarts +1; work done again: 2\.5 s\n\z/, 'a job that runs');
status_file($session, sprintf $good, time - 100, 'running', 'elsewhere', 1);
like(top('-once', "$dir")->{out}, qr/running for 2 min 40 s; nothing was heard of it for 1 min 40 s$/m, '... of which nothing was heard for long');
status_file("$dir/20260102-000000-01234567", sprintf($good, time - 50, 'ended', 'a', 1));
unlike(top('-once', "$dir")->{out}, qr/ended/, 'those that run are shown');
like(top('-once', "$dir/20260102-000000-01234567")->{out}, qr/^state +ended, after 1 min$/m, '... or the one that is named');

$job = ftmpirun([ qw(-progress -n 1), $^X, $RANK, qw(init say:here finalize) ]);
is("$job->{out}$job->{err}", "here\n", 'where there is no terminal a short job shows none');

done_testing;

# SPDX-License-Identifier: BSD-3-Clause
#
# Lines that were committed and are gone when ranks come to restore one: the work directory was removed or
# unmounted, or its newest line is missing. The job ends with a sentence, or goes on from what is there with
# -restart-from-start.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Path ();
use Test::More;

use FTMPI::Test::Fault   ();

FTMPI::Test::Fault::alone();

my @args = qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25);

# A job with lines after rounds 10 and 20 loses what $do takes away, and then a rank.
sub vanish
{
	my ($coord, $do, @run) = @_;
	my $fault = FTMPI::Test::Fault->start(program => 'pi', coord => $coord, args => \@args, run => \@run);
	$fault->all_held;
	my @manifests = $fault->manifests;
	is(scalar @manifests, 2, "$coord: two lines") or diag($fault->job->saw);
	$do->($fault->workdir, @manifests);
	$fault->kill_ranks(2);
	return $fault;
}

sub ends
{
	my ($case, $sentence, $coord, $do) = @_;
	my $name  = "$coord: $case";
	my $fault = vanish($coord, $do);
	$fault->job->finish;
	isnt($fault->job->status, 0, "$name: the job ends") or diag($fault->job->saw);
	$fault->job->err_like($sentence, $name);
	unlike($fault->job->out, qr/^round 1\n.*^round 1\n/ms, "$name: no rank begins again");
	unlike($fault->job->out, qr/^restored/m, "$name: nothing is restored");
	$fault->clear($name);
	return;
}

sub goes_on
{
	my ($case, $sentence, $coord, $do) = @_;
	my $name  = "$coord: $case, -restart-from-start";
	my $fault = vanish($coord, $do, '-restart-from-start');
	$fault->survived($name, restarts => 1);
	$fault->job->err_like($sentence, $name);
	return $fault;
}

sub all_lines { my ($dir) = @_; return File::Path::remove_tree($dir, {keep_root => 1}) }
sub newest    { my ($dir, @manifests) = @_; return unlink "$dir/$manifests[-1]" }


ends('every line is gone', qr/line 2 was committed, but \S+ has no line at all: was/, 'blocking', \&all_lines);
ends('the work directory is removed', qr/line 2 was committed, but/, 'eventlog',
	sub { File::Path::remove_tree($_[0]) });
ends('the newest line is gone', qr/line 2 was committed, but \S+ has no line after 1: was/, 'blocking', \&newest);
goes_on('every line is gone', qr/has no line: the job begins again/, 'blocking', \&all_lines);
goes_on('the newest line is gone', qr/has no line after 1: the job goes on/, 'blocking', \&newest)
	->job->out_like(qr/^restored after round 10$/m, '... from the line before');

done_testing();

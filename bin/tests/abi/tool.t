#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Every implemented function can be put between a program and the library (MPI 5.0 section 15.2): a
# tool that has all of them is loaded before the library. Programs give their right answers, the tool
# sees the calls they make, and none that the library makes for itself.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin ();
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../lib/mpi";
use FTMPI::Test::Job      qw(ftmpirun program sanitized);
use Prototypes            ();

my $root = "$FindBin::Bin/../../..";
my $libdir = $ENV{FTMPI_LIBDIR} or plan skip_all => 'FTMPI_LIBDIR does not name a built library';
plan skip_all => 'a sanitizer must be loaded before any tool' if sanitized('init_calls');
my $tmp = tempdir(CLEANUP => 1);
my @sources = glob "$root/lib/mpi/*/*.c";
my $tool = "$tmp/libtool.so";

# the library's own calls are PMPI_X: nothing in it is bound to a weak MPI_X by name
my %function = map { $_->[1] => 1 } Prototypes::of(Prototypes::slurp("$root/include/mpi.h"));
my @bound = grep { $function{$_} } map { /\s(MPI_\w+)/ } `objdump -R $libdir/libftmpi.so`;
is_deeply(\@bound, [], 'the library calls no MPI_X by that name');

my $cc = $ENV{CC} || 'cc';
my $said = `$^X $FindBin::Bin/gen_tool.pl $root/include/mpi.h @sources 2>&1 >$tmp/tool.c`
	. `$cc -std=gnu11 -Wall -Werror -shared -fPIC -I$root/include -o $tool $tmp/tool.c 2>&1`;
is($said, '', 'a tool with every function is made without a warning');

my %has = map { $_ => 1 } `nm -D --defined-only $tool` =~ /\bT (MPI_\w+)/g;
my $implemented = Prototypes::implemented(@sources);
is_deeply([ grep { !$has{$_} } sort keys %$implemented ], [], 'it has what is implemented');

sub under_tool
{
	my ($ranks, $name, @arguments) = @_;
	return FTMPI::Test::Job->run(
		[ ftmpirun(), '-n', $ranks, '-x', "LD_PRELOAD=$tool", program($name), @arguments ],
		env => { FTMPI_EAGER_LIMIT => 4096 });
}

# {rank}{function} of what the tool said
sub counted
{
	my ($job) = @_;
	my (%count, $said);
	$said = $job->err;
	$count{$1}{$2} = $3 while $said =~ /^tool (\d+) (\w+) (\d+)$/mg;
	return \%count;
}

my $job = under_tool(3, 'init_calls');
$job->is_status(0, 'init_calls under the tool');
$job->out_like(qr/^init_calls: right, 3 ranks/m, 'init_calls under the tool');
my $count = counted($job);
is($count->{0}{MPI_Recv}, 2, 'rank 0 receives twice');
is($count->{0}{MPI_Send}, undef, '... and does not send');
for my $rank (1, 2) {
	is($count->{$rank}{MPI_Send}, 1, "rank $rank sends once");
	is($count->{$rank}{$_}, 1, "... and calls $_ once") for qw(MPI_Init MPI_Finalize);
}

my %seen;
for my $name (qw(collective passnum environment info_objects tool_interface randtest datatypes p2p onesided intercomm)) {
	my @arguments = $name eq 'collective' ? (200, '-every', 20) : $name eq 'passnum' ? (100) : ();
	$job = under_tool(2, $name, @arguments);
	$job->is_status(0, "$name under the tool");
	$job->out_like(qr/^$name: .*right/m, "$name under the tool");
	$count = counted($job);
	$seen{$_}++ for keys %{ $count->{0} // {} };
}
cmp_ok(scalar keys %seen, '>', 200, 'functions seen: ' . scalar keys %seen);
done_testing();

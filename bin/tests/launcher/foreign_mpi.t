#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What libraries a file asks for, and which are another MPI's.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Agent::Elf        ();
use FTMPI::Agent::ForeignMpi ();
use FTMPI::Agent::Process    ();
use FTMPI::Agent::Ranks      ();
use FTMPI::Launcher::Job     ();
use FTMPI::Launcher::Verdict ();
use LauncherTest;

# ---- names ----

for my $name (qw(libmpi.so.40 libmpi.so.12.3.0 libmpich.so.12 libmpi.so libmpifort.so.12 libmpi_mpifh.so.40
	libmpi_usempif08.so.40 libmpi_cxx.so.40 libmpicxx.so.12 libmpi_abi.so.0.0.0 libpmpi.so.12)) {
	is(FTMPI::Agent::ForeignMpi::library('libc.so.6', $name), $name, "$name is another MPI's");
	is(FTMPI::Agent::ForeignMpi::library($name, 'libftmpi.so.0'), undef, '... but not beside ours');
}
for my $name (qw(libmpir.so.3 libmpfr.so.6 libmpi4py.so libmpimetis.so libpmix.so.2 libmpc.so.3 libftmpi.so.0 mylibmpi.so)) {
	is(FTMPI::Agent::ForeignMpi::library($name), undef, "$name is not");
}

is(FTMPI::Agent::ForeignMpi::library('MPI.cpython-311-x86_64-linux-gnu.so', 'libmpi.so.40'), 'libmpi.so.40 (by mpi4py)', 'one that mpi4py has loaded');
is(FTMPI::Agent::ForeignMpi::library('MPI.abi3.so', 'libftmpi.so.0'), undef, '... and an mpi4py that is ours');
is(FTMPI::Agent::ForeignMpi::library('PMPI.cpython-311.so', 'MPI.py', 'libmpi.so.40'), 'libmpi.so.40', '... and names that are not its');

# ---- files ----

my ($needed) = grep { -e } "$ENV{FTMPI_LIBDIR}/libftmpi.so.0";
my $asks = join ' ', FTMPI::Agent::Elf::needed($needed);
ok($asks =~ /\blibc\.so\.6\b/ && $asks =~ /\blibsodium\.so\./, 'what a library asks for') or diag($asks);
is_deeply([ FTMPI::Agent::Elf::needed($_) ], [], "$_ asks for nothing")
	for '/etc/passwd', '/dev/zero', '/no/such/file', '/', text_file('empty', ''), text_file('head', "\x7fELF\2\1");

# A file of each class and byte order, with one segment at address 0 that is all of it.
sub elf
{
	my ($class, $order, @names) = @_;
	my ($o, $a) = ($order == 1 ? '<' : '>', $class == 1 ? 'L' : 'Q');
	my $head    = $class == 1 ? 52 : 64;
	my $segment = $class == 1 ? 32 : 56;
	my $names   = "\0" . join '', map { "$_\0" } @names;
	my $strings = $head + 2 * $segment;
	my $table   = $strings + length $names;
	my @entries = ([ 5, $strings ]);
	my $at      = 1;
	for my $name (@names) {
		push @entries, [ 1, $at ];
		$at += 1 + length $name;
	}
	my $dynamic = join '', map { pack "$a$o $a$o", @$_ } @entries, [ 0, 0 ];
	my $size    = $table + length $dynamic;
	my $row     = sub {
		my ($type, $from, $bytes) = @_;
		return $class == 1 ? pack("L$o L$o L$o L$o L$o x12", $type, $from, $from, $from, $bytes)
			: pack("L$o x4 Q$o Q$o Q$o Q$o x16", $type, $from, $from, $from, $bytes);
	};
	my $ident = pack 'a4 C C x10', "\x7fELF", $class, $order;
	my $rest = $class == 1 ? pack("x12 L$o x10 S$o S$o x6", $head, $segment, 2) : pack("x16 Q$o x14 S$o S$o x6", $head, $segment, 2);
	return $ident . $rest . $row->(1, 0, $size) . $row->(2, $table, length $dynamic) . $names . $dynamic;
}

my @names = qw(libone.so.1 libmpi.so.40);
for my $class (1, 2) {
	for my $order (1, 2) {
		my $bytes = elf($class, $order, @names);
		is_deeply([ FTMPI::Agent::Elf::needed(text_file('elf', $bytes)) ], \@names, "class $class, byte order $order");
		my @wrong;
		local $SIG{__WARN__} = sub { push @wrong, @_ };
		for my $length (0 .. length($bytes) - 1) {
			my @found = eval { FTMPI::Agent::Elf::needed(text_file('elf', substr $bytes, 0, $length)) };
			push @wrong, "$length: $@" if $@;
			my $broken = $bytes;
			substr $broken, $length, 1, "\xff";
			eval { FTMPI::Agent::Elf::needed(text_file('elf', $broken)); 1 } or push @wrong, "at $length: $@";
		}
		is_deeply(\@wrong, [], '... cut and broken anywhere: no harm');
	}
}

# ---- whom the agent looks at ----

my %process = map { $_ => bless { pid => $_, state => 'running' }, 'FTMPI::Agent::Process' } 5, 6;
my $ranks = bless { ranks => \%process }, 'FTMPI::Agent::Ranks';
$_->_hear(28, pack 'V', 6) for values %process;
is_deeply([ map { $_->{pid} } $ranks->not_in_mpi ], [5], 'one that is a program of ours is not looked at, a script that runs one is');

# A loop whose time is told, and the times at which it called back.
package Turns;
sub new   { return bless { at => 0, times => [] }, shift }
sub after { my ($self, $wait, $call) = @_; $self->{next} = [ $wait, $call ]; return 1 }
sub cancel { return }

sub all
{
	my ($self) = @_;
	while (my $next = delete $self->{next}) {
		$self->{at} += $next->[0];
		push @{ $self->{times} }, sprintf '%.2f', $self->{at};
		$next->[1]->();
	}
	return "@{ $self->{times} }";
}

package main;

{
	no warnings 'redefine';
	my $turns = Turns->new;
	local *FTMPI::Loop::now = sub { return $turns->{at} += 0.001 };
	$ranks->{ranks} = {};
	FTMPI::Agent::ForeignMpi->new(loop => $turns, ranks => $ranks)->watch;
	like($turns->all, qr/^0\.05 0\.15 .* 5\.0\d/, 'those that are started later are looked at, too');
}

# ---- what the launcher makes of it ----

my @news = (0, 0, 'libmpi.so.40');

sub job
{
	my (@events) = @_;
	my $job = FTMPI::Launcher::Job->new(
		hosts   => [ { name => 'h', slots => 2, ranks => [ 0, 1 ] } ],
		verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 2));
	my @said;
	for my $event ([ begin => ], [ here => 0 ], [ ports => 0 ], @events) {
		push @said, map { $_->[1] } grep { $_->[0] eq 'say' } $job->event(@$event);
	}
	return ($job->status, @said);
}

my @ends = map { [ exited => $_, 0, 0 ] } 0, 1;
my ($status, @said) = job([ foreign => @news ], @ends);
is($status, 1, 'nobody came to MPI_Init: status');
is(@said, 1, '... one sentence') or diag(join "\n", @said);
like($said[0], qr/: compile the program with ftmpicc, or set/, '... which says what to do');
(undef, @said) = job([ foreign => 0, 0, 'libmpi.so.40 (by mpi4py)' ], @ends);
like($said[0], qr/: build mpi4py with ftmpicc \(doc\/python\.md says how\), or set/, '... of a script with mpi4py');
(undef, @said) = job([ foreign => 0, 1, 'libmpi.so.40' ], [ foreign => 1, 1, 'libmpi.so.40' ]);
is(@said, 1, 'when it was there for long: one note while the job runs') or diag(join "\n", @said);
($status, @said) = job([ foreign => @news ], map({ [ inited => $_ ], [ finalized => $_ ] } 0, 1), @ends);
is("$status @said", '0 ', 'ours came after it: nothing is wrong');
($status, @said) = job([ foreign => @news ], [ exited => 0, 7, 0 ], $ends[1]);
is($status, 7, 'a rank that failed: its status');
is(@said, 2, '... and what may be why');

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# mock.pl c|f08|mpi MPI.H >FILE
#
# Whether every call hands on every argument: a program in Fortran that makes each call of mpi_f08 or mpi, but
# those written by hand, once as MPI_X and once as PMPI_X, with a different number in every argument; and, in C, functions
# in the place of PMPI_X that look at what comes, and answer with numbers that Fortran looks at.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../../lib/fortran/gen";

use Header ();
use Module ();
use Table  ();
use Wrap   ();

my ($what, $mpi_h) = @ARGV;
my $text = Header::slurp($mpi_h // die "usage: mock.pl c|f08|mpi MPI.H\n");
my @functions = grep { Wrap::takes_error($_) && !$Table::BY_HAND{ $_->{name} } && !$Table::LATER{ $_->{name} }
	&& !$Table::REMOVED{ $_->{name} } } Header::functions($text);

my $WIDE = 2**40;
my %WIDE = map { ($_ => 1) } qw(aint count offset);

# What the argument that is number i is, or its element j; answers are other numbers.
sub number
{
	my ($a, $i, $j, $answer) = @_;
	return ($i + $j + ($answer ? 1 : 0)) % 2 if $a->{kind} eq 'logical';
	return ($answer ? 1300 : 300) + $i + 20 * $j if $a->{handle};
	return ($WIDE{ $a->{kind} } ? $WIDE : 0) + ($answer ? 500 : 100) + $i + 10 * $j;
}

sub elements { return $_[0]{array} ? (0 .. 2) : (0) }

# An array whose length only a communicator knows, which there is none of here.
sub unknown { return ($_[0]{length} // '') =~ /neighbours/ }

sub reads  { return $_[0]{way} ne 'out' }
sub writes { return $_[0]{way} ne 'in' }

# ---- C ----

sub c_argument
{
	my ($a, $i, $f) = @_;
	my ($n, $kind) = @$a{qw(c kind)};
	my @see;
	my @put;
	if ($kind eq 'choice' && $n !~ /^buffer_addr$/) {
		push @see, "*(const int *)$n == 700 + $i";
		push @put, "*(int *)$n = 750 + $i;" if writes($a);
	} elsif ($kind eq 'cptr' || $kind eq 'choice') {
		push @put, "*(void **)$n = (void *)(${WIDE}L + $i);";
	} elsif ($kind eq 'string') {
		push @see, qq{strcmp($n, "text$i") == 0} if reads($a);
		push @put, qq{strcpy($n, "out$i");} if writes($a);
	} elsif ($kind eq 'status') {
		push @see, "$n->MPI_SOURCE == 800 + $i" if reads($a) && !$a->{array};
		push @put, map { "$n\[$_].MPI_TAG = 900 + $i + $_;" } elements($a) if writes($a);
	} elsif ($kind eq 'ranges') {
		push @see, "${n}[0][0] == 100 + $i && ${n}[0][1] == 110 + $i && ${n}[0][2] == 120 + $i";
	} else {
		my $many = $a->{array} || writes($a);
		for my $j (elements($a)) {
			my ($in, $out) = map { number($a, $i, $j, $_) } 0, 1;
			my $cast = $a->{handle} ? '(long)' : '';
			my $type = $a->{handle} ? "(MPI_$a->{kind})" : '';
			my $at = $many ? "$n\[$j]" : $n;
			push @see, "$cast$at == ${in}L" if reads($a) && !unknown($a) && !($n eq 'outcount');
			next unless writes($a);
			$out = 1 if $n eq 'flag' && grep { $_->{kind} eq 'string' && writes($_) } @{ $f->{args} };
			$out = 3 if $n eq 'outcount';
			push @put, "$at = $type${out}L;";
		}
	}
	return ((map { qq{\tmock_see(mine && !($_), "$f->{name}", "$n");\n} } @see), map { "\t$_\n" } @put);
}

sub c_file
{
	my %raw;
	$raw{$1} = $2 while $text =~ /^int\s+(MPI_\w+)\s*\(([^;]*)\)\s*;/mg;
	my @out = ("/* Made by mock.pl; do not edit. */\n#include <stdio.h>\n#include <string.h>\n\n#include <mpi.h>\n\n",
		"int mock_expected, mock_calls, mock_wrong;\n\n",
		"static void mock_see(int wrong, const char *function, const char *argument)\n{\n\tif (!wrong)\n\t\treturn;\n\tmock_wrong++;\n",
		qq|\tfprintf(stderr, "mock: WRONG: %s does not get its %s\\n", function, argument);\n}\n\n|);
	for my $k (0 .. $#functions) {
		my $f = $functions[$k];
		my $i = 0;
		push @out, "int P$f->{name}($raw{$f->{name}})\n{\n\tint mine = mock_expected == $k;\n\n\tmock_calls += mine;\n",
			(map { c_argument($_, ++$i, $f) } @{ $f->{args} }), "\treturn MPI_SUCCESS;\n}\n\n";
	}
	return @out;
}

# ---- Fortran ----

sub declare
{
	my ($a, $i, $f08) = @_;
	my $kind = $a->{kind};
	return 'integer' if $kind eq 'choice';
	return $f08 ? 'type(c_ptr)' : 'integer(MPI_ADDRESS_KIND)' if $kind eq 'cptr';
	return 'character(len=40)' if $kind eq 'string';
	return 'integer, dimension(3, 2)' if $kind eq 'ranges';
	my $type = Module::type_of($a, $f08);
	my $many = $a->{array} ? 600 : 0;
	return $type . (!$f08 ? ($many ? ', dimension(MPI_STATUS_SIZE, 600)' : ', dimension(MPI_STATUS_SIZE)')
		: $many ? ', dimension(600)' : '') if $kind eq 'status';
	return $type . ($many ? ', dimension(600)' : '');
}

# Statements that set it, and [what is to be true, its name] afterwards.
sub use_of
{
	my ($a, $i, $f, $f08) = @_;
	my ($kind, $v) = ($a->{kind}, "a$i");
	my ($short) = $f->{plain} =~ /^MPI_(\w+)/;
	return (["$v = 700 + $i"], writes($a) ? ["$v == 750 + $i"] : []) if $kind eq 'choice';
	return ([], []) if $kind eq 'cptr' && $a->{name} eq 'buffer_addr' && !$f08;
	return ([], [($f08 ? "transfer($v, 0_MPI_ADDRESS_KIND)" : $v) . " == $WIDE\_MPI_ADDRESS_KIND + $i"]) if $kind eq 'cptr';
	return (["$v = ' '", "$v = 'text$i'"], writes($a) ? ["$v == 'out$i'"] : []) if $kind eq 'string';
	return (["$v(:, 1) = [100 + $i, 110 + $i, 120 + $i]", "$v(:, 2) = 0"], []) if $kind eq 'ranges';
	if ($kind eq 'status') {
		my ($source, $tag) = $f08 ? ('%MPI_SOURCE', '%MPI_TAG') : ('(MPI_SOURCE)', '(MPI_TAG)');
		return (["$v$source = 800 + $i"], writes($a) ? ["$v$tag == 900 + $i"] : []) unless $a->{array};
		return ([], [map { $f08 ? "$v($_)$tag == 899 + $i + $_" : "$v(MPI_TAG, $_) == 899 + $i + $_" } 1 .. 3]);
	}
	my (@set, @want);
	my $val = $a->{handle} && $f08 ? '%MPI_VAL' : '';
	push @set, $kind eq 'logical' ? "$v = .false." : "$v$val = " . number($a, $i, 0, 0) . ($WIDE{$kind} ? '_8' : '');
	for my $j (elements($a)) {
		my ($in, $out) = map { number($a, $i, $j, $_) } 0, 1;
		my $at = $a->{array} ? "$v(" . ($j + 1) . ')' : $v;
		$out = 1 if $a->{name} eq 'flag' && grep { $_->{kind} eq 'string' && writes($_) } @{ $f->{args} };
		$out = 3 if $a->{name} eq 'outcount';
		$out++ if $Table::INDEX{$short} && $a->{name} eq 'index' || $Table::INDICES{$short} && $a->{name} eq 'array_of_indices';
		($in, $out) = map { $_ ? '.true.' : '.false.' } $in, $out if $kind eq 'logical';
		($in, $out) = map { "${_}_8" } $in, $out if $WIDE{$kind};
		push @set, "$at$val = $in";
		next unless writes($a) && !unknown($a);
		push @want, $kind eq 'logical' ? "($at .eqv. $out)" : "$at$val == $out";
	}
	return (\@set, \@want);
}

sub f_function
{
	my ($f, $k, $f08) = @_;
	my @args = @{ $f->{args} };
	my @names = ((map { "a$_" } 1 .. @args), 'ierr');
	my (@declare, @set, @check);
	for my $i (1 .. @args) {
		push @declare, declare($args[ $i - 1 ], $i, $f08) . " :: a$i";
		my ($set, $want) = use_of($args[ $i - 1 ], $i, $f, $f08);
		push @set, @$set;
		push @check, map { qq{call see($_, '$f->{name}', '$args[$i - 1]{name}')} } @$want;
	}
	my @lines = ("subroutine call_$k", (map { "  $_" } @declare, 'integer :: ierr'));
	for my $p ('', 'P') {
		my $call = "call $p$f->{plain}(" . join(', ', @names) . ')';
		push @lines, map { "  $_" } @set, 'ierr = -1', "mock_expected = $k", "mock_calls = 0", Module::lines($call),
			qq{call see(ierr == MPI_SUCCESS .and. mock_calls == 1, '$f->{name}', 'ierror')}, @check;
	}
	return map { "  $_\n" } @lines, "end subroutine call_$k", '';
}

# Calls that Fortran cannot tell from those without _c are not there.
sub callable
{
	my ($f08) = @_;
	my (%by, %there);
	for my $f (@functions) {
		push @{ $by{ $f->{plain} } }, $f if $f08 ? !$Table::NOT_IN_F08{ $f->{name} } : !$f->{large};
	}
	Module::distinct($_) for values %by;
	$there{ $_->{name} } = 1 for map { @$_ } values %by;
	return grep { $there{ $functions[$_]{name} } } 0 .. $#functions;
}

sub f_file
{
	my ($f08) = @_;
	my $module = $f08 ? 'mpi_f08' : 'mpi';
	my @calls = callable($f08);
	return ("! Made by mock.pl; do not edit.\nmodule calls_$module\n  use, intrinsic :: iso_c_binding\n  use $module\n  implicit none\n",
		"  integer(c_int), bind(C) :: mock_expected, mock_calls, mock_wrong\ncontains\n",
		"  subroutine see(right, function, argument)\n    logical, intent(in) :: right\n",
		"    character(len=*), intent(in) :: function, argument\n    if (right) return\n    mock_wrong = mock_wrong + 1\n",
		"    write (0, *) 'mock: WRONG: ', function, ' does not give its ', argument\n  end subroutine see\n\n",
		(map { f_function($functions[$_], $_, $f08) } @calls), "end module calls_$module\n\nprogram mock\n  use calls_$module\n",
		(map { "  call call_$_\n" } @calls),
		"  if (mock_wrong == 0) print '(a,i0,a)', 'mock: $module: ', ${\ scalar @calls}, ' calls are right'\n",
		"  if (mock_wrong /= 0) error stop 1\nend program mock\n");
}

my %make = (c => sub { c_file() }, f08 => sub { f_file(1) }, mpi => sub { f_file(0) });
print $make{$what} ? $make{$what}->() : die "mock.pl: cannot make '$what'\n";

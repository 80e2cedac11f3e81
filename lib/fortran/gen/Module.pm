# SPDX-License-Identifier: BSD-3-Clause
#
# The modules mpi, mpi_f08, ftmpi and ftmpi_f08, and the include files mpif.h and ftmpif.h.
package Module;

use strict;
use warnings;

use Table ();
use Wrap  ();

our @HANDLES = qw(Comm Datatype Errhandler File Group Info Message Op Request Session Win);

my %KIND = (
	int => 'integer', double => 'double precision', legacy => 'integer', logical => 'logical',
	aint => 'integer(kind=MPI_ADDRESS_KIND)', value => 'integer(kind=MPI_ADDRESS_KIND)',
	count => 'integer(kind=MPI_COUNT_KIND)', offset => 'integer(kind=MPI_OFFSET_KIND)',
	string => 'character(len=*)',
);

# A buffer: without a check of what is passed.
sub choice
{
	my ($a, $f, $descriptor) = @_;
	my $in = $a->{way} eq 'in' ? ', intent(in)' : '';
	return ("!GCC\$ attributes no_arg_check :: $a->{name}", "type(*), dimension(*)$in :: $a->{name}") unless $descriptor;
	my $late = Table::nonblocking($f) || $f->{plain} =~ /Free_mem$|F_sync_reg$/ ? ', asynchronous' : '';
	return ("type(*), dimension(..)$in$late :: $a->{name}");
}

sub type_of
{
	my ($a, $f08) = @_;
	my $kind = $a->{kind};
	return $f08 ? "type(MPI_$kind)" : 'integer' if $a->{handle};
	return $f08 ? 'type(MPI_Status)' : 'integer' if $kind eq 'status';
	return $KIND{$kind} // die "gen.pl: no Fortran type for $kind\n";
}

sub shape
{
	my ($a, $f08) = @_;
	return '(3,*)' if $a->{kind} eq 'ranges';
	return ($a->{array} ? '(MPI_STATUS_SIZE,*)' : '(MPI_STATUS_SIZE)') if $a->{kind} eq 'status' && !$f08;
	return '(*)' if $a->{kind} eq 'strings' || $a->{array};
	return '';
}

sub declaration
{
	my ($a, $f, %how) = @_;
	my ($n, $kind) = @$a{qw(name kind)};
	my $f08 = $how{f08};
	return choice($a, $f, $how{linker}) if $kind eq 'choice' || $kind eq 'cptr' && $n eq 'buffer_addr' && !$f08;
	return ("external :: $n") if $kind eq 'function' && !$f08;
	return ("procedure($a->{ctype}) :: $n") if $kind eq 'function';
	my $way = $a->{way} eq 'in' ? ', intent(in)' : $a->{way} eq 'out' && $f08 ? ', intent(out)' : '';
	$way = ', intent(inout)' if $a->{way} eq 'inout' && $f08;
	# MPI_STATUS_IGNORE is no variable to be defined, nor is what a call that waits for others writes
	$way = '' if $kind eq 'status' && $way eq ', intent(out)' || $n =~ /weights$/ && $a->{way} eq 'out';
	$way = '' if $a->{array} && $a->{way} ne 'in' && $kind ne 'status';
	my $late = $f08 && Table::nonblocking($f) && $a->{array} && $kind ne 'status' ? ', asynchronous' : '';
	if ($kind eq 'cptr') {
		my $type = $f08 || $how{cptr} ? 'type(c_ptr)' : 'integer(kind=MPI_ADDRESS_KIND)';
		return ("$type, intent(out) :: $n");
	}
	if ($kind eq 'strings') {
		return ("character(len=*), intent(in) :: $n" . ($n eq 'array_of_argv' ? '(count,*)' : '(*)'));
	}
	my $type = $kind eq 'ranges' ? 'integer' : type_of($a, $f08);
	return ("$type$way$late :: $n" . shape($a, $f08));
}

# A statement, cut into lines that are short enough.
sub lines
{
	my ($text) = @_;
	my @lines;
	while (length $text > 110) {
		my $at = rindex $text, ',', 108;
		push @lines, substr($text, 0, $at + 1) . ' &';
		$text = '  ' . (substr($text, $at + 1) =~ s/^ //r);
	}
	return (@lines, $text);
}

my %RESULT = (double => 'double precision', MPI_Aint => 'integer(kind=MPI_ADDRESS_KIND)',
	MPI_Count => 'integer(kind=MPI_COUNT_KIND)');

# The interface of one procedure. name: what it is called; f08: with mpi_f08's types; linker: its bind(C) name.
sub procedure
{
	my ($f, %how) = @_;
	my $error = Wrap::takes_error($f);
	my $what  = $f->{result} eq 'int' ? 'subroutine' : 'function';
	my @names = map { $_->{name} } @{ $f->{args} };
	push @names, 'ierror' if $error;
	my $head = "$what $how{name}(" . join(', ', @names) . ')';
	$head .= ' result(answer)'                if $what eq 'function';
	$head .= qq{ bind(C, name="$how{linker}")} if $how{linker};
	my @body = ('import');
	push @body, map { declaration($_, $f, %how) } @{ $f->{args} };
	push @body, $how{optional} ? 'integer, optional, intent(out) :: ierror' : 'integer, intent(out) :: ierror'
		if $error;
	push @body, "$RESULT{$f->{result}} :: answer" if $what eq 'function';
	return map { "    $_\n" } lines($head), (map { /^!/ ? $_ : "  $_" } @body), "end $what $how{name}";
}

sub generic { my ($name, @bodies) = @_; return ("  interface $name\n", @bodies, "  end interface $name\n") }

# Module mpi: each procedure is what mpif.h's programs call.
sub mpi_interfaces
{
	my @text;
	for my $f (grep { !$_->{large} } @_) {
		for my $p ('', 'P') {
			my $name = "$p$f->{name}";
			if (Wrap::has_cptr($f)) {
				push @text, generic($name, procedure($f, name => $name),
					procedure($f, name => "${name}_cptr", cptr => 1));
			} else {
				push @text, "  interface\n", procedure($f, name => $name), "  end interface\n";
			}
		}
	}
	return @text;
}

sub f08_specific
{
	my ($f, $p, $f08) = @_;
	my $choice = Wrap::has_choice($f);
	my $name   = "$p$f->{name}_f08" . ($choice ? 'ts' : '');
	return procedure($f, name => $name, f08 => $f08, optional => $f08, $choice ? (linker => lc "${name}_") : ());
}

# Where an MPI_Aint is an MPI_Count, twins can be the same to Fortran: the standard leaves out the second.
sub distinct
{
	my ($twins) = @_;
	my %wide = map { ($_ => 'wide') } qw(aint count offset);
	my @looks = map { join ' ', map { $wide{ $_->{kind} } // $_->{kind} } @{ $_->{args} } } @$twins;
	pop @$twins if @looks == 2 && $looks[0] eq $looks[1];
	return;
}

# One name for a call and its twin with large counts. Those that take a function have names of their own.
sub f08_interfaces
{
	my ($f08, @functions) = @_;
	my (%by, @order, @text);
	for my $f (@functions) {
		my $name = $f->{large} && grep({ $_->{kind} eq 'function' } @{ $f->{args} }) ? $f->{name} : $f->{plain};
		push @order, $name unless $by{$name};
		push @{ $by{$name} }, $f;
	}
	for my $name (@order) {
		distinct($by{$name});
		for my $p ($name =~ /^FTMPI/ ? '' : ('', 'P')) {
			push @text, generic("$p$name", map { f08_specific($_, $p, $f08) } @{ $by{$name} });
		}
	}
	return @text;
}

sub constant_lines
{
	my ($f08, @constants) = @_;
	return map {
		my ($name, $kind, $value) = @$_;
		my $type = $kind eq 'int' ? 'integer'
			: $KIND{$kind} ? $KIND{$kind}
			: $f08         ? "type(MPI_$kind)"
			:                'integer';
		$value = "MPI_$kind($value)" if $f08 && $type =~ /^type/;
		$value = "int($value, MPI_OFFSET_KIND)" if $kind eq 'offset';
		"  $type, parameter :: $name = $value\n";
	} @constants;
}

# ---- templates: lines that begin with @ name what is put there ----

sub filled
{
	my ($template, %parts) = @_;
	my $out = '';
	for my $line (split /^/, $template) {
		if ($line =~ /^@(\w+)$/) {
			$out .= join '', @{ $parts{$1} // die "gen.pl: nothing is called \@$1\n" };
		} else {
			$out .= $line;
		}
	}
	return $out;
}

# ---- mpif.h: fixed and free form at once, so lines of 72 columns from the 7th on ----

sub include_lines
{
	my (@constants) = @_;
	my @text;
	for my $c (@constants) {
		my ($name, $kind, $value) = @$c;
		my $type = $kind eq 'offset' ? 'INTEGER(KIND=MPI_OFFSET_KIND)' : 'INTEGER';
		push @text, "      $type $name\n", "      PARAMETER ($name=$value)\n";
	}
	for my $line (@text) {
		die "gen.pl: too long for fixed form: $line" if length $line > 73;
	}
	return @text;
}

# == and /= of handles.
sub operators
{
	my @text;
	for my $h (@HANDLES) {
		push @text, "  pure logical function same_$h(a, b)\n    type(MPI_$h), intent(in) :: a, b\n",
			"    same_$h = a%MPI_VAL == b%MPI_VAL\n  end function same_$h\n\n",
			"  pure logical function other_$h(a, b)\n    type(MPI_$h), intent(in) :: a, b\n",
			"    other_$h = a%MPI_VAL /= b%MPI_VAL\n  end function other_$h\n\n";
	}
	return @text;
}

1;

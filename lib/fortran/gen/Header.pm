# SPDX-License-Identifier: BSD-3-Clause
#
# What mpi.h and ftmpi.h declare: constants and functions, with what Fortran needs to know about each
# argument (Table.pm has what a C prototype does not say).
package Header;

use strict;
use warnings;

use Table ();

my %SCALAR = (
	int        => 'int',
	double     => 'double',
	MPI_Aint   => 'aint',
	MPI_Count  => 'count',
	MPI_Offset => 'offset',
);
my %HANDLE = map { ("MPI_$_" => $_) }
	qw(Comm Datatype Errhandler File Group Info Message Op Request Session Win);

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	my $text = <$in>;
	$text =~ s{/\*.*?\*/}{}gs;
	return $text;
}

# [name, kind, value], kind a handle's or int, offset; those that Fortran has.
sub constants
{
	my ($text) = @_;
	my @found;
	while ($text =~ /^#define (F?T?MPI_\w+) (\S.*?)\s*$/mg) {
		my ($name, $value) = ($1, $2);
		next if $name =~ $Table::NO_CONSTANT;
		my ($kind, $number) = $value =~ /^\(\((MPI_\w+)\)\(?(-?\w+)\)?\)$/ ? ($1, $2)
			: $value =~ /^\(?(-?\w+)\)?$/ ? ('int', $1)
			:                               next;
		next unless $number =~ /^-?(?:0x[0-9a-f]+|\d+)$/i;
		$kind = $HANDLE{$kind} // $SCALAR{$kind} // next;
		$number = hex $number if $number =~ /^0x/i;
		# the final NUL does not count
		$number-- if $name =~ /^MPI_MAX_/;
		push @found, [ $name, $kind, $number ];
	}
	return @found;
}

# One argument. name; kind: int, double, logical, aint, count, offset, a handle's, status, string, strings, choice,
# cptr, function, ranges; way: in, out, inout; array: true, and if its elements have another form in C
# its length, a C expression; ctype: how C declares the function it points to.
sub argument
{
	my ($function, $text) = @_;
	my ($const, $type, $stars, $name, $brackets) =
		$text =~ /^(const )?(\w+) (\**)(\w+)((?:\[\w*\])*)$/
		or die "gen.pl: $function: cannot read the parameter '$text'\n";
	my %a = (c => $name, name => $Table::RENAMED{$name} // $name, array => $brackets ne '');
	my $depth = length($stars) + ($brackets ? 1 : 0);
	# the removed names come from a time before const
	my $old = $Table::REMOVED{$function} && ($brackets || $name eq 'location');
	my $way = $depth && !$const && !$old ? 'out' : 'in';
	if ($type eq 'void') {
		@a{qw(kind way)} = ($Table::VOID{"$function.$name"} // $Table::VOID{$name} // 'choice', $way);
		$a{way} = 'in' if $a{kind} =~ /^(?:value|legacy)$/ && $function !~ /_get(?:_attr)?$/;
	} elsif ($type eq 'char') {
		@a{qw(kind way)} = ($depth > 1 ? 'strings' : 'string', $way);
		$a{array} = 0;
	} elsif ($brackets eq '[][3]') {
		@a{qw(kind way)} = ('ranges', 'in');
	} elsif ($type =~ /_function(?:_c)?$/) {
		@a{qw(kind way ctype)} = ('function', 'in', $type);
	} elsif ($type eq 'MPI_Status') {
		@a{qw(kind way)} = ('status', $way);
		$a{array} = 1 if $name eq 'array_of_statuses';
	} else {
		$a{kind} = $HANDLE{$type} // $SCALAR{$type} or die "gen.pl: $function: what is '$text'?\n";
		$a{kind} = 'logical' if $type eq 'int' && $Table::LOGICAL{$name};
		$a{way}  = $way;
		# nobody passes one number by the address of a constant
		$a{array} = 1 if $const && $stars || $name =~ /weights$/;
	}
	$a{way} = 'inout' if $a{way} eq 'out' && Table::inout($function, \%a);
	$a{handle} = 1 if $HANDLE{"MPI_$a{kind}"};
	return \%a;
}

sub arguments
{
	my ($function, $text) = @_;
	return () if $text eq 'void';
	my @all = map { s/^\s+|\s+$//gr } split /,/, $text;
	my @arguments = map { argument($function, $_) } grep { $_ ne '...' && !$Table::GONE{"$function $_"} } @all;
	for my $a (@arguments) {
		$a->{length} = Table::length_of($function, $a, \@arguments) if $a->{array};
	}
	return @arguments;
}

# { name, result, args, large } of each function with a Fortran binding. large: an MPI_X_c.
sub functions
{
	my ($text) = @_;
	my @found;
	while ($text =~ /^(int|double|MPI_\w+)\s+((?:FT)?MPI_\w+)\s*\(([^;]*?)\)(?:\s*FTMPI_MUST_LOOK)?\s*;/mg) {
		my ($result, $name, $parameters) = ($1, $2, $3);
		next if $name =~ $Table::NO_FUNCTION;
		$parameters =~ s/\s+/ /g;
		my $plain = $name =~ s/_c$//r;
		my @args = arguments($name, $parameters);
		$_->{kind} = $_->{kind} eq 'aint' ? 'legacy' : $_->{kind} for $Table::REMOVED{$name} ? @args : ();
		push @found,
			{ name => $name, plain => $plain, large => $plain ne $name, result => $result, args => \@args };
	}
	return @found;
}

# ftmpi.h has sizes of 64 bits only, where a Fortran program will write an INTEGER: both are offered, as
# MPI_X and MPI_X_c are.
sub both_sizes
{
	my @functions;
	for my $f (@_) {
		push @functions, $f;
		next unless grep { $_->{kind} eq 'count' } @{ $f->{args} };
		my @narrow = map { { %$_, $_->{kind} eq 'count' ? (kind => 'int') : () } } @{ $f->{args} };
		$functions[-1] = { %$f, args => \@narrow, c => $f->{name} };
		push @functions, { %$f, name => "$f->{name}_c", large => 1, c => $f->{name} };
	}
	return @functions;
}

1;

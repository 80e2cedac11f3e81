# SPDX-License-Identifier: BSD-3-Clause
#
# The C functions behind the Fortran calls. pmpi_x_ is the one that converts the arguments of MPI_X: it is
# mpi_x_ of mpif.h and `use mpi`, and mpi_x_f08_ of mpi_f08, whose types are made of the same words and whose
# ierror may be missing. With a choice buffer mpi_f08 has descriptors, so mpi_x_f08ts_ makes addresses of
# them and calls the first.
package Wrap;

use strict;
use warnings;

use Table ();

my %CTYPE = (
	int => 'int', double => 'double', logical => 'int', status => 'int', ranges => 'int', legacy => 'int', value => 'MPI_Aint',
	aint => 'MPI_Aint', count => 'MPI_Count', offset => 'MPI_Offset', string => 'char', strings => 'char',
	choice => 'void', cptr => 'void',
);

sub linker_name { return lc "$_[0]_" }

sub handle_call
{
	my ($a, $way) = @_;
	my $kind = $a->{kind} eq 'Datatype' ? 'Type' : $a->{kind};
	return "PMPI_${kind}_${way}int";
}

sub parameter
{
	my ($a) = @_;
	return "ftn_function *$a->{name}" if $a->{kind} eq 'function';
	my $type = $a->{handle} ? 'int' : $CTYPE{ $a->{kind} };
	return ($a->{way} eq 'in' ? 'const ' : '') . "$type *$a->{name}";
}

sub takes_error { return $_[0]{result} eq 'int' && !$Table::NO_ERROR{ $_[0]{name} } }

# The parameters of a wrapper; descriptors: as mpi_f08's are.
sub parameters
{
	my ($f, $descriptors) = @_;
	my @strings = grep { $_->{kind} =~ /^strings?$/ } @{ $f->{args} };
	my @all = map { $descriptors && $_->{kind} =~ /^(?:choice|string)$/ ? "CFI_cdesc_t *$_->{name}" : parameter($_) }
		@{ $f->{args} };
	push @all, 'int *ierror' if takes_error($f);
	push @all, map { "size_t $_->{name}_len" } @strings unless $descriptors;
	return @all ? join(', ', @all) : 'void';
}

# ---- what becomes of one argument: lines before the call, its word in the call, lines after ----

sub one_handle
{
	my ($a) = @_;
	my ($n, $type) = ($a->{name}, "MPI_$a->{kind}");
	my ($from, $to) = map { handle_call($a, $_) } qw(from to);
	return ([], "$from(*$n)", []) if $a->{way} eq 'in';
	return (["$type c_$n = NULL;"], "&c_$n", ["if (c_$n)", "\t*$n = $to(c_$n);"]) if $a->{way} eq 'out';
	return (["$type c_$n = $from(*$n), was_$n = c_$n;"], "&c_$n", ["if (c_$n != was_$n)", "\t*$n = $to(c_$n);"]);
}

sub many_handles
{
	my ($a) = @_;
	my ($n, $type) = ($a->{name}, "MPI_$a->{kind}");
	my ($from, $to) = map { handle_call($a, $_) } qw(from to);
	my @before = ("int n_$n = $a->{length};", "$type *c_$n = ftn_take(&room, n_$n, sizeof *c_$n);");
	my $each = "for (int i = 0; c_$n && i < n_$n; i++)";
	push @before, $each, "\tc_$n\[i] = " . ($a->{way} eq 'out' ? 'NULL' : "$from($n\[i])") . ';';
	my @after;
	if ($a->{way} ne 'in') {
		push @after, "$each {", "\tif (c_$n\[i])", "\t\t$n\[i] = $to(c_$n\[i]);", '}';
	}
	return (\@before, "c_$n", \@after);
}

sub logical
{
	my ($a) = @_;
	my $n = $a->{name};
	if ($a->{array}) {
		my @after = $a->{way} eq 'in' ? () : ("if (rc == MPI_SUCCESS)", "\tftn_logicals_out($n, c_$n, n_$n);");
		return (["int n_$n = $a->{length};", "int *c_$n = ftn_logicals_in(&room, $n, n_$n);"], "c_$n", \@after);
	}
	return ([], "ftn_true(*$n)", []) if $a->{way} eq 'in';
	return (["int c_$n = -1;"], "&c_$n", ["if (c_$n >= 0)", "\t*$n = c_$n != 0;"]);
}

sub string
{
	my ($a, $f) = @_;
	my $n = $a->{name};
	if ($a->{way} eq 'in') {
		my $how = Table::strips_both($f->{name}, $n) ? 'FTN_BOTH_ENDS' : 'FTN_END';
		return (["char *c_$n = ftn_string_in(&room, $n, ${n}_len, $how);"], "c_$n", []);
	}
	my ($flag) = grep { $_->{name} eq 'flag' } @{ $f->{args} };
	my $when = 'rc == MPI_SUCCESS' . ($flag ? ' && c_flag > 0' : '');
	my $room = Table::room($f->{name}, $n);
	return (["char *c_$n = ftn_text(&room, $room);"], "c_$n", ["if ($when)", "\tftn_string_out($n, ${n}_len, c_$n);"]);
}

sub words
{
	my ($a, $f) = @_;
	my ($n, $kind) = @$a{qw(name kind)};
	my ($short) = $f->{plain} =~ /^(?:FT)?MPI_(\w+)/;
	return $a->{array} ? many_handles($a) : one_handle($a) if $a->{handle};
	return logical($a) if $kind eq 'logical';
	return string($a, $f) if $kind eq 'string';
	return ([], ($a->{array} ? 'ftn_status_array' : 'ftn_status') . "($n)", []) if $kind eq 'status';
	return ([], "ftn_buffer($n)", []) if $kind eq 'choice';
	return ([], "ftn_ranges($n)", []) if $kind eq 'ranges';
	return ([], "ftn_weights($n)", []) if $n =~ /weights$/;
	return (["int c_$n = -1;"], "&c_$n", ["ftn_index_out($n, c_$n);"]) if $n eq 'index' && $Table::INDEX{$short};
	return (["int c_$n = -1;"], "&c_$n", ["ftn_indices_out(array_of_indices, $n, c_$n);"])
		if $n eq 'outcount' && $Table::INDICES{$short};
	return ([], $a->{way} eq 'in' && !$a->{array} ? "*$n" : $n, []);
}

# ---- a function ----

sub indented { return map { "\t$_\n" } @_ }

# A call that takes more than converting its arguments is written by hand, as ftn_x.
sub hand_name { return lc($_[0]{name} =~ s/^MPI_/ftn_/r) }

sub hand_body
{
	my ($f) = @_;
	my @words = map { $_->{name} } @{ $f->{args} };
	push @words, 'ierror' if takes_error($f);
	push @words, map { "$_->{name}_len" } grep { $_->{kind} =~ /^strings?$/ } @{ $f->{args} };
	return indented(hand_name($f) . '(' . join(', ', @words) . ');');
}

sub by_hand
{
	return join '', "/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by gen.pl; do not edit. */\n#include \"glue.h\"\n\n",
		map { 'void ' . hand_name($_) . '(' . parameters($_) . ");\n" } grep { $Table::BY_HAND{ $_->{name} } } @_;
}

sub body
{
	my ($f) = @_;
	return hand_body($f) if $Table::BY_HAND{ $f->{name} };
	my $c = $f->{c} // ($f->{name} =~ /^FT/ ? $f->{name} : "P$f->{name}");
	my (@before, @words, @after);
	for my $a (@{ $f->{args} }) {
		my ($before, $word, $after) = words($a, $f);
		push @before, @$before;
		push @words,  $word;
		push @after,  @$after;
	}
	my $call = "$c(" . join(', ', @words) . ')';
	return indented("return $call;") if !takes_error($f);
	my $room = grep { /&room/ } @before;
	unshift @before, "struct ftn_room room = {.used = 0};" if $room;
	push @after, 'ftn_room_done(&room);' if $room;
	$call = qq{room.failed ? ftn_no_memory("$f->{name}") : $call} if $room;
	return indented(@before, "int rc = $call;", '', @after, 'ftn_error_out(ierror, rc);');
}

# Declared, defined, and known by its other names.
sub with_names
{
	my ($result, $name, $parameters, $others, @body) = @_;
	my $head = "$result $name($parameters)";
	return ("$head;\n", (map { "#pragma weak $_ = $name\n" } @$others), "$head\n{\n", @body, "}\n\n");
}

sub wrapper
{
	my ($f) = @_;
	my $own  = linker_name($f->{name});
	my $ours = $own =~ /^ftmpi/;
	my $name = $ours ? $own : "p$own";
	my $f08  = $name =~ s/_$/_f08_/r;
	my @f08  = $ours ? ($f08) : ($own =~ s/_$/_f08_/r, $f08);
	my @others = $ours ? () : ($own);
	my $result = $f->{result} eq 'int' ? 'void' : $f->{result};
	return detachers($f, $name, \@others, \@f08) if grep { $_->{name} eq 'buffer_addr' } @{ $f->{args} };
	return with_names($result, $name, parameters($f), [ @others, @f08, cptr_names($f, $own) ], body($f));
}

# Only mpi_f08 is told where the buffer was.
sub detachers
{
	my ($f, $name, $others, $f08) = @_;
	my ($first, @rest) = @$f08;
	my @body = body($f);
	my @deaf = map { s/\bbuffer_addr\b/&c_buffer_addr/r } @body;
	return (with_names('void', $name, parameters($f), $others, indented('void *c_buffer_addr;', '(void)buffer_addr;'), @deaf),
		with_names('void', $first, parameters($f), \@rest, @body));
}

# module mpi has some calls with a TYPE(C_PTR), under other names
sub cptr_names
{
	my ($f, $own) = @_;
	return () unless has_cptr($f);
	my $name = $own =~ s/_$/_cptr_/r;
	return ($name, "p$name");
}

sub has_cptr { return grep { $_->{name} eq 'baseptr' } @{ $_[0]{args} } }

sub has_choice { return grep { $_->{kind} eq 'choice' } @{ $_[0]{args} } }

# ---- mpi_f08 with descriptors ----

sub section_line
{
	my ($f, $a, $next) = @_;
	my ($n, $how) = ($a->{name}, Table::section($f, $a));
	my $more = $how eq 'copy' ? ', ' . ($a->{way} eq 'in' ? 'FTN_READ' : 'FTN_WRITTEN')
		: $how eq 'typed' ? ", *$next->[0]{name}, *$next->[1]{name}"
		:                   '';
	return "ftn_section_$how(&s_$n, $n$more);";
}

sub descriptor_body
{
	my ($f, $base) = @_;
	my @args = @{ $f->{args} };
	my (@before, @after, @sections, %word);
	for my $i (0 .. $#args) {
		my ($n, $kind) = @{ $args[$i] }{qw(name kind)};
		$word{$n} = $kind eq 'string' ? "$n->base_addr" : $n unless $word{$n};
		next unless $kind eq 'choice';
		my @next = @args[ $i + 1, $i + 2 ];
		push @sections, "s_$n";
		push @before, "struct ftn_section s_$n = " . section_line($f, $args[$i], \@next) =~ s/^(\w+)\(&s_$n, /$1(/r;
		push @after, "ftn_section_done(&s_$n);";
		$word{$n} = "s_$n.address";
		next unless Table::section($f, $args[$i]) eq 'typed';
		my $one = $next[0]{kind} eq 'count' ? 'one_large' : 'one';
		$word{ $next[0]{name} } = "s_$n.typed ? &s_$n.$one : $next[0]{name}";
		$word{ $next[1]{name} } = "s_$n.typed ? &s_$n.datatype : $next[1]{name}";
	}
	my @words = map { $word{ $_->{name} } } @args;
	push @words, 'ierror' if takes_error($f);
	push @words, map { "$_->{name}->elem_len" } grep { $_->{kind} eq 'string' } @args;
	my @errors = map { "$_.error" } @sections;
	my $call = "$base(" . join(', ', @words) . ');';
	return indented(@before, $call, @after) if !takes_error($f);
	my $error = @errors == 1 ? $errors[0] : "ftn_first_error($errors[0], $errors[1], " . ($errors[2] // 0) . ')';
	my $comm = (grep { $_->{name} eq 'comm' } @args) ? 'comm' : 'NULL';
	my $fail = $f->{name} =~ /^FTMPI/ ? 'ftn_error_out(ierror, rc);' : qq{ftn_refuse("$f->{name}", $comm, rc, ierror);};
	return indented(@before, "int rc = $error;", '', 'if (rc == MPI_SUCCESS)', "\t$call", 'else', "\t$fail", @after);
}

sub descriptor_wrapper
{
	my ($f) = @_;
	my $own  = linker_name($f->{name});
	my $base = $own =~ /^ftmpi/ ? $own : "p$own";
	my $name = $base =~ s/_$/_f08ts_/r;
	my @others = $own =~ /^ftmpi/ ? () : $own =~ s/_$/_f08ts_/r;
	my $result = $f->{result} eq 'int' ? 'void' : $f->{result};
	return with_names($result, $name, parameters($f, 1), \@others, descriptor_body($f, $base));
}

sub file
{
	my (@functions) = @_;
	my @text = (
		"/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by gen.pl; do not edit. */\n",
		qq{#include <ISO_Fortran_binding.h>\n\n#include "by_hand.h"\n#include "section.h"\n#include "sentinels.h"\n\n} );
	for my $f (@functions) {
		push @text, $Table::LATER{ $f->{name} } ? later($f) : wrapper($f);
		push @text, descriptor_wrapper($f) if has_choice($f);
	}
	return join '', @text;
}

sub later
{
	my ($f) = @_;
	my $own = linker_name($f->{name});
	my @nothing = map { $_->{kind} =~ /^(?:int|count)$/ && $_->{way} eq 'in' && !$_->{array} ? '0' : 'NULL' } @{ $f->{args} };
	my @body = indented((map { "(void)$_->{name};" } @{ $f->{args} }),
		(map { "(void)$_->{name}_len;" } grep { $_->{kind} =~ /^strings?$/ } @{ $f->{args} }),
		"ftn_error_out(ierror, P$f->{name}(" . join(', ', @nothing) . '));');
	return with_names('void', "p$own", parameters($f), [ $own, $own =~ s/_$/_f08_/r, "p$own" =~ s/_$/_f08_/r ], @body);
}

1;

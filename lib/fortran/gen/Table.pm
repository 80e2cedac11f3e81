# SPDX-License-Identifier: BSD-3-Clause
#
# What Fortran has to know about MPI's functions and a C prototype does not say.
package Table;

use strict;
use warnings;

our $NO_CONSTANT = qr/^(?:MPI_T_|MPI_F_|MPI_ABI_|FTMPI_VERSION|FTMPI_INCLUDE|FTMPI_CHKPT)|MPI_\w+_(?:FN|FN_NULL|FN_NULL_C)$/;

# No Fortran binding (MPI 5.0 sections 15.3 and 19.3.4, and the chapter of the ABI).
our $NO_FUNCTION = qr/^MPI_(?:T_|Abi_[gs]et_fortran)|_(?:to|from)int$|_(?:c2f|f2c|c2f08|f082c|f2f08|f082f)$/;

# Not implemented in C; a wrapper for one would need work by hand (arrays of strings, conversion functions).
# It calls C with null pointers, to raise the error; gen.pl dies when C has the function.
our %LATER = map { ("MPI_$_" => 1) } qw(Comm_spawn Comm_spawn_multiple Register_datarep Register_datarep_c);

# Written by hand in lib/fortran, as ftn_x.
our %BY_HAND = map { ("MPI_$_" => 1) } qw(Init Init_thread Pcontrol Info_create_env Info_get_string
	Session_get_nth_pset Comm_create_keyval Comm_set_attr Comm_get_attr Type_create_keyval Type_set_attr Type_get_attr
	Win_create_keyval Win_set_attr Win_get_attr Keyval_create Attr_put Attr_get Op_create Op_create_c
	Comm_create_errhandler File_create_errhandler Session_create_errhandler Win_create_errhandler Grequest_start);

# Names that MPI 3.0 removed: for programs with mpif.h alone, where addresses and extents are INTEGERs.
our %REMOVED = map { ("MPI_$_" => 1) } qw(Address Type_hvector Type_hindexed Type_struct Type_extent Type_lb Type_ub
	Errhandler_create Errhandler_set Errhandler_get);
$BY_HAND{$_} = 1 for grep { !/_[gs]et$/ } keys %REMOVED;

# Deprecated before mpi_f08 was: not in that module.
our %NOT_IN_F08 = map { ("MPI_$_" => 1) } qw(Attr_put Attr_get Attr_delete Keyval_create Keyval_free);

# Parameters that Fortran does without.
our %GONE = map { ($_ => 1) } 'MPI_Init int *argc', 'MPI_Init char ***argv', 'MPI_Init_thread int *argc',
	'MPI_Init_thread char ***argv', 'MPI_Info_create_env int argc', 'MPI_Info_create_env char *argv[]';

# No ierror.
our %NO_ERROR = map { ($_ => 1) } qw(MPI_Pcontrol MPI_Wtime MPI_Wtick MPI_Aint_add MPI_Aint_diff);

# The standard's names, which header files avoid.
our %RENAMED = (indx => 'index');

our %LOGICAL = map { ($_ => 1) } qw(flag commute reorder high periods remain_dims weighted);

# void * that is no buffer. value, legacy: an attribute or extra state of MPI_ADDRESS_KIND, an INTEGER.
our %VOID = (
	baseptr                        => 'cptr',
	buffer_addr                    => 'cptr',
	attribute_val                  => 'value',
	extra_state                    => 'value',
	'MPI_Attr_put.attribute_val'   => 'legacy',
	'MPI_Attr_get.attribute_val'   => 'legacy',
	'MPI_Keyval_create.extra_state' => 'legacy',
);

# Is an argument that C may write also read?
my $INOUT_FUNCTION = qr/_free$|_free_keyval$|^MPI_Keyval_free$|_commit$|_disconnect$|
	^MPI_(?:Wait|Test|Start|Cancel|Mrecv|Imrecv|File_close|Session_finalize)(?:_c)?$/x;
my $INOUT = qr/^(?:position|buflen|pset_len|dims|array_of_requests|inoutbuf)$/;

sub inout
{
	my ($function, $a) = @_;
	return 0 if $a->{name} eq 'dims' && $function ne 'MPI_Dims_create';
	return 1 if $a->{name} =~ $INOUT || $function =~ /^MPI_Status_set_/;
	return 0 if $a->{kind} eq 'status' || $a->{kind} eq 'logical';
	return 0 if $function =~ /^MPI_(?:Mrecv|Imrecv)/ && $a->{name} ne 'message';
	return $function =~ $INOUT_FUNCTION && $a->{kind} !~ /^(?:choice|cptr)$/;
}

# How many elements an array has whose elements are something else in C: an expression of the wrapper's.
sub length_of
{
	my ($function, $a, $all) = @_;
	my ($name, $kind) = @$a{qw(name kind)};
	my %has = map { ($_->{name} => 1) } @$all;
	return undef unless $kind eq 'logical' || $kind =~ /^[A-Z]/ || $name eq 'array_of_indices';
	if ($name =~ /^(send|recv)types$/) {
		my $send = $1 eq 'send' ? 1 : 0;
		my $peers = $function =~ /[Nn]eighbor_/ ? 'neighbours' : 'peers';
		return "ftn_$peers(*comm, $send, sendbuf)";
	}
	return 'ftn_dimensions(*comm)' if $name eq 'remain_dims';
	return '*max_datatypes'        if $name eq 'array_of_datatypes';
	for my $count (qw(incount count ndims maxdims)) {
		return "*$count" if $has{$count};
	}
	die "gen.pl: $function: how many elements has $name?\n";
}

# The bytes of a string that C writes, with its NUL.
my %ROOM = (
	comm_name      => 'MPI_MAX_OBJECT_NAME',
	type_name      => 'MPI_MAX_OBJECT_NAME',
	win_name       => 'MPI_MAX_OBJECT_NAME',
	version        => 'MPI_MAX_LIBRARY_VERSION_STRING',
	name           => 'MPI_MAX_PROCESSOR_NAME',
	string         => 'MPI_MAX_ERROR_STRING',
	key            => 'MPI_MAX_INFO_KEY',
	port_name      => 'MPI_MAX_PORT_NAME',
	datarep        => 'MPI_MAX_DATAREP_STRING',
);

sub room
{
	my ($function, $name) = @_;
	return "(size_t)(*valuelen < 0 ? 0 : *valuelen) + 1" if $function eq 'MPI_Info_get' && $name eq 'value';
	return $ROOM{$name} // die "gen.pl: $function: how long may $name be?\n";
}

# Leading blanks go, too (MPI 5.0 section 10).
sub strips_both
{
	my ($function, $name) = @_;
	return $function =~ /^MPI_Info_/ && $name =~ /^(?:key|value)$/;
}

# Indices that count from 1 in Fortran.
our %INDEX = map { ($_ => 1) } qw(Waitany Testany Request_get_status_any);
our %INDICES = map { ($_ => 1) } qw(Waitsome Testsome Request_get_status_some);

# A call that returns before its buffers are done with.
sub nonblocking
{
	my ($f) = @_;
	my ($short) = $f->{plain} =~ /^(?:FT)?MPI_(\w+)/;
	return 1 if $short =~ /^R?(?:put|get|accumulate|get_accumulate)$/i || $short =~ /^File_\w+_(?:begin|end)$/;
	return 1 if $short =~ /^(?:Fetch_and_op|Compare_and_swap)$/;
	return 1 if keeps($f);
	return (grep { $_->{name} eq 'request' && $_->{way} eq 'out' } @{ $f->{args} }) ? 1 : 0;
}

sub keeps
{
	my ($f) = @_;
	return $f->{plain} =~ /^MPI_(?:Buffer_attach|Comm_attach_buffer|Session_attach_buffer|Win_create|Win_attach)$/
		|| $f->{plain} eq 'FTMPI_CKPT_Protect';
}

# What mpi_f08 does with a buffer that does not lie in one piece. copy: copies it, there and back; address:
# takes the address only; typed: describes it by a datatype; refuse.
sub section
{
	my ($f, $a) = @_;
	my ($short) = $f->{plain} =~ /^(?:FT)?MPI_(\w+)/;
	return 'address' if $short =~ /^(?:Get_address|Free_mem|Win_detach|F_sync_reg|Fetch_and_op|Compare_and_swap)$/;
	return 'copy' unless nonblocking($f);
	return 'refuse' if keeps($f);
	return 'typed'
		if $short =~ /^(?:I[bsr]?send|Irecv|Imrecv|I?bcast|Isendrecv|Isendrecv_replace|[BSR]?send_init|
			Recv_init|Bcast_init|Put|Get|Rput|Rget|File_i(?:read|write)\w*)$/xi;
	return 'refuse';
}

1;

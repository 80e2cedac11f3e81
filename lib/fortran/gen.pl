#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen.pl WHAT TEMPLATE MPI.H FTMPI.H [SOURCE...] >FILE
#
# The Fortran interface, made from the prototypes and constants of mpi.h and ftmpi.h. WHAT: wrappers (C),
# by_hand (the C header of what is written by hand), trampolines (C); types, mpi, mpi_f08, ftmpi, ftmpi_f08,
# mpif, ftmpif: TEMPLATE with what is made put at its lines @... . SOURCE: those of lib/mpi.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/gen";

use Header ();
use Module ();
use Pool   ();
use Table  ();
use Wrap   ();

my ($what, $template, $mpi_h, $ftmpi_h, @sources) = @ARGV;
die "usage: gen.pl WHAT TEMPLATE MPI.H FTMPI.H [SOURCE...]\n" unless defined $ftmpi_h;
my ($mpi, $ftmpi) = map { Header::slurp($_) } $mpi_h, $ftmpi_h;
my @mpi   = Header::functions($mpi);
my @ftmpi = Header::both_sizes(Header::functions($ftmpi));
die "gen.pl: no functions in $mpi_h or $ftmpi_h\n" unless @mpi && @ftmpi;

for my $path (@sources) {
	my $text = Header::slurp($path);
	for my $name (grep { $text =~ /^#pragma weak \Q$_\E =/m } sort keys %Table::LATER) {
		die "gen.pl: $path implements $name, whose Fortran wrapper must be written by hand\n";
	}
}

sub constants { return Module::constant_lines($_[0], Header::constants($_[1])) }

my @mod  = grep { !$Table::REMOVED{ $_->{name} } } @mpi;
my @f08  = grep { !$Table::NOT_IN_F08{ $_->{name} } } @mod;
my @both = (@mpi, @ftmpi);
my %make = (
	wrappers    => sub { return Wrap::file(@both) },
	by_hand     => sub { return Wrap::by_hand(@both) },
	trampolines => sub { return Pool::file() },
	ftmpi_types => sub { return (operators => [Module::operators()]) },
	mpi         => sub { return (constants => [ constants(0, $mpi) ], interfaces => [ Module::mpi_interfaces(@mod) ]) },
	mpi_f08     => sub { return (constants => [ constants(1, $mpi) ], interfaces => [ Module::f08_interfaces(1, @f08) ]) },
	ftmpi       => sub { return (constants => [ constants(0, $ftmpi) ], interfaces => [ Module::f08_interfaces(0, @ftmpi) ]) },
	ftmpi_f08   => sub { return (constants => [ constants(1, $ftmpi) ], interfaces => [ Module::f08_interfaces(1, @ftmpi) ]) },
	mpif        => sub { return (constants => [ Module::include_lines(Header::constants($mpi)) ]) },
	ftmpif      => sub { return (constants => [ Module::include_lines(Header::constants($ftmpi)) ]) },
);
my $make = $make{$what} // die "gen.pl: cannot make '$what'\n";
my @made = $make->();
if (@made == 1) {
	print $made[0];
} else {
	open my $in, '<', $template or die "gen.pl: $template: $!\n";
	print Module::filled(join('', <$in>), @made);
}
close STDOUT or die "gen.pl: $!\n";

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Includes follow the arrows of doc/design.md and nothing else.
use strict;
use warnings;

my %may = (
    base      => [],
    transport => ['base'],
    heartbeat => ['base'],
    ckpt      => ['base'],
    coord     => [qw(transport base)],
    launch    => ['base'],
    mpi       => [qw(base launch transport heartbeat coord ckpt)],
    fortran   => [],
);
my $top = shift // '.';
my ( $bad, $seen ) = ( 0, 0 );

for my $layer ( sort keys %may ) {
    my %allowed = map { $_ => 1 } $layer, @{ $may{$layer} };
    for my $file ( glob "$top/lib/$layer/*.[ch] $top/lib/$layer/*/*.[ch]" ) {
        open my $in, '<', $file or die "$file: $!\n";
        while (<$in>) {
            next unless m{^\s*#\s*include\s+"([^"]+)"};
            my $what = $1;
            $seen++;
            my $to = $what =~ m{^(\w+)/} ? $1 : $what =~ /^(?:ft)?mpi\.h$/ ? 'public' : $layer;
            # the public headers are what lib/mpi implements; no other layer has MPI words
            next if $to eq 'public' && $layer =~ /^(?:mpi|fortran)$/;
            next if $allowed{$to};
            print "$file:$.: $layer must not include $what\n";
            $bad++;
        }
    }
}
die "no includes found under $top/lib\n" unless $seen;
print "arrows: $seen includes, $bad against the arrows\n";
exit( $bad ? 1 : 0 );

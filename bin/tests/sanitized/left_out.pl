# SPDX-License-Identifier: BSD-3-Clause
#
# left_out.pl LIST SANITIZER say|rest TEST...: LIST has lines "SANITIZER TEST REASON", where SANITIZER may be "all" or some with
# commas between them, and TEST is a pattern as the shell has them. `say` tells which of these tests are left out and why, `rest`
# prints the others.
use strict;
use warnings;

my ($list, $sanitizer, $what, @tests) = @ARGV;
my %known = map { $_ => 1 } qw(all asan ubsan tsan);
my @rules = rules();
for my $test (@tests) {
	my ($rule) = grep { $test =~ $_->{pattern} } @rules;
	print "$test\n" if !$rule && $what eq 'rest';
	print "left out: $test: $rule->{reason}\n" if $rule && $what eq 'say';
}

sub rules
{
	my @found;
	open my $in, '<', $list or die "$list: $!\n";
	while (my $line = <$in>) {
		next if $line =~ /^\s*(?:#|$)/;
		my ($which, $pattern, $reason) = $line =~ /^(\S+)\s+(\S+)\s+(\S.*)$/;
		die "$list:$.: a sanitizer, a test and a reason are wanted\n" if !defined $reason || grep { !$known{$_} } split /,/, $which;
		my @files = grep { -e } glob "bin/tests/$pattern";
		die "$list:$.: there is no test $pattern\n" if !@files;
		next if !grep { $_ eq 'all' || $_ eq $sanitizer } split /,/, $which;
		push @found, { pattern => qr/\A(?:@{[ join '|', map { quotemeta } @files ]})\z/, reason => $reason };
	}
	return @found;
}

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# walks.pl [-count] [-most WALK=N] TOP
#
# The walks of doc/design.md (headings that begin with "Walk:"): each line of a walk's block is a function,
# the file where it is defined, and what it does there. A function is called by the nearest one above
# it that stands further to the left. walks.pl looks for both in the source; what is not so is said.
#
#     PMPI_Send             lib/mpi/bindings/send.c      checks the arguments
#       tp_send             lib/transport/send.c         (by out) a pointer to a function, named out
#     (another process)
#
# A line in parentheses begins anew: what follows is not called by what stands above. -count prints how
# many functions and files a walk has, how often its file changes from one line to the next, and how many
# functions its longest chain of calls has. That chain has the length that MOST says; -most sets it.
use strict;
use warnings;

# walk => functions of its longest chain of calls, from the first to the last. It only becomes less.
my %MOST = (
	'an eager message is sent'                           => 6,
	'an eager message is received'                       => 11,
	'a message waits for room, and its receiver sleeps'  => 7,
	'a line of blocking'                                 => 11,
	'a line of Event Logging'                            => 12,
	'a rank is killed, and all go back to the last line' => 12,
	'a rank is killed, and begins again alone'           => 6,
	'a rank, or a host, falls silent'                    => 5,
	'a logged message leaves'                            => 5,
	'a line of images'                                   => 9,
	'a rank wakes up from its image'                     => 7,
);

my $wrong = 0;

sub wrong
{
	my ($text) = @_;
	print "$text\n";
	$wrong++;
	return;
}

sub text_of
{
	my ($file) = @_;
	open my $in, '<', $file or return;
	local $/ = undef;
	my $text = <$in>;
	close $in or die "walks.pl: $file: $!\n";
	return $text;
}

# The body of a function that is defined in a text of C or of Perl, without comments; undef if it is not.
sub body
{
	my ($text, $function) = @_;
	my ($body) = $text =~ /^(?:sub \Q$function\E\b|(?:[a-zA-Z_][^\n;={}]*?\b)?\Q$function\E\([^;{}]*\))[^;{}]*(\{.*?^\}|\{[^\n]*\}$)/ms;
	return if !defined $body;
	$body =~ s{/\*.*?\*/|//[^\n]*}{}gs;
	$body =~ s{^\s*#(?!\s*(?:if|else|end|def))[^\n]*$}{}gm;
	return $body;
}

# Is a function assigned to a pointer of this name in the text, or handed to somebody as an argument? In
# Perl also in a table, or called by a closure.
sub assigned
{
	my ($text, $pointer, $function) = @_;
	return 1 if $text =~ /\b\Q$pointer\E\b\s*=>\s*sub \{[^\n]*->\Q$function\E\(/;
	return 1 if $text =~ /=>\s*(?:\\&|'|sub \{ \$_\[0\]->)\Q$function\E\b/;
	return $text =~ /\b\Q$pointer\E\b\s*(?:=>?)\s*\\?&?(?:[\w:]+::)?\Q$function\E\b|\w\([^;{}()]*\b\Q$function\E\s*[,)]/;
}

my %text;

# What is defined: the lines of a walk, {function, file, depth, by}, or 'anew'.
sub walk_lines
{
	my ($block) = @_;
	my @lines;
	for my $line (split /\n/, $block) {
		if ($line =~ /^\s*\(/) { push @lines, 'anew'; next }
		my ($indent, $function, $file, $what) = $line =~ /^    (\s*)(\w+)\s+(\S+\/\S+\.(?:c|h|pm))(?:\s+(.*))?$/
			or do { wrong("not a line of a walk: $line"); next };
		my ($by) = ($what // '') =~ /^\(by (\w+)\)/;
		push @lines, { function => $function, file => $file, depth => length $indent, by => $by };
	}
	return @lines;
}

sub look
{
	my ($top, $name, @lines) = @_;
	my @above;
	for my $line (@lines) {
		if (!ref $line) { @above = (); next }
		my ($function, $file) = @$line{qw(function file)};
		$text{$file} //= text_of("$top/$file") // '';
		$line->{body} = body($text{$file}, $function);
		wrong("$name: $file does not define $function") if !defined $line->{body};
		pop @above while @above && $above[-1]{depth} >= $line->{depth};
		my $caller = $above[-1];
		push @above, $line;
		next if !$caller || !defined $caller->{body};
		my $called = $line->{by} // $function;
		wrong("$name: $caller->{function} does not call $called") if $caller->{body} !~ /\b\Q$called\E\b/;
	}
	return;
}

# Somewhere in the tree the pointer of a line is set to the function of that line.
sub look_for_pointers
{
	my ($top, @lines) = @_;
	my @by = grep { ref && $_->{by} } @lines or return;
	my @files = split /\n/, `cd '$top' && find lib bin/lib -name '*.[ch]' -o -name '*.pm'`;
	for my $line (@by) {
		my $seen = grep { assigned($text{$_} //= text_of("$top/$_"), $line->{by}, $line->{function}) } @files;
		wrong("nothing sets $line->{by} to $line->{function}") if !$seen;
	}
	return;
}

# The functions of the longest chain of calls.
sub chain
{
	my (@lines) = @_;
	my ($longest, @above) = (0);
	for my $line (@lines) {
		if (!ref $line) { @above = (); next }
		pop @above while @above && $above[-1] >= $line->{depth};
		push @above, $line->{depth};
		$longest = @above if @above > $longest;
	}
	return $longest;
}

sub check_chain
{
	my ($name, @lines) = @_;
	my ($is, $most) = (chain(@lines), delete $MOST{$name});
	return wrong("$name: a chain of $is functions, and MOST says nothing") if !defined $most;
	wrong("$name: a chain of $is functions, and MOST says $most") if $is != $most;
	return;
}

sub count
{
	my ($name, @lines) = @_;
	my @files = map { $_->{file} } grep { ref } @lines;
	my %seen = map { $_ => 1 } @files;
	my $changes = grep { $files[$_] ne $files[ $_ - 1 ] } 1 .. $#files;
	printf "%s: %d functions, %d files, %d changes of file, %d in a chain\n", $name, scalar @files, scalar keys %seen, $changes,
		chain(@lines);
	return;
}

my $count = @ARGV && $ARGV[0] eq '-count' && shift @ARGV;
if (@ARGV > 1 && $ARGV[0] eq '-most') {
	%MOST = $ARGV[1] =~ /\A(.+)=(\d+)\z/ or die "walks.pl: $ARGV[1] is no WALK=N\n";
	splice @ARGV, 0, 2;
}
my ($top) = @ARGV;
defined $top or die "walks.pl [-count] [-most WALK=N] TOP\n";
my $design = text_of("$top/doc/design.md") // die "walks.pl: no $top/doc/design.md\n";
my $walks = 0;
while ($design =~ /^#+ Walk: ([^\n]+)\n(.*?)(?=^#|\z)/gms) {
	my ($name, $section) = ($1, $2);
	my @lines = walk_lines(join "\n", $section =~ /^(    .*)$/gm);
	wrong("$name: no functions") if !grep { ref } @lines;
	look($top, $name, @lines);
	look_for_pointers($top, @lines);
	check_chain($name, @lines);
	count($name, @lines) if $count;
	$walks++;
}
wrong('no walks in doc/design.md') if !$walks;
wrong("$_: MOST has it, and doc/design.md does not") for sort keys %MOST;
print "walks: $walks, $wrong not as the source has it\n";
exit($wrong ? 1 : 0);

# SPDX-License-Identifier: BSD-3-Clause
#
# The options of bench/run, and of others that measure in its way: one table for the parser and -h. Pure;
# bad words end in a sentence.
package FTMPI::Bench::Options;

use strict;
use warnings;

use constant { ROUNDS_MAX => 99, LIMIT_MAX => 3600 };

my @TABLE = (
	{
		name    => 'rounds',
		arg     => 'N',
		default => 5,
		read    => sub { _whole($_[0], ROUNDS_MAX) },
		text    => 'Measure everything N times.',
	},
	{
		name => 'only',
		arg  => 'REGEX',
		read => \&_pattern,
		text => 'Only the rows whose "WHAT BYTES RANKS" matches, as in -only "^(barrier|bcast) .* 8$";'
			. ' -only /default, /gbit: those over other transports than TCP.',
	},
	{
		name => 'quick',
		text => 'Only twelve rows, one of each kind.',
	},
	{
		name => 'o',
		arg  => 'FILE.md',
		read => \&_page,
		text => 'Write FILE.md, FILE.tsv (for bench/compare) and FILE-*.svg. Default:'
			. ' bench/results/latest.md; with -only or -quick nothing is written.',
	},
	{
		name    => 'limit',
		arg     => 'S',
		default => 60,
		read    => sub { _whole($_[0], LIMIT_MAX) },
		text    => 'Give up a job of one implementation after S seconds, and do not try it again.',
	},
	{
		name => 'list',
		text => 'Print the rows and their targets; measure nothing.',
	},
	{ name => 'h', text => 'Print this list.' },
);

my %BY_NAME = (help => $TABLE[-1], map { $_->{name} => $_ } @TABLE);

my ($command, $what) = ('bench/run', 'Measures FTMPI, Open MPI and MPICH in turns, on this host.'
	. " `make bench` builds and\ninstalls what it needs. bench/README.md says how to read the results.");

# For another command: its name, what it does, defaults, what its options do, and more of them.
sub of
{
	my (%other) = @_;
	($command, $what) = delete @other{qw(command what)};
	my %default = %{ delete $other{defaults} };
	$BY_NAME{$_}{default} = $default{$_} for keys %default;
	my @more = @{ delete $other{more} };
	splice @TABLE, -1, 0, @more;
	@BY_NAME{ map { $_->{name} } @more } = @more;
	$BY_NAME{$_}{text} = $other{$_} for keys %other;
	return;
}

# Words in, a hash out.
sub parse
{
	my (@words) = @_;
	my %got = map { defined $_->{default} ? ($_->{name} => $_->{default}) : () } @TABLE;
	while (defined(my $word = shift @words)) {
		my ($name) = $word =~ /^--?([a-z]+)\z/;
		my $entry = defined $name ? $BY_NAME{$name} : undef;
		_refuse("unknown option '$word'") if !$entry;
		if (!$entry->{arg}) {
			$got{ $entry->{name} } = 1;
			next;
		}
		_refuse("$word needs a value: $word $entry->{arg}") if !@words || $words[0] eq '';
		my $value = shift @words;
		$got{ $entry->{name} } = $entry->{read}->($value)
			// _refuse("$word: '$value' is not " . $entry->{arg} . _why($entry));
	}
	return \%got;
}

sub _refuse { die "$_[0]; try $command -h\n" }

sub _why
{
	my ($entry) = @_;
	return {
		rounds => ', a number from 1 to ' . ROUNDS_MAX,
		limit  => ', a number of seconds from 1 to ' . LIMIT_MAX,
		only   => ', a Perl regular expression',
		o      => ', a name that ends in .md',
	}->{ $entry->{name} };
}

sub _whole
{
	my ($value, $most) = @_;
	return $value =~ /^\d{1,6}\z/ && $value >= 1 && $value <= $most ? $value + 0 : undef;
}

sub _pattern
{
	my ($value) = @_;
	return eval { no warnings; qr/$value/ };
}

sub _page { return $_[0] =~ m{[^/]\.md\z} ? $_[0] : undef }

sub help
{
	my $text = "usage: $command [OPTIONS]\n\n$what\n\n";
	for my $entry (@TABLE) {
		my $words = $entry->{text};
		$words .= " Default: $entry->{default}." if defined $entry->{default};
		$text .= "  -$entry->{name}" . ($entry->{arg} ? " $entry->{arg}" : '') . "\n" . _folded($words);
	}
	return $text;
}

sub _folded
{
	my ($words) = @_;
	$words =~ s/(.{1,72})(?: +|\z)/        $1\n/g;
	return $words;
}

1;

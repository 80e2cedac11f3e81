# SPDX-License-Identifier: BSD-3-Clause
#
# A small mutational fuzzer for the parsers that are written in Perl. It takes seeds apart and puts
# them together wrongly, gives them to a target (FTMPI::Test::FuzzTargets), and holds the outcome
# against one rule: an answer that keeps the parser's promises, or one sentence. The same seed gives
# the same inputs.
package FTMPI::Test::Fuzz;

use strict;
use warnings;

use Time::HiRes ();

use constant { DEADLINE => 20, INPUT_MAX => 4096, CORPUS_MAX => 2000 };

# What numbers and words are replaced by.
my @EDGES = (0, 1, -1, 255, 256, 65535, 65536, 65537, 2147483647, 2147483648, 4294967295,
	4294967296, '18446744073709551616', '9' x 40, '1e3', '0x10', '00', '+1', ' 1', 'nan', '');
my @WORDS = (':', ',', '=', '#', '[', ']', '/', '-', '--', '@', '%', '*', '$(', '`', "'", '"', "\\",
	"\n", "\r\n", "\r", "\t", ' ', "\0", "\x7f", "\e[2J", "\xff\xfe", "\xc3\x28", "\xe2\x80\xa8",
	'slots=', '::1', '127.0.0.1', '::ffff:1.2.3.4', 'fe80::1%eth0', '-n', '-host', '-restore');

# target: { seeds => [bytes], call => sub (bytes) }
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, corpus => [ @{ $arg{target}{seeds} } ], known => {}, runs => 0 }, $class;
}

# ---- making inputs ----

sub _any { my ($list) = @_; return $list->[ int rand @$list ] }

# Somewhere in the text: (offset, length)
sub _span
{
	my ($text) = @_;
	my $at = int rand(1 + length $text);
	my $most = length($text) - $at;
	return ($at, int rand(1 + (rand() < 0.5 ? $most : $most < 8 ? $most : 8)));
}

my @MUTATIONS = (
	sub { my ($t) = @_; substr($t, int rand length $t, 1) ^= chr(1 << int rand 8) if length $t; $t },
	sub { my ($t) = @_; substr($t, int rand length $t, 1) = chr int rand 256 if length $t; $t },
	sub { my ($t) = @_; substr $t, $_[1], $_[2], ''; $t },
	sub { my ($t, $at, $n) = @_; substr($t, $at, 0) = substr($t, $at, $n) x (1 + int rand 4); $t },
	sub { my ($t, $at) = @_; substr($t, $at, 0) = _any(\@WORDS); $t },
	sub { my ($t, $at) = @_; substr($t, $at, 0) = pack 'V', _any([ 0, 1, 255, 65536, 2**31, 2**32 - 1 ]); $t },
	sub { my ($t) = @_; my @n = $t =~ /\d+/g or return $t; my $old = _any(\@n); my $new = _any(\@EDGES); $t =~ s/\Q$old\E/$new/; $t },
	sub { my ($t, $at) = @_; substr($t, $at, 0) = chr(32 + int rand 95) x (1 << int rand 11); $t },
	sub { my ($t) = @_; my @l = split /(?<=\n)/, $t; @l = sort { rand() <=> 0.5 } @l; join '', @l },
	sub { my ($t, $at, undef, $other) = @_; substr($t, $at) = substr $other, int rand(1 + length $other); $t },
);

sub _mutated
{
	my ($self) = @_;
	my $text = _any($self->{corpus});
	for (0 .. int rand 4) {
		my ($at, $n) = _span($text);
		$text = _any(\@MUTATIONS)->($text, $at, $n, _any($self->{corpus}));
	}
	return substr $text, 0, INPUT_MAX;
}

# ---- judging ----

# Undef, or what is wrong with this way to die.
sub fault_of
{
	my ($error) = @_;
	my $text = $error;
	if (ref $error eq 'FTMPI::Error') {
		$text = $error->text . "\n";
	}
	return "it died with a $text" if ref $text;
	return $text if $text =~ /^(?:FAULT|WARNING|DEADLINE)/;
	return "it died with more or less than a sentence: $text" if $text !~ /\A[^\n]+\n\z/;
	return "it died with control characters: $text" if $text =~ /[\x00-\x09\x0b-\x1f\x7f]/;
	return "it died of itself: $text" if $text =~ / at \S+ line \d+/;
	return;
}

# Runs one input: (fault or undef, what it did in a few words).
sub run_one
{
	my ($self, $input) = @_;
	my $shape = eval {
		local $SIG{__WARN__} = sub { die "WARNING: $_[0]" };
		local $SIG{ALRM}     = sub { die "DEADLINE: no answer in " . DEADLINE . " s\n" };
		alarm DEADLINE;
		my $done = $self->{target}{call}->($input);
		alarm 0;
		'accepted ' . ($done // '');
	};
	my $error = $@;
	alarm 0;
	$self->{runs}++;
	return (undef, $shape) if defined $shape;
	my $fault = fault_of($error);
	return ($fault, _shape(ref $error ? $error->text : $error));
}

# A sentence without what it quotes.
sub _shape
{
	my ($text) = @_;
	$text =~ s/'.*'|\d+/?/gs;
	$text =~ s/^-host .*\?|(?<=unknown option ).*|(?<=-iface ).*/?/s;
	return $text if length $text < 60;
	return substr($text, 0, 10) . '...' . substr $text, -40;
}

# Until `seconds` are over, or `runs` are done: undef, or { input, fault }. What behaves in a way not
# seen before joins the corpus; on_new is told.
sub run
{
	my ($self, %arg) = @_;
	srand $arg{seed};
	my $end = defined $arg{seconds} ? Time::HiRes::time() + $arg{seconds} : undef;
	my @first = @{ $self->{corpus} };
	while (defined $end ? Time::HiRes::time() < $end : $self->{runs} < $arg{runs}) {
		my $input = @first ? shift @first : $self->_mutated;
		my ($fault, $shape) = $self->run_one($input);
		return { input => $input, fault => $fault } if defined $fault;
		next if $self->{known}{$shape}++ || @{ $self->{corpus} } >= CORPUS_MAX;
		push @{ $self->{corpus} }, $input;
		$arg{on_new}->($input) if $arg{on_new};
	}
	return;
}

sub runs   { return $_[0]{runs} }
sub shapes { return scalar keys %{ $_[0]{known} } }

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Output of ranks and launcher on its way to standard output and standard error: FTMPI::Launcher::OutputLines
# puts lines together, FTMPI::Launcher::Writer writes them as fast as the readers take them.
package FTMPI::Launcher::Streams;

use strict;
use warnings;

use FTMPI::Error                 ();
use FTMPI::Launcher::OutputLines ();
use FTMPI::Launcher::Writer      ();
use FTMPI::Loop                  ();

# Of what a rank wrote to standard error last, for messages: lines, and bytes of all and of one.
use constant { WORDS_LINES => 3, WORDS_MAX => 2048, WORD_MAX => 120 };

# loop; tag: whether lines begin with their rank; has_input => sub: whether rank 0 may still be given standard
# input, so that what it leaves without a line end may be a prompt; make_way => sub (stream, text): the text, behind what makes room for it on a terminal; on_gone, on_room: see FTMPI::Launcher::Writer.
sub new
{
	my ($class, %arg) = @_;
	my %calls = map { $_ => $arg{$_} } qw(loop on_gone on_room);
	return bless {
		loop      => $arg{loop},
		has_input => $arg{has_input},
		make_way  => $arg{make_way} // sub { $_[1] },
		words     => {},
		output    => FTMPI::Launcher::OutputLines->new(tag => $arg{tag}, interactive => 0),
		writer    => FTMPI::Launcher::Writer->new(%calls),
	}, $class;
}

sub put
{
	my ($self, $stream, $text) = @_;
	$self->{writer}->put($stream, $self->{make_way}->($stream, $text));
	return;
}

# As it is, to standard error.
sub put_line { my ($self, $text) = @_; $self->{writer}->put(2, $text); return }

# Bytes of a rank.
sub take
{
	my ($self, $rank, $stream, $bytes) = @_;
	$self->{words}{$rank} = substr(($self->{words}{$rank} // '') . $bytes, -WORDS_MAX) if $stream == 2;
	$self->put($stream, $self->{output}->add($rank, $stream, $bytes, FTMPI::Loop::now()));
	$self->_watch_idle;
	return;
}

# The last lines that this rank wrote to standard error, as one; but not why there was no recovery line, as no rank ends for that.
sub last_words
{
	my ($self, $rank) = @_;
	my $words = $self->{words}{$rank} // '';
	$words =~ s/\A[^\n]*\n// if length $words == WORDS_MAX;    # it is cut
	my @lines = grep { length && !/^rank $rank on \S+: (?:[^:]+: )?(?:line \d+ is not (?:made|committed)|no line is made): / }
		map { FTMPI::Error::clean($_) } split /\n/, $words;
	splice @lines, 0, -WORDS_LINES if @lines > WORDS_LINES;
	return join ' / ', map { length > WORD_MAX ? substr($_, 0, WORD_MAX) . '...' : $_ } @lines;
}

# A rank has ended, or all have.
sub finish
{
	my ($self, $rank, $goes_on) = @_;
	my $output = $self->{output};
	if (defined $rank) {
		delete $self->{words}{$rank};
	} else {
		$self->{words} = {};
	}
	$self->put(@$_) for defined $rank ? $output->finish($rank, $goes_on) : $output->finish_all;
	return;
}

# Bytes that wait for their reader.
sub queued { return $_[0]{writer}->queued }

sub _watch_idle
{
	my ($self) = @_;
	return if $self->{timer} || !$self->{has_input}->() || !defined(my $due = $self->{output}->idle_time);
	my $wait = $due - FTMPI::Loop::now();
	$self->{timer} = $self->{loop}->after($wait > 0 ? $wait : 0, sub { $self->_idle });
	return;
}

sub _idle
{
	my ($self) = @_;
	delete $self->{timer};
	return if !$self->{has_input}->();
	$self->put(@$_) for $self->{output}->idle(FTMPI::Loop::now());
	$self->_watch_idle;
	return;
}

1;

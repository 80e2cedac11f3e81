# SPDX-License-Identifier: BSD-3-Clause
#
# Output of ranks and launcher on its way to standard output and standard error: FTMPI::Launcher::OutputLines
# puts lines together, FTMPI::Launcher::Writer writes them as fast as the readers take them; or, of ranks, to files
# (FTMPI::Launcher::OutputFiles).
package FTMPI::Launcher::Streams;

use strict;
use warnings;

use POSIX       ();
use Time::HiRes ();

use FTMPI::Error                 ();
use FTMPI::Launcher::OutputLines ();
use FTMPI::Launcher::Writer      ();
use FTMPI::Loop                  ();

# Of what a rank wrote to standard error last, for messages: lines, and bytes of all and of one.
use constant { WORDS_LINES => 3, WORDS_MAX => 2048, WORD_MAX => 120 };

# The rank that gets standard input.
use constant READER => 0;

# loop; tag: whether lines begin with their rank, stamped: with the time; files: FTMPI::Launcher::OutputFiles, or undef; has_input => sub: whether rank 0 may still be given standard
# input, so that what it leaves without a line end may be a prompt; make_way => sub (stream, text): the text, behind what makes room for it on a terminal; on_gone (for a file with its name as a third argument), on_room: see FTMPI::Launcher::Writer.
sub new
{
	my ($class, %arg) = @_;
	my %calls = map { $_ => $arg{$_} } qw(loop on_gone on_room);
	return bless {
		loop      => $arg{loop},
		has_input => $arg{has_input},
		make_way  => $arg{make_way} // sub { $_[1] },
		words     => {},
		files     => $arg{files},
		on_gone   => $arg{on_gone},
		output    => FTMPI::Launcher::OutputLines->new(tag => $arg{tag}, stamp => $arg{stamped} ? \&_stamp : undef, interactive => READER),
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

# The same, before anything that is put to standard output later, where standard error takes it.
sub put_line_at_once { my ($self, $text) = @_; $self->{writer}->put_at_once(2, $text); return }

# The time, as text.
sub _stamp
{
	my $now = Time::HiRes::time();
	return POSIX::strftime('%Y-%m-%d %H:%M:%S', localtime $now) . sprintf '.%03d', 1000 * ($now - int $now);
}

# What a rank wrote, as it is to be shown.
sub _show
{
	my ($self, $rank, $stream, $text) = @_;
	my $files = $self->{files};
	return $self->put($stream, $text) if !$files || !$files->has($stream);
	my ($path, $why) = length $text ? $files->write($rank, $stream, $text) : ();
	$self->{on_gone}->($stream, $why, "the file $path") if defined $path;
	return;
}

# Bytes of a rank.
sub take
{
	my ($self, $rank, $stream, $bytes) = @_;
	$self->{words}{$rank} = substr(($self->{words}{$rank} // '') . $bytes, -WORDS_MAX) if $stream == 2;
	$self->_show($rank, $stream, $self->{output}->add($rank, $stream, $bytes, FTMPI::Loop::now()));
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
	for my $its (defined $rank ? $rank : $output->ranks) {
		$self->_show($its, @$_) for $output->finish($its, $goes_on);
	}
	return;
}

# What the readers take without being waited for.
sub write_at_once { $_[0]{writer}->write_at_once; return }

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
	$self->_show(READER, @$_) for $self->{output}->idle(FTMPI::Loop::now());
	$self->_watch_idle;
	return;
}

1;

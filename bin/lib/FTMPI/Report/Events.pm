# SPDX-License-Identifier: BSD-3-Clause
#
# The run record (FTMPI::Launcher::RunRecord), read and checked: of an event what it must have is there, and of the right type
# and range, or the event is left out, and counted with the reason. Nothing else of this program sees what a file says.
package FTMPI::Report::Events;

use strict;
use warnings;

use B        ();
use Fcntl    qw(O_NOFOLLOW O_NONBLOCK O_RDONLY);
use JSON::PP ();

use FTMPI::Cli::Values ();

use constant { NAME => 'events.jsonl', VERSION => 1 };

# Bytes of the file, and of one line; events that are kept; reasons, and characters of a text, that are shown.
use constant { BYTES_MAX => 96 << 20, LINE_MAX => 8 << 20, EVENTS_MAX => 200_000, REASONS_MAX => 20, TEXT_MAX => 1000 };

use constant { RANKS_MAX => 65536, HOSTS_MAX => 65536, NUMBER_MAX => 4294967295, TIME_MAX => 1e11, SECONDS_MAX => 1e10, BYTES_OF_LINE_MAX => 1e18, BLOCKS_MAX => 128 };

# ---- what a value may be: the value, cleaned, or nothing ----

# JSON knows numbers from texts.
sub _is_number
{
	my ($value) = @_;
	return 0 if !defined $value || ref $value;
	my $flags = B::svref_2object(\$value)->FLAGS;
	return $flags & (B::SVf_IOK | B::SVf_NOK) && !($flags & B::SVf_POK) && $value == $value;
}

sub _number
{
	my ($least, $most) = @_;
	return sub { my ($value) = @_; return _is_number($value) && $value >= $least && $value <= $most ? $value : undef };
}

sub _whole
{
	my ($least, $most) = @_;
	my $number = _number($least, $most);
	return sub { my $value = $number->(@_); return defined $value && $value == int $value ? $value : undef };
}

# Without what a terminal or a browser acts on: controls, and marks that turn the direction of text.
sub _text
{
	my ($value) = @_;
	return undef if !defined $value || ref $value || _is_number($value);
	$value =~ s/[\x00-\x1f\x7f-\x9f\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{feff}\x{fffe}\x{ffff}\x{d800}-\x{dfff}]+/ /g;
	return length $value > TEXT_MAX ? substr($value, 0, TEXT_MAX) . '...' : $value;
}

sub _name { my $text = _text(@_); return defined $text && length $text && length $text <= 255 ? $text : undef }

sub _word
{
	my %is = map { $_ => 1 } @_;
	return sub { my ($value) = @_; return defined $value && !ref $value && $is{$value} ? $value : undef };
}

# A plain word of a later version may be there, too.
sub _some_word { my ($value) = @_; return defined $value && !ref $value && $value =~ /^[a-z][a-z-]{0,30}\z/ ? $value : undef }

sub _session { my ($value) = @_; return defined $value && !ref $value && FTMPI::Cli::Values::is_session($value) ? $value : undef }

sub _list
{
	my ($of, $most) = @_;
	return sub {
		my ($value) = @_;
		return undef if ref $value ne 'ARRAY' || @$value > $most;
		my @good = map { $of->($_) } @$value;
		return (grep { !defined } @good) ? undef : \@good;
	};
}

# A list in which nothing that `of` says of its members is there twice.
sub _each_once
{
	my ($list, $of) = @_;
	return sub {
		my $good = $list->(@_) // return undef;
		my %seen;
		return (grep { $seen{$_}++ } map { $of->($_) } @$good) ? undef : $good;
	};
}

# more: names that may be missing.
sub _object
{
	my ($must, $more) = @_;
	return sub {
		my ($value) = @_;
		return undef if ref $value ne 'HASH';
		my ($good, $wrong) = _checked($value, $must, $more // {});
		return defined $wrong ? undef : $good;
	};
}

# The names that are known, and the first that is wrong.
sub _checked
{
	my ($value, $must, $more) = @_;
	my %good;
	for my $name (sort keys %$must) {
		$good{$name} = $must->{$name}->($value->{$name}) // return (undef, $name);
	}
	for my $name (sort keys %$more) {
		next if !defined $value->{$name};
		$good{$name} = $more->{$name}->($value->{$name}) // return (undef, $name);
	}
	return \%good;
}

my $RANK    = _whole(0, RANKS_MAX - 1);
my $RANKS   = _each_once(_list($RANK, RANKS_MAX), sub { $_[0] });
my $EPOCH   = _whole(0, NUMBER_MAX);
my $LINE    = _whole(0, NUMBER_MAX);
my $COUNT   = _whole(0, 1e15);
my $SECONDS = _number(0, SECONDS_MAX);
my $BYTES   = _whole(0, BYTES_OF_LINE_MAX);
my $HOSTS   = _each_once(_each_once(_list(_object({ name => \&_name, ranks => $RANKS }, { slots => $COUNT }), HOSTS_MAX), sub { $_[0]{name} }), sub { @{ $_[0]{ranks} } });
my $PARTS   = _list(_object({ ranks => _whole(1, RANKS_MAX), program => \&_name }, { arguments => _list(\&_text, 65536) }), 4096);

# What ranks, or blocks of them, have sent to others: each once, and in their order.
my $RISING = sub { my ($list) = @_; return !grep { $list->[$_] <= $list->[ $_ - 1 ] } 1 .. $#$list };
my $TO     = _list($RANK, BLOCKS_MAX);
my $SENT   = _list(_object({ from => $RANK, to => sub { my $good = $TO->(@_); return $good && $RISING->($good) ? $good : undef }, messages => _list($COUNT, BLOCKS_MAX), bytes => _list($BYTES, BLOCKS_MAX) }), BLOCKS_MAX);

sub _is_matrix
{
	my ($event) = @_;
	my @rows = @{ $event->{sent} };
	return 0 if !$RISING->([ map { $_->{from} } @rows ]) || grep { $_ % $event->{block} } map { ($_->{from}, @{ $_->{to} }) } @rows;
	return !grep { @{ $_->{to} } != @{ $_->{messages} } || @{ $_->{to} } != @{ $_->{bytes} } } @rows;
}

# event => [fields that it must have, those that it may have, [a name, sub (the event): whether it makes sense beside the others]]
my %EVENTS = (
	start => [
		{ v => _whole(1, 1000), hosts => $HOSTS, parts => $PARTS },
		{
			session => \&_session, version => \&_name, host => \&_name, pid => _whole(1, NUMBER_MAX), workdir => \&_text, holds => _word(qw(images data)),
			protocol => \&_some_word, interval => $SECONDS, from => _object({ session => \&_session }, { line => $LINE }),
		},
	],
	run            => [ { epoch => $EPOCH, hosts => $HOSTS }, {} ],
	moved          => [ { hosts => $HOSTS }, {} ],
	ready          => [ { epoch => $EPOCH }, {} ],
	line_committed => [
		{ line => $LINE },
		{
			by => \&_some_word, bytes => $BYTES, seconds => $SECONDS, held => $SECONDS, stood_lines => $COUNT, stood_longest => $SECONDS,
			stood_mean => $SECONDS, count => $COUNT,
		},
	],
	line_refused => [ { why => \&_text }, { rank => $RANK, line => $LINE, number => $LINE, count => $COUNT } ],
	checkpoint   => [ { rank => $RANK, number => $LINE }, { bytes => $BYTES, count => $COUNT } ],
	failure      => [ { class => \&_some_word, decision => _word(qw(restart rerun move end)) }, { why => \&_text, ranks => $RANKS, lost => $SECONDS } ],
	restart      => [ { epoch => $EPOCH, kind => _word(qw(all rerun move)) }, {} ],
	restored     => [ {}, { line => $LINE, rank => $RANK, number => $LINE, session => \&_session } ],
	back         => [ { epoch => $EPOCH, seconds => $SECONDS }, {} ],
	suspicion    => [ { rank => $RANK }, {} ],
	progress     => [ { fraction => _number(0, 1) }, { rank => $RANK, text => \&_text } ],
	interval     => [ { seconds => $SECONDS }, { cost => $SECONDS, mtbf => $SECONDS, failures => $COUNT } ],
	traffic      => [ { block => _whole(1, RANKS_MAX), sent => $SENT }, {}, [ sent => \&_is_matrix ] ],
	injected     => [ { fault => \&_text }, { kind => \&_some_word, rank => $RANK, peer => $RANK, host => \&_name, line => $LINE, seconds => $SECONDS } ],
	finalizing   => [ {}, {} ],
	end          => [
		{ status => _whole(0, 255) },
		{ why => \&_text, seconds => $SECONDS, lines => $COUNT, checkpoints => $COUNT, restarts => $COUNT, lost => $SECONDS, stood => $SECONDS },
	],
	dropped => [ { count => $COUNT }, {} ],
);

# ---- a record ----

# What the text of one line says: an event { event, time, at, ... }, or undef and why it is left out.
sub event_of
{
	my ($line, $json) = @_;
	my $value = eval { ($json // _json())->decode($line) };
	return (undef, 'no JSON') if $@;
	return (undef, 'no object') if ref $value ne 'HASH';
	my $name = $value->{event};
	return (undef, 'without an event') if !defined $name || ref $name || $name !~ /^[a-z_]{1,40}\z/;
	my $fields = $EVENTS{$name} or return (undef, "of an event that is not known here: $name");
	my ($must, $more, $rule) = @$fields;
	my ($good, $wrong) = _checked($value, $must, $more);
	($good, $wrong) = (undef, $rule->[0]) if $good && $rule && !$rule->[1]->($good);
	return (undef, "$name: $wrong is missing, or makes no sense") if !$good;
	return { %$good, event => $name } if $name eq 'dropped';
	my %when = (time => _number(0, TIME_MAX), at => _number(0, SECONDS_MAX));
	(my $times, $wrong) = _checked($value, \%when, {});
	return (undef, "$name: $wrong is missing, or makes no sense") if !$times;
	return { %$good, %$times, event => $name };
}

sub _json { return JSON::PP->new->utf8->max_depth(8) }

# take: sub, which returns the next line with its end, or undef. Returns { events, left_out => { reason => count }, cut: the last line
# has no end, more: lines behind those that are read, dropped: events that the launcher could not write, later: the version if that is a later one }.
sub parse
{
	my ($take) = @_;
	my $json = _json();
	my %record = (events => [], left_out => {}, cut => 0, more => 0, dropped => 0, lines => 0);
	my $at = 0;
	while (defined(my $line = $take->())) {
		$record{lines}++;
		if ($line !~ s/\n\z//) {
			$record{cut} = 1;
			last;
		}
		if (@{ $record{events} } >= EVENTS_MAX) {
			$record{more}++;
			next;
		}
		my ($event, $why) = length $line > LINE_MAX ? (undef, 'too long') : event_of($line, $json);
		if ($event && $event->{event} eq 'dropped') {
			$record{dropped} += $event->{count};
			next;
		}
		# a launcher that goes on in a session begins its clock anew
		($event, $why) = (undef, 'older than the line before') if $event && $event->{event} ne 'start' && $event->{at} < $at - 0.002;
		if (!$event) {
			my $left_out = $record{left_out};
			$why = 'other reasons' if !$left_out->{$why} && keys %$left_out >= REASONS_MAX;
			$left_out->{$why}++;
			next;
		}
		$at = $event->{at};
		$record{later} = $event->{v} if $event->{event} eq 'start' && $event->{v} > VERSION;
		push @{ $record{events} }, $event;
	}
	return \%record;
}

sub parse_text
{
	my ($text) = @_;
	my @lines = split /(?<=\n)/, $text;
	return parse(sub { shift @lines });
}

# Lines of a file, of which none is longer in memory than it may be.
sub _lines
{
	my ($file) = @_;
	my ($rest, $bytes, $over) = ('', 0, 0);
	return sub {
		while (1) {
			my $end = index $rest, "\n";
			if ($end >= 0) {
				my $line = substr $rest, 0, $end + 1, '';
				return $line if !$over;
				$over = 0;
				return ('x' x (LINE_MAX + 1)) . "\n";
			}
			($over, $rest) = (1, '') if length $rest > LINE_MAX;
			my $n = $bytes > BYTES_MAX ? 0 : sysread $file, $rest, 1 << 18, length $rest;
			last if !$n;
			$bytes += $n;
		}
		my $line = $rest;
		$rest = '';
		return length $line ? $line : undef;
	};
}

# The record in this folder, or undef and why there is none.
sub load
{
	my ($folder) = @_;
	my $path = "$folder/" . NAME;
	sysopen my $file, $path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW or return (undef, $!{ENOENT} ? "there is no $path" : "cannot read $path: $!");
	return (undef, "$path is no regular file") if !-f $file;
	return (undef, "$path is empty") if !-s _;
	my $record = parse(_lines($file));
	@$record{qw(path bytes)} = ($path, -s _);
	$record->{large} = 1 if $record->{bytes} > BYTES_MAX;
	return $record;
}

# Its first event, if that is a start; quickly, for chains of sessions.
sub first
{
	my ($folder) = @_;
	sysopen my $file, "$folder/" . NAME, O_RDONLY | O_NONBLOCK | O_NOFOLLOW or return undef;
	return undef if !-f $file;
	my $line  = _lines($file)->() // return undef;
	my $event = event_of($line =~ s/\n\z//r);
	return $event && $event->{event} eq 'start' ? $event : undef;
}

1;

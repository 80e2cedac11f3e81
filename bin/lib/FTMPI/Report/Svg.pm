# SPDX-License-Identifier: BSD-3-Clause
#
# The drawings of a page: the timeline, what lines took, where the time went, and what the interval costs. Each has a bounded number of marks, whatever the job
# was. Pure.
package FTMPI::Report::Svg;

use strict;
use warnings;

use List::Util qw(max min sum0);

use FTMPI::Report::Facts    ();
use FTMPI::Report::Timeline ();
use FTMPI::Report::Traffic  ();

# Of all drawings: width, and where their plots begin and end; columns of a timeline, and of lines.
use constant { WIDTH => 1000, LEFT => 132, RIGHT => 992, COLUMNS => 430, LINE_COLUMNS => 215 };

# Least part of a cell's height that is drawn of what is there at all.
my %LEAST = (compute => 0, line => 0.12, lost => 0.2, start => 0.25, down => 0.3);

sub escaped
{
	my ($text) = @_;
	$text =~ s/([&<>"'])/'&#' . ord($1) . ';'/ge;
	return $text;
}

sub _n { my ($x) = @_; return sprintf('%.1f', $x) =~ s/\.0\z//r }

sub _box { my ($x, $y, $w, $h) = @_; return 'M' . _n($x) . ' ' . _n($y) . 'h' . _n($w) . 'v' . _n($h) . 'h' . _n(-$w) . 'z' }

sub _text
{
	my ($x, $y, $text, %more) = @_;
	my $class  = $more{class}  ? " class=\"$more{class}\""        : '';
	my $anchor = $more{anchor} ? " text-anchor=\"$more{anchor}\"" : '';
	my $title  = defined $more{title} ? '<title>' . escaped($more{title}) . '</title>' : '';
	return '<text x="' . _n($x) . '" y="' . _n($y) . "\"$class$anchor>$title" . escaped($text) . "</text>\n";
}

# A name in at most so many characters: its end says more than its beginning.
sub _short
{
	my ($text, $most) = @_;
	return length $text <= $most ? $text : substr($text, 0, int $most / 2 - 1) . "\x{2026}" . substr $text, -($most - int($most / 2));
}

sub _svg
{
	my ($height, $label, @parts) = @_;
	return '<svg viewBox="0 0 ' . WIDTH . ' ' . _n($height) . '" role="img" aria-label="' . escaped($label) . "\">\n" . join('', @parts) . "</svg>\n";
}

# The pattern of lost work, once in a page.
sub definitions
{
	return '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
		. '<rect class="f-hatch" width="5" height="5"/><path class="s-hatch" d="M0 0v5"/></pattern></defs></svg>' . "\n";
}

sub key { my ($state) = @_; return qq(<svg class="key" viewBox="0 0 14 14" aria-hidden="true"><rect class="f-$state" width="14" height="14" rx="2"/></svg>) }

# ---- time ----

sub _x { my ($t, $span) = @_; return LEFT + (RIGHT - LEFT) * $t / ($span || 1) }

sub _clock
{
	my ($s, $step) = @_;
	return sprintf('%.' . ($step < 0.01 ? 3 : $step < 0.1 ? 2 : $step < 1 ? 1 : 0) . 'f s', $s) if $step < 1 || ($s < 60 && $step < 60);
	my ($d, $h, $m) = (int $s / 86400, int($s / 3600) % 24, int($s / 60) % 60);
	return "${d} d" . ($step < 86400 && $h ? " $h h" : '') if $d;
	return "$h h" . ($step < 3600 && $m ? " $m min" : '') if $h;
	my $rest = $s - 60 * $m;
	return "$m min" . ($step < 60 && $rest >= 1 ? sprintf(' %.0f s', $rest) : '');
}

# Ticks, and what they say below y; lines of them from `top`.
sub _axis
{
	my ($span, $top, $y) = @_;
	my $step = FTMPI::Report::Timeline::step($span, 8);
	my ($d, @labels) = ('');
	for my $i (0 .. int $span / $step + 1e-6) {
		my $x = _x($i * $step, $span);
		$d .= 'M' . _n($x) . ' ' . _n($top) . 'V' . _n($y + 4);
		push @labels, _text($x, $y + 18, $i ? _clock($i * $step, $step) : '0', class => 'soft', anchor => $x > RIGHT - 24 ? 'end' : 'middle');
	}
	return (qq(<path class="rule" d="$d"/>\n), @labels);
}

# ---- the timeline ----

sub timeline
{
	my ($course) = @_;
	my $table  = FTMPI::Report::Timeline::of($course, COLUMNS);
	my $span   = $course->{span} || 1;
	my @rows   = @{ $table->{rows} };
	my $is_of_ranks = $table->{kind} eq 'rank';
	my $height = @rows <= 12 ? 18 : @rows <= 32 ? 13 : 10;
	$height = max($height, 14) if !$is_of_ranks;
	my $top    = 26;
	my ($y, $host, %seen, @rows_drawn, @texts) = ($top + 4, '');
	for my $row (@rows) {
		if ($is_of_ranks && $row->{host} ne $host) {
			$y += 8 if length $host;
			$host = $row->{host};
			push @texts, _text(0, $y + 12, _short($host, 60), class => 'head', title => $host);
			$y += 18;
		}
		my $label = $is_of_ranks ? $row->{label} : _short($row->{label}, 17);
		push @texts, _text($is_of_ranks ? 12 : 0, $y + $height / 2 + 4.5, $label, class => $height < 13 ? 'small' : 'soft', title => $is_of_ranks ? undef : "$row->{title}: " . FTMPI::Report::Facts::count($row->{ranks}, 'rank'));
		# rows that are alike are drawn once
		my $cells = _cells($row, $height, $table->{columns});
		my $id    = $seen{$cells};
		push @rows_drawn, defined $id ? "<use href=\"#$id\" y=\"" . _n($y - $seen{$id}) . "\"/>\n" : do {
			$id = $seen{$cells} = 'row' . keys %seen;
			$seen{$id} = $y;
			"<g id=\"$id\"><g transform=\"translate(0 " . _n($y) . ")\">\n$cells</g></g>\n";
		} if length $cells;
		$y += $height + ($height > 12 ? 4 : 3);
	}
	my @away = map { _box(_x($_->[0], $span), $top, _x($_->[1], $span) - _x($_->[0], $span), $y - $top) } _gaps($course);
	my @parts = _axis($span, $top, $y);
	unshift @parts, qq(<path class="f-away" d="@away"/>\n) if @away;
	return (_svg($y + 24, 'What each rank or host did when', @parts, @rows_drawn, @texts, _failures($course, $top, $y)), $table);
}

# Times without ftmpirun.
sub _gaps
{
	my ($course) = @_;
	my $runs = $course->{runs};
	return map { $runs->[$_]{from} > $runs->[ $_ - 1 ]{last} ? [ $runs->[ $_ - 1 ]{last}, $runs->[$_]{from} ] : () } 1 .. $#$runs;
}

# Parts of each cell's height, from the bottom: what is there at all can be seen. Cells that are alike are one box.
sub _cells
{
	my ($row, $height, $columns) = @_;
	my $width = (RIGHT - LEFT) / $columns;
	my (%d, @parts);
	my $first = 0;
	for my $column (0 .. $columns) {
		my $cell = $column < $columns ? $row->{cells}[$column] : undef;
		my @next = $cell ? _parts($cell, $row->{ranks}) : ();
		next if "@next" eq "@parts";
		my $at = $height;
		for my $i (grep { $parts[$_] > 0 } 0 .. $#parts) {
			my $h = $height * $parts[$i];
			$at -= $h;
			$d{ $FTMPI::Report::Timeline::STATES[$i] } .= _box(LEFT + $first * $width, $at, ($column - $first) * $width, $h);
		}
		($first, @parts) = ($column, @next);
	}
	return join '', map { $d{$_} ? qq(<path class="f-$_" d="$d{$_}"/>\n) : () } @FTMPI::Report::Timeline::STATES;
}

sub _parts
{
	my ($cell, $ranks) = @_;
	my $sum = sum0(@$cell);
	return () if $sum <= 1e-9 || !$ranks;
	my $whole = min(1, $sum / $ranks);
	$whole = 1 if $whole > 0.98 || $ranks == 1;
	my @parts = map { $cell->[$_] < 1e-6 ? 0 : max($LEAST{ $FTMPI::Report::Timeline::STATES[$_] }, $cell->[$_] / $sum) } 0 .. $#$cell;
	my $too_much = sum0(@parts) - 1;
	# what is large makes room
	if ($too_much > 0) {
		my ($large) = sort { $parts[$b] <=> $parts[$a] } 0 .. $#parts;
		$parts[$large] = max(0, $parts[$large] - $too_much);
		my $all = sum0(@parts);
		@parts = map { $_ / $all } @parts;
	}
	return map { sprintf '%.2f', $_ * $whole } @parts;
}

sub _failures
{
	my ($course, $top, $bottom) = @_;
	my $failures = $course->{failures};
	my $span     = $course->{span} || 1;
	my ($d, @texts) = ('');
	my $width = 16 + 16 * length(scalar @$failures);    # of the longest label, and some room
	for my $mark (FTMPI::Report::Timeline::marks($width, map { _x($_->{t}, $span) } @$failures)) {
		my ($first, $last) = ($mark->{first} + 1, $mark->{last} + 1);
		my $words = $first == $last ? $failures->[ $first - 1 ]{why} : FTMPI::Report::Facts::count($last - $first + 1, 'failure');
		push @texts, _text(min($mark->{at}, RIGHT), $top - 12, $first == $last ? $first : "$first-$last", class => 'mark', anchor => $mark->{at} > RIGHT - 20 ? 'end' : 'middle', title => $words);
	}
	for my $mark (FTMPI::Report::Timeline::marks(1, map { _x($_->{t}, $span) } @$failures)) {
		$d .= 'M' . _n($mark->{at}) . ' ' . _n($top - 8) . 'V' . _n($bottom);
	}
	return length $d ? (qq(<path class="mark" d="$d"/>\n), @texts) : ();
}

# ---- lines ----

# What they took, and how large they were: of several in one column the most.
sub lines
{
	my ($course) = @_;
	my $span = $course->{span} || 1;
	my (@took, @stood, @bytes);
	for my $line (@{ $course->{lines} }) {
		my $column = min(LINE_COLUMNS - 1, int LINE_COLUMNS * $line->{t} / $span);
		$took[$column]  = max($took[$column]  // 0, $line->{seconds}) if defined $line->{seconds};
		$bytes[$column] = max($bytes[$column] // 0, $line->{bytes}) if defined $line->{bytes};
		$stood[$column] = max($stood[$column] // 0, $line->{stood_longest} / $line->{stood_lines}) if $line->{stood_lines};
	}
	my @time  = grep { defined } @took, @stood;
	my @parts;
	my $y = 8;
	if (@time) {
		my $most = max(@time) || 1;
		push @parts, _panel($y, 'time', FTMPI::Report::Facts::seconds($most), _bars($y, $most, 'compute', \@took), _bars($y, $most, 'line', \@stood));
		$y += 96;
	}
	if (my @size = grep { defined } @bytes) {
		my $most = max(@size) || 1;
		push @parts, _panel($y, 'size', FTMPI::Report::Facts::bytes($most), _bars($y, $most, 'start', \@bytes));
		$y += 96;
	}
	return if !@parts;
	return _svg($y + 14, 'What lines took, and how large they were', _axis($span, $y - 10, $y - 8), @parts);
}

sub _bars
{
	my ($y, $most, $class, $values) = @_;
	my $width = (RIGHT - LEFT) / LINE_COLUMNS;
	my $d = join '', map { my $h = max(1, 76 * $values->[$_] / $most); _box(LEFT + $_ * $width, $y + 80 - $h, $width - 0.8, $h) } grep { defined $values->[$_] } 0 .. $#$values;
	return length $d ? qq(<path class="f-$class" d="$d"/>\n) : '';
}

sub _panel
{
	my ($y, $name, $most, @bars) = @_;
	my $d = 'M' . LEFT . ' ' . _n($y + 4) . 'H' . RIGHT . 'M' . LEFT . ' ' . _n($y + 80) . 'H' . RIGHT;
	return (qq(<path class="rule" d="$d"/>\n), _text(0, $y + 44, $name, class => 'head'), _text(LEFT - 8, $y + 10, $most, class => 'soft', anchor => 'end'), _text(LEFT - 8, $y + 84, '0', class => 'soft', anchor => 'end'), @bars);
}

# ---- where the time went ----

sub costs
{
	my ($costs) = @_;
	my $total = $costs->{total} || 1;
	my ($x, @parts) = (0);
	for my $row (@FTMPI::Report::Facts::COSTS) {
		my ($name, $words) = @$row;
		my $part = $costs->{$name} / $total;
		next if $part <= 0;
		my $w = WIDTH * $part;
		push @parts, '<path class="f-' . state_of($name) . '" d="' . _box($x, 0, max(1.5, $w), 26) . '"><title>' . escaped("$words: " . FTMPI::Report::Facts::seconds($costs->{$name}) . ', ' . FTMPI::Report::Facts::percent($costs->{$name}, $total)) . "</title></path>\n";
		$x += $w;
	}
	return _svg(26, 'Where the time went', @parts);
}

sub state_of { my ($name) = @_; return { stood => 'line', unsaved => 'unsaved' }->{$name} // $name }

# ---- who has sent to whom ----

# Cells of few places have their bytes in them, others in their titles.
sub traffic
{
	my ($matrix) = @_;
	my @places = @{ $matrix->{places} };
	my $is_few = @places <= 8;
	my $left   = $matrix->{kind} eq 'rank' ? 76 : LEFT;
	my $width  = min($is_few ? 104 : 40, (RIGHT - $left) / @places);
	my $height = min(24, $width);
	my $top    = 34;
	my ($right, $bottom) = ($left + $width * @places, $top + $height * @places);
	my (@cells, @texts);
	for my $from (0 .. $#places) {
		my $y = $top + $from * $height;
		push @texts, _text($left - 8, $y + $height / 2 + 4.5, _short($places[$from]{label}, 18), class => 'soft', anchor => 'end', title => $places[$from]{words});
		push @texts, _text($left + ($from + 0.5) * $width, $top - 6, $places[$from]{short}, class => $width < 30 ? 'small' : 'soft', anchor => 'middle', title => $places[$from]{words});
		for my $to (sort { $a <=> $b } keys %{ $matrix->{cells}{$from} // {} }) {
			my $cell  = $matrix->{cells}{$from}{$to};
			my $level = FTMPI::Report::Traffic::level($matrix, $cell);
			my $x     = $left + $to * $width;
			my $words = "$places[$from]{words} to $places[$to]{words}: " . FTMPI::Report::Facts::count($cell->[0], 'message') . ', ' . FTMPI::Report::Facts::bytes($cell->[1]);
			push @cells, qq(<path class="f-heat$level" d=") . _box($x, $y, $width, $height) . '"><title>' . escaped($words) . "</title></path>\n";
			push @texts, _text($x + $width / 2, $y + $height / 2 + 4.5, FTMPI::Report::Facts::bytes($cell->[1]), class => $level >= FTMPI::Report::Traffic::LEVELS - 1 ? 'through on' : 'through', anchor => 'middle') if $is_few;
		}
	}
	my $rule = join '', map({ 'M' . _n($left + $_ * $width) . " ${top}V" . _n($bottom), "M$left " . _n($top + $_ * $height) . 'H' . _n($right) } 0 .. @places);
	return _svg($bottom + 6, 'How much ranks have sent to each other', @cells, qq(<path class="rule through" d="$rule"/>\n), _text($left - 8, $top - 6, 'from, to', class => 'head', anchor => 'end'), @texts);
}

# ---- the interval ----

# What lines and failures cost, by the time between lines, on a scale of powers.
sub interval
{
	my ($of) = @_;
	return if defined $of->{none};
	my ($best, $used) = @$of{qw(daly used)};
	my ($low, $high) = (min($best, $used // $best) / 8, max($best, $used // $best) * 8);
	my $cost = sub { FTMPI::Report::Interval::overhead($_[0], $of->{cost}, $of->{restart} // 0, $of->{mtbf}) };
	my $ceiling = max(0.01, 1.25 * max($cost->($used // $best), 1.6 * $of->{over_best}));
	my ($top, $bottom) = (22, 190);
	my $x = sub { LEFT + (RIGHT - LEFT) * log($_[0] / $low) / log($high / $low) };
	my $y = sub { $bottom - ($bottom - $top) * min(1.04, $_[0] / $ceiling) };
	my $d = '';
	my $is_out = 1;
	for my $i (0 .. 160) {
		my $t = $low * ($high / $low)**($i / 160);
		my $over = $cost->($t);
		if ($over > $ceiling) { $is_out = 1; next }
		$d .= ($is_out ? 'M' : 'L') . _n($x->($t)) . ' ' . _n($y->($over));
		$is_out = 0;
	}
	my @ticks = _powers($low, $high);
	my $rule = 'M' . LEFT . " ${bottom}H" . RIGHT . 'M' . LEFT . " ${top}V$bottom" . join '', map { 'M' . _n($x->($_)) . " ${bottom}v5" } @ticks;
	my @parts = (qq(<path class="rule" d="$rule"/>\n), (map { _text($x->($_), $bottom + 20, FTMPI::Report::Facts::seconds($_), class => 'soft', anchor => 'middle') } @ticks),
		_text(LEFT - 8, $bottom + 4, '0 %', class => 'soft', anchor => 'end'), _text(LEFT - 8, $top + 6, FTMPI::Report::Facts::percent($ceiling, 1), class => 'soft', anchor => 'end'), _text(0, ($top + $bottom) / 2, 'cost', class => 'head'),
		qq(<path class="curve" d="$d"/>\n));
	push @parts, _point($x->($best), $y->($of->{over_best}), $bottom, 'best: ' . FTMPI::Report::Facts::seconds($best) . ', ' . FTMPI::Report::Facts::percent($of->{over_best}, 1), 0, 'line');
	push @parts, _point($x->($used), $y->($of->{over_used}), $bottom, 'used: ' . FTMPI::Report::Facts::seconds($used) . ', ' . FTMPI::Report::Facts::percent($of->{over_used}, 1), $used < $best ? 1 : -1, 'down') if defined $used;
	return _svg($bottom + 46, 'What lines and failures cost, by the time between lines', @parts, _text((LEFT + RIGHT) / 2, $bottom + 40, 'computing between two lines', class => 'soft', anchor => 'middle'));
}

sub _powers
{
	my ($low, $high) = @_;
	my @nice = (map({ my $p = 10**$_; ($p, 2 * $p, 5 * $p) } -4 .. 0), 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 18000, 43200, 86400, map { 86400 * $_ } 2, 5, 10, 20, 50, 100, 365, 1000, 3650);
	my @in = grep { $_ >= $low * 1.1 && $_ <= $high / 1.1 } @nice;
	@in = @in[ grep { !($_ % 2) } 0 .. $#in ] if @in > 9;
	return @in;
}

# side: where the words are: below the curve, or within its bow, to the left (-1) or right (1) of the point.
sub _point
{
	my ($x, $y, $bottom, $words, $side, $class) = @_;
	my $anchor = $side > 0 ? 'start' : $side < 0 ? 'end' : 'middle';
	my @at = $side ? ($x + 12 * $side, $y - 6) : ($x, min($bottom - 8, $y + 24));
	return (qq(<circle class="f-$class" cx=") . _n($x) . '" cy="' . _n($y) . qq(" r="5"/>\n), _text(@at, $words, anchor => $anchor));
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# Three kinds of chart as SVG, without help: lines over a logarithmic grid, groups of bars, and a
# histogram. Pure: data in, text out.
package FTMPI::Bench::Svg;

use strict;
use warnings;

use List::Util qw(max min);

use constant { WIDTH => 860, HEIGHT => 460, LEFT => 74, RIGHT => 24, TOP => 84, BOTTOM => 62 };

my %ESCAPE = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');

sub escaped
{
	my ($text) = @_;
	return $text =~ s/([&<>"])/$ESCAPE{$1}/gr;
}

# style: class names of _frame.
sub _text
{
	my ($x, $y, $class, $text, $more) = @_;
	return sprintf qq{<text x="%.1f" y="%.1f" class="%s"%s>%s</text>\n}, $x, $y, $class, $more // '',
		escaped($text);
}

sub _segment
{
	my ($x1, $y1, $x2, $y2, $class) = @_;
	return sprintf qq{<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>\n}, $x1, $y1, $x2, $y2,
		$class;
}

sub _box
{
	my ($x, $y, $width, $height, $colour) = @_;
	return sprintf qq{<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>\n}, $x, $y, $width,
		$height, $colour;
}

# title, note (a second line), x and y (what the axes show)
sub _frame
{
	my ($chart, $inside) = @_;
	my ($middle_x, $middle_y) = ((LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2);
	return sprintf(qq{<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n},
		WIDTH, HEIGHT, WIDTH, HEIGHT)
		. '<title>' . escaped($chart->{title}) . "</title>\n" . <<'CSS'
<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; font-size: 12px; fill: #333 }
.title { font-size: 16px; font-weight: bold; fill: #111 }
.note { fill: #555 }
.mid { text-anchor: middle }
.end { text-anchor: end }
.value { font-size: 9px; text-anchor: middle; fill: #222 }
.grid { stroke: #e4e4e4 }
.axis { stroke: #888 }
.aim { stroke: #c0392b; stroke-width: 1.5; stroke-dasharray: 6 4 }
.aimed { fill: #c0392b; text-anchor: end }
</style>
CSS
		. _box(0, 0, WIDTH, HEIGHT, '#fff')
		. _text(LEFT, 26, 'title', $chart->{title}) . _text(LEFT, 45, 'note', $chart->{note})
		. $inside
		. _text($middle_x, HEIGHT - 14, 'mid', $chart->{x})
		. _text(18, $middle_y, 'mid', $chart->{y}, sprintf ' transform="rotate(-90 18 %.1f)"', $middle_y)
		. "</svg>\n";
}

# Above the plot, from left to right: [name, colour, kind of mark] each.
sub _legend
{
	my ($x, $text) = (LEFT, '');
	for my $entry (@_) {
		my ($name, $colour, $shape) = @$entry;
		$text .= $shape ? _mark($x + 8, TOP - 20, $colour, $shape) : _box($x + 2, TOP - 26, 12, 12, $colour);
		$text .= _text($x + 20, TOP - 16, 'name', $name);
		$x += 20 + 7.6 * length($name) + 22;
	}
	return $text;
}

# Shapes as well as colours, for those who see few colours.
sub _mark
{
	my ($x, $y, $colour, $shape) = @_;
	my $points = {
		square  => [ [ -3.5, -3.5 ], [ 3.5, -3.5 ], [ 3.5, 3.5 ], [ -3.5, 3.5 ] ],
		up      => [ [ 0, -4.5 ], [ 4.5, 3.5 ], [ -4.5, 3.5 ] ],
		diamond => [ [ 0, -5 ], [ 5, 0 ], [ 0, 5 ], [ -5, 0 ] ],
	}->{$shape};
	return sprintf qq{<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>\n}, $x, $y, $colour if !$points;
	return sprintf qq{<polygon points="%s" fill="%s"/>\n},
		join(' ', map { sprintf '%.1f,%.1f', $x + $_->[0], $y + $_->[1] } @$points), $colour;
}

# ---- lines ----

# A function from log2 of the value to a place between two ends.
sub _scale
{
	my ($least, $most, $from, $to) = @_;
	my $span = log($most / $least) || 1;
	return sub { $from + log($_[0] / $least) / $span * ($to - $from) };
}

# 1, 2, 5, 10 ... so that all values are inside.
sub _decades
{
	my ($least, $most) = @_;
	my $power = 10**int(log($least) / log(10) - ($least < 1 ? 1 : 0));
	my @steps;
	for (; !@steps || $steps[-1] < $most; $power *= 10) {
		push @steps, map { $_ * $power } 1, 2, 5;
	}
	shift @steps while @steps > 1 && $steps[1] <= $least;
	pop @steps while @steps > 1 && $steps[-2] >= $most;
	return @steps;
}

# series: [{ name, colour, shape, points => [[x, y], ...] }, ...], drawn in this order; x_label: a
# function that writes a value of x.
sub lines
{
	my (%chart) = @_;
	my @points = map { @{ $_->{points} } } @{ $chart{series} };
	return _frame(\%chart, _text(LEFT, TOP + 20, 'note', 'nothing was measured')) if !@points;
	my @xs    = _distinct(map { $_->[0] } @points);
	my @steps = _decades(min(map { $_->[1] } @points), max(map { $_->[1] } @points));
	my $x     = _scale($xs[0], $xs[-1], LEFT + 14, WIDTH - RIGHT - 14);
	my $y     = _scale($steps[0], $steps[-1], HEIGHT - BOTTOM, TOP);
	my $text  = '';
	$text .= _segment(LEFT, $y->($_), WIDTH - RIGHT, $y->($_), 'grid')
		. _text(LEFT - 8, $y->($_) + 4, 'end', $_)
		for @steps;
	$text .= _segment($x->($_), TOP, $x->($_), HEIGHT - BOTTOM, 'grid')
		. _text($x->($_), HEIGHT - BOTTOM + 18, 'mid', $chart{x_label}->($_))
		for @xs;
	$text .= _segment(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, 'axis');
	$text .= _polyline($_, $x, $y) for @{ $chart{series} };
	return _frame(\%chart, $text . _legend(map { [ @$_{qw(name colour shape)} ] } @{ $chart{series} }));
}

sub _distinct
{
	my %seen = map { $_ => 1 } @_;
	return sort { $a <=> $b } keys %seen;
}

sub _polyline
{
	my ($series, $x, $y) = @_;
	my @at = map { [ $x->($_->[0]), $y->($_->[1]) ] } sort { $a->[0] <=> $b->[0] } @{ $series->{points} };
	return sprintf(qq{<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>\n},
		join(' ', map { sprintf '%.1f,%.1f', @$_ } @at), $series->{colour},
		$series->{dashed} ? ' stroke-dasharray="5 4"' : '')
		. join '', map { _mark(@$_, $series->{colour}, $series->{shape}) } @at;
}

# ---- bars ----

# groups: [{ name, bars => [number or undef, ...] }, ...]; series: [{ name, colour }, ...], one for each
# bar of a group; top: what is higher is cut off there, with its number; aims: [{ at, name }, ...].
sub bars
{
	my (%chart) = @_;
	my $floor = HEIGHT - BOTTOM;
	my $y = sub { $floor - ($_[0] > $chart{top} ? $chart{top} : $_[0]) / $chart{top} * ($floor - TOP) };
	my $text = '';
	for (my $tick = 0; $tick <= $chart{top} + 1e-9; $tick += $chart{step}) {
		$text .= _segment(LEFT, $y->($tick), WIDTH - RIGHT, $y->($tick), 'grid')
			. _text(LEFT - 8, $y->($tick) + 4, 'end', sprintf '%.3g', $tick);
	}
	my $room = (WIDTH - RIGHT - LEFT) / (@{ $chart{groups} } || 1);
	for my $i (0 .. $#{ $chart{groups} }) {
		my $group = $chart{groups}[$i];
		$text .= _group(\%chart, $group, LEFT + $i * $room, $room, $y);
		$text .= _text(LEFT + ($i + 0.5) * $room, $floor + 18, 'mid', $group->{name});
	}
	$text .= _segment(LEFT, $y->($_->{at}), WIDTH - RIGHT, $y->($_->{at}), 'aim')
		. _text(WIDTH - RIGHT, $y->($_->{at}) - 5, 'aimed', $_->{name})
		for @{ $chart{aims} };
	$text .= _segment(LEFT, $floor, WIDTH - RIGHT, $floor, 'axis');
	return _frame(\%chart, $text . _legend(map { [ @$_{qw(name colour)} ] } @{ $chart{series} }));
}

sub _group
{
	my ($chart, $group, $left, $room, $y) = @_;
	my $bars  = @{ $group->{bars} };
	my $width = min($room * 0.84 / ($bars || 1), 34);
	my $from  = $left + ($room - $width * $bars) / 2;
	my $text  = '';
	for my $i (0 .. $bars - 1) {
		my $value = $group->{bars}[$i] // next;
		my $x = $from + $i * $width;
		$text .= _box($x + 0.5, $y->($value), $width - 1, HEIGHT - BOTTOM - $y->($value),
			$chart->{series}[$i]{colour});
		$text .= _text($x + $width / 2, $y->($value) - 3, 'value',
			$value < 1 ? sprintf('%.2f', $value) =~ s/^0//r : sprintf '%.1f', $value);
	}
	return $text;
}

# ---- histogram ----

# from, width, counts: bins of equal width; aims: [{ at, name }, ...], those beyond the last bin widen
# the chart; colour.
sub histogram
{
	my (%chart) = @_;
	my ($from, $width) = @chart{qw(from width)};
	my $to    = max($from + $width * @{ $chart{counts} }, map { $_->{at} + $width } @{ $chart{aims} });
	my $top   = max(@{ $chart{counts} });
	my $floor = HEIGHT - BOTTOM;
	my $x = sub { LEFT + ($_[0] - $from) / ($to - $from) * (WIDTH - RIGHT - LEFT) };
	my $y = sub { $floor - $_[0] / $top * ($floor - TOP) };
	my $text = '';
	$text .= _segment(LEFT, $y->($_), WIDTH - RIGHT, $y->($_), 'grid') . _text(LEFT - 8, $y->($_) + 4, 'end', $_)
		for grep { $_ <= $top } map { $_ * _step($top, 6) } 0 .. 6;
	$text .= _text($x->($_), $floor + 18, 'mid', sprintf '%.4g', $_) for _marks($from, $to, $width);
	for my $i (grep { $chart{counts}[$_] } 0 .. $#{ $chart{counts} }) {
		my ($left, $right) = map { $x->($from + $width * ($i + $_)) } 0, 1;
		my $height = $y->($chart{counts}[$i]);
		$text .= _box($left + 0.5, $height, $right - $left - 1, $floor - $height, $chart{colour});
	}
	$text .= _segment($x->($_->{at}), TOP, $x->($_->{at}), $floor, 'aim')
		. _text($x->($_->{at}) - 5, TOP - 5, 'aimed', $_->{name})
		for @{ $chart{aims} };
	return _frame(\%chart, $text . _segment(LEFT, $floor, WIDTH - RIGHT, $floor, 'axis'));
}

# A whole number, so that `most` of them reach the top.
sub _step
{
	my ($top, $most) = @_;
	my ($step) = grep { $_ * $most >= $top } map { my $power = 10**$_; map { $_ * $power } 1, 2, 5 } 0 .. 9;
	return $top / $step < 1 ? 1 : $step;
}

# Edges of bins that have a number, eleven at most.
sub _marks
{
	my ($from, $to, $width) = @_;
	my $bins = int(($to - $from) / $width + 0.5);
	my $step = _step($bins, 10);
	return map { $from + $width * $step * $_ } 0 .. int($bins / $step);
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# The report as one page: no scripts, nothing from elsewhere. Every text of the record passes FTMPI::Report::Svg::escaped. Pure.
package FTMPI::Report::Html;

use strict;
use warnings;

use List::Util qw(sum0);

use FTMPI::Report::Course ();
use FTMPI::Report::Facts  ();
use FTMPI::Report::Style  ();
use FTMPI::Report::Svg    ();
use FTMPI::Report::Traffic ();
use FTMPI::Version        ();

# Rows of tables: of lines that are shown at once, and all in all; of failures; of hosts; of refusals; of pairs of ranks that are shown at once.
use constant { LINES_FIRST => 12, LINES_MAX => 500, FAILURES_MAX => 200, HOSTS_MAX => 100, REFUSED_MAX => 40, PAIRS_FIRST => 10 };

my $E = \&FTMPI::Report::Svg::escaped;
my $S = \&FTMPI::Report::Facts::seconds;
my $B = \&FTMPI::Report::Facts::bytes;

sub page
{
	my ($report) = @_;
	my ($course, $session) = @$report{qw(course session)};
	my @body = map { $_->($report) } \&_head, \&_cautions, \&_tiles, \&_about, \&_costs, \&_timeline, \&_failures, \&_lines, \&_disk, \&_interval, \&_traffic, \&_refused, \&_hosts, \&_chain, \&_method;
	my $title = $E->("$session: " . FTMPI::Report::Facts::state_words($report->{state}, $course));
	return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		. "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>$title</title>\n<style>\n" . FTMPI::Report::Style::CSS . "</style>\n</head>\n<body>\n"
		. FTMPI::Report::Svg::definitions() . "<main>\n" . join('', @body) . "</main>\n</body>\n</html>\n";
}

# ---- pieces ----

sub _table
{
	my ($heads, @rows) = @_;
	my @class = map { s/^#// ? ' class="n"' : s/^!// ? ' class="why"' : s/^=// ? ' class="w"' : '' } my @names = @$heads;
	my $head  = join '', map { my $class = $class[$_] eq ' class="n"' ? $class[$_] : ''; "<th$class>" . $E->($names[$_]) . '</th>' } 0 .. $#names;
	my $body  = '';
	for my $row (@rows) {
		my ($cells, $mark) = ref $row eq 'HASH' ? @$row{qw(cells mark)} : ($row);
		$body .= '<tr' . (defined $mark ? " class=\"$mark\"" : '') . '>' . join('', map { "<td$class[$_]>" . (ref $cells->[$_] ? ${ $cells->[$_] } : $E->($cells->[$_])) . '</td>' } 0 .. $#names) . "</tr>\n";
	}
	return "<div class=\"scroll\"><table>\n<thead><tr>$head</tr></thead>\n<tbody>\n$body</tbody>\n</table></div>\n";
}

# Names of options and commands are not broken.
sub _p
{
	my ($text, $class) = @_;
	my $words = $E->($text) =~ s{(?<![\w&#;/.-])((?:ftmpi)?-[a-z]+(?:-[a-z]+)*(?: (?:TIME|[0-9.]+))?)(?![\w/])}{<span class="word">$1</span>}gr =~ s{\b(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)}{<span class="word">$1</span>}gr;
	return '<p' . (defined $class ? " class=\"$class\"" : '') . ">$words</p>\n";
}

sub _h { my ($text) = @_; return '<h2>' . $E->($text) . "</h2>\n" }

sub _when { my ($course, $t) = @_; return FTMPI::Report::Facts::moment($course->began + $t) }

# ---- the page, from top to bottom ----

sub _head
{
	my ($report) = @_;
	my ($course, $state) = @$report{qw(course state)};
	my $end   = FTMPI::Report::Course::end($course);
	my $class = $end ? ($end->{status} ? 'bad' : 'good') : $state eq 'running' ? 'calm' : 'bad';
	my $program = (FTMPI::Report::Course::last_start($course)->{parts}[0] // {})->{program} // 'a job';
	my $text = '<h1>' . $E->($program =~ s{.*/}{}r) . " <span class=\"state $class\">" . $E->(FTMPI::Report::Facts::state_words($state, $course)) . "</span></h1>\n";
	$text .= _p("Session $report->{session}", 'soft');
	$text .= _p($end->{why}) if $end && length($end->{why} // '');
	return $text;
}

sub _cautions
{
	my ($report) = @_;
	my @said = (FTMPI::Report::Facts::cautions($report), @{ $report->{disk}{notes} });
	return @said ? "<div class=\"note\">\n" . join('', map { _p($_) } @said) . "</div>\n" : '';
}

sub _tiles
{
	my ($report) = @_;
	my ($course, $costs) = @$report{qw(course costs)};
	my $hosts  = $course->hosts;
	my $made   = @{ $course->{checkpoints} } && !@{ $course->{lines} } ? [ _many($course->{checkpoints}), 'checkpoints of ranks' ] : [ _many($course->{lines}), 'recovery lines' ];
	my @tiles = ([ $S->($course->{span}), 'from the first start to ' . (FTMPI::Report::Course::end($course) ? 'the end' : 'the last event') ], [ FTMPI::Report::Facts::percent($costs->{compute}, $costs->{total}), 'of that computing, and not lost' ],
		[ $course->{ranks}, 'ranks on ' . FTMPI::Report::Facts::count($hosts, 'host') ], $made, [ scalar @{ $course->{failures} }, @{ $course->{failures} } == 1 ? 'failure' : 'failures' ]);
	my $progress = $course->{progress};
	push @tiles, [ FTMPI::Report::Facts::percent($progress->{fraction}, 1), 'done, says the program' . (length($progress->{text} // '') ? ": $progress->{text}" : '') ] if $progress;
	return "<ul class=\"tiles\">\n" . join('', map { '<li><b>' . $E->($_->[0]) . '</b><span>' . $E->($_->[1]) . "</span></li>\n" } @tiles) . "</ul>\n";
}

# Where many are left out of the record each says for how many it stands.
sub _many { my ($list) = @_; return sum0(map { $_->{count} // 1 } @$list) }

sub _about
{
	my ($report) = @_;
	my $course = $report->{course};
	my $start  = FTMPI::Report::Course::last_start($course);
	my %holds  = (images => 'images of the processes', data => 'data that the program names');
	my @rows = ([ 'Command', FTMPI::Report::Facts::command($start), 1 ], [ 'Began', FTMPI::Report::Facts::moment($course->began) . ', ' . FTMPI::Report::Facts::zone($course->began) ],
		[ FTMPI::Report::Course::end($course) ? 'Ended' : 'Last event', _when($course, $course->{span}) ], [ 'Work directory', $report->{workdir}, 1 ], [ 'ftmpirun on', ($start->{host} // 'not known') . (defined $start->{pid} ? ", process $start->{pid}" : '') ]);
	push @rows, [ 'Lines hold', ($holds{ $start->{holds} }) . (defined $start->{protocol} ? ", -coord $start->{protocol}" : '') . (defined $start->{interval} ? ", -ckpt-interval $start->{interval}" : '') ] if $start->{holds};
	push @rows, [ 'Goes on from', $start->{from}{session} eq $report->{session} ? 'an earlier ftmpirun of this session' : "session $start->{from}{session}" . (defined $start->{from}{line} ? ", line $start->{from}{line}" : '') ] if $start->{from};
	push @rows, [ 'Runs of ftmpirun', scalar @{ $course->{runs} } ] if @{ $course->{runs} } > 1;
	push @rows, [ 'Ranks that were suspected', FTMPI::Report::Facts::count($course->{suspicions}, 'time') . ': they had shown no life for a while, and their agents were asked' ] if $course->{suspicions};
	return "<dl>\n" . join('', map { '<dt>' . $E->($_->[0]) . '</dt><dd>' . ($_->[2] ? '<code>' . $E->($_->[1]) . '</code>' : $E->($_->[1])) . "</dd>\n" } @rows) . "</dl>\n";
}

sub _costs
{
	my ($report) = @_;
	my $costs = $report->{costs};
	my @rows = map { my ($name, $words, $what) = @$_; [ \(FTMPI::Report::Svg::key(FTMPI::Report::Svg::state_of($name)) . ' ' . $E->($words)), $S->($costs->{$name}), FTMPI::Report::Facts::percent($costs->{$name}, $costs->{total}), $what ] }
		grep { $costs->{ $_->[0] } > 0 || $_->[0] =~ /^(?:compute|stood|lost|down)\z/ } @FTMPI::Report::Facts::COSTS;
	return _h('Where the time went') . '<figure>' . FTMPI::Report::Svg::costs($costs) . "</figure>\n"
		. _table([ '=', '#time', '#part', '!what that is' ], @rows, { mark => 'sum', cells => [ 'all', $S->($costs->{total}), '100 %', '' ] });
}

my @LEGEND = ([ compute => 'computing' ], [ line => 'a line is made' ], [ lost => 'computed, and lost by a failure' ], [ start => 'starting, or restored' ], [ down => 'down' ], [ away => 'no ftmpirun' ]);

sub _timeline
{
	my ($report) = @_;
	my $course = $report->{course};
	my ($svg, $table) = FTMPI::Report::Svg::timeline($course);
	my %is = map { $_->[2] => 1 } @{ $course->{all} }, map { @$_ } values %{ $course->{own} };
	$is{away} = 1 if $report->{costs}{away} > 0;
	my @legend = map { '<li>' . FTMPI::Report::Svg::key($_->[0]) . ' ' . $E->($_->[1]) . '</li>' } grep { $is{ $_->[0] } } @LEGEND;
	my %each = (rank => 'Each row is a rank on a host', host => 'Each row is a host, with all its ranks', hosts => 'Each row is ' . FTMPI::Report::Facts::count($table->{group} // 1, 'host') . ', with all their ranks');
	my $words = $each{ $table->{kind} } . ', each of ' . FTMPI::Report::Svg::COLUMNS . ' columns ' . $S->($course->{span} / FTMPI::Report::Svg::COLUMNS) . ' long; where ranks did several things in one column, its height is divided among these, and what is small is drawn larger, so that it is seen.'
		. (@{ $table->{idle} // [] } ? ' Hosts without ranks: ' . join(', ', splice @{ [ @{ $table->{idle} } ] }, 0, 20) . (@{ $table->{idle} } > 20 ? ' and ' . (@{ $table->{idle} } - 20) . ' more.' : '.') : '')
		. (@{ $course->{failures} } ? ' Numbers above are those of failures.' : '') . ' Times are since the start.';
	return _h('Timeline') . "<ul class=\"legend\">@legend</ul>\n<figure><div class=\"scroll\">$svg</div><figcaption>" . $E->($words) . "</figcaption></figure>\n";
}

sub _failures
{
	my ($report) = @_;
	my $course = $report->{course};
	my @failures = @{ $course->{failures} };
	return _h('Failures') . _p('No failure was seen.') if !@failures;
	my %class;
	$class{ $_->{class} }++ for @failures;
	my $text = _h('Failures') . _p(join(', ', map { "$class{$_} " . FTMPI::Report::Facts::class_words($_) } sort { $class{$b} <=> $class{$a} || $a cmp $b } keys %class) . '.');
	my $n = 0;
	my @rows = map { [ ++$n, _when($course, $_->{t}), $S->($_->{t}), $_->{why}, FTMPI::Report::Facts::decision_words($_->{decision}), FTMPI::Report::Facts::went_on_from($_),
			defined $_->{lost} ? $S->($_->{lost}) : '', defined $_->{back} ? $S->($_->{back} - $_->{t}) : $_->{decision} eq 'end' ? '' : 'never' ] } splice @failures, 0, FAILURES_MAX;
	$text .= _table([ '#', '=when', '#after', '!what happened', '=then', '=went on from', '#lost', '#back after' ], @rows);
	$text .= _p(FTMPI::Report::Facts::count(scalar @failures, 'more failure') . ' ' . (@failures == 1 ? 'is' : 'are') . ' not in this table.') if @failures;
	return $text;
}

sub _lines
{
	my ($report) = @_;
	my $course = $report->{course};
	return _checkpoints($course) if @{ $course->{checkpoints} } && !@{ $course->{lines} };
	my @lines = reverse @{ $course->{lines} };
	return _h('Recovery lines') . _p('No recovery line was made.') if !@lines;
	my $measured = $report->{interval};
	my $text = _h('Recovery lines') . _p(_many(\@lines) . ' were made' . (defined $measured->{written} ? '; one took ' . $S->($measured->{written}) . ' on average' : '') . (defined $measured->{cost} ? ', for which the program stood still for ' . $S->($measured->{cost}) : '') . '.');
	if (my $svg = FTMPI::Report::Svg::lines($course)) {
		my @legend = map { '<li>' . FTMPI::Report::Svg::key($_->[0]) . ' ' . $E->($_->[1]) . '</li>' } [ compute => 'from its beginning until it counts' ], [ line => 'the program stood still' ], [ start => 'size of all files' ];
		$text .= "<ul class=\"legend\">@legend</ul>\n<figure><div class=\"scroll\">$svg</div><figcaption>" . $E->('Of several lines in one of ' . FTMPI::Report::Svg::LINE_COLUMNS . ' columns the most. Times are since the start.') . "</figcaption></figure>\n";
	}
	my @heads = ('#line', '=when', 'asked by', '#size', '#made in', '#waited for ranks', '#stood still');
	my $row = sub {
		my ($line) = @_;
		my $stood = !$line->{stood_lines} ? '' : $S->($line->{stood_longest} / $line->{stood_lines}) . ($line->{stood_lines} > 1 ? " (mean of $line->{stood_lines})" : '');
		my $left  = ($line->{count} // 1) > 1 ? ' (and ' . ($line->{count} - 1) . ' before it that are not in the record)' : '';
		return [ "$line->{line}$left", _when($course, $line->{t}), $line->{by} // '', defined $line->{bytes} ? $B->($line->{bytes}) : '', defined $line->{seconds} ? $S->($line->{seconds}) : '', defined $line->{held} ? $S->($line->{held}) : '', $stood ];
	};
	my $all = @lines;
	$text .= _table(\@heads, map { $row->($_) } splice @lines, 0, LINES_FIRST);
	if (@lines) {
		my @more = splice @lines, 0, LINES_MAX - LINES_FIRST;
		$text .= '<details><summary>' . $E->(scalar(@more) . ' earlier lines') . '</summary>' . _table(\@heads, map { $row->($_) } @more) . "</details>\n";
		$text .= _p(@lines . " still earlier lines of the $all in the record are not in this table.", 'soft') if @lines;
	}
	return $text;
}

# Those that ranks make alone.
sub _checkpoints
{
	my ($course) = @_;
	my (%of, %bytes, %last);
	for my $one (@{ $course->{checkpoints} }) {
		$of{ $one->{rank} } += $one->{count} // 1;
		@last{ $one->{rank} } = $one;
	}
	my @ranks = sort { $a <=> $b } keys %of;
	my $text = _h('Checkpoints of ranks') . _p(_many($course->{checkpoints}) . ' checkpoints of ' . FTMPI::Report::Facts::count(scalar @ranks, 'rank') . ' were made, each alone (-coord msglog).');
	my @rows = map { [ $_, $of{$_}, $last{$_}{number}, _when($course, $last{$_}{t}), defined $last{$_}{bytes} ? $B->($last{$_}{bytes}) : '' ] } splice @ranks, 0, HOSTS_MAX;
	$text .= _table([ '#rank', '#checkpoints', '#the last', 'when', '#its size' ], @rows);
	$text .= _p(FTMPI::Report::Facts::count(scalar @ranks, 'more rank') . ' made some, too.', 'soft') if @ranks;
	return $text;
}

sub _disk
{
	my ($report) = @_;
	my $disk = $report->{disk};
	my @lines = @{ $disk->{lines} } or return '';
	my $text = _h('Lines that are there now') . _p('From the newest one that is whole the job can go on (-restore).' . ($report->{verified} ? '' : ' Their files were not read: ftmpi-report -verify does that, and so does ftmpi-ckpt verify.'));
	my @rows = map {
		my $is_well = $_->{problem} eq '';
		[ $_->{line}, $is_well ? FTMPI::Report::Facts::moment($_->{time}) : '', $is_well ? $_->{ranks} : '', $is_well ? $B->($_->{bytes}) : '', $is_well ? $_->{kind} : '',
			!$is_well ? $_->{problem} : defined $_->{whole} ? ($_->{whole} ? 'whole' : 'damaged') : 'not verified',
			defined $_->{messages} ? FTMPI::Report::Facts::count($_->{messages}, 'message') . ($_->{messages} ? ', ' . $B->($_->{message_bytes}) : '') : 'not read', $_->{orphans} // 'not read' ]
	} splice @lines, 0, HOSTS_MAX;
	$text .= _table([ '#line', '=committed', '#ranks', '#size', 'holds', 'state', 'in transit', '#orphans' ], @rows);
	$text .= join '', map { _p($_, 'bad') } @{ $disk->{problems} };
	return $text;
}

sub _interval
{
	my ($report) = @_;
	my $of = $report->{interval};
	my $text = _h('How often a line is worth its price') . join '', map { _p($_) } FTMPI::Report::Facts::interval_words($of);
	if (my $svg = FTMPI::Report::Svg::interval($of)) {
		$text .= "<figure><div class=\"scroll\">$svg</div><figcaption>What lines and failures take in addition to the computing, by Daly's model.</figcaption></figure>\n";
	}
	$text .= _table([ '', '!what goes in', '#value', 'from' ], map { $_ } FTMPI::Report::Facts::inputs($of)) if !defined $of->{none} || $of->{lines};
	$text .= '<pre>' . $E->(join "\n", @FTMPI::Report::Facts::FORMULA) . "</pre>\n" if !defined $of->{none};
	return $text;
}

sub _traffic
{
	my ($report) = @_;
	my ($course, $matrix) = @$report{qw(course traffic)};
	my $text = _h('Who sent how much to whom') . join '', map { _p($_) } FTMPI::Report::Traffic::words($course, $matrix);
	return $text if !$matrix;
	my @legend = map { '<li>' . FTMPI::Report::Svg::key("heat$_") . ' ' . $E->(FTMPI::Report::Traffic::level_words($matrix, $_)) . '</li>' } FTMPI::Report::Traffic::levels($matrix);
	$text .= "<ul class=\"legend\">@legend</ul>\n<figure><div class=\"scroll\">" . FTMPI::Report::Svg::traffic($matrix) . '</div><figcaption>' . $E->("Rows have sent, columns were sent to. $FTMPI::Report::Traffic::COUNTED") . "</figcaption></figure>\n";
	my @places = map { $_->{words} } @{ $matrix->{places} };
	my @heads  = ('=from', '=to', '#messages', '#bytes', '=', '#part of all');
	my $row    = sub { my ($from, $to, $messages, $bytes) = @{ $_[0] }; return [ $places[$from], $places[$to], $messages, $bytes, $B->($bytes), FTMPI::Report::Facts::percent($bytes, $matrix->{bytes}) ] };
	my @pairs  = FTMPI::Report::Traffic::pairs($matrix);
	$text .= _table(\@heads, map { $row->($_) } splice @pairs, 0, PAIRS_FIRST);
	$text .= '<details><summary>' . $E->(FTMPI::Report::Facts::count(scalar @pairs, 'more pair')) . '</summary>' . _table(\@heads, map { $row->($_) } @pairs) . "</details>\n" if @pairs;
	my @sums = map { my ($sent, $got) = map { $_ // [ 0, 0 ] } $matrix->{sent}[$_], $matrix->{received}[$_]; [ $places[$_], $sent->[0], $B->($sent->[1]), $got->[0], $B->($got->[1]) ] } 0 .. $#places;
	return $text . '<details><summary>All that each has sent, and was sent</summary>' . _table([ '=', '#messages sent', '#bytes sent', '#messages to it', '#bytes to it' ], @sums) . "</details>\n";
}

sub _refused
{
	my ($report) = @_;
	my $course = $report->{course};
	my @refused = sort { $b->{count} <=> $a->{count} || $a->{first} <=> $b->{first} } @{ $course->{refused} } or return '';
	my @rows = map { [ $_->{why}, $_->{count}, FTMPI::Report::Facts::ranges(keys %{ $_->{ranks} }), _when($course, $_->{first}), _when($course, $_->{last}) ] } splice @refused, 0, REFUSED_MAX;
	my $text = _h('Lines that could not be made, and why') . _table([ '!why', '#times', 'ranks', '=first', '=last' ], @rows);
	$text .= _p(@refused . ' more reasons are not in this table.', 'soft') if @refused;
	return $text;
}

# Which ranks were on a host from when on.
sub _hosts
{
	my ($report) = @_;
	my $course = $report->{course};
	my (%stays, @names);
	for my $i (0 .. $#{ $course->{places} }) {
		my $place = $course->{places}[$i];
		for my $name (@{ $place->{names} }) {
			push @names, $name if !$stays{$name};
			my $stays = $stays{$name} //= [];
			my $ranks = FTMPI::Report::Facts::ranges(@{ $place->{hosts}{$name} });
			if (@$stays && $stays->[-1][0] eq $ranks && $stays->[-1][3] == $i - 1) { @{ $stays->[-1] }[ 2, 3 ] = ($place->{to}, $i) }
			elsif (length $ranks) { push @$stays, [ $ranks, $place->{from}, $place->{to}, $i ] }
		}
	}
	my $end  = $course->{span};
	my @rows = map {
		my @stays = @{ $stays{$_} };
		my $more  = @stays > 8 ? @stays - 8 : 0;
		splice @stays, 8;
		[ $_, @stays ? join('; ', map { my ($ranks, $from, $to) = @$_; $ranks . ($from > 0 ? ' from ' . $S->($from) . ' on' : '') . ($to < $end ? ' until ' . $S->($to) : '') } @stays) . ($more ? "; and $more more changes" : '') : 'none' ]
	} splice @names, 0, HOSTS_MAX;
	my $text = _h('What ran where') . _table([ '=host', '!ranks' ], @rows);
	$text .= _p(FTMPI::Report::Facts::count(scalar @names, 'more host') . ' ' . (@names == 1 ? 'is' : 'are') . ' not in this table.', 'soft') if @names;
	return $text;
}

sub _chain
{
	my ($report) = @_;
	my @chain = @{ $report->{chain} } or return '';
	my $above = '';
	my @rows = map {
		my $link   = $_;
		my $before = $above;
		$above = $link->{session};
		my $how  = !$link->{has_record} ? 'no record is here' : !defined $link->{state} ? 'not read: its record is long' : defined $link->{status} ? "status $link->{status}" : $link->{state} eq 'running' ? 'still runs' : 'no end';
		+{ ($link->{is_this} ? (mark => 'this') : ()), cells => [ $link->{session} . ($link->{is_this} ? ' (this one)' : ''), !defined $link->{from} ? '' : $link->{from} ne $before ? (defined $link->{line} ? "line $link->{line} of " : '') . $link->{from} : defined $link->{line} ? "line $link->{line}" : 'its checkpoints', defined $link->{began} ? FTMPI::Report::Facts::moment($link->{began}) : '',
				defined $link->{seconds} ? $S->($link->{seconds}) : '', $link->{lines} // '', $link->{failures} // '', $how, defined $link->{back} ? $S->($link->{back}) : '' ] }
	} @chain;
	my $sum = sum0(map { $_->{seconds} // 0 } @chain);
	return _h('Sessions that went on from one another') . _table([ '=session', 'went on from', '=began', '#ran for', '#lines', '#failures', '=end', '#done again' ], @rows) . _p('Together they ran for ' . $S->($sum) . '. Done again: what was computed after the line that the next one went on from.');
}

sub _method
{
	my ($report) = @_;
	my @rows = (@FTMPI::Report::Facts::METHOD, 'Read: ' . FTMPI::Report::Facts::count($report->{record}{lines}, 'line') . " of $report->{record}{path}, by ftmpi-report " . FTMPI::Version::NUMBER . ' at ' . FTMPI::Report::Facts::moment($report->{now}) . '.');
	return _h('About these numbers') . "<ul class=\"method\">\n" . join('', map { '<li>' . $E->($_) . "</li>\n" } @rows) . "</ul>\n";
}

1;

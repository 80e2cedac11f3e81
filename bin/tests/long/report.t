# SPDX-License-Identifier: BSD-3-Clause
#
# A page of ftmpi-report in a browser, if there is a Chromium: that of a week with 4096 ranks is laid out at once, nothing is wider than a small screen but what scrolls there, no labels of
# a drawing overlap, and it can be printed.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Report::Course ();
use FTMPI::Report::Events ();
use FTMPI::Report::Facts  ();
use FTMPI::Report::Html   ();
use FTMPI::Test::File     qw(write_file);
use FTMPI::Test::Job      ();
use FTMPI::Test::Process  qw(run_quiet);

my ($chromium) = grep { -x } map { "$_/chromium" } split /:/, $ENV{PATH};
plan skip_all => 'there is no chromium (apt-get install chromium)' if !defined $chromium;

my $dir = File::Temp->newdir('ftmpi-report-XXXXXX', TMPDIR => 1);

sub event { my ($at, $name, $rest) = @_; return sprintf qq({"time":%.3f,"at":%.3f,"event":"%s",%s}\n), 1795293000 + $at, $at, $name, $rest }

sub week
{
	my ($hosts, $each) = @_;
	my @hosts  = map { my $h = $_; sprintf '{"name":"node%03d.cluster.example.org","slots":8,"ranks":[%s]}', $h, join ',', map { $each * $h + $_ } 0 .. $each - 1 } 0 .. $hosts - 1;
	my @events = (event(0, 'start', '"v":1,"hosts":[' . join(',', @hosts) . qq(],"parts":[{"ranks":$hosts,"program":"./ocean-of-a-long-name"}])), event(5, 'ready', '"epoch":0'));
	for my $i (1 .. 10_000) {
		push @events, event(60 * $i, 'line_committed', qq("line":$i,"seconds":9.5,"held":0.1,"bytes":1000000000000,"stood_lines":1,"stood_longest":2));
		push @events, event(60 * $i + 10, 'failure', '"class":"killed","decision":"restart","lost":12,"why":"rank 1 on node000.cluster.example.org was killed by signal 9 (Killed)","ranks":[' . $i % ($hosts * $each) . ']'), event(60 * $i + 20, 'back', '"epoch":1,"seconds":10')
			if $i % 100 == 0;
	}
	my $course = FTMPI::Report::Course::of(FTMPI::Report::Events::parse_text(join '', @events)->{events});
	return FTMPI::Report::Html::page({ workdir => '/w', session => '20261121-203610-1a2b3c4d', record => { events => [], left_out => {}, lines => 1, path => '/w/20261121-203610-1a2b3c4d/events.jsonl' }, course => $course, state => 'killed', now => 1795293000, costs => $course->costs,
		interval => FTMPI::Report::Facts::interval($course), disk => { lines => [], notes => [], problems => [] }, chain => [] });
}

# The page itself allows no scripts: this copy does, for the one that measures.
my $MEASURE = <<'EOJ';
<script>addEventListener('load', () => {
	const wide = [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName);
	const boxes = [...document.querySelectorAll('svg')].map(s => [...s.querySelectorAll('text')].map(t => [t.getBoundingClientRect(), t.textContent]));
	const over = [];
	for (const list of boxes) for (let i = 0; i < list.length; i++) for (let k = i + 1; k < list.length; k++) {
		const [a, b] = [list[i][0], list[k][0]];
		if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5) over.push(list[i][1] + ' / ' + list[k][1]);
	}
	const out = [...document.querySelectorAll('.scroll > svg')].flatMap(s => [...s.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > s.getBoundingClientRect().right + 1 || t.getBoundingClientRect().left < s.getBoundingClientRect().left - 1).map(t => t.textContent));
	document.title = JSON.stringify({ wide: wide.slice(0, 5), over: over.slice(0, 5), out: out.slice(0, 5), texts: boxes.flat().length, ms: Math.round(performance.now()) });
});</script>
EOJ

sub browser { my (@words) = @_; return FTMPI::Test::Job->run([ $chromium, qw(--headless=new --no-sandbox --disable-gpu --hide-scrollbars), "--user-data-dir=$dir/profile", @words ], deadline => 120) }

for my $case ([ 'a week of 4096 ranks', 512, 8 ], [ 'a week of 32 ranks', 8, 4 ]) {
	my ($name, @size) = @$case;
	my $page = week(@size);
	utf8::encode($page);
	my $path = write_file("$dir/page.html", $page);
	(my $measured = $page) =~ s{<meta http-equiv="Content-Security-Policy"[^>]*>}{};
	$measured =~ s{</body>}{$MEASURE</body>};
	my $copy = write_file("$dir/measured.html", $measured);
	for my $width (500, 1280) {
		my $job = browser("--window-size=$width,1000", '--dump-dom', "file://$copy");
		my ($said) = $job->out =~ /<title>(\{.*?\})<\/title>/;
		like($said // 'nothing', qr/"wide":\[\],"over":\[\],"out":\[\],"texts":[1-9]\d+,/, "$name, $width wide: nothing overlaps, nothing sticks out") or diag(substr($job->err, 0, 2000));
	}
	browser("--print-to-pdf=$dir/page.pdf", "file://$path");
	ok(-s "$dir/page.pdf", "$name: it is printed");
}

done_testing();

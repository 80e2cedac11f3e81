# SPDX-License-Identifier: BSD-3-Clause
#
# The style sheet of a page: light and dark as the browser wants it, and for paper. The colours of states differ in how light they are, too, and lost work is hatched.
package FTMPI::Report::Style;

use strict;
use warnings;

use constant CSS => <<'EOC';
:root {
	color-scheme: light dark;
	--back: #ffffff; --panel: #f6f7f9; --text: #1b1f24; --soft: #59636e; --rule: #d5dae0; --link: #0b57d0;
	--compute: #b3d1ee; --line: #1d5fa8; --lost: #eebc1d; --lost-line: #8a6500; --start: #8f8f94; --down: #c2321c; --away: #e3e5e9;
	--good: #1a7f4b; --bad: #b3261e; --calm: #0b57d0; --note: #fff4d6; --note-rule: #d9a400;
}
@media (prefers-color-scheme: dark) {
	:root {
		--back: #14171b; --panel: #1d2126; --text: #e6e9ed; --soft: #a2abb6; --rule: #363c44; --link: #8ab4f8;
		--compute: #315678; --line: #86c1ff; --lost: #e0b020; --lost-line: #4a3800; --start: #8b9097; --down: #ff6a4d; --away: #262b31;
		--good: #5ccb8f; --bad: #ff8a75; --calm: #8ab4f8; --note: #332a10; --note-rule: #b88a00;
	}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 10px; padding-top: 14px; border-top: 1px solid var(--rule); }
p { margin: 8px 0; max-width: 78ch; }
.word { white-space: nowrap; }
.soft, figcaption, caption { color: var(--soft); }
code, pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 8px 0; padding: 10px 12px; background: var(--panel); border-radius: 6px; }
.state { display: inline-block; margin-left: 10px; padding: 1px 10px; border-radius: 12px; border: 1.5px solid currentColor; font-size: 14px; font-weight: 600; vertical-align: middle; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .calm { color: var(--calm); }
.note { background: var(--note); border-left: 4px solid var(--note-rule); padding: 8px 12px; margin: 12px 0; border-radius: 0 6px 6px 0; }
.note p { margin: 2px 0; max-width: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin: 18px 0; padding: 0; list-style: none; }
.tiles li { background: var(--panel); border-radius: 8px; padding: 10px 14px; }
.tiles b { display: block; font-size: 22px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; line-height: 1.35; display: block; }
figure { margin: 12px 0; }
figcaption { font-size: 13px; margin-top: 4px; }
.scroll { overflow-x: auto; }
svg { display: block; width: 100%; height: auto; }
.scroll > svg { min-width: 860px; }
svg text { fill: var(--text); font: 13px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
svg text.soft { fill: var(--soft); } svg text.small { fill: var(--soft); font-size: 11px; } svg text.head { font-weight: 600; }
svg .rule { stroke: var(--rule); stroke-width: 1; fill: none; }
svg .mark { stroke: var(--down); stroke-width: 1; stroke-opacity: .55; fill: none; } svg text.mark { fill: var(--down); stroke: none; font-weight: 600; }
svg .curve { stroke: var(--line); stroke-width: 2; fill: none; }
.f-compute { fill: var(--compute); } .f-line { fill: var(--line); } .f-start { fill: var(--start); } .f-down { fill: var(--down); } .f-away { fill: var(--away); } .f-unsaved { fill: var(--lost); }
.f-hatch { fill: var(--lost); } .s-hatch { stroke: var(--lost-line); stroke-width: 1.2; }
.f-lost { fill: url(#hatch); }
.f-heat1 { fill: var(--line); fill-opacity: .1; } .f-heat2 { fill: var(--line); fill-opacity: .22; } .f-heat3 { fill: var(--line); fill-opacity: .36; } .f-heat4 { fill: var(--line); fill-opacity: .5; } .f-heat5 { fill: var(--line); fill-opacity: .78; } .f-heat6 { fill: var(--line); }
svg .through { pointer-events: none; } svg text.on { fill: var(--back); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; padding: 0; list-style: none; font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend svg, td .key { width: 14px; height: 14px; flex: none; display: inline-block; vertical-align: -2px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: 8px 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); font-size: 13px; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td.n, th.n { text-align: right; white-space: nowrap; } td.w { white-space: nowrap; }
td.why { min-width: 220px; overflow-wrap: anywhere; }
tr.sum td { font-weight: 600; }
tr.this td { background: var(--panel); font-weight: 600; }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 12px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul.method { padding-left: 20px; max-width: 90ch; color: var(--soft); font-size: 13px; }
@media (max-width: 600px) {
	main { padding: 16px 14px 32px; }
	h1 { font-size: 21px; } .state { margin-left: 0; }
	dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 6px; }
	.tiles { grid-template-columns: repeat(2, 1fr); }
}
@media print {
	:root {
		--back: #fff; --panel: #f3f4f6; --text: #000; --soft: #444; --rule: #bbb; --link: #000;
		--compute: #b3d1ee; --line: #1d5fa8; --lost: #eebc1d; --lost-line: #8a6500; --start: #8f8f94; --down: #c2321c; --away: #e3e5e9;
		--good: #14653b; --bad: #9c1f18; --calm: #0b3d91; --note: #fff4d6; --note-rule: #d9a400;
	}
	@page { margin: 14mm; }
	* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
	main { max-width: none; padding: 0; }
	body { font-size: 10.5pt; } table { font-size: 9pt; } th { font-size: 8.5pt; }
	.scroll { overflow: visible; } .scroll > svg { min-width: 0; }
	h2, .legend { break-after: avoid; } figcaption, ul.method { font-size: 8.5pt; } .tiles { grid-template-columns: repeat(auto-fit, minmax(105px, 1fr)); } figure, tr, .tiles, .note { break-inside: avoid; } thead { display: table-header-group; }
	details:not([open]) { display: none; }
}
EOC

1;

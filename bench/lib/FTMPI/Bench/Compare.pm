# SPDX-License-Identifier: BSD-3-Clause
#
# What changed for FTMPI between two results, as Markdown. Pure.
package FTMPI::Bench::Compare;

use strict;
use warnings;

use FTMPI::Bench::Cases   ();
use FTMPI::Bench::Report  ();
use FTMPI::Bench::Results ();
use FTMPI::Bench::Stats   ();

my @COLUMNS = ('what', 'size', 'ranks', 'unit', 'old', 'new', 'change', 'to peer, old', 'to peer, new',
	'beyond the spread', 'target');

sub page
{
	my ($old, $new) = @_;
	my %old_of = map { $_->{id} => $_ } @{ $old->{rows} };
	my %new_of = map { $_->{id} => $_ } @{ $new->{rows} };
	my @both   = grep { $old_of{ $_->{id} } } @{ $new->{rows} };
	my (%seen, $table);
	for my $row (@both) {
		my ($line, $word) = _line($old, $new, $old_of{ $row->{id} }, $row);
		$seen{$word}++ if $word;
		$table .= $line;
	}
	my $text = _head($old, $new) . "\n";
	$text .= '| ' . join(' | ', @COLUMNS) . " |\n|" . '---|' x @COLUMNS . "\n$table\n" if @both;
	$text .= @both . ' rows in both; beyond the spread of the rounds: '
		. join(', ', map { ($seen{$_} // 0) . " $_" } qw(better worse)) . ".\n";
	$text .= _only('old', grep { !$new_of{ $_->{id} } } @{ $old->{rows} });
	$text .= _only('new', grep { !$old_of{ $_->{id} } } @{ $new->{rows} });
	return $text;
}

sub _only
{
	my ($which, @rows) = @_;
	return @rows ? "Only in the $which one: " . join(', ', map { $_->{id} } @rows) . ".\n" : '';
}

# What of the heads differs; absolute figures of two machines say nothing.
sub _head
{
	my ($old, $new) = @_;
	my $text = '';
	my %known = map { $_->[0] => 1 } @{ $old->{head} };
	my @keys = ((map { $_->[0] } @{ $old->{head} }), grep { !$known{$_} } map { $_->[0] } @{ $new->{head} });
	for my $key (@keys) {
		my ($was, $is) = map { FTMPI::Bench::Results::head($_, $key) // 'unknown' } $old, $new;
		$text .= $was eq $is ? "* $key: $is\n" : "* $key: $was, then $is\n";
	}
	my @differ = grep {
		(FTMPI::Bench::Results::head($old, $_) // '') ne (FTMPI::Bench::Results::head($new, $_) // '')
	} qw(machine cores);
	$text .= "\nThese are different machines: look at the ratios to the peers, not at the figures.\n" if @differ;
	return $text;
}

# One row, and better, worse or nothing.
sub _line
{
	my ($old, $new, $was, $is) = @_;
	die "'$is->{id}' is in $was->{unit} in the old result and in $is->{unit} in the new one\n"
		if $was->{unit} ne $is->{unit};
	my ($before, $after) = map { FTMPI::Bench::Stats::middle($_, 'FTMPI') } $was, $is;
	my $change = $before && defined $after ? sprintf '%+.1f %%', ($after / $before - 1) * 100 : '';
	my $word = beyond($was, $is);
	return (
		'| ' . join(' | ',
			$is->{what}, FTMPI::Bench::Report::size($is), $is->{ranks}, $is->{unit},
			(map { FTMPI::Bench::Report::number($_) } $before, $after), $change,
			(map { FTMPI::Bench::Report::ratio(FTMPI::Bench::Stats::to_peer($_)) } $was, $is),
			$word, _target($old, $new, $was, $is)) . " |\n",
		$word
	);
}

# The ranges of the rounds do not touch: better or worse.
sub beyond
{
	my ($was, $is) = @_;
	my ($old_least, $old_most) = FTMPI::Bench::Stats::range($was, 'FTMPI');
	my ($new_least, $new_most) = FTMPI::Bench::Stats::range($is,  'FTMPI');
	return '' if !defined $old_least && !defined $new_least;
	return 'worse'  if !defined $new_least;
	return 'better' if !defined $old_least;
	my $more = FTMPI::Bench::Cases::more_is_better($is);
	return $more ? 'better' : 'worse' if $new_least > $old_most;
	return $more ? 'worse' : 'better' if $new_most < $old_least;
	return '';
}

# By today's targets: "met", or how it changed.
sub _target
{
	my ($old, $new, $was, $is) = @_;
	my ($before, $after) = map {
		my ($result, $row) = @$_;
		my $cores = FTMPI::Bench::Results::head($result, 'cores') // 1;
		my ($case) = grep { $_->{id} eq $row->{id} } FTMPI::Bench::Cases::all($cores);
		$case ? FTMPI::Bench::Stats::verdict($row, $case) : '';
	} [ $old, $was ], [ $new, $is ];
	return $after if $before eq $after || $before eq '';
	return "$before, then " . ($after eq '' ? 'none' : $after);
}

1;

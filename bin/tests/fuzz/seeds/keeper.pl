# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of the keeper: its files, what ranks send it, and what it says to a rank.
use strict;
use warnings;

use constant { KEEPER_MEND => 7, KEEPER_LOST => ~0 };

my %KEEPER_KIND = (TELL => 1, FORGET => 2, FEED => 3, STATE => 4, RECORDS => 5, ACK => 6, REFUSED => 7);

sub keeper_records { my ($first, $count) = @_; return join '', map { pack 'Q< Q<', $_, ~$_ } $first .. $first + $count - 1 }

# ---- files ----

sub keeper_header { my (%o) = @_; return pack 'a8 V2 a16 Q< Q<', '', $o{version} // 0, 0, '', $o{commits} // 1, 0 }

# The n-th frame: incarnation, forgotten, needed, first, count.
sub keeper_frame
{
	my ($n, $incarnation, $forgotten, $needed, $first, $count, $real) = @_;
	return pack('V2 Q<4 V2 Q<2', 0x56455446, $incarnation, $n, $forgotten, $needed, $first, $count, 0, 0, 0)
		. keeper_records($first, $real // $count);
}

sub keeper_file_seeds
{
	my @frames = (keeper_frame(1, 0, 0, 0, 1, 0), keeper_frame(2, 1, 0, 0, 1, 5), keeper_frame(3, 1, 3, 0, 6, 2), keeper_frame(4, 2, 20, 0, 21, 1));
	my $file = join '', keeper_header(), @frames;
	my %seed = (
		'file'           => [ KEEPER_MEND, $file ],
		'file-empty'     => [ KEEPER_MEND, '' ],
		'file-header'    => [ KEEPER_MEND, keeper_header() ],
		'file-unmended'  => [ 0, $file ],
		'file-other'     => [ 3, $file ],
		'file-unsummed'  => [ 5, $file ],
		'file-torn'      => [ KEEPER_MEND, substr $file, 0, -5 ],
		'file-long-tail' => [ KEEPER_MEND, $file . "\0" x 200 ],
		'file-commits'   => [ KEEPER_MEND, keeper_header(commits => 9) . join '', @frames ],
		'file-none'      => [ KEEPER_MEND, keeper_header(commits => 0) . join '', @frames ],
		'file-gap'       => [ KEEPER_MEND, keeper_header() . join '', @frames[ 0, 2 ] ],
		'file-lost'      => [ KEEPER_MEND, keeper_header() . keeper_frame(1, 3, 0, KEEPER_LOST, 1, 0) . keeper_frame(2, 3, 4, 6, 5, 1) ],
		'file-back'      => [ KEEPER_MEND, keeper_header() . keeper_frame(1, 3, 5, 0, 6, 2) . keeper_frame(2, 3, 4, 0, 8, 1) ],
		'file-older'     => [ KEEPER_MEND, keeper_header() . keeper_frame(1, 3, 5, 0, 6, 2) . keeper_frame(2, 2, 5, 0, 8, 1) ],
		'file-huge'      => [ KEEPER_MEND, keeper_header() . keeper_frame(1, 3, 2**61, 0, 2**61 + 1, 0) ],
		'file-many'      => [ KEEPER_MEND, keeper_header() . keeper_frame(1, 3, 0, 0, 1, 2**32 - 1, 3) ],
	);
	seed('keeper', $_, pack('C2', 0, $seed{$_}[0]), $seed{$_}[1]) for sort keys %seed;
	return;
}

# ---- frames ----

sub keeper_said
{
	my ($kind, $number, %o) = @_;
	my $count = $o{records} // 0;
	my $frame = pack 'C4 V Q< Q<', $KEEPER_KIND{$kind} // $kind, $o{flags} // 0, $o{zero} // 0, 0, $o{count} // $count, $number, $o{other} // 0;
	return join '', map { pack 'C2 a*', 9, length, $_ } unpack '(a200)*', $frame . keeper_records($number, $count);
}

sub keeper_comes { my ($wants, $incarnation, $after) = @_; return pack 'C3 v', 1, $wants, $incarnation - 1, $after // 0 }

sub keeper_rank_seeds
{
	my ($commit, $lose, $fail, $again) = map { chr } 0, 3, 4, 5;
	my $begin = keeper_comes(0, 1) . $commit;
	my $told  = $begin . keeper_said('TELL', 1, records => 20) . $commit;
	my %seed = (
		'rank'           => $told,
		'rank-before'    => keeper_comes(0, 1) . keeper_said('TELL', 1, records => 3) . $commit,
		'rank-forgets'   => $told . keeper_said('FORGET', 12) . $commit . $again . keeper_comes(0, 2, 12) . $commit,
		'rank-beyond'    => $told . keeper_said('FORGET', 21),
		'rank-gap'       => $told . keeper_said('TELL', 22, records => 1),
		'rank-overlap'   => $told . keeper_said('TELL', 15, records => 10) . $commit,
		'rank-different' => $told . keeper_said('TELL', 5, records => 0, count => 1) . pack('C2 a16', 9, 16, 'other'),
		'rank-goes-on'   => $told . $again . keeper_comes(1, 1) . keeper_said('TELL', 21, records => 2) . $commit,
		'rank-fenced'    => $told . keeper_comes(0, 3) . $commit . keeper_comes(1, 1),
		'rank-gone'      => $told . keeper_said('FORGET', 12) . $commit . keeper_comes(0, 2, 11),
		'rank-ahead'     => $told . keeper_comes(0, 2, 99) . $commit . keeper_said('TELL', 100, records => 1) . $commit,
		'rank-lost'      => $told . $lose . keeper_comes(1, 1) . $commit . keeper_said('FEED', 4, other => 6) . keeper_said('TELL', 5, records => 2) . $commit,
		'rank-lost-too'  => $told . $lose . keeper_comes(0, 2) . $commit,
		'rank-unfed'     => $told . $lose . keeper_comes(1, 1) . $commit . keeper_said('TELL', 1, records => 1),
		'rank-too-many'  => $begin . keeper_said('TELL', 1, count => 5000),
		'rank-nothing'   => $begin . keeper_said('TELL', 1),
		'rank-kind'      => $begin . keeper_said(9, 1),
		'rank-zero'      => $begin . keeper_said('FORGET', 0, zero => 1),
		'rank-state'     => $begin . keeper_said('STATE', 0),
		'rank-huge'      => $begin . keeper_said('FEED', 2**61, other => 2**61),
		'rank-disk'      => $begin . keeper_said('TELL', 1, records => 3) . $fail . $commit . $again . keeper_comes(1, 1) . $commit,
	);
	seed('keeper', $_, chr(1), $seed{$_}) for sort keys %seed;
	return;
}

sub keeper_heard_seeds
{
	my $tell  = pack 'C v', 0, 30;
	my $ready = keeper_said('STATE', 0);
	my %seed = (
		'heard'         => [ 0, $ready . $tell . keeper_said('ACK', 30) ],
		'heard-given'   => [ 4, keeper_said('STATE', 2, other => 9) . keeper_said('RECORDS', 5, records => 5) . $tell . keeper_said('ACK', 39) ],
		'heard-less'    => [ 4, keeper_said('STATE', 2, other => 3) ],
		'heard-gone'    => [ 4, keeper_said('STATE', 5, other => 9) ],
		'heard-gap'     => [ 4, keeper_said('STATE', 2, other => 9) . keeper_said('RECORDS', 6, records => 4) ],
		'heard-more'    => [ 4, keeper_said('STATE', 2, other => 9) . keeper_said('RECORDS', 5, records => 6) ],
		'heard-early'   => [ 0, $ready . keeper_said('ACK', 1) ],
		'heard-twice'   => [ 0, $ready . $ready ],
		'heard-again'   => [ 0, $ready . $tell . keeper_said('ACK', 30) . chr(2) . keeper_said('STATE', 0, other => 30) . $tell ],
		'heard-lost'    => [ 0, $ready . $tell . keeper_said('ACK', 30) . chr(2) . keeper_said('STATE', 0, other => 10) . keeper_said('ACK', 30) ],
		'heard-loss'    => [ 0, $ready . $tell . keeper_said('ACK', 30) . chr(1) . chr(2) . keeper_said('STATE', 0, flags => 1) . keeper_said('ACK', 30) ],
		'heard-ahead'   => [ 0, $ready . $tell . chr(2) . keeper_said('STATE', 0, other => 31) ],
		'heard-covered' => [ 0, $ready . $tell . chr(1) . chr(2) . keeper_said('STATE', 0) . keeper_said('ACK', 15) ],
		'heard-refused' => [ 0, keeper_said('REFUSED', 2, flags => 1) . $ready ],
		'heard-why'     => [ 0, keeper_said('REFUSED', 2, flags => 0) ],
		'heard-what'    => [ 0, keeper_said('REFUSED', 2, flags => 99) ],
	);
	seed('keeper', $_, pack('C2', 2, $seed{$_}[0]), $seed{$_}[1]) for sort keys %seed;
	return;
}

sub keeper_seeds
{
	keeper_file_seeds();
	keeper_rank_seeds();
	keeper_heard_seeds();
	return;
}

1;

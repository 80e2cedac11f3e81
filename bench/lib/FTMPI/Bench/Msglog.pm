# SPDX-License-Identifier: BSD-3-Clause
#
# What message logging costs: the same job with -coord msglog and without a protocol, in pairs. And what comes of it when
# ranks are killed.
package FTMPI::Bench::Msglog;

use strict;
use warnings;

use File::Temp ();
use List::Util qw(max);

use FTMPI::Bench::Cases        ();
use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Killed       ();
use FTMPI::Bench::Pairs        ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Stats        ();
use FTMPI::Bench::Victims      ();

# LONG: seconds of long messages, all of which stay in memory. TRIPS: records that a keeper is told one at a time. LATE: the
# part of a run after which a rank has to run that again. EDGE: of laplace; INTERVAL: seconds between checkpoints of a
# rank; KILLS: of a run; WITHIN: the part of its usual time in which they come.
use constant { LONG => 0.1, TRIPS => 200, LATE => 0.8, EDGE => 512, INTERVAL => 0.5, KILLS => 9, WITHIN => 0.75 };

my @OPTIONS = qw(-coord msglog);
my %HOW     = (ring_any => \&_ring, again => \&_again, kills => \&_kills, left => \&_left);

# peer: ours; root, dir, limit; what, operation, transport, bytes, ranks; count: jobs, or pairs of them; hosts: for /gbit;
# exe: of token.c, for msglog_again; seconds: of a figure, if not as usual. Fills in the values of the row, and returns notes; dies with a sentence.
sub measure
{
	my ($arg, $row) = @_;
	my ($operation) = $arg->{operation} =~ /^msglog_(\w+)/;
	my $usual = $operation eq 'bandwidth' ? LONG : FTMPI::Bench::Cases::SECONDS;
	my %job = (%$arg, operation => $operation, seconds => $arg->{seconds} // $usual);
	return ($HOW{$operation} // \&_pairs)->(\%job, $row, "$row->{what} on $row->{ranks} ranks");
}

# before: is called before the job of ours in each pair, if given.
sub _pairs
{
	my ($arg, $row, $name, $before) = @_;
	$row->{values} = FTMPI::Bench::Pairs::of($arg->{count}, \@OPTIONS, sub {
		$before->() if @_ && $before;
		return FTMPI::Bench::Pairs::figure($arg, @_);
	});
	return FTMPI::Bench::Pairs::note($name, $row, 'pairs of jobs with message logging and without');
}

# A message waits for the keeper in each hop.
sub _ring
{
	my ($arg, $row, $name) = @_;
	my @us;
	my @notes = _pairs($arg, $row, $name, sub { push @us, _keeper_trip($arg) });
	return (@notes, "$name: the keeper's round trip, one outcome of one rank at a time: " . _words('us', @us));
}

# Microseconds in which a record is told and acknowledged, the mean of TRIPS. The keeper has its files where that of a job has
# them.
sub _keeper_trip
{
	my ($arg) = @_;
	local @INC = ("$arg->{root}/bin/tests/lib", @INC);
	require FTMPI::Test::Keeper;
	my $dir    = File::Temp->newdir('keeper-XXXXXX', DIR => $arg->{dir});
	my $keeper = FTMPI::Test::Keeper->new(dir => "$dir/files", ranks => 1);
	my $ns;
	eval {
		$keeper->start('-new') or die 'the keeper does not begin: ' . $keeper->errors . "\n";
		my $rank = $keeper->rank(0, 1, 0);
		$keeper->hear(sub { $rank->{ready} });
		$rank->tell('alone ' . TRIPS);
		$keeper->hear(sub { ($ns) = map { /\Aalone (\d+)\z/ } @{ $rank->{heard} }; return defined $ns });
	};
	my $why = $@;
	$keeper->end;
	die $why if !defined $ns;
	return $ns / TRIPS / 1000;
}

# The ring stands still until the rank that was killed has come to where it was. The floor is what it had run before.
sub _again
{
	my ($arg, $row, $name) = @_;
	my %ms = map { $_ => [] } qw(again before noticed inited);
	for (1 .. $arg->{count}) {
		my $one = _token($arg);
		push @{ $ms{$_} }, sprintf('%.2f', 1000 * $one->{$_}) + 0 for keys %ms;
	}
	$row->{values} = { FTMPI => $ms{again}, floor => $ms{before} };
	return (FTMPI::Bench::Pairs::note($name, $row, 'what it takes to run again to what the run had taken'),
		sprintf '%s: on the way, ms after the kill (medians): noticed %.0f, ftmpirun has heard of MPI_Init %.0f, all goes on %.0f.', $name,
		map { FTMPI::Bench::Stats::median(@$_) } @ms{qw(noticed inited again)});
}

# Seconds that the run had taken (before), and from the kill until: noticed; inited, as ftmpirun hears; all goes on (again).
sub _token
{
	my ($arg) = @_;
	my $killed;
	my $job = FTMPI::Bench::Victims->run(%$arg, program => [ $arg->{exe}, $arg->{bytes} ], do => sub {
		my ($job) = @_;
		$job->wait_for(qr/^begun /);
		$job->wait_until($job->moment(qr/^begun /) + LATE * $arg->{bytes});
		$killed = $job->kill_some(1, 1 .. $arg->{ranks} - 1) // die "$arg->{what}: the run was over before a rank was killed\n";
	});
	my ($begun) = map { $_ / 1e9 } $job->matched(qr/^begun (\d+)\z/);
	my $noticed = $job->moment(qr/was killed by signal 9/) // die "$arg->{what}: ftmpirun did not say that a rank was killed\n";
	my ($inited) = $job->matched(qr/^ftmpirun: all ranks that failed have called MPI_Init again, (\d+) ms after/);
	my $end = pause_end($killed, $noticed, $job->matched(qr/^pause (\d+ \d+)\z/))
		// die "$arg->{what}: the ring did not wait for the rank that was killed\n";
	return {
		before => $killed - $begun, again => $end - $killed, noticed => $noticed - $killed,
		inited => $noticed - $killed + ($inited // 0) / 1000,
	};
}

# When the longest pause ended that a kill has led to: one that had begun when it was noticed, and ended behind it. "FROM TO"
# in ns each; seconds, or undef.
sub pause_end
{
	my ($killed, $noticed, @pauses) = @_;
	my @of = map { [ map { $_ / 1e9 } split / / ] } @pauses;
	return max(map { $_->[1] } grep { $_->[0] <= $noticed && $_->[1] >= $killed } @of);
}

# With checkpoints of images, disturbed and not.
sub _kills
{
	my ($arg, $row, $name) = @_;
	my $usual    = _laplace($arg);
	my $restarts = 0;
	$row->{values} = FTMPI::Bench::Pairs::of($arg->{count}, [KILLS], sub {
		my ($kills) = @_;
		my @at = map { [ WITHIN * ($_ - rand) / KILLS, 1 ] } 1 .. $kills // 0;
		my $got = _laplace($arg, $usual, @at);
		$restarts += $got->{restarts};
		return $got->{seconds};
	});
	return (FTMPI::Bench::Pairs::note($name, $row, 'pairs of jobs with ' . KILLS . ' kills and without'),
		"$name: $restarts ranks began again in $arg->{count} jobs; checkpoints of images, of each rank after " . INTERVAL . ' s.');
}

# All but one at once. The figure is a part of all jobs.
sub _left
{
	my ($arg, $row, $name) = @_;
	my $usual = _laplace($arg);
	my (@ratios, @lost);
	for (1 .. $arg->{count}) {
		my $got = eval { _laplace($arg, $usual, [ WITHIN * rand, $arg->{ranks} - 1 ]) };
		die $@ if ref $@;
		push @lost, $@ =~ s/\s+\z//r if !$got;
		push @ratios, $got->{seconds} / $usual->{seconds} if $got;
	}
	$row->{values}{FTMPI} = [ 100 * @lost / $arg->{count} ];
	return ("$name: all but one killed at once in each of $arg->{count} jobs; time to that of an undisturbed one: " . _words('x', @ratios),
		@lost ? "$name: " . @lost . " jobs were lost, as in: $lost[0]." : ());
}

# One job of laplace, whose size is the number of steps, as FTMPI::Bench::Killed has it.
sub _laplace
{
	my ($arg, $usual, @kills) = @_;
	my $exe = "$arg->{root}/build/bin/laplace";
	die "$arg->{what}: $exe is not built (make all)\n" if !-x $exe;
	my %job = (%$arg, options => [ '-image', '-ckpt-interval', INTERVAL ], program => [ $exe, EDGE, '-steps', $arg->{bytes} ],
		right => qr/^(laplace: right, .*)/);
	return FTMPI::Bench::Killed::job(\%job, $usual, @kills);
}

sub _words { return FTMPI::Bench::Distribution::words(@_) . '.' }

1;

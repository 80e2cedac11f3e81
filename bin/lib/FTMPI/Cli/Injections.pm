# SPDX-License-Identifier: BSD-3-Clause
#
# What -inject and -inject-random say (doc/practice.md): words in, failures out, as FTMPI::Launcher::Injection wants them. A specification
# that cannot be meant ends in a FTMPI::Error that says which failure of the list it is, and what would be right. Pure.
package FTMPI::Cli::Injections;

use strict;
use warnings;

use FTMPI::Cli::Suggestion ();
use FTMPI::Cli::Values     ();
use FTMPI::Error           ();

# Failures of a list; seconds from the start to the last of them, and of one; between two at random on the average, in seconds.
use constant { FAULTS_MAX => 1000, TIME_MAX => 4_000_000, MEAN_MIN => 0.1, SEED_MAX => 4294967295 };

# What each kind of failure is about, whether it has an end (must, may, never), and how it is written.
my %KINDS = (
	kill     => { about => 'rank',  end => 'never', right => 'kill:2@5s' },
	stop     => { about => 'rank',  end => 'must',  right => 'stop:1@3s+2s' },
	host     => { about => 'host',  end => 'never', right => 'host:node3@10s' },
	cut      => { about => 'ranks', end => 'must',  right => 'cut:0-3@8s+1s' },
	diskfull => { about => 'none',  end => 'may',   right => 'diskfull@20s, or diskfull@20s+5s' },
	corrupt  => { about => 'rank',  end => 'never', right => 'corrupt:1@30s, or corrupt:1@last' },
);

my @NAMES = qw(kill stop host cut diskfull corrupt);

# The failures of a list, in its order: { text, kind, at, for, rank, peer, host } each; at: seconds after all ranks have called MPI_Init, or
# 'last'; for: seconds, where it has an end.
sub parse
{
	my ($value, $word) = @_;
	my @texts = map { s/^\s+|\s+\z//gr } split /,/, $value, -1;
	@texts = ("") if !@texts;
	FTMPI::Error::usage("$word names " . @texts . ' failures, more than ' . FAULTS_MAX) if @texts > FAULTS_MAX;
	my @faults;
	for my $text (@texts) {
		my $where = _where($word, @faults + 1, $text);
		push @faults, eval { _parse_one($text) } // _refuse($where, $@);
	}
	return \@faults;
}

sub _where { my ($word, $number, $text) = @_; return "$word, failure $number, '" . FTMPI::Error::clean($text) . "'" }

sub _refuse
{
	my ($where, $why) = @_;
	chomp $why;
	return FTMPI::Error::usage("$where: $why; try ftmpirun -help");
}

sub _parse_one
{
	my ($text) = @_;
	die "nothing is written here; write a failure such as kill:2\@5s\n" if !length $text;
	my ($what, $when) = $text =~ /^(.*)@([^@]*)\z/s;
	my ($kind) = ($what // $text) =~ /^([^:]*)/;
	my $its = $KINDS{$kind} // die "'$kind' is none of " . join(', ', @NAMES) . FTMPI::Cli::Suggestion::hint('', $kind, @NAMES) . "\n";
	my $write = "write it as $its->{right}";
	die "it does not say when; $write\n" if !defined $when;
	my (undef, $about) = split /:/, $what, 2;
	return { text => $text, kind => $kind, _about($its, $about, $write), _time($kind, $its, $when, $write) };
}

sub _about
{
	my ($its, $about, $write) = @_;
	if ($its->{about} eq 'none') {
		die "it is of all ranks; $write\n" if defined $about;
		return;
	}
	die "it does not say of which $its->{about}; $write\n" if !defined $about || !length $about;
	return (host => $about) if $its->{about} eq 'host';
	if ($its->{about} eq 'ranks') {
		my ($rank, $peer) = $about =~ /^([0-9]{1,5})-([0-9]{1,5})\z/ or die "'$about' is not two ranks; $write\n";
		die "it needs two different ranks; $write\n" if $rank == $peer;
		return (rank => $rank + 0, peer => $peer + 0);
	}
	die "'$about' is not a rank; $write\n" if $about !~ /^[0-9]{1,5}\z/;
	return (rank => $about + 0);
}

sub _time
{
	my ($kind, $its, $when, $write) = @_;
	return (at => 'last') if $kind eq 'corrupt' && $when eq 'last';
	my ($at, $for) = split /\+/, $when, 2;
	my %time = (at => _seconds($at // '', 0, $write));
	die "it has no end, as nothing mends it but a restart; $write\n" if defined $for && $its->{end} eq 'never';
	die "it does not say for how long; $write\n" if !defined $for && $its->{end} eq 'must';
	$time{for} = _seconds($for, 0.001, $write) if defined $for;
	return %time;
}

sub _seconds
{
	my ($value, $least, $write) = @_;
	my $seconds = $value =~ /^0+(?:ms|[dhms])?\z/ ? 0 : FTMPI::Cli::Values::duration($value, 1);
	die "'$value' is not a time such as 5s, 1m30s or 500ms; $write\n" if !defined $seconds;
	die "'$value' is not a time from $least to @{[TIME_MAX]} s; $write\n" if $seconds < $least || $seconds > TIME_MAX;
	return $seconds;
}

# RATE,SEED: { text, mean, seed }; mean: seconds from one failure to the next, on the average. RATE: 6 or 6/h (an hour), 1/10m, 2.5/d.
sub parse_random
{
	my ($value, $word) = @_;
	my $right = 'write RATE,SEED, as 6/h,42 or 1/10m,42';
	my $refuse = sub { FTMPI::Error::usage("$word: '" . FTMPI::Error::clean($value) . "': $_[0]; $right; try ftmpirun -help") };
	my ($rate, $seed) = $value =~ /^([^,]*),([^,]*)\z/ or $refuse->('it does not have a rate and a seed');
	my ($count, $time) = $rate =~ m{^([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:/(.+))?\z}s or $refuse->("'$rate' is not a rate of failures");
	$time //= 'h';
	$time = "1$time" if $time =~ /^(?:ms|[dhms])\z/;
	my $seconds = FTMPI::Cli::Values::duration($time, 1) // $refuse->("'$time' is not a time such as h, 10m or 30s");
	$refuse->('it has no failures') if $count == 0;
	my $mean = $seconds / $count;
	$refuse->("failures come every @{[ sprintf '%.3g', $mean ]} s then, and they have to be from @{[MEAN_MIN]} to @{[TIME_MAX]} s apart")
		if $mean < MEAN_MIN || $mean > TIME_MAX;
	$refuse->("'$seed' is not a seed from 0 to @{[SEED_MAX]}") if $seed !~ /^[0-9]{1,10}\z/ || $seed > SEED_MAX;
	return { text => $value, mean => $mean, seed => $seed + 0 };
}

# What cannot be in this job. size: its ranks; alone: message logging.
sub check
{
	my ($faults, %job) = @_;
	my $number = 0;
	for my $fault (@$faults) {
		my $where = _where('-inject', ++$number, $fault->{text});
		for my $rank (grep { defined } @$fault{qw(rank peer)}) {
			_refuse($where, "there is no rank $rank: the job has " . ($job{size} == 1 ? 'rank 0 alone' : 'ranks 0 to ' . ($job{size} - 1)))
				if $rank >= $job{size};
		}
		_refuse($where, 'with -coord msglog a rank has no checkpoint before its latest to go back to, so nothing would go on; leave it out')
			if $fault->{kind} eq 'corrupt' && $job{alone};
	}
	return;
}

# Hosts are to be those of the job, by their names.
sub check_hosts
{
	my ($faults, @names) = @_;
	my %known  = map { $_ => 1 } @names;
	my $number = 0;
	for my $fault (@$faults) {
		$number++;
		next if $fault->{kind} ne 'host' || $known{ $fault->{host} };
		my @some = @names > 8 ? (@names[ 0 .. 7 ], '...') : @names;
		_refuse(_where('-inject', $number, $fault->{text}), 'the job has no host of that name, but ' . join(', ', @some));
	}
	return;
}

1;

# SPDX-License-Identifier: BSD-3-Clause
#
# What a batch system has given to the job that ftmpirun runs in: its environment (and, for some, a file) in, hosts with
# slots and the number of ranks out. Pure, but for the sub that reads a file; what cannot be read ends in a FTMPI::Error
# that quotes it.
#
#	Slurm   SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE, SLURM_JOB_CPUS_PER_NODE, SLURM_NTASKS
#	PBS     PBS_JOBID, PBS_NODEFILE: a line for each slot
#	LSF     LSB_JOBID, and the first that is there of LSB_DJOB_HOSTFILE (a line for each slot), LSB_MCPU_HOSTS
#	        (host, slots, host, slots ...) and LSB_HOSTS (a word for each slot)
package FTMPI::Cli::Allocation;

use strict;
use warnings;

use FTMPI::Cli::Machines ();
use FTMPI::Error         ();

# Hosts of a job; bytes of a list of hosts, and of a file of them.
use constant { HOSTS_MAX => 65536, LIST_MAX => 1 << 20, FILE_MAX => 16 << 20 };

# The step that salloc runs a shell in is no step that the user has asked for.
use constant SLURM_INTERACTIVE_STEP => 4294967290;

my %SYSTEM = (
	slurm => { name => 'Slurm', id => [qw(SLURM_JOB_ID SLURM_JOBID)], shown => [qw(SLURM_JOB_NODELIST SLURM_NODELIST)], read => \&_slurm },
	pbs   => { name => 'PBS', id => ['PBS_JOBID'], shown => ['PBS_NODEFILE'], read => \&_pbs },
	lsf   => { name => 'LSF', id => ['LSB_JOBID'], shown => [qw(LSB_DJOB_HOSTFILE LSB_MCPU_HOSTS LSB_HOSTS)], read => \&_lsf },
);

sub system_name { return $SYSTEM{ $_[0] }{name} }

# The variables that tell of a job of this system.
sub variables { my ($kind) = @_; return ($SYSTEM{$kind}{id}[0], $SYSTEM{$kind}{shown}[0]) }

# The first of the variables that is set, and its value; nothing if none is, or is empty.
sub _first
{
	my ($env, @names) = @_;
	for my $name (@names) {
		return ($name, $env->{$name}) if defined $env->{$name} && length $env->{$name};
	}
	return;
}

# The batch system in whose job this is: slurm, pbs or lsf; or nothing. wanted: look for this one only.
sub kind
{
	my ($env, $wanted) = @_;
	for my $kind ($wanted // qw(slurm pbs lsf)) {
		my $system = $SYSTEM{$kind};
		return $kind if _first($env, @{ $system->{id} }) && _first($env, @{ $system->{shown} });
	}
	return;
}

# What the job of this system has: { kind, id, name: in words; hosts => [{ name, slots }]; known: their names => 1; ranks; here: the name of this host in
# that list, or undef }. file: sub (path, most bytes) -> the text of a file, or nothing with $! set.
sub find
{
	my ($kind, $env, $file) = @_;
	my $system = $SYSTEM{$kind};
	my (undef, $id) = _first($env, @{ $system->{id} });
	FTMPI::Error::usage("$system->{id}[0]: '" . FTMPI::Error::clean($id) . "' is not the number of a job")
		if $id !~ /^[A-Za-z0-9][A-Za-z0-9._\[\]-]{0,254}\z/;
	my $found = { kind => $kind, id => $id, name => "$system->{name} job $id" };
	@$found{qw(hosts ranks here)} = $system->{read}->($env, $file, $found->{name});
	$found->{hosts} = FTMPI::Cli::Machines::merge($found->{hosts}, sub { $_[0] });
	$found->{known} = { map { $_->{name} => 1 } @{ $found->{hosts} } };
	$found->{ranks} //= FTMPI::Cli::Machines::slots($found->{hosts});
	return $found;
}

# A sentence about a variable that makes no sense.
sub _refuse
{
	my ($job, $variable, $value, $why) = @_;
	FTMPI::Error::usage("$variable of $job: '" . FTMPI::Error::clean($value) . "' $why; name the hosts with -host or -machinefile, and the ranks with -n");
}

# What a sub returns, or a sentence about the variable.
sub _read
{
	my ($job, $variable, $value, $read) = @_;
	my @got = eval { $read->($value) };
	return @got if !$@;
	die $@ if ref $@;
	chomp(my $why = $@);
	return _refuse($job, $variable, $value, $why);
}

# ---- Slurm ----

sub _slurm
{
	my ($env, undef, $job) = @_;
	my ($variable, $list) = _first($env, qw(SLURM_JOB_NODELIST SLURM_NODELIST));
	my @names = _read($job, $variable, $list, \&host_list);
	my ($slots, $is_of_job) = _slurm_slots($env, $job, scalar @names);
	my $ranks = $is_of_job ? _slurm_tasks($env, $job) : undef;
	my @hosts = map { { name => $names[$_], slots => $slots->[$_] } } 0 .. $#names;
	return (\@hosts, $ranks, scalar _slurm_here($env, \@names));
}

# Slots of the hosts, and whether the numbers of tasks in the environment are those of the whole job: inside a step they may be
# those of the step.
sub _slurm_slots
{
	my ($env, $job, $hosts) = @_;
	for my $name (qw(SLURM_TASKS_PER_NODE SLURM_JOB_CPUS_PER_NODE)) {
		my (undef, $text) = _first($env, $name) or next;
		my @slots = _read($job, $name, $text, \&counts);
		return (\@slots, $name eq 'SLURM_TASKS_PER_NODE') if @slots == $hosts;
		_refuse($job, $name, $text, "is of " . @slots . " hosts, and there are $hosts") if $name eq 'SLURM_JOB_CPUS_PER_NODE';
	}
	return ([ (1) x $hosts ], 1);
}

sub _slurm_tasks
{
	my ($env, $job) = @_;
	my ($variable, $tasks) = _first($env, qw(SLURM_NTASKS SLURM_NPROCS)) or return;
	_refuse($job, $variable, $tasks, 'is not a number of tasks from 1 to ' . FTMPI::Cli::Machines::SLOTS_MAX)
		if $tasks !~ /^[1-9][0-9]{0,5}\z/ || $tasks > FTMPI::Cli::Machines::SLOTS_MAX;
	return $tasks + 0;
}

# The node that this process is on, as Slurm calls it.
sub _slurm_here
{
	my ($env, $names) = @_;
	my (undef, $here) = _first($env, 'SLURMD_NODENAME') or return;
	return grep({ $_ eq $here } @$names) ? $here : undef;
}

# srun started this process beside others: number of this one, and of all; or nothing. A shell of salloc, a batch script and the
# first process of `srun --pty` are alone.
sub beside_others
{
	my ($env) = @_;
	my ($step, $number, $all) = map { $_ // '' } @$env{qw(SLURM_STEP_ID SLURM_PROCID SLURM_STEP_NUM_TASKS)};
	return if $step eq '' || $step eq SLURM_INTERACTIVE_STEP || $number !~ /^[1-9][0-9]{0,8}\z/;
	return ($number, $all =~ /^[0-9]{1,9}\z/ ? $all : 'several');
}

# The names in a list of Slurm such as rack[0-1]n[01-03,7],login. A number has at least as many digits as the first of its
# range. Dies with what is wrong.
sub host_list
{
	my ($text) = @_;
	die "is longer than @{[LIST_MAX]} bytes\n" if length $text > LIST_MAX;
	my @names;
	for my $word (_split($text)) {
		my @parts = _parts($word);
		my $count = @names;
		my $many  = 1;
		$many *= ref $_ ? _many($_) : 1 for @parts;
		die 'has more than ' . HOSTS_MAX . " hosts\n" if $count + $many > HOSTS_MAX;
		push @names, _expand(@parts);
	}
	for my $name (@names) {
		die "has '" . FTMPI::Error::clean($name) . "', which is not a name of a host\n" if $name !~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*\z/;
		die 'has a name of more than ' . FTMPI::Cli::Machines::NAME_MAX . " characters\n" if length $name > FTMPI::Cli::Machines::NAME_MAX;
	}
	return @names;
}

# At the commas outside of brackets.
sub _split
{
	my ($text) = @_;
	my @words;
	my $word = qr/(?:[^\[\],]++|\[[^\[\]]*+\])++/;
	while ($text =~ /\G($word)(?:,|\z)/gc) {
		push @words, $1;
		return @words if pos $text == length $text && substr($text, -1) ne ',';
	}
	die "is not a list of hosts such as a[1-3,7],b\n";
}

# A word in its parts: text, or the list of ranges of a pair of brackets, [first, last, digits] each.
sub _parts
{
	my ($word) = @_;
	my @parts;
	while ($word =~ /\G(?:([^\[\]]+)|\[([^\[\]]*)\])/gc) {
		push @parts, $1 // [ map { _range($_) } split /,/, $2 // '', -1 ];
		die "has empty brackets\n" if ref $parts[-1] && !@{ $parts[-1] };
	}
	return @parts;
}

sub _range
{
	my ($text) = @_;
	my ($first, $last) = $text =~ /^([0-9]{1,9})(?:-([0-9]{1,9}))?\z/
		or die "has '" . FTMPI::Error::clean($text) . "' in brackets, which is no range of numbers\n";
	$last //= $first;
	die "has the range '$text', which ends before it begins\n" if $last < $first;
	return [ $first + 0, $last + 0, length $first ];
}

sub _many
{
	my ($ranges) = @_;
	my $many = 0;
	$many += $_->[1] - $_->[0] + 1 for @$ranges;
	return $many;
}

# The last numbers change first.
sub _expand
{
	my @names = ('');
	for my $part (@_) {
		my @ends = ref $part ? map { my ($first, $last, $digits) = @$_; map { sprintf '%0*d', $digits, $_ } $first .. $last } @$part : $part;
		@names = map { my $begin = $_; map { $begin . $_ } @ends } @names;
	}
	return @names;
}

# The numbers of 2(x3),1: one for each host. Dies with what is wrong.
sub counts
{
	my ($text) = @_;
	die "is longer than @{[LIST_MAX]} bytes\n" if length $text > LIST_MAX;
	my @counts;
	for my $word (length $text ? split /,/, $text, -1 : '') {
		my ($count, $times) = $word =~ /^([1-9][0-9]{0,5})(?:\(x([1-9][0-9]{0,5})\))?\z/
			or die "is not a list of numbers such as 2(x3),1\n";
		die 'has a number of more than ' . FTMPI::Cli::Machines::SLOTS_MAX . "\n" if $count > FTMPI::Cli::Machines::SLOTS_MAX;
		die 'has more than ' . HOSTS_MAX . " hosts\n" if @counts + ($times // 1) > HOSTS_MAX;
		push @counts, ($count + 0) x ($times // 1);
	}
	return @counts;
}

# ---- PBS and LSF ----

# Hosts of which each comes once for each of its slots.
sub _by_slot
{
	my (@words) = @_;
	my (%slots, @names);
	for my $name (@words) {
		die "has '" . FTMPI::Error::clean($name) . "', which is not a name of a host\n"
			if $name !~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*\z/ || length $name > FTMPI::Cli::Machines::NAME_MAX;
		push @names, $name if !$slots{$name}++;
		die "has more than @{[HOSTS_MAX]} hosts\n" if @names > HOSTS_MAX;
		die "gives $name more than @{[FTMPI::Cli::Machines::SLOTS_MAX]} slots\n" if $slots{$name} > FTMPI::Cli::Machines::SLOTS_MAX;
	}
	die "names no host\n" if !@names;
	return map { { name => $_, slots => $slots{$_} } } @names;
}

sub _lines { my ($text) = @_; return grep { length } map { s/^\s+|\s+\z//gr } split /\n/, $text }

# The hosts of a file that a variable names, or nothing with $! set.
sub _of_file
{
	my ($job, $variable, $path, $file) = @_;
	my $text = $file->($path, FILE_MAX) // return;
	_refuse($job, $variable, $path, 'is a file of more than ' . FILE_MAX . ' bytes') if length $text > FILE_MAX;
	return _read($job, $variable, $path, sub { _by_slot(_lines($text)) });
}

sub _pbs
{
	my ($env, $file, $job) = @_;
	my @hosts = _of_file($job, 'PBS_NODEFILE', $env->{PBS_NODEFILE}, $file);
	_refuse($job, 'PBS_NODEFILE', $env->{PBS_NODEFILE}, "cannot be read: $!") if !@hosts;
	return \@hosts;
}

sub _lsf
{
	my ($env, $file, $job) = @_;
	my ($variable, $value) = _first($env, qw(LSB_DJOB_HOSTFILE LSB_MCPU_HOSTS LSB_HOSTS));
	if ($variable eq 'LSB_DJOB_HOSTFILE') {
		my @hosts = _of_file($job, $variable, $value, $file);
		return \@hosts if @hosts;
		my $why = "cannot be read: $!";
		($variable, my $other) = _first($env, qw(LSB_MCPU_HOSTS LSB_HOSTS)) or _refuse($job, 'LSB_DJOB_HOSTFILE', $value, $why);
		$value = $other;
	}
	my $read = $variable eq 'LSB_HOSTS' ? sub { _by_slot(split ' ', $_[0]) } : \&_pairs;
	return [ _read($job, $variable, $value, $read) ];
}

# "host slots host slots ..."
sub _pairs
{
	my ($text) = @_;
	my @words = split ' ', $text;
	my @hosts;
	die "is not a list of hosts with a number each\n" if !@words || @words % 2;
	die "has more than @{[HOSTS_MAX]} hosts\n" if @words / 2 > HOSTS_MAX;
	while (my ($name, $slots) = splice @words, 0, 2) {
		my ($host) = _by_slot($name);
		die "gives $name '" . FTMPI::Error::clean($slots) . "', which is not a number of slots from 1 to @{[FTMPI::Cli::Machines::SLOTS_MAX]}\n"
			if $slots !~ /^[1-9][0-9]{0,5}\z/ || $slots > FTMPI::Cli::Machines::SLOTS_MAX;
		push @hosts, { name => $name, slots => $slots + 0 };
	}
	return @hosts;
}

1;

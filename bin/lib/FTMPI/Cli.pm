# SPDX-License-Identifier: BSD-3-Clause
#
# From a command line to a plan for FTMPI::Launcher: everything that can be wrong with what the user
# wrote is found out here, before anything is started.
package FTMPI::Cli;

use strict;
use warnings;

use Fcntl qw(F_GETFL O_ACCMODE O_CREAT O_DIRECTORY O_EXCL O_RDONLY O_RDWR O_WRONLY);
use POSIX ();

use FTMPI::Cli::Machines       ();
use FTMPI::Cli::Options        ();
use FTMPI::Cli::Values         ();
use FTMPI::Error               ();
use FTMPI::Launcher            ();
use FTMPI::Launcher::Reach     ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Net                 ();
use FTMPI::Path                ();
use FTMPI::Processors          ();
use FTMPI::Later qw(FTMPI::Cli::RestoreNotes FTMPI::Cli::Sessions);
use FTMPI::Version             ();

# PATH_MAX: what a rank takes.
use constant { MACHINEFILE_MAX => 16 << 20, CONFIGFILE_MAX => 1 << 20, PATH_MAX => 4095 };

# Seconds that a rank of an image job has to come to where it can be saved.
use constant IMAGE_PATIENCE => 10;

# Seconds after which a program that was told that a line is due, and has made none, is told again.
use constant PROGRAM_PATIENCE => 60;

# Linux, but for a few old machines, which refuse it; Fcntl does not have it.
use constant O_TMPFILE => 020000000;

# The exit status of `program` with these words.
sub main
{
	my ($program, @words) = @_;
	_fill_streams();
	# output beyond `ulimit -f` is an error of the write; ranks do not inherit a handler, as they would IGNORE
	$SIG{XFSZ} = sub { } if ($SIG{XFSZ} // '') ne 'IGNORE';
	$program = FTMPI::Path::name($program);
	my $status = eval { _run($program, @words) };
	return $status if defined $status;
	die $@ if ref $@ ne 'FTMPI::Error';
	print STDERR 'ftmpirun: ' . $@->text . "\n";
	return $@->status;
}

# Descriptors 0 to 2 are there, whatever the caller closed: nothing else may get these numbers. One
# that cannot be used as what it is for was closed, and perl has something else open there.
sub _fill_streams
{
	my @streams = ([ \*STDIN, O_RDONLY ], [ \*STDOUT, O_WRONLY ], [ \*STDERR, O_WRONLY ]);
	for my $fd (0 .. $#streams) {
		my ($handle, $mode) = @{ $streams[$fd] };
		my $flags = fcntl $handle, F_GETFL, 0;
		next if defined $flags && grep { ($flags & O_ACCMODE) == $_ } $mode, O_RDWR;
		my $null = POSIX::open('/dev/null', O_RDWR) // die "/dev/null: $!\n";
		next if $null == $fd;
		POSIX::dup2($null, $fd);
		POSIX::close($null);
	}
	return;
}

sub _run
{
	my ($program, @words) = @_;
	my $is_plain = $program =~ /^mpi/;
	my $options = _is_in_job() ? FTMPI::Cli::Options::parse_in_job($is_plain, @words)
		: $is_plain ? FTMPI::Cli::Options::parse_plain(@words) : FTMPI::Cli::Options::parse(@words);
	return _print(FTMPI::Cli::Options::help($program)) if $options->{help};
	return _print('ftmpirun (FTMPI) ' . FTMPI::Version::NUMBER . "\n") if $options->{version};
	return _manual() if $options->{man};
	$options = _with_file($options) if defined $options->{configfile};
	_take_job($options);
	_take_auto($options) if ($options->{'ckpt-interval'} // '') eq 'auto';
	$options->{n} //= _slots($options);
	my $plan = plan($options);
	$plan->{files} = _output_files($options);
	return FTMPI::Launcher::run($plan);
}

# Inside the job of a batch system. (Others need not wait for perl to compile what reads it.)
sub _is_in_job
{
	return if !grep { defined $ENV{$_} } qw(SLURM_JOB_ID SLURM_JOBID PBS_JOBID LSB_JOBID);
	require FTMPI::Cli::Batch;
	return FTMPI::Cli::Batch::kind();
}

# The interval is another one soon.
sub _take_auto
{
	my ($options) = @_;
	require FTMPI::Launcher::AutoInterval;
	$options->{auto} = FTMPI::Launcher::AutoInterval->new(mtbf => $options->{mtbf});
	$options->{'ckpt-interval'} = $options->{auto}->interval;
	return;
}

# What the batch job gives, and the user did not say.
sub _take_job
{
	my ($options) = @_;
	return if !_is_in_job() && !defined $options->{launcher};
	require FTMPI::Cli::Batch;
	FTMPI::Cli::Batch::take($options);
	_refuse_slots($options->{n}) if defined $options->{n};
	return;
}

# As many ranks as there are slots. Too many are refused before it is asked of each host whether it is this one.
sub _slots
{
	my ($options) = @_;
	my $named = $options->{named} = _named_hosts($options);
	_refuse_slots(defined $options->{ppn} ? scalar @$named : FTMPI::Cli::Machines::slots($named)) if $named;
	my $n = FTMPI::Cli::Machines::slots($options->{merged} = _hosts($options));
	_refuse_slots($n);
	return $n;
}

sub _refuse_slots
{
	my ($n) = @_;
	FTMPI::Error::usage("there are $n slots, and a job has at most @{[FTMPI::Cli::Options::RANKS_MAX]} ranks; write -n N") if $n > FTMPI::Cli::Options::RANKS_MAX;
	return;
}

# The options with the parts that the file of -configfile has.
sub _with_file
{
	my ($options) = @_;
	my $text = _text_of('file', $options->{configfile}, CONFIGFILE_MAX);
	require Text::ParseWords;
	my ($number, @lines) = (0);
	for my $line (split /\n/, $text) {
		$number++;
		next if $line =~ /^\s*(?:#|\z)/;
		my @words = grep { defined } Text::ParseWords::shellwords($line);
		FTMPI::Error::usage('the file ' . FTMPI::Error::clean($options->{configfile}) . ", line $number: a quote has no end") if !@words;
		push @lines, [ $number, @words ];
	}
	return FTMPI::Cli::Options::parse_lines($options, @lines);
}

# Where the output of ranks goes into files, these; else nothing.
sub _output_files
{
	my ($options) = @_;
	my %patterns;
	if (defined $options->{'output-filename'}) {
		my $folder = $options->{'output-filename'} =~ s/%/%%/gr;
		%patterns = (1 => "$folder/rank.%r/stdout", 2 => "$folder/rank.%r/stderr");
	}
	$patterns{1} = $options->{'outfile-pattern'} if defined $options->{'outfile-pattern'};
	$patterns{2} = $options->{'errfile-pattern'} if defined $options->{'errfile-pattern'};
	return if !%patterns;
	require FTMPI::Launcher::OutputFiles;
	my $size = _ranks($options);
	return FTMPI::Launcher::OutputFiles->new(
		size     => $size,
		patterns => \%patterns,
		width    => defined $options->{'output-filename'} ? length($size - 1) : 1,
		appends  => defined $options->{restore});
}

sub _print
{
	my ($text) = @_;
	return 0 if print($text) && close STDOUT;
	return FTMPI::Error::failed("cannot write to standard output: $!");
}

# The manual, the finder of typing mistakes, Text::ParseWords and File::Path are loaded where they are
# needed: an ordinary start does not wait for perl to compile them.
sub _manual
{
	require FTMPI::Cli::Manual;
	return _print(FTMPI::Cli::Manual::page());
}

sub plan
{
	my ($options) = @_;
	my $here = POSIX::getcwd() // FTMPI::Error::usage("cannot tell the current directory: $!");
	my $is_alone = ($options->{coord} // '') eq 'msglog';
	FTMPI::Cli::Injections::check($options->{inject}, size => _ranks($options), alone => $is_alone) if $options->{inject};
	my $writes = $options->{image} || $options->{record} || defined $options->{'ckpt-interval'} || $is_alone;
	my $workdir = _work_directory($options->{workdir}, $here, $writes, ($options->{restore} // 'auto') ne 'auto');
	my ($period, $limit) = FTMPI::Cli::Options::heartbeat($options);
	my @parts = map { [ $_->{n}, @{ $_->{prog} } ] } $options, @{ $options->{more} // [] };
	my %command = (ranks => _ranks($options), parts => \@parts, image => $options->{image}, transport => $options->{transport});
	my $goes_on = defined $options->{restore} && $is_alone ? FTMPI::Cli::Sessions::choose_alone($workdir, $options->{restore}, \%command) : undef;
	my @restore = defined $options->{restore} && !$is_alone ? FTMPI::Cli::Sessions::choose($workdir, $options->{restore}, _ranks($options),
		$options->{image}, time, [ FTMPI::Cli::RestoreNotes::unfinished($workdir, { parts => \@parts }) ]) : ();
	my $hosts = _place($options);
	FTMPI::Cli::Injections::check_hosts($options->{inject}, map { $_->{name} } @$hosts) if $options->{inject};
	return {
		notes     => $goes_on ? $goes_on->{notes} : _notes($workdir, $options, \@parts, @restore),
		goes_on   => $goes_on,
		parts     => \@parts,
		expected  => $restore[2],
		on_restored => sub { _restored($workdir, { session => $_[0], kind => $options->{image} ? 'image' : 'data' }, \@parts) },
		hosts     => $hosts,
		size      => _ranks($options),
		prog      => $options->{prog},
		env       => _environment([ @{ $options->{genv} // [] }, $options->{more} ? () : @{ $options->{x} // [] } ]),
		own       => _own_parts($options, $here),
		wdir      => FTMPI::Path::absolute($options->{wdir} // $here, $here),
		workdir   => $workdir,
		heartbeat => $period,
		timeout_heartbeat => $limit,
		silence   => $period ? FTMPI::Cli::Options::silence($limit) : 0,
		starved_limit => $options->{'starved-limit'} // 60,
		settings  => _settings($options, $goes_on, \@restore),
		transport => _asks_for_tcp($options, $goes_on) ? 'tcp' : undef,
		restoring => scalar _restoring(@restore),
		restart_on   => $options->{'restart-on'}   // 'failure',
		max_restarts => $options->{'max-restarts'} // 3,
		from_start   => $options->{'restart-from-start'},
		alone        => $is_alone,
		keeper_hosts  => scalar _keeper_hosts($options),
		outcome_limit => $options->{'outcome-limit'} // 1 << 30,
		debug        => $options->{debug},
		image        => _image($options),
		interval     => $options->{'ckpt-interval'},
		auto         => $options->{auto},
		program_lines => $options->{auto} && !$options->{image} ? { interval => $options->{'ckpt-interval'}, patience => PROGRAM_PATIENCE, program => 1 } : undef,
		coord        => $options->{coord} // 'blocking',
		progress     => $options->{progress},
		time_limit   => $options->{'time-limit'},
		stop_after   => $options->{'stop-after-ckpt'},
		asks_program => !$options->{image} && !$is_alone && _has_interval($options),
		saves_at_term => (_is_in_job() || defined $options->{'time-limit'}) && !defined $options->{'term-ranks'}
			&& ($options->{image} || _has_interval($options)),
		record       => $options->{record},
		injection    => $options->{inject} || $options->{'inject-random'} ? { faults => $options->{inject}, random => $options->{'inject-random'} } : undef,
		bind         => $options->{bind},
		dump         => $options->{dump},
		accept_binary => $options->{'accept-binary'},
		_reach($options),
		iface     => $options->{iface},
		ports     => $options->{ports},
		timeout   => $options->{timeout},
		term_ranks => $options->{'term-ranks'},
		tag       => $options->{'tag-output'},
		stamped   => $options->{'timestamp-output'},
		verbosity => $options->{v} // 0,
	};
}

# What FTMPI::Launcher::Lines, or FTMPI::Launcher::Checkpoints, needs for an image job, or undef.
sub _image
{
	my ($options) = @_;
	return undef if !$options->{image};
	return {
		interval => $options->{'ckpt-interval'},
		patience => $options->{'image-patience'} // IMAGE_PATIENCE,
		waits    => ($options->{coord} // 'blocking') eq 'blocking',
		order    => $options->{'ckpt-order'} // 'round-robin',
		log_limit => defined $options->{'log-limit'} ? $options->{'log-limit'} >> 10 : undef,
	};
}

# FTMPI_Checkpoint_due may be true in this job, of itself or when the launcher wants a line.
sub _has_interval
{
	my ($options) = @_;
	return scalar grep { defined $options->{$_} } qw(ckpt-interval time-limit stop-after-ckpt);
}

# Of all parts of the job.
sub _ranks
{
	my ($options) = @_;
	my $n = 0;
	$n += $_->{n} for $options, @{ $options->{more} // [] };
	return $n;
}

# What each part of the job has for itself: { first => its first rank, n, wdir, prog, env }; nothing
# where there is one part only.
sub _own_parts
{
	my ($options, $here) = @_;
	my ($first, @own) = (0);
	for my $part ($options->{more} ? ($options, @{ $options->{more} }) : ()) {
		push @own, { first => $first, n => $part->{n}, wdir => FTMPI::Path::absolute($part->{wdir} // $here, $here),
			prog => $part->{prog}, env => _variables({}, $part->{x}) };
		$first += $part->{n};
	}
	return \@own;
}

# What the user is told of lines before the job begins.
sub _notes
{
	my ($workdir, $options, $parts, @restore) = @_;
	my $is_alone = ($options->{coord} // '') eq 'msglog';
	my $by_word = $is_alone ? FTMPI::Launcher::Sentences::NO_CHECKPOINT_INTERVAL : FTMPI::Launcher::Sentences::NO_INTERVAL;
	my @first = $options->{image} && !defined $options->{'ckpt-interval'} ? $by_word : ();
	unshift @first, FTMPI::Launcher::Sentences::passed(map { FTMPI::Error::clean($_) } @{ $options->{passed} }) if $options->{passed};
	return [ @first, (map { "note: $_" } @{ $restore[2]{notes} }), FTMPI::Cli::RestoreNotes::sentences($workdir, $restore[2], time, $parts) ]
		if @restore;
	my $what = $is_alone ? 'are no checkpoints of this command' : 'is no recovery line';
	my @none = defined $options->{restore} ? "-restore=auto: there $what in $workdir: the job begins at its beginning." : ();
	return [ @first, @none ] if !_has_sessions($workdir);
	my %record = (ranks => _ranks($options), parts => $parts);
	my @open = ($is_alone ? FTMPI::Cli::RestoreNotes::forgotten_alone($workdir, \%record) : FTMPI::Cli::RestoreNotes::forgotten($workdir, \%record)) // ();
	return [ @first, @none, @open ];
}

# Jobs have left folders in the work directory.
sub _has_sessions
{
	my ($workdir) = @_;
	opendir my $dir, $workdir or return 0;
	return scalar grep { FTMPI::Cli::Values::is_session($_) } readdir $dir;
}

# The ranks of a job that -restore began have told from which line they go on: the parts of the job as its record is to have
# them, and what the user is told.
sub _restored
{
	my ($workdir, $line, $parts) = @_;
	return $parts if !FTMPI::Cli::Values::is_session($line->{session});
	return (FTMPI::Cli::RestoreNotes::parts($workdir, $line, $parts), FTMPI::Cli::RestoreNotes::arguments($workdir, $line, $parts));
}

# What ranks are told of the options, "name=value" each.
sub _settings
{
	my ($options, $goes_on, $restore) = @_;
	my %setting;
	@setting{qw(heartbeat heartbeat-timeout)} = FTMPI::Cli::Options::heartbeat($options);
	$setting{'ckpt-interval'} = int 0.5 + 1000 * (($options->{auto} ? undef : $options->{'ckpt-interval'}) // FTMPI::Cli::Values::INTERVAL_MAX)
		if _has_interval($options);
	for my $name (qw(keep coord transport accept-binary debug dump pty verify-replay)) {
		$setting{$name} = $options->{$name} ? $options->{$name} : next;
	}
	$setting{$_} = 1 for grep { $setting{$_} } qw(accept-binary debug dump pty verify-replay);
	$setting{traffic} = 1 if $options->{record};
	$setting{'output-repeat'} = 1 if ($options->{output} // 'once') eq 'repeat';
	$setting{'log-limit'} = $options->{'log-limit'} >> 10 if defined $options->{'log-limit'};
	$setting{bind} = $options->{bind} // 'auto';
	if (my $image = _image($options)) {
		require FTMPI::FixedAddresses;
		@setting{qw(image image-patience fixed-addresses)}
			= (1, int 0.5 + 1000 * $image->{patience}, FTMPI::FixedAddresses::stack_here());
		# what a rank alone has written since others may have written to
		my $files = $options->{'image-files'} // (($options->{coord} // '') eq 'msglog' ? 'keep' : 'cut');
		$setting{'image-keep-files'} = 1 if $files eq 'keep';
	}
	if (_asks_for_tcp($options, $goes_on)) {
		$setting{transport} = 'tcp';
	} elsif (($setting{transport} // '') eq 'tcp') {
		@setting{qw(transport apart)} = ('auto', 1);
	}
	$setting{restore} = join ',', $restore->[0], @{ $restore->[2]{others} } if @$restore;
	$setting{'restore-line'} = $restore->[1] if @$restore;
	return [ map { "$_=$setting{$_}" } sort keys %setting ];
}

# Collectives are chosen by it. What ranks do again under message logging is chosen as it was when the job began; one that was
# not to speak over TCP then can, all the same (apart).
sub _asks_for_tcp
{
	my ($options, $goes_on) = @_;
	return ($goes_on ? $goes_on->{transport} // '' : $options->{transport} // '') eq 'tcp';
}

# What a job goes on from before it has a recovery line of its own.
sub _restoring
{
	my ($session, $line) = @_;
	return if !defined $session;
	return ($line ? "line $line" : 'the newest line') . " of session $session";
}

# The hosts of the job. All the names of this machine are one host.
sub _hosts
{
	my ($options) = @_;
	my $named = $options->{named} // _named_hosts($options);
	my $job   = $options->{allocation};
	my $test  = FTMPI::Net::local_test();
	my $local = $job && defined $job->{here} ? sub { $_[0] eq $job->{here} || !$job->{known}{ $_[0] } && $test->($_[0]) } : $test;
	my %is_local;
	my $key_of = sub { ($is_local{ $_[0] } //= $local->($_[0]) ? 1 : 0) ? '' : $_[0] };
	$named = FTMPI::Cli::Batch::within($job, $named, $local) if $job && $named && $options->{launcher} ne 'ssh';
	my $myself = { name => FTMPI::Net::hostname(), slots => FTMPI::Processors::count() };
	my $hosts = FTMPI::Cli::Machines::merge($named // [$myself], $key_of);
	$_->{local} = $is_local{ $_->{name} } for @$hosts;
	$options->{names_hosts} = 1 if $named;
	_set_slots($options, @$hosts) if defined $options->{ppn};
	return $hosts;
}

# As many as ranks are to be on each host.
sub _set_slots
{
	my ($options, @hosts) = @_;
	my $ppn = $options->{ppn};
	for my $host (@hosts) {
		FTMPI::Error::usage("-ppn $ppn is more than the " . FTMPI::Launcher::Sentences::count($host->{slots}, 'slot') . " of host $host->{name} (-no-oversubscribe)")
			if $options->{'no-oversubscribe'} && $ppn > $host->{slots};
		$host->{slots} = $ppn;
	}
	return;
}

# Hosts with their ranks.
sub _place
{
	my ($options) = @_;
	my $hosts = $options->{merged} // _hosts($options);
	my ($n, $slots) = (_ranks($options), FTMPI::Cli::Machines::slots($hosts));
	if ($n > $slots) {
		FTMPI::Error::usage("$n ranks are more than the "
				. ($slots == 1 ? 'one slot that there is' : "$slots slots that there are")
				. ' (-no-oversubscribe)')
			if $options->{'no-oversubscribe'};
		print STDERR "ftmpirun: note: $n ranks share " . FTMPI::Launcher::Sentences::count($slots, 'slot') . ".\n"
			if $options->{names_hosts} || defined $options->{ppn};
	}
	return FTMPI::Cli::Machines::place($hosts, $n, $options->{'map-by'});
}

# Where the keeper may be, or nothing.
sub _keeper_hosts
{
	my ($options) = @_;
	my $named = $options->{'keeper-hosts'} // return;
	my $local = FTMPI::Net::local_test();
	my $hosts = FTMPI::Cli::Machines::parse_list('-keeper-hosts', $named);
	FTMPI::Error::usage("-keeper-hosts $named: write each host once, without a number of slots") if grep { $_->{slots} > 1 } @$hosts;
	return [ map { { name => $_->{name}, local => $local->($_->{name}) ? 1 : 0 } } @$hosts ];
}

# What the user named, or nothing.
sub _named_hosts
{
	my ($options) = @_;
	return FTMPI::Cli::Machines::parse_list('-host', join ',', @{ $options->{host} }) if $options->{host};
	my $file = $options->{machinefile} // return $options->{allocation} && $options->{allocation}{hosts};
	return FTMPI::Cli::Machines::parse_file($file, _text_of('machine file', $file, MACHINEFILE_MAX));
}

# Of a file that the user named.
sub _text_of
{
	my ($what, $path, $most) = @_;
	my $text  = '';
	my $found = open my $handle, '<:raw', $path;
	FTMPI::Error::usage("cannot read the $what $path: $!") if !$found || !defined read $handle, $text, $most + 1;
	FTMPI::Error::usage("the $what $path is larger than $most bytes") if length $text > $most;
	return $text;
}

# What every rank gets whatever its host has: VAR=value each.
sub _environment
{
	my ($wanted) = @_;
	my %given;
	for my $name (grep { /^(?:PATH|LD_LIBRARY_PATH|FTMPI_.*)\z/ } keys %ENV) {
		$given{$name} = $ENV{$name};
	}
	return _variables(\%given, $wanted);
}

# These, and what is wanted: VAR=value each, or VAR alone to unset it.
sub _variables
{
	my ($given, $wanted) = @_;
	my %given = %$given;
	my @unset;
	for my $word (@{ $wanted // [] }) {
		my ($name, $value) = split /=/, $word, 2;
		$value //= $ENV{$name};
		$given{$name} = $value if defined $value;
		push @unset, $name if !defined $value;
	}
	return [ @unset, map { "$_=$given{$_}" } sort keys %given ];
}

# How other hosts are reached: ssh for all that batch systems do not reach.
sub _reach
{
	my ($options) = @_;
	my $ssh = _ssh($options->{ssh});
	my $job = $options->{allocation};
	my $reach = FTMPI::Launcher::Reach->new(ssh => $ssh, kind => $options->{launcher} // 'ssh', id => $job && $job->{id},
		set => { map { $_ => 1 } keys %ENV });
	return (ssh => $ssh, reach => $reach);
}

sub _ssh
{
	my ($given) = @_;
	my $command = $given // $ENV{FTMPI_SSH};
	return [ split / /, FTMPI::Launcher::Reach::DEFAULT_SSH ] if !defined $command || $command eq '';
	require Text::ParseWords;
	my @words = Text::ParseWords::shellwords($command);
	FTMPI::Error::usage("-ssh: '" . FTMPI::Error::clean($command) . "' is not a command line")
		if !@words;
	return \@words;
}

# A user who names WORKDIR, or asks for what is kept there (writes: recovery lines, logs of outcomes), must be able to
# write there. One that is made here is its user's alone, as all that is written into it. is_restored: a line is to be in it, so one that is
# not there is a mistake.
sub _work_directory
{
	my ($given, $here, $writes, $is_restored) = @_;
	my $path = defined $given ? FTMPI::Path::absolute($given, $here) : $here;
	my $name = FTMPI::Path::name($path);
	FTMPI::Error::usage("$path is the folder of a session: the work directory is the one above it, and"
			. " -restore=$name names the session")
		if FTMPI::Cli::Values::is_session($name) && -e "$path/job.record";
	FTMPI::Error::usage("the work directory $path has a name of more than @{[PATH_MAX]} bytes")
		if length $path > PATH_MAX;
	return $path if !defined $given && !$writes;
	if (!-e $path) {
		FTMPI::Error::failed("-restore: there is no recovery line, as there is no work directory $path") if $is_restored;
		require File::Path;
		File::Path::make_path($path, { mode => 0700, error => \my $errors });
		my ($why) = map { values %$_ } @$errors;
		FTMPI::Error::usage("the work directory $path cannot be made: $why") if @$errors;
	}
	FTMPI::Error::usage("the work directory $path is not a directory") if !-d $path;
	FTMPI::Error::usage("the work directory $path cannot be written: $!" . (defined $given ? '' : '; name another one with -workdir DIR'))
		if !_can_write($path);
	return $path;
}

# Whether files can be made there, with $! set if not. A file without a name is tried first: that is
# not left behind when we are killed. Where the file system has none of these, signals wait.
sub _can_write
{
	my ($path) = @_;
	return 1 if sysopen my $nameless, $path, O_TMPFILE | O_DIRECTORY | O_WRONLY, 0600;
	my ($all, $before) = (POSIX::SigSet->new, POSIX::SigSet->new);
	$all->fillset;
	POSIX::sigprocmask(POSIX::SIG_BLOCK(), $all, $before);
	my $probe = "$path/.ftmpi-$$";
	my $made  = sysopen my $file, $probe, O_CREAT | O_EXCL | O_WRONLY, 0600;
	my $error = $!;
	unlink $probe if $made;
	POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
	$! = $error;
	return $made;
}

1;

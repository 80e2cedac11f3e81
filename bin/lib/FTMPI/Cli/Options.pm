# SPDX-License-Identifier: BSD-3-Clause
#
# The options of ftmpirun: one table from which the parser, -help and the manual page come, and the
# two spellings of a command line. Pure: words in, a hash out; bad words end in a FTMPI::Error.
package FTMPI::Cli::Options;

use strict;
use warnings;

use FTMPI::Cli::Values ();
use FTMPI::Error       ();
use FTMPI::Later rest => qw(Rare);

use constant RANKS_MAX => FTMPI::Cli::Values::RANKS_MAX;

# part: it may be given to each part of a command anew. name: with its other names; arg: what follows it; kind: flag, count, value, list, pair (of words, for
# -x) or optional (a value only after "="); check: how the value is read; default and text: for people.
my @TABLE = (
	{
		names => [qw(n np)],
		arg   => 'N',
		part  => 1,
		check => \&FTMPI::Cli::Values::ranks,
		default => 'inside a job of Slurm, PBS or LSF as many as it was given tasks',
		text  => 'Start N ranks. A word ":" after the arguments of the program begins'
			. ' another part of the job: -n N, options of its own (-x, -env, -wdir) and its program.',
	},
	{
		names   => [qw(machinefile hostfile f)],
		arg     => 'FILE',
		default => 'the hosts of the job of Slurm, PBS or LSF that ftmpirun is in, else this machine alone',
		text    => 'The hosts of the job, a line each: "host", "host slots=4" or "host:4".',
	},
	{
		names => [qw(host hosts H)],
		arg   => 'LIST',
		kind  => 'list',
		text  => 'The hosts of the job, in place of a machine file: "a,b:4,[fd00::1]:2".',
	},
	{
		names => [qw(ppn perhost npernode ranks-per-node ntasks-per-node)],
		arg   => 'N',
		check => FTMPI::Cli::Values::whole('a number of ranks on each host', 1, RANKS_MAX),
		text  => 'Each host has N slots, whatever -host, -machinefile or the batch job says of it: the first host gets N ranks, then the next.'
			. ' Without -n every host gets N ranks. -no-oversubscribe refuses an N that is more than the slots of a host.',
	},
	{
		names   => ['map-by'],
		arg     => 'slot|node|ppr:N:node',
		check   => \&FTMPI::Cli::Values::mapping,
		default => 'slot',
		text    => 'Which rank goes to which host. slot: ranks fill the slots of the first host, then of the next. node: the first rank goes to the first host, the second'
			. ' to the second, and so on; hosts whose slots are full are passed over. When all slots are full the ranks go round again. ppr:N:node: the same as -ppn N.',
	},
	{
		names => [qw(configfile app)],
		arg   => 'FILE',
		text  => 'Read the parts of the job from FILE, in place of a program on the command line: one part a line, "-n N [-x ...] [-env ...] [-wdir ...] PROG [ARGS...]",'
			. ' with quotes and backslashes as in a shell, and nothing else of a shell. Lines that begin with # are comments. The file has at most 1 MiB.',
	},
	{
		names   => ['workdir'],
		arg     => 'DIR',
		default => 'the current directory',
		text    => 'Where recovery lines are kept, in a folder for each job: a recovery line is what all ranks have saved together, and'
			. ' what the job goes on from after a failure. All hosts must share it (with -coord msglog where ranks make checkpoints; else only the launcher\'s uses it).'
			. ' Made if it is missing, but for -restore. Only their user can read folders and files in it.',
	},
	{
		names   => [qw(wdir wd)],
		arg     => 'DIR',
		part    => 1,
		default => 'where ftmpirun was called',
		text    => 'The directory in which the ranks run, on every host.',
	},
	{
		names => ['x'],
		arg   => 'VAR[=VALUE]',
		kind  => 'list',
		part  => 1,
		check => \&FTMPI::Cli::Values::variable,
		text  => 'Give the ranks this environment variable, with the value it has here or'
			. ' with VALUE. May be repeated. PATH, LD_LIBRARY_PATH and FTMPI_* are always'
			. ' given.',
	},
	{
		names => ['env'],
		arg   => 'VAR VALUE',
		kind  => 'pair',
		key   => 'x',
		part  => 1,
		text  => 'The same as -x VAR=VALUE, as other launchers spell it.',
	},
	{
		names => ['genv'],
		arg   => 'VAR VALUE',
		kind  => 'pair',
		key   => 'genv',
		text  => 'The same, for all parts of the job.',
	},
	{
		names   => ['ssh'],
		arg     => 'CMD',
		default => '$FTMPI_SSH, else "ssh -o BatchMode=yes -o ConnectTimeout=10"',
		text    => 'The command that reaches another host; the host and one command line for'
			. ' its shell are added. It is used inside a batch job, too, where it is given.',
	},
	{
		names   => ['launcher'],
		arg     => 'ssh|slurm|pbs|lsf|auto',
		check   => \&FTMPI::Cli::Values::launcher,
		default => 'auto',
		text    => 'What starts the agent of another host. slurm: srun. lsf: blaunch. pbs: ssh, and the processes are made part of the job there (pbs_attach). auto:'
			. ' that of the batch job which ftmpirun is in, if it has that command; else ssh. Hosts that are named have to be in the job, unless ssh reaches them. The manual page has more under BATCH SYSTEMS.',
	},
	{
		names => [qw(tag-output prepend-rank label l)],
		kind  => 'flag',
		text  => 'Begin every line of output with "[rank] ".',
	},
	{
		names => ['timestamp-output'],
		kind  => 'flag',
		text  => 'Begin every line of output with the time at which ftmpirun got it, "2026-12-31 23:59:59.123 "; with -tag-output behind the rank.',
	},
	{
		names => ['output-filename'],
		arg   => 'DIR',
		check => \&FTMPI::Cli::Values::output_folder,
		text  => 'What a rank prints goes into files of its own, DIR/rank.R/stdout and DIR/rank.R/stderr, and is not printed by ftmpirun; R is its number, with as many digits as that of the last rank.'
			. ' ftmpirun writes the files, on its own host, and makes the folders. They are emptied when the job begins; with -restore text is added to what is there.'
			. ' A rank that begins again adds to its files: what it prints again is in them as often as it would be in standard output. What FTMPI prints in a rank is in its stderr, too. When a file cannot be written the job ends.',
	},
	{
		names => ['outfile-pattern'],
		arg   => 'FILE',
		check => \&FTMPI::Cli::Values::file_pattern,
		text  => 'The same for standard output of the ranks alone: into FILE, with the number of the rank for each %r, and % for %%. Without a %r all ranks have one file.',
	},
	{
		names => ['errfile-pattern'],
		arg   => 'FILE',
		check => \&FTMPI::Cli::Values::file_pattern,
		text  => 'The same for standard error of the ranks alone. It may be the file of -outfile-pattern.',
	},
	{
		names => ['pty'],
		kind  => 'flag',
		text  => 'Standard output of the ranks is a terminal to them: for programs that keep what they'
			. ' print when it is not one (Python, for example).',
	},
	{
		names => ['timeout'],
		arg   => 'TIME',
		check => \&FTMPI::Cli::Values::seconds,
		text  => 'End the job after TIME, with status 124: seconds, or with units as in 90s, 10m, 1.5h,'
			. ' 1h30m, 2d.',
	},
	{
		names => ['time-limit'],
		arg   => 'TIME',
		check => \&FTMPI::Cli::Values::seconds,
		text  => 'The job has TIME, as in a batch system. In time before its end (10 s, or three times what the longest line has taken; at most a quarter of TIME to begin with) a recovery line is made, or under -coord msglog a'
			. ' checkpoint of each rank, and the job is ended with status 75: the same command with -restore goes on. A SIGTERM does the same, which batch systems send before they kill (the line may take 20 s then); inside the job of a batch system also without this option.'
			. ' A program without -image is told by FTMPI_Checkpoint_due, but not under -coord msglog: there the latest checkpoints count. Status 124, or 143, if there is nothing to go on from.',
	},
	{
		names => ['stop-after-ckpt'],
		kind  => 'flag',
		text  => 'End the job, with status 75, after the recovery line that SIGUSR2 asks for, which may take 10 minutes, or three times what the longest line has taken.',
	},
	{
		names => ['term-ranks'],
		arg   => 'S',
		check => \&FTMPI::Cli::Values::grace,
		text  => 'Pass a SIGTERM to the ranks, and end the job when they have ended or S seconds later. A program'
			. ' that catches it can save its last state.',
	},
	{
		names   => ['ports'],
		arg     => 'A-B',
		check   => \&FTMPI::Cli::Values::ports,
		default => 'any free port',
		text    => 'Listen on TCP ports A to B only. Every host needs two for each of its'
			. ' ranks, or one with -heartbeat 0. With -coord msglog the process of -keeper-hosts listens on one more, any free port of its host.',
	},
	{
		names => ['iface'],
		arg   => 'NAME|CIDR',
		check => \&FTMPI::Cli::Values::iface,
		text  => 'Ranks talk over this network: an interface (eth0) or its addresses'
			. ' (10.0.0.0/8), on every host.',
	},
	{
		names => [qw(no-oversubscribe nooversubscribe)],
		kind  => 'flag',
		text  => 'Refuse to start more ranks than there are slots.',
	},
	{
		names => ['oversubscribe'],
		kind  => 'flag',
		text  => 'Accepted for scripts of other launchers, without effect: more ranks than slots may be started unless'
			. ' -no-oversubscribe is given.',
	},
	{
		names => [qw(allow-run-as-root use-hwthread-cpus)],
		kind  => 'flag',
		text  => 'Accepted for scripts of Open MPI, without effect: root may start jobs, and hardware threads are'
			. ' used where there are too few cores, see -bind.',
	},
	{
		names   => [qw(bind bind-to)],
		arg     => 'core|none|auto',
		check   => \&FTMPI::Cli::Values::binding,
		default => 'auto',
		text    => 'Which processors a rank may use. auto: the processors that a host gives to the job are divided'
			. ' among its ranks evenly; where they do not suffice, ranks use all of them. core: each rank has a core of'
			. ' its own, or, with OMP_NUM_THREADS=T, T cores; a hardware thread in place of each core where there'
			. ' are too few cores; where these do not suffice either, the job does not begin. none: each rank may use all. -vv tells which ones each rank got.',
	},
	{
		names   => ['heartbeat'],
		arg     => 'MS',
		check   => FTMPI::Cli::Values::milliseconds('a period in ms: 0 for none, or', 10, 60000, 0),
		default => 100,
		text    => 'Ranks send each other heartbeats every MS milliseconds (or 2s). 0: none; then only'
			. ' deaths and closed connections are noticed.',
	},
	{
		names   => ['timeout-heartbeat'],
		arg     => 'MS',
		check   => FTMPI::Cli::Values::milliseconds('a time in ms', 30, 86400000),
		default => '1000, but at least 3 periods',
		text    => 'A rank or host without a sign of life for so long has failed. At least 3 periods of'
			. ' -heartbeat.',
	},
	{
		names   => ['starved-limit'],
		arg     => 'S',
		check   => FTMPI::Cli::Values::whole('a time in s: 0 for none, or', 1, 86400, 0),
		default => 60,
		text    => 'A rank that gets no processor, or waits in the kernel for memory or a disk, as its agent'
			. ' sees it, has failed only after S seconds without a sign of life; so has a host that is'
			. ' known to be short of processors. Agents wait as long for ftmpirun itself, when that is held up in such a way. 0: no longer than any other.',
	},
	{
		names   => ['ckpt-interval'],
		arg     => 'TIME|auto',
		check   => \&FTMPI::Cli::Values::interval,
		default => 'never',
		text    => 'FTMPI_Checkpoint_due() is true when TIME has passed since the last'
			. ' checkpoint: seconds, or with units as in 90s, 10m, 1.5h, 1h30m. A program that makes no checkpoints needs -image. Under eventlog not'
			. ' before that checkpoint is written, however long the disk takes. With -image a recovery line is made'
			. ' when TIME has passed since the last one; with -image and -coord msglog each rank makes a checkpoint every TIME, one rank after the other. auto: a time that follows from what lines cost this job, and from how often it fails (-mtbf): sqrt(2 C M), with'
			. ' C seconds for a line and M seconds from one failure to the next; the first line after 10 s, or a tenth of M if that is less, and lines take half of the time at most. It changes while the job runs, -v tells it, and the run record has it. Not with -coord msglog.',
	},
	{
		names   => ['mtbf'],
		arg     => 'TIME',
		check   => \&FTMPI::Cli::Values::seconds,
		default => '24h, until the job has failed',
		text    => 'With -ckpt-interval auto: the time from one failure of the job to the next that is expected.',
	},
	{
		names   => ['ckpt-order'],
		arg     => 'round-robin|adaptive|random',
		check   => \&FTMPI::Cli::Values::ckpt_order,
		default => 'round-robin',
		text    => 'With -coord msglog and -image: which rank is the next to make a checkpoint: the one after the last; the one for which the'
			. ' others keep most of what they have sent; or any. A rank that'
			. ' begins again is passed over.',
	},
	{
		names   => ['output'],
		arg     => 'once|repeat',
		check   => \&FTMPI::Cli::Values::output,
		default => 'once',
		text    => 'With -coord msglog: whether what a rank has printed on its standard output is printed once, also when it runs again,'
			. ' or as often as it prints it.',
	},
	{
		names => ['image'],
		kind  => 'flag',
		text  => 'Recovery lines hold images of the ranks\' processes: the program needs no call for them, and after a failure'
			. ' goes on where it was. A line is made every -ckpt-interval, on SIGUSR2 to ftmpirun, and by'
			. ' FTMPI_Perform_Checkpoint in a program that has it. With -coord msglog each rank is saved alone, every -ckpt-interval and on SIGUSR2, and goes on alone. The manual page has more under IMAGES OF PROCESSES.',
	},
	{
		names   => ['image-patience'],
		arg     => 'TIME',
		check   => \&FTMPI::Cli::Values::grace,
		default => '10 s',
		text    => 'With -image: a rank that has not come to where it can be saved after TIME does without that recovery line, or checkpoint; under'
			. ' blocking so do all. A rank whose image is not written on for six times TIME does without it, too.',
	},
	{
		names   => ['image-files'],
		arg     => 'cut|keep',
		check   => \&FTMPI::Cli::Values::image_files,
		default => 'cut',
		text    => 'With -image: what becomes of a file that the program had open for writing when a line was made, and has written'
			. ' to since. cut: it gets the length that it had, and what was written since is written again. keep: it'
			. ' stays as it is, which is the default with -coord msglog, where other ranks may have written to it, too, and do not go back.',
	},
	{
		names   => ['keep'],
		arg     => 'N',
		check   => FTMPI::Cli::Values::whole('a number of recovery lines', 1, 1000000),
		default => 2,
		text    => 'Keep the newest N recovery lines. Room for one more is needed while it is made; after a'
			. ' restart the earlier lines stay until there are N new ones.',
	},
	{
		names   => ['transport'],
		arg     => 'auto|tcp|shm',
		check   => \&FTMPI::Cli::Values::transport,
		default => 'auto',
		text    => 'How ranks of one host speak with each other. auto: through memory, and over TCP where'
			. ' none can be shared (a container with processes of its own). shm: through memory, or'
			. ' not at all, but for ranks that have begun again alone on another host. tcp: over TCP. Ranks of different hosts always use TCP. Through memory a long'
			. ' message is read by its receiver where it lies, in one copy; that of a blocking send, where each rank has a processor, takes'
			. ' two, which both ranks make at the same time, as do all where the system keeps processes from reading each'
			. ' other (kernel.yama.ptrace_scope 2 or 3). The manual page'
			. ' has more under SHARED MEMORY.',
	},
	{
		names   => ['coord'],
		arg     => 'NAME',
		check   => \&FTMPI::Cli::Values::coord,
		default => 'blocking',
		text    => 'How ranks come to a recovery line. blocking: all stop, save and go on (with -image: all are copied, and go on). eventlog:'
			. ' no rank waits, each copies its state and goes on. The program has to call'
			. ' FTMPI_Restore (not with -image). It is for programs that send the'
			. ' same when they are run again; one whose messages depend on which came first'
			. ' (MPI_ANY_SOURCE, MPI_Waitany, MPI_Waitsome, MPI_Test, MPI_Iprobe) may not, and is'
			. ' ended after a restart when its messages differ, see ftmpi.h. tagging: the same by another rule, for comparison.'
			. ' auto: what the program asks for, else eventlog. compare: both rules at once; the'
			. ' job ends when they differ (for tests). msglog: there are no recovery lines, and a rank that failed begins again'
			. ' alone, with -image, or calls of ftmpi.h, from its own latest checkpoint; see MESSAGE LOGGING in the manual page.',
	},
	{
		names   => ['max-restarts'],
		arg     => 'N',
		check   => FTMPI::Cli::Values::whole('a number of restarts', 0, 1000000),
		default => 3,
		text    => 'Give up after N restarts in a row without a new recovery line; with -coord msglog, after N of one rank'
			. ' without a new checkpoint of it. 0: never restart.',
	},
	{
		names   => ['restart-on'],
		arg     => 'WHAT',
		check   => \&FTMPI::Cli::Values::restart_on,
		default => 'failure',
		text    => 'Which failures are mended by a restart. failure: those from outside (a rank'
			. ' that was killed or hangs, a host or connection that is gone). crash: also a rank'
			. ' that crashed (SIGSEGV and the like). any: also an exit status other than 0, and'
			. ' MPI_Abort. none: none (as -max-restarts 0), and a job that makes checkpoints says what -restore goes on from.',
	},
	{
		names => ['restart-from-start'],
		kind  => 'flag',
		text  => 'Also restart a program that makes no checkpoints, or whose recovery lines are gone: it begins'
			. ' again from the start.',
	},
	{
		names => ['restore'],
		arg   => 'auto|SESSION[:LINE]',
		kind  => 'optional',
		check => \&FTMPI::Cli::Values::restore,
		text  => 'Go on from the newest recovery line in the work directory that the same command left and did not finish; where'
			. ' there is none, from the newest of all; or from that of the session named here, or from one of its lines. auto: from'
			. ' a line if there is one, else from the beginning. A job that still runs on this host is refused; one that was'
			. ' started on another host cannot be seen, so see that it has ended. May also be the last word of the command; see "--".',
	},
	{
		names => ['accept-binary'],
		kind  => 'flag',
		text  => 'Restore also what another build of the program has saved, and let hosts have'
			. ' different builds. Beware: lines of another build are read as they are. A changed order'
			. ' or meaning of protected variables, or of what is packed into the data buffer, is not'
			. ' noticed, and the answer is wrong.',
	},
	{
		names => ['keeper-hosts'],
		arg   => 'HOST,...',
		text  => 'With -coord msglog: the host of the process that keeps what ranks saw since their checkpoints; of several the first that bears it when the job begins, or goes on with -restore; while it runs there is no change.'
			. ' It is reached as other hosts are (-ssh), FTMPI has to be there at the same path, and the work directory a folder that it shares with this host, locks included. Default: this host.',
	},
	{
		names   => ['outcome-limit'],
		arg     => 'SIZE',
		check   => FTMPI::Cli::Values::size(1 << 16, 1 << 44),
		default => '1G',
		text    => 'With -coord msglog: the most that the outcomes of all ranks may take, 16 bytes each, in the memory of the process that keeps'
			. ' them (-keeper-hosts) and in the work directory. Those before a rank\'s latest checkpoint are dropped, and without checkpoints none is; when there are more the job ends. From 64K on.',
	},
	{
		names => ['log-limit'],
		arg   => 'SIZE',
		check => FTMPI::Cli::Values::size(1 << 20, 1 << 41),
		text  => 'With -coord msglog: the most that a rank may keep of what it has sent, in its memory (so think of all ranks of a host; images have it, too), with 320 bytes for each message; 1M at least. From half of that on the rank for which it keeps'
			. ' most is asked for a checkpoint before its turn; at the limit a send waits for that. Where none can be asked for, as without -image,'
			. ' a sentence says so, and the job goes on. Default: no limit, so it may come to fill the memory of a job without checkpoints.',
	},
	{
		names => ['verify-replay'],
		kind  => 'flag',
		text  => 'With -coord msglog: look whether a rank that runs again sends what it sent before, and end the job with a sentence'
			. ' if it does not. Costs a message for each message, and 8 bytes of memory.',
	},
	{
		names => ['inject'],
		arg   => 'FAILURE,...',
		check => sub { require FTMPI::Cli::Injections; FTMPI::Cli::Injections::parse(@_) },
		text  => 'Practise failures: kill:RANK@T, stop:RANK@T+D, host:NAME@T, cut:RANK-RANK@T+D, diskfull@T[+D], corrupt:RANK@T and corrupt:RANK@last. T is the time after'
			. ' all ranks have called MPI_Init for the first time, and D how long it lasts: 5s, 1m30s, 500ms. Each is printed when it comes about. At most 1000. The manual page has more under PRACTISING FAILURES.',
	},
	{
		names => ['inject-random'],
		arg   => 'RATE,SEED',
		check => sub { require FTMPI::Cli::Injections; FTMPI::Cli::Injections::parse_random(@_) },
		text  => 'Kill a rank at random again and again, as long as the job runs: RATE of them, on the average, as 6/h or 1/10m (a number alone: an hour). The same SEED, a number,'
			. ' kills the same ranks at the same times after MPI_Init.',
	},
	{
		names => ['debug'],
		kind  => 'flag',
		text  => 'Ranks may be stopped in a debugger: nothing is done about one without a sign of life.',
	},
	{
		names => ['dump'],
		kind  => 'flag',
		text  => 'On SIGUSR1 to ftmpirun every rank prints what it waits for: sends and receives that'
			. ' are not done, and messages without a receive.',
	},
	{
		names => ['progress'],
		kind  => 'flag',
		text  => 'Show how the job does: on a terminal in a line at its bottom that is written again each second, below what the job prints, and not while ftmpirun is in the background; elsewhere in a line each minute, on standard'
			. ' error. The program can tell more with FTMPI_Progress. See also ftmpi-top(1).',
	},
	{
		names => ['record'],
		kind  => 'flag',
		text  => 'Keep the run record, events.jsonl in the folder of the session in the work directory, from the beginning, and whatever becomes of the job. Without it'
			. ' the record begins with the first recovery line, or checkpoint, and a job without any leaves none. It has one JSON object a line; see record.md. A line is written'
			. ' when it happens. It grows to 64 MiB at most.',
	},
	{
		names => [qw(v verbose)],
		kind  => 'count',
		text  => 'Tell on standard error of recovery lines, restarts and the end, with the time, sizes and durations. Twice, or -vv: also what the launcher, the hosts and the ranks\' connections do.',
	},
	{
		names => ['vv'],
		kind  => 'twice',
		key   => 'v',
		text  => 'The same as -v -v.',
	},
	{
		names => ['-'],
		kind  => 'flag',
		text  => 'The options end here: what follows is given to the program untouched, a final -restore'
			. ' too.',
	},
	{
		names => [qw(version V)],
		kind  => 'flag',
		text  => 'Print the version.',
	},
	{
		names => [qw(help h)],
		kind  => 'flag',
		text  => 'Print this list.',
	},
	{
		names => ['man'],
		kind  => 'flag',
		text  => 'Print the source of the manual page.',
	},
);

# But for "--", which is no name.
my %BY_NAME = map {
	my $entry = $_;
	map { $_ => $entry } grep { $_ ne '-' } @{ $entry->{names} }
} @TABLE;

sub table { return @TABLE }

# The entry of a name, or nothing; all names.
sub _entry { my ($name) = @_; return $BY_NAME{$name} }
sub _names { return keys %BY_NAME }

# The words of a command line, without the program's name, as a hash: an option's first name => its
# value; n, machinefile, workdir from either spelling; prog => [program, arguments]; more, if there are
# other parts of the job: { n, prog, wdir, x } each; passed, if there are any: arguments that may have been meant as options.
# With configfile there is no program yet: see parse_lines. n is left out where there are to be ppn ranks on each host.
sub parse
{
	return _parse(sub {
		my ($got, $words, $untouched) = @_;
		_positional($got, $words) if !defined $got->{ppn} || _is_positional($got, $words, $untouched);
	}, @_);
}

sub _parse
{
	my ($without_n, @words) = @_;
	my (%got, $untouched);
	while (@words && $words[0] =~ /^--?(.+)\z/s) {
		my $word = shift @words;
		$untouched = $word eq '--';
		last if $untouched;
		_option(\%got, $word, $1, \@words);
		return \%got if $got{help} || $got{version} || $got{man};
	}
	_take_ppr(\%got);
	return _without_program(\%got, $untouched, @words) if defined $got{configfile};
	my $has_parts = defined $got{n} && !$untouched;
	$without_n->(\%got, \@words, $untouched) if !defined $got{n};
	_take_restore(\%got, \@words) if !$untouched;
	_take_parts(\%got, \@words) if $has_parts;
	_refuse_parts(@words) if !defined $got{n} && !$untouched;
	return _finished(\%got, $untouched, @words);
}

# untouched: the words of the program are its own, whatever they are.
sub _finished
{
	my ($got, $untouched, @words) = @_;
	_refuse("no program is named") if !@words;
	_refuse('-host and -machinefile exclude each other')
		if $got->{host} && defined $got->{machinefile};
	_refuse('-oversubscribe and -no-oversubscribe exclude each other')
		if $got->{oversubscribe} && $got->{'no-oversubscribe'};
	for my $option (grep { defined $got->{$_} && defined $got->{'output-filename'} } qw(outfile-pattern errfile-pattern)) {
		_refuse("-output-filename and -$option exclude each other");
	}
	_check_heartbeat($got);
	_check_image($got);
	_check_msglog($got);
	_check_auto($got);
	$got->{prog} = \@words;
	my @passed = $untouched ? () : _passed(map { @{ $_->{prog} } } $got, @{ $got->{more} // [] });
	$got->{passed} = \@passed if @passed;
	return $got;
}

# -map-by ppr:N:node says both how many ranks a host gets, and in which order.
sub _take_ppr
{
	my ($got) = @_;
	my ($n) = ($got->{'map-by'} // '') =~ /^ppr:([0-9]+):node\z/ or return;
	_refuse("-map-by $got->{'map-by'} and -ppn exclude each other") if defined $got->{ppn};
	@$got{qw(ppn map-by)} = ($n, 'slot');
	return;
}

# Of these words the options without which a job has no recovery lines, or others than its user thinks. (Of -restore and
# -accept-binary see _take_restore.)
sub _passed
{
	return grep { /^--?(?:image|ckpt-interval|workdir|coord)(?:=|\z)/ } @_;
}

# A final -restore behind the program, in both spellings: the same command as before with one word more.
sub _take_restore
{
	my ($got, $words) = @_;
	_refuse_almost_restore($words) if @$words > 2;
	return if @$words < 2 || $words->[-1] !~ /^--?restore(?:=|\z)/;
	my $value = eval { _restored($words->[-1]) }
		// FTMPI::Error::usage($@->text . '; if the word is the program\'s own, write -- before the program');
	_set($got, 'restore', $value);
	pop @$words;
	return;
}

# What follows a word ":" is another part of the job, and so on.
sub _take_parts
{
	my ($got, $words) = @_;
	my ($colon) = grep { $words->[$_] eq ':' } 0 .. $#$words;
	return if !defined $colon;
	my (undef, @rest) = splice @$words, $colon;
	_refuse("$words->[-1] is for the whole job: it goes before the first program or to the end")
		if @$words > 1 && $words->[-1] =~ /^--?restore(?:=(.*))?\z/s && (!defined $1 || _is_restored($1));
	my $part = _part(\@rest, ' behind a ":"');
	_take_parts(\my %next, $part->{prog});
	_refuse('no program is named beside a ":"') if !@{ $part->{prog} } || !@$words;
	$got->{more} = [ $part, @{ $next{more} // [] } ];
	_check_sum($got);
	return;
}

# Three periods: one lost, one late, one on its way.
sub _check_heartbeat
{
	my ($got) = @_;
	my ($period, $limit) = @$got{qw(heartbeat timeout-heartbeat)};
	return if !defined $limit;
	$period //= 100;
	_refuse('-timeout-heartbeat has no meaning with -heartbeat 0') if !$period;
	_refuse("-timeout-heartbeat $limit is less than three periods of -heartbeat $period")
		if $limit < 3 * $period;
	return;
}

# An image belongs to one build of a program; and the launcher, which begins lines, has to know whether all ranks
# wait for each other in them.
sub _check_image
{
	my ($got) = @_;
	for my $option (grep { defined $got->{$_} && !$got->{image} } qw(image-patience image-files)) {
		_refuse("-$option has no meaning without -image");
	}
	return if !$got->{image};
	_refuse('-accept-binary has no meaning with -image: the image of a process is of one build of its program')
		if $got->{'accept-binary'};
	_refuse('with -image the protocol is not left to the program: write -coord eventlog, or -coord blocking, for -coord auto')
		if ($got->{coord} // '') eq 'auto';
	return;
}

sub _check_auto
{
	my ($got) = @_;
	my $is_auto = ($got->{'ckpt-interval'} // '') eq 'auto';
	_refuse('-mtbf has no meaning without -ckpt-interval auto') if defined $got->{mtbf} && !$is_auto;
	_refuse('-ckpt-interval auto has no meaning with -coord msglog, where each rank fails, and goes back, alone: write a time') if $is_auto && ($got->{coord} // '') eq 'msglog';
	return;
}

# Under message logging there are no recovery lines, and each rank has checkpoints: with images those of its process, else those that the program makes.
sub _check_msglog
{
	my ($got) = @_;
	my $is_used = ($got->{coord} // '') eq 'msglog';
	for my $option (grep { defined $got->{$_} && !$is_used } qw(verify-replay keeper-hosts outcome-limit log-limit ckpt-order output)) {
		_refuse("-$option has no meaning without -coord msglog");
	}
	return if !$is_used;
	_refuse('-ckpt-order has no meaning with -coord msglog and without -image: the program says when each rank makes a checkpoint then')
		if defined $got->{'ckpt-order'} && !$got->{image};
	my ($saves) = grep { defined $got->{$_} } qw(image ckpt-interval restore);
	_refuse("-pty cannot be used with -coord msglog and -$saves: what lies in a terminal cannot be counted, so it would be printed twice, or not at all")
		if $got->{pty} && defined $saves;
	_refuse('-restore=SESSION:LINE has no meaning with -coord msglog: each rank goes on from its own latest checkpoint; write -restore=SESSION')
		if ($got->{restore} // '') =~ /:/;
	for my $option (grep { defined $got->{$_} } qw(keep restart-from-start)) {
		_refuse("-$option has no meaning with -coord msglog: that makes no recovery lines, and a rank that failed begins again alone");
	}
	return;
}

# How long an agent that hears nothing of the launcher believes in it, in ms: longer than it takes to
# find out here that the host is lost.
sub silence
{
	my ($limit) = @_;
	return 5 * $limit > 5000 ? 5 * $limit : 5000;
}

# Period and timeout in ms; 0 for none.
sub heartbeat
{
	my ($got) = @_;
	my $period = $got->{heartbeat} // 100;
	my $limit = $got->{'timeout-heartbeat'} // (3 * $period > 1000 ? 3 * $period : 1000);
	return ($period, $limit);
}

sub _option
{
	my ($got, $word, $name, $words) = @_;
	my $entry = _entry($name) // _with_value($name) // _unknown($word, $name);
	my $key  = $entry->{names}[0];
	my $kind = $entry->{kind} // 'value';
	if ($kind eq 'optional') {
		_refuse("write $word=$words->[0] for $word $words->[0]") if $name eq $key && @$words && _is_restored($words->[0]);
		_set($got, $key, _restored($word));
		return;
	}
	if ($kind eq 'flag' || $kind eq 'count') {
		$got->{$key}++;
		return;
	}
	if ($kind eq 'twice') {
		$got->{ $entry->{key} } += 2;
		return;
	}
	if ($kind eq 'pair') {
		_refuse("$word needs two words: $word $entry->{arg}") if @$words < 2;
		push @{ $got->{ $entry->{key} } }, FTMPI::Cli::Values::pair(splice(@$words, 0, 2), $word);
		return;
	}
	_refuse("$word needs a value: $word $entry->{arg}") if !@$words;
	my $value = shift @$words;
	_refuse("$word needs a value: $word $entry->{arg}") if !length $value;
	$value = $entry->{check}->($value, $word) if $entry->{check};
	if ($kind eq 'list') {
		push @{ $got->{$key} }, $value;
		return;
	}
	_set($got, $key, $value);
	return;
}

sub _set
{
	my ($got, $key, $value) = @_;
	_refuse("-$key is given twice") if exists $got->{$key};
	$got->{$key} = $value;
	return;
}

1;

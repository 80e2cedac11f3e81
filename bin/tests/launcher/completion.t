#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What bash completes for the commands: its functions are called as bash calls them.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use File::Path qw(make_path);
use File::Temp ();
use Test::More;

use FTMPI::Cli::Completion ();
use FTMPI::Cli::Options    ();
use FTMPI::Compiler        ();

my $folder = File::Temp->newdir('ftmpi-completion-XXXXXX', TMPDIR => 1);
my @sessions = qw(20261121-203610-1a2b3c4d 20261122-080000-00000001);
make_path(map { "$folder/runs/$_" } @sessions, 'other', '20261121-203610');
make_path("$folder/a folder", "$folder/scripts");
for my $name ('nodes.txt', 'prog', 'two words') {
	open my $out, '>', "$folder/$name" or die "$name: $!";
}
FTMPI::Cli::Completion::main("$folder/scripts", "$ENV{FTMPI_PROGRAMS}/ftmpi-ckpt", "$FindBin::RealBin/../../ftmpi-report");

# As bash has it: the line up to the cursor, and what it breaks words at. What is there to be completed, in order, of the commands and files here
# alone.
sub completed
{
	my ($line, $breaks) = @_;
	my ($command) = $line =~ /^(\S+)/;
	my $file = $command =~ /^(?:ftmpi(?:cxx|fort)|mpi(?:c|f).*|mpiCC)\z/ ? 'ftmpicc' : $command =~ /^mpi/ ? 'ftmpirun' : $command;
	local $ENV{LINE}   = $line;
	local $ENV{BREAKS} = $breaks // " \t\n\"'><=;|&(:";
	local $ENV{NAME}   = $command;
	local $ENV{SCRIPT} = "$folder/scripts/$file";
	open my $bash, '-|', 'bash', '--norc', '--noprofile', '-c', <<'EOS', 'bash', "$folder" or die "bash: $!";
cd "$1" || exit
enable -n compopt
HOSTFILE=hosts
. "$SCRIPT" || exit
COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_WORDS=("$NAME") COMP_WORDBREAKS=$BREAKS
[[ $(complete -p "$NAME" 2>/dev/null) =~ \ -F\ ([^ ]+) ]] || exit
"${BASH_REMATCH[1]}" || echo "status $?"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
EOS
	local $/;
	my $all = <$bash> // '';
	return join '|', sort split /\n/, $all;
}

sub has
{
	my ($line, $expected, $name, @more) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(completed($line, @more), $expected, $name);
	return;
}

is(system('bash', '-n', "$folder/scripts/$_"), 0, "$_ is a script of bash") for qw(ftmpirun ftmpi-ckpt ftmpi-report ftmpi-top ftmpicc);

# Every command, and every option that its -help has, whatever becomes of either: what is not completed at all shows here.
my $bin = "$FindBin::RealBin/../..";
my %words_of = ('ftmpi-ckpt' => 'ftmpi-ckpt list');
for my $path (grep({ -f } glob "$bin/*"), grep { m{/ftmpi-} && !m{/ftmpi-keeper\z} } glob "$ENV{FTMPI_PROGRAMS}/ftmpi-*") {
	my ($command) = $path =~ m{([^/]+)\z};
	my $help = `$path -help`;
	is($?, 0, "$command -help");
	my @options = grep { /\w/ } map { split /, / } $help =~ /^  (-[-:\w]+(?:, -[-:\w]+)*)/mg;
	cmp_ok(scalar @options, '>', 2, "... has options");
	my %offered = map { $_ => 1 } split /\|/, completed(($words_of{$command} // $command) . ' -');
	is(join(' ', grep { !$offered{ s/:.*//r } } @options), '', '... which are all offered');
}

# The names that every MPI has, where they lead to these commands.
{
	local $ENV{PATH} = "$bin/../libexec/ftmpi/bin:$ENV{PATH}";
	has("$_ -max", '-max-restarts', "$_ is ftmpirun") for qw(mpirun mpiexec);
	has("$_ -link", '-link-info', "$_ is a compiler") for qw(mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90);
	symlink '/bin/true', "$folder/mpirun" or die "mpirun: $!\n";
	$ENV{PATH} = "$folder:$ENV{PATH}";
	has('mpirun -max', '', "another MPI's mpirun is not");
}

# ftmpirun: every option, values of fixed choices, files, sessions.
my %offered = map { $_ => 1 } split /\|/, completed('ftmpirun -');
for my $entry (FTMPI::Cli::Options::table()) {
	ok($offered{"-$_"}, "-$_ is offered") for grep { $_ ne '-' } @{ $entry->{names} };
}
has('ftmpirun -max', '-max-restarts', 'an option');
has('ftmpirun -n 4 --map', '--map-by', '... with two dashes, behind another');
has('ftmpirun -bind ', 'auto|core|none', 'values of -bind');
has('ftmpirun -n 4 --bind-to c', 'core', '... of its other name');
has('ftmpirun -map-by ', 'node|slot', '... of -map-by');
has('ftmpirun -coord m', 'msglog', '... of -coord');
has('ftmpirun -restart-on ', 'any|crash|failure|none', '... of -restart-on');
has('ftmpirun -n ', '', 'a number is nobody\'s to guess');
has('ftmpirun -machinefile no', 'nodes.txt', 'a machine file');
has('ftmpirun -configfile two', 'two words', '... with a blank in its name');
has('ftmpirun -workdir r', 'runs', 'a folder');
has('ftmpirun -workdir n', '', '... which a file is not');
has('ftmpirun -n 2 -env A ', '', 'the second word of -env');
has('ftmpirun -n 2 -x BREA', 'BREAKS', 'a variable');
has('ftmpirun -n 2 ./pr', './prog', 'the program');
has('ftmpirun -n 2 ./prog no', 'nodes.txt', 'its arguments');
has('ftmpirun -n 2 ./prog -bi', '', '... are no options');
has('ftmpirun -n 2 ./prog -r', '-restore', '... but for the last');
has('ftmpirun -n 2 -- ./prog -r', '', '... behind -- neither');
has('ftmpirun -n 2 ./prog : -wdi', '-wdir', 'another part');
has('ftmpirun nodes.txt 2 runs ./prog : -wdi', '', '... which the first spelling has not');
has('ftmpirun -n 2 -host a:4,b:4 -bind n', 'none', 'a word at which bash breaks');
for my $before ('-n 2 -workdir runs', '-workdir runs -n 2 ./prog', 'nodes.txt 4 runs ./prog') {
	has("ftmpirun $before -restore=", join('|', @sessions, 'auto'), "sessions in the work directory: $before");
	has("ftmpirun $before --restore=20261122", $sessions[1], '... that begin so');
	has("ftmpirun $before -restore=20261122", "-restore=$sessions[1]", '... where bash does not break words at =', " \t\n");
}
has('ftmpirun -restore=', 'auto', 'no sessions here');

# ftmpi-ckpt.
has('ftmpi-ckpt ', 'list|now|prune|show|verify', 'commands of ftmpi-ckpt');
has('ftmpi-ckpt v', 'verify', '... that begin so');
has('ftmpi-ckpt list -', '-h|-help|-json|-keep|-line|-session|-table|-version', '... its options');
has('ftmpi-ckpt show ru', 'runs', '... a work directory');
has('ftmpi-ckpt show runs -session 20261121', $sessions[0], '... a session in it');
has('ftmpi-ckpt show -line ', '', '... a number');

# ftmpi-top, ftmpi-report.
has('ftmpi-top --o', '--once', 'an option of ftmpi-top, with two dashes');
has('ftmpi-top -once ru', 'runs', '... a work directory');
has('ftmpi-top runs/20261122', "runs/$sessions[1]", '... a session in it');
has('ftmpi-top no', '', '... which a file is not');
has('ftmpi-report ru', 'runs', 'a work directory of ftmpi-report');
has('ftmpi-report runs -m', '-man|-mtbf', '... its options');
has('ftmpi-report runs -session ', join('|', @sessions), '... sessions in it');
has('ftmpi-report runs -o two', 'two words', '... a file');
has('ftmpi-report runs -mtbf ', '', '... a time');
has('ftmpi-report -o out.html ru', 'runs', '... a work directory behind an option');

# ftmpicc.
for my $command (qw(ftmpicc ftmpicxx ftmpifort)) {
	has("$command -link", '-link-info', "options of $command");
}
has('ftmpicc -showme:li', '-showme:libdirs|-showme:libs|-showme:link', '... of -showme:WHAT', " \t\n");
has('ftmpicc -showme:li', join('|', qw(libdirs libs link)), '... of -showme:WHAT, behind the :');
has('ftmpicc fi', '', 'files are left to bash');
for my $what (FTMPI::Compiler::questions()) {
	my ($show) = FTMPI::Compiler::command('c', { include => 'i', lib => 'l', fortran => 'f' }, {}, "-showme:$what");
	is($show, 1, "-showme:$what has an answer");
}

done_testing;

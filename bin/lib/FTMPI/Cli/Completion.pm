# SPDX-License-Identifier: BSD-3-Clause
#
# What bash completes for the commands: scripts for its completion, made of the tables and lists of their options when FTMPI is built.
package FTMPI::Cli::Completion;

use strict;
use warnings;

use FTMPI::Cli::Options ();
use FTMPI::Cli::Top     ();
use FTMPI::Cli::Values  ();
use FTMPI::Compiler     ();

# How values are completed that are not a choice of words, by what stands for them in the table of options.
my %KIND = (FILE => 'file', DIR => 'dir', LIST => 'hosts', 'HOST,...' => 'hosts', 'VAR[=VALUE]' => 'variable', CMD => 'command');

# By the option's first name, where that is not enough.
my %KIND_OF = (
	iface        => 'interface',
	coord        => join(' ', 'words', FTMPI::Cli::Values::coords()),
	'restart-on' => join(' ', 'words', FTMPI::Cli::Values::whats()),
);

my $HEAD = <<'EOS';
# SPDX-License-Identifier: BSD-3-Clause
# Made from the options of %s: do not change it here.

# Splits the line up to the cursor into the array `words`, from the command on, at blanks alone; `cur` is the last one. (bash has it split at = and :, too.)
_ftmpi_words()
{
	local line=${COMP_LINE:0:COMP_POINT}
	read -ra words <<<"$line"
	[[ $line != *[[:blank:]] ]] || words+=('')
	while ((${#words[@]} > 1)) && [[ ${words[0]} != "${COMP_WORDS[0]}" ]]; do words=("${words[@]:1}"); done
	cur=
	((${#words[@]} < 2)) || cur=${words[-1]}
}

# Adds lines of standard input to the answer, without what bash has split off before the last = or : of the word.
_ftmpi_add()
{
	local before='' one
	if [[ $cur == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then before=${cur%%"${cur##*[=:]}"}; fi
	while IFS= read -r one; do COMPREPLY+=("${one#"$before"}"); done
}

_ftmpi_files()
{
	compopt -o filenames 2>/dev/null
	_ftmpi_add < <(compgen "$@" -- "$cur")
}

# The sessions in the work directory $1, behind $2.
_ftmpi_sessions()
{
	local folder
	for folder in "${1/#\~\//$HOME/}"/[0-9]*-[0-9]*-*/; do
		folder=${folder%%/}
		folder=${folder##*/}
		[[ $folder =~ ^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$ && $2$folder == "$cur"* ]] && printf '%%s\n' "$2$folder"
	done | _ftmpi_sorted
}

_ftmpi_sorted() { LC_ALL=C sort -r; }

# Names that every MPI has, behind the command and its function: they are completed where they are that command here.
_ftmpi_names()
{
	local command=$1 function=$2 name path
	shift 2
	for name; do
		path=$(type -P "$name") && [[ $(readlink -f -- "$path") == */"$command" ]] && complete -F "$function" "$name"
	done
	return 0
}
EOS

my $RUN = <<'EOS';

# A value of this kind.
_ftmpirun_value()
{
	local before=${cur%"${cur##*,}"}
	case $1 in
	words\ *) _ftmpi_add < <(compgen -W "${1#words }" -- "$cur") ;;
	file) _ftmpi_files -f ;;
	dir) _ftmpi_files -d ;;
	command) _ftmpi_add < <(compgen -c -- "$cur") ;;
	variable) _ftmpi_add < <(compgen -A export -- "$cur") ;;
	hosts) _ftmpi_add < <(compgen -P "$before" -A hostname -- "${cur##*,}") ;;
	interface) _ftmpi_add < <(cd /sys/class/net 2>/dev/null && compgen -f -- "$cur") ;;
	esac
}

_ftmpirun()
{
	local words cur workdir=. i kind name has_n='' dashes
	local -a own=()
	COMPREPLY=()
	_ftmpi_words
	local last=$((${#words[@]} - 1)) ends=''
	((last > 0)) || return 0
	for ((i = 1; i < last; i++)); do
		if ((${#own[@]})) || [[ $ends ]]; then
			if [[ ${words[i]} == : && $has_n && ! $ends ]]; then own=(); else own+=("${words[i]}"); fi
			continue
		fi
		case ${words[i]} in
		--) ends=1 ;;
		-*)
			name=${words[i]#-} name=${name#-}
			[[ $name != n && $name != np && $name != ppn ]] || has_n=1
			kind=$(_ftmpirun_kind "$name")
			[[ $kind ]] || continue
			if [[ $name == workdir ]]; then workdir=${words[i + 1]}; fi
			((++i))
			if ((i < last)) && [[ $kind == pair ]]; then ((++i)); fi
			if ((i >= last)); then
				_ftmpirun_value "$kind"
				return 0
			fi
			;;
		*) own=("${words[i]}") ;;
		esac
	done
	# MACHINEFILE N WORKDIR
	if [[ ! $has_n && ${own[1]} =~ ^[0-9]+$ ]]; then workdir=${own[2]:-.}; fi
	dashes=${cur%%[!-]*}
	if [[ $cur == -restore=* || $cur == --restore=* ]]; then
		_ftmpi_add < <(compgen -W "$dashes"restore=auto -- "$cur"; _ftmpi_sessions "$workdir" "${cur%%=*}=")
	elif ((${#own[@]} == 0)) && [[ $cur == -* && ! $ends ]]; then
		_ftmpi_add < <(compgen -P "$dashes" -W "$_ftmpirun_names" -- "${cur#"$dashes"}")
	elif [[ $cur == -r* || $cur == --r* ]] && [[ ! $ends ]]; then
		_ftmpi_add < <(compgen -P "$dashes" -W restore -- "${cur#"$dashes"}")
	elif ((${#own[@]} == 0)) && [[ $cur != */* ]]; then
		_ftmpi_files -fc
	else
		_ftmpi_files -f
	fi
	return 0
}
complete -F _ftmpirun ftmpirun
_ftmpi_names ftmpirun _ftmpirun mpirun mpiexec
EOS

my $CKPT = <<'EOS';

_ftmpi_ckpt()
{
	local words cur i command='' folder=.
	COMPREPLY=()
	_ftmpi_words
	local last=$((${#words[@]} - 1))
	((last > 0)) || return 0
	for ((i = 1; i < last; i++)); do
		case ${words[i]} in
		-session | --session | -line | --line | -keep | --keep) ((++i)) ;;
		-*) ;;
		*) if [[ $command ]]; then folder=${words[i]}; else command=${words[i]}; fi ;;
		esac
	done
	case ${words[last - 1]} in
	-session | --session) _ftmpi_add < <(_ftmpi_sessions "$folder" '') ;;
	-line | --line | -keep | --keep) ;;
	*)
		if [[ $cur == -* ]]; then
			_ftmpi_add < <(compgen -W "$_ftmpi_ckpt_options" -- "$cur")
		elif [[ ! $command ]]; then
			_ftmpi_add < <(compgen -W "$_ftmpi_ckpt_commands" -- "$cur")
		else
			_ftmpi_files -d
		fi
		;;
	esac
	return 0
}
complete -F _ftmpi_ckpt ftmpi-ckpt
EOS

my $CC = <<'EOS';

# What begins with a dash and is none of these, and files, are left to bash.
_ftmpicc()
{
	local words cur
	COMPREPLY=()
	_ftmpi_words
	[[ $cur != -* ]] || _ftmpi_add < <(compgen -W "$_ftmpicc_options" -- "$cur")
	return 0
}
complete -o bashdefault -o default -F _ftmpicc ftmpicc ftmpicxx ftmpifort
_ftmpi_names ftmpicc _ftmpicc mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90
EOS

# For a command that is given a work directory: function, kinds of values, options, command.
my $WORKDIR = <<'EOS';

# What stands behind an option; nothing where it has no value.
%1$s_kind()
{
	case $1 in
%2$s	esac
}

%1$s()
{
	local words cur i kind='' folder=. dashes
	COMPREPLY=()
	_ftmpi_words
	local last=$((${#words[@]} - 1))
	((last > 0)) || return 0
	for ((i = 1; i < last; i++)); do
		kind=''
		case ${words[i]} in
		-*)
			kind=${words[i]#-}
			kind=$(%1$s_kind "${kind#-}")
			[[ ! $kind ]] || ((++i))
			;;
		*) folder=${words[i]} ;;
		esac
	done
	((i > last)) || kind=''
	dashes=${cur%%%%[!-]*}
	case $kind in
	file) _ftmpi_files -f ;;
	session) _ftmpi_add < <(_ftmpi_sessions "$folder" '') ;;
	none) ;;
	*)
		if [[ $cur == -* ]]; then
			_ftmpi_add < <(compgen -P "$dashes" -W '%3$s' -- "${cur#"$dashes"}")
		else
			_ftmpi_files -d
		fi
		;;
	esac
	return 0
}
complete -F %1$s %4$s
EOS

# How the value of this option is completed; '' where it has none.
sub _kind
{
	my ($entry) = @_;
	my $kind = $entry->{kind} // 'value';
	return '' if !defined $entry->{arg} || $kind eq 'optional';
	return 'pair' if $kind eq 'pair';
	return $KIND_OF{ $entry->{names}[0] } // $KIND{ $entry->{arg} } // ($entry->{arg} =~ /^[a-z]+(?:[-|][a-z]+)*(?:\|ppr:N:node)?\z/
		? join ' ', 'words', grep { !/:/ } split /\|/, $entry->{arg} : 'none');
}

sub ftmpirun
{
	my @table = FTMPI::Cli::Options::table();
	my @names = grep { $_ ne '-' } map { @{ $_->{names} } } @table;
	my $cases = join '', map {
		my ($names, $kind) = (join(' | ', grep { $_ ne '-' } @{ $_->{names} }), _kind($_));
		length $kind ? "\t$names) echo '$kind' ;;\n" : ();
	} @table;
	return sprintf($HEAD, 'ftmpirun') . "\n_ftmpirun_names='" . join(' ', @names, 'restore=') . "'\n\n"
		. "# How the value of an option is completed; nothing where it has none.\n_ftmpirun_kind()\n{\n\tcase \$1 in\n$cases\tesac\n}\n" . $RUN;
}

# From what ftmpi-ckpt -help prints.
sub ftmpi_ckpt
{
	my ($help) = @_;
	my @commands = $help =~ /^  ([a-z]+) {2,}/mg;
	my @options = map { split /, / } $help =~ /^  (-\w+(?:, -\w+)*)/mg;
	die "no options in what ftmpi-ckpt -help prints\n" if !@commands || !@options;
	return sprintf($HEAD, 'ftmpi-ckpt') . "\n_ftmpi_ckpt_commands='@commands'\n_ftmpi_ckpt_options='@options'\n" . $CKPT;
}

# What stands behind an option of ftmpi-report, by its word for that.
my %VALUE = (FILE => 'file', S => 'session');

sub _of_workdir
{
	my ($command, $kinds, @names) = @_;
	my $cases = join '', map { "\t$_) echo '$kinds->{$_}' ;;\n" } sort keys %$kinds;
	my $function = '_' . $command =~ tr/-/_/r;
	return sprintf($HEAD, $command) . sprintf($WORKDIR, $function, $cases || "\t*) ;;\n", "@names", $command);
}

# From what ftmpi-top -help prints: no option has a value.
sub ftmpi_top { return _of_workdir('ftmpi-top', {}, map { s/-//r } map { split /, / } FTMPI::Cli::Top::HELP =~ /^  (-\w+(?:, -\w+)*)/mg) }

# From what ftmpi-report -help prints.
sub ftmpi_report
{
	my ($help) = @_;
	my (%kinds, @names);
	for ($help =~ /^  (-\w+(?:, -\w+)*(?: [A-Z]+)?) {2,}/mg) {
		my ($names, $value) = /^(.*?)(?: ([A-Z]+))?\z/;
		my @its = split /, /, $names =~ tr/-//dr;
		push @names, @its;
		@kinds{@its} = ($VALUE{$value} // 'none') x @its if defined $value;
	}
	die "no options in what ftmpi-report -help prints\n" if !%kinds;
	return _of_workdir('ftmpi-report', \%kinds, @names);
}

sub ftmpicc
{
	my @options = FTMPI::Compiler::help('ftmpicc', 'c') =~ /^  (-[-\w]+)/mg;
	push @options, '-showme', map { "-showme:$_" } FTMPI::Compiler::questions();
	my %seen;
	return sprintf($HEAD, 'ftmpicc') . "\n_ftmpicc_options='" . join(' ', grep { !$seen{$_}++ } @options) . "'\n" . $CC;
}

sub _help
{
	my ($program) = @_;
	my $help = `$program -help`;
	die "$program -help fails\n" if $?;
	return $help;
}

# Writes all into a folder; ckpt, report: the programs ftmpi-ckpt and ftmpi-report.
sub main
{
	my ($folder, $ckpt, $report) = @_;
	my %text = (ftmpirun => ftmpirun(), 'ftmpi-ckpt' => ftmpi_ckpt(_help($ckpt)), 'ftmpi-report' => ftmpi_report(_help($report)), 'ftmpi-top' => ftmpi_top(), ftmpicc => ftmpicc());
	for my $name (sort keys %text) {
		open my $out, '>', "$folder/$name" or die "$folder/$name: $!\n";
		print $out $text{$name};
		close $out or die "$folder/$name: $!\n";
	}
	return;
}

1;

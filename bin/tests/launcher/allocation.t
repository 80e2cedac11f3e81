#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What Slurm, PBS and LSF say of a job: hosts, slots and ranks, and a sentence about what cannot be read.
use strict;
use warnings;

use Errno qw(EACCES);
use Test::More;

use FTMPI::Cli::Allocation ();

sub hosts { return join ' ', FTMPI::Cli::Allocation::host_list($_[0]) }

# ---- Slurm's lists ----

for my $case (
	[ 'a',                      'a' ],
	[ 'node1',                  'node1' ],
	[ 'a,b.example.org',        'a b.example.org' ],
	[ 'a[1-3,7],b',             'a1 a2 a3 a7 b' ],
	[ 'b,a[1-3,7]',             'b a1 a2 a3 a7' ],
	[ 'n[008-011]',             'n008 n009 n010 n011' ],
	[ 'n[8-11]',                'n8 n9 n10 n11' ],
	[ 'n[08-9]',                'n08 n09' ],
	[ 'n[0-1]',                 'n0 n1' ],
	[ 'n[7]',                   'n7' ],
	[ 'n[007,9]',               'n007 n9' ],
	[ 'rack[0-1]n[01-02]',      'rack0n01 rack0n02 rack1n01 rack1n02' ],
	[ 'r[1-2]c[3,5]-ib,x[1-2]y', 'r1c3-ib r1c5-ib r2c3-ib r2c5-ib x1y x2y' ],
	[ '[1-3]',                  '1 2 3' ],
	[ 'a[1-2][3-4]',            'a13 a14 a23 a24' ],
	[ 'tux[0-1],tux[2-3]',      'tux0 tux1 tux2 tux3' ],
	)
{
	is(hosts($case->[0]), $case->[1], $case->[0]);
}
is(scalar(my @all = FTMPI::Cli::Allocation::host_list('n[1-65536]')), 65536, 'as many hosts as there may be');
is_deeply([ @all[ 0, 65535 ] ], [qw(n1 n65536)], '... from the first to the last');

for my $case (
	[ '',              qr/is not a list of hosts/ ],
	[ ',',             qr/is not a list of hosts/ ],
	[ 'a,',            qr/is not a list of hosts/ ],
	[ ',a',            qr/is not a list of hosts/ ],
	[ 'a,,b',          qr/is not a list of hosts/ ],
	[ 'a[1-3',         qr/is not a list of hosts/ ],
	[ 'a1-3]',         qr/is not a list of hosts/ ],
	[ 'a[1-3]]',       qr/is not a list of hosts/ ],
	[ 'a[1[2-3]]',     qr/is not a list of hosts/ ],
	[ 'a[]',           qr/has empty brackets/ ],
	[ 'a[1,]',         qr/has '' in brackets/ ],
	[ 'a[1-]',         qr/has '1-' in brackets/ ],
	[ 'a[-3]',         qr/has '-3' in brackets/ ],
	[ 'a[1-2-3]',      qr/has '1-2-3' in brackets/ ],
	[ 'a[x]',          qr/has 'x' in brackets/ ],
	[ 'a[1 2]',        qr/has '1 2' in brackets/ ],
	[ "a[1\n]",        qr/has '1' in brackets/ ],
	[ 'a[3-1]',        qr/has the range '3-1', which ends before it begins/ ],
	[ 'a[1-9999999999]', qr/in brackets, which is no range/ ],
	[ 'a[1-999999999]',  qr/has more than 65536 hosts/ ],
	[ 'a[1-65537]',    qr/has more than 65536 hosts/ ],
	[ 'a,b[1-65536]',  qr/has more than 65536 hosts/ ],
	[ 'a[1-999]b[1-999]c[1-999]', qr/has more than 65536 hosts/ ],
	[ 'a' . '[1-9]' x 9999, qr/has more than 65536 hosts/ ],
	[ 'a' x (1 << 21), qr/is longer than 1048576 bytes/ ],
	[ 'a' x 256,       qr/has a name of more than 255/ ],
	[ '-w,x',          qr/has '-w', which is not a name of a host/ ],
	[ 'a;id',          qr/has 'a;id', which is not a name/ ],
	[ "a\n",           qr/has 'a', which is not a name/ ],
	[ 'a b',           qr/has 'a b', which is not a name/ ],
	[ "o'x",           qr/which is not a name/ ],
	[ '$(id)',         qr/which is not a name/ ],
	[ '(null)',        qr/which is not a name/ ],
	)
{
	my ($text, $why) = @$case;
	my $shown = length $text > 40 ? substr($text, 0, 40) . '...' : $text =~ s/\n/\\n/r;
	ok(!eval { FTMPI::Cli::Allocation::host_list($text); 1 }, "refused: '$shown'");
	like($@, qr/$why.*\n\z/, '... and why');
}

for my $case ([ '2(x3),1', '2 2 2 1' ], [ '4', '4' ], [ '1,1,65536', '1 1 65536' ], [ '2(x1)', '2' ]) {
	is(join(' ', FTMPI::Cli::Allocation::counts($case->[0])), $case->[1], "counts $case->[0]");
}
for my $text ('', '0', '-1', 'x', '2(x', '2(x0)', '2(3)', '2x3', '1,', '1,,2', '01', "1\n", '1.5', '65537', '999999', '1(x65537)', '1(x65536),1',
	'1(x99999999)') {
	ok(!eval { FTMPI::Cli::Allocation::counts($text); 1 }, "refused: '" . $text =~ s/\n/\\n/r . "'");
}

# ---- environments ----

my %files = (
	'/nodes' => "a\na\nb.example.org\na\n",
	'/lines' => "  a \r\n\n b\n",
	'/empty' => "\n",
	'/odd'   => "a\n-oProxyCommand=id\n",
	'/large' => 'a' x ((16 << 20) + 1),
	'/many'  => join('', map { "h$_\n" } 1 .. 65537),
);

sub file
{
	my ($path, $most) = @_;
	$! = EACCES;
	return defined $files{$path} ? substr $files{$path}, 0, $most + 1 : undef;
}

sub shown
{
	my (%env) = @_;
	my $kind = FTMPI::Cli::Allocation::kind(\%env) // return 'none';
	my $found = eval { FTMPI::Cli::Allocation::find($kind, \%env, \&file) };
	return $@->text . ' (' . $@->status . ')' if !$found;
	return "$found->{name}: " . join(',', map { "$_->{name}:$_->{slots}" } @{ $found->{hosts} }) . " ranks $found->{ranks}"
		. (defined $found->{here} ? " here $found->{here}" : '');
}

my %slurm = (SLURM_JOB_ID => 7, SLURM_JOB_NODELIST => 'n[1-2]');
my $hint = qr/; name the hosts with -host or -machinefile, and the ranks with -n \(2\)\z/;

is(shown(), 'none', 'no batch system');
is(shown(SLURM_JOB_ID => 7), 'none', 'a job without hosts');
is(shown(SLURM_JOB_NODELIST => 'a'), 'none', 'hosts without a job');
is(shown(SLURM_JOB_ID => '', SLURM_JOB_NODELIST => 'a'), 'none', 'an empty variable');
is(shown(%slurm), 'Slurm job 7: n1:1,n2:1 ranks 2', 'Slurm: hosts alone');
is(shown(SLURM_JOBID => 7, SLURM_NODELIST => 'n[1-2]'), 'Slurm job 7: n1:1,n2:1 ranks 2', '... by their old names');
is(shown(%slurm, SLURM_TASKS_PER_NODE => '2(x2)', SLURM_NTASKS => 4), 'Slurm job 7: n1:2,n2:2 ranks 4', 'tasks');
is(shown(%slurm, SLURM_TASKS_PER_NODE => '3,1'), 'Slurm job 7: n1:3,n2:1 ranks 4', '... of each node');
is(shown(%slurm, SLURM_TASKS_PER_NODE => '2(x2)', SLURM_NTASKS => 3), 'Slurm job 7: n1:2,n2:2 ranks 3', 'fewer tasks than slots');
is(shown(%slurm, SLURM_JOB_CPUS_PER_NODE => '8,4'), 'Slurm job 7: n1:8,n2:4 ranks 12', 'processors');
is(shown(%slurm, SLURM_TASKS_PER_NODE => '1', SLURM_NTASKS => 1, SLURM_JOB_CPUS_PER_NODE => '2(x2)'), 'Slurm job 7: n1:2,n2:2 ranks 4',
	'tasks of a step with fewer nodes than the job');
is(shown(%slurm, SLURMD_NODENAME => 'n2'), 'Slurm job 7: n1:1,n2:1 ranks 2 here n2', 'the node where we are');
is(shown(%slurm, SLURMD_NODENAME => 'login'), 'Slurm job 7: n1:1,n2:1 ranks 2', '... which is none of the job');
like(shown(%slurm, SLURM_JOB_NODELIST => 'n[1-'), qr/^SLURM_JOB_NODELIST of Slurm job 7: 'n\[1-' is not a list of hosts such as a\[1-3,7\],b$hint/, 'bad hosts');
like(shown(%slurm, SLURM_JOB_NODELIST => "n\e[31m\n"), qr/^SLURM_JOB_NODELIST of Slurm job 7: [^\e\n]*$hint/, 'one line, whatever it quotes');
like(shown(%slurm, SLURM_TASKS_PER_NODE => '2(x'), qr/^SLURM_TASKS_PER_NODE of Slurm job 7: '2\(x' is not a list of numbers such as 2\(x3\),1$hint/, 'bad tasks');
like(shown(%slurm, SLURM_JOB_CPUS_PER_NODE => '2(x3)'), qr/^SLURM_JOB_CPUS_PER_NODE of Slurm job 7: '2\(x3\)' is of 3 hosts, and there are 2$hint/, 'another number of nodes');
like(shown(%slurm, SLURM_TASKS_PER_NODE => '2(x2)', SLURM_NTASKS => 'x'), qr/^SLURM_NTASKS of Slurm job 7: 'x' is not a number of tasks from 1 to 65536$hint/, 'a bad number of tasks');
like(shown(%slurm, SLURM_TASKS_PER_NODE => '2(x2)', SLURM_NTASKS => '0'), qr/^SLURM_NTASKS/, '... none');
like(shown(%slurm, SLURM_JOB_ID => '7;id'), qr/^SLURM_JOB_ID: '7;id' is not the number of a job \(2\)\z/, 'a bad number of the job');

is(shown(PBS_JOBID => '12.server'), 'none', 'PBS without a file');
is(shown(PBS_JOBID => '12[3].server', PBS_NODEFILE => '/nodes'), 'PBS job 12[3].server: a:3,b.example.org:1 ranks 4', 'PBS');
is(shown(PBS_JOBID => '12', PBS_NODEFILE => '/lines'), 'PBS job 12: a:1,b:1 ranks 2', 'spaces and line ends');
like(shown(PBS_JOBID => '12', PBS_NODEFILE => '/gone'), qr{^PBS_NODEFILE of PBS job 12: '/gone' cannot be read: Permission denied$hint}, 'no file');
like(shown(PBS_JOBID => '12', PBS_NODEFILE => '/empty'), qr{'/empty' names no host$hint}, 'an empty file');
like(shown(PBS_JOBID => '12', PBS_NODEFILE => '/odd'), qr{'/odd' has '-oProxyCommand=id', which is not a name of a host$hint}, 'an odd name');
like(shown(PBS_JOBID => '12', PBS_NODEFILE => '/large'), qr{'/large' is a file of more than 16777216 bytes$hint}, 'a large file');
like(shown(PBS_JOBID => '12', PBS_NODEFILE => '/many'), qr{'/many' has more than 65536 hosts$hint}, 'too many hosts');

my %lsf = (LSB_JOBID => 5);
is(shown(%lsf), 'none', 'LSF without hosts');
is(shown(%lsf, LSB_DJOB_HOSTFILE => '/nodes'), 'LSF job 5: a:3,b.example.org:1 ranks 4', 'LSF: its file');
is(shown(%lsf, LSB_MCPU_HOSTS => 'a 2 b 1 '), 'LSF job 5: a:2,b:1 ranks 3', '... pairs');
is(shown(%lsf, LSB_HOSTS => 'a b a'), 'LSF job 5: a:2,b:1 ranks 3', '... a word for each slot');
is(shown(%lsf, LSB_DJOB_HOSTFILE => '/gone', LSB_MCPU_HOSTS => 'a 2', LSB_HOSTS => 'b'), 'LSF job 5: a:2 ranks 2', 'the file cannot be read, the variable can');
like(shown(%lsf, LSB_DJOB_HOSTFILE => '/gone'), qr{^LSB_DJOB_HOSTFILE of LSF job 5: '/gone' cannot be read: Permission denied$hint}, '... nor is there a variable');
like(shown(%lsf, LSB_MCPU_HOSTS => $_), qr/^LSB_MCPU_HOSTS of LSF job 5: .*$hint/, "bad pairs: '$_'") for 'a', 'a 2 b', 'a x', 'a 0', 'a 65537', '2 -b', 'a -1', '-w 2';
like(shown(%lsf, LSB_HOSTS => '-w b'), qr/^LSB_HOSTS of LSF job 5: .*$hint/, 'bad words');

is(FTMPI::Cli::Allocation::kind({ %slurm, PBS_JOBID => 1, PBS_NODEFILE => '/nodes' }), 'slurm', 'of two systems the first');
is(FTMPI::Cli::Allocation::kind({ %slurm, PBS_JOBID => 1, PBS_NODEFILE => '/nodes' }, 'pbs'), 'pbs', '... or the one that is wanted');
is(FTMPI::Cli::Allocation::kind({%slurm}, 'lsf'), undef, '... if it is there');

# ---- a process that srun started beside others ----

sub beside { return join ' of ', FTMPI::Cli::Allocation::beside_others({@_}) }

is(beside(SLURM_PROCID => 0, SLURM_NTASKS => 4), '', 'a batch script');
is(beside(SLURM_STEP_ID => 0, SLURM_PROCID => 0, SLURM_STEP_NUM_TASKS => 4), '', 'the first process of a step');
is(beside(SLURM_STEP_ID => 0, SLURM_PROCID => 3, SLURM_STEP_NUM_TASKS => 4), '3 of 4', 'another one');
is(beside(SLURM_STEP_ID => 4294967290, SLURM_PROCID => 1, SLURM_STEP_NUM_TASKS => 4), '', 'the shell of salloc');
is(beside(SLURM_STEP_ID => 0, SLURM_PROCID => 'x', SLURM_STEP_NUM_TASKS => 4), '', 'rubbish');

done_testing;

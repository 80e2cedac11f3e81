# SPDX-License-Identifier: BSD-3-Clause
#
# The program is rebuilt while a job of it runs, and a rank dies: all ranks go on with the program that the job
# began with, or, where a wrapper now starts another one, the job ends with a sentence.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Copy ();
use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(program root);

FTMPI::Test::Fault::alone();

my %from = map { $_ => program($_) } qw(pi ftmpi-ckpt);
my $dir  = FTMPI::Test::Fault::directory();
$ENV{LD_LIBRARY_PATH} = $ENV{FTMPI_LIBDIR} // root() . '/build/lib';
$ENV{FTMPI_PROGRAMS}  = $dir;

# By renaming, as a linker or an installation does it. more: what makes it another build.
sub install
{
	my ($name, $more) = @_;
	my $new = "$dir/$name.new";
	File::Copy::copy($from{$name}, $new) && chmod(0755, $new) or die "$new: $!\n";
	open(my $file, '>>', $new) or die "$new: $!\n";
	print $file $more;
	close($file) && rename($new, "$dir/$name") or die "$new: $!\n";
	return;
}

my @args = (400000, qw(-every 10000 -ckpt 5 -hold 17));

install($_, '') for keys %from;
FTMPI::Test::Alone::remember();
{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', args => \@args);
	$fault->all_held;
	my %before = $fault->pids;
	install('pi', 'another build');
	kill 'KILL', $before{2};
	$fault->survived('another build', restarts => 1);
}

# Without a line nothing but the beginning is left: it is that of the same program. The new one must not
# be run at all.
install('pi', '');
{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', args => [400000, qw(-every 10000 -hold 3)],
		run => ['-restart-from-start']);
	$fault->all_held;
	my %before = $fault->pids;
	install('pi', '');
	open(my $file, '>', "$dir/other") or die "$dir/other: $!\n";
	print $file "#!/bin/sh\ntouch '$dir/ran'\n";
	close($file) && chmod(0755, "$dir/other") && rename("$dir/other", "$dir/pi") or die "$dir/pi: $!\n";
	kill 'KILL', $before{2};
	$fault->job->finish;
	install('pi', '');
	$fault->survived('a script in its place', restarts => 1, lines => 0);
	ok(!-e "$dir/ran", 'the script was not run');
}

# What a script runs is not held.
{
	open(my $file, '>', "$dir/script") or die "$dir/script: $!\n";
	print $file "#!/bin/sh\nexec '$dir/pi' \"\$@\"\n";
	close($file);
	chmod(0755, "$dir/script");
	my $job = FTMPI::Test::Job->start([FTMPI::Test::Job::ftmpirun(), qw(-restart-from-start -n 4), "$dir/script",
		400000, qw(-every 10000 -hold 3)]);
	$job->wait_for(out => qr/^rank $_ waits/m) for 0 .. 3;
	install('pi', 'another build');
	my ($rank) = grep { (readlink("/proc/$_/exe") // '') =~ m{^\Q$dir\E/pi} } $job->pids;
	kill 'KILL', $rank;
	$job->finish;
	$job->is_status(1, 'another build under a script');
	$job->err_like(qr/^ftmpirun: rank \d on \S+ runs another build of \S+ than before the restart; the job is ended\.$/m,
		'another build under a script');
	FTMPI::Test::Alone::at_rest('another build under a script', "$dir/script");
}

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
#
# watch.pl REPORTS COMMAND...: runs the command, then looks for what sanitizers have reported in the directory
# REPORTS meanwhile. A report of any process fails the command, however well it ended. The first ones are shown;
# all stay where they are, under the name of what was run.
use strict;
use warnings;

use constant { MOST_SHOWN => 3, MOST_BYTES => 6000 };    # so many reports, and of each so much

my ($reports, @command) = @ARGV;
die "usage: watch.pl REPORTS COMMAND...\n" if !@command;
-d $reports && -w _ or die "$reports is no directory that reports can be written to\n";

# What was there before belongs to something that was not watched.
my $early = gather('before');
warn "somebody's reports are older than this run\n" if $early;
system { $command[0] } @command;
my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
$status = 127 if $? == -1;
my $found = gather(name_of($command[-1]));
warn "$found reports of a sanitizer: $command[-1]\n" if $found;
exit($status || ($found || $early ? 1 : 0));

sub name_of
{
	my ($path) = @_;
	my ($name) = $path =~ m{([^/]+/[^/]+)\z};
	$name //= $path;
	return $name =~ tr{/}{.}r;
}

# Shows and puts away the reports that are there; returns how many.
sub gather
{
	my ($name) = @_;
	my $n = 0;
	for my $path (sort glob "$reports/report.*") {
		next if is_remark($path);
		show($path) if $n < MOST_SHOWN;
		my $i = 0;
		$i++ while -e "$reports/$name.$i";
		rename $path, "$reports/$name.$i" or die "$path: $!\n";
		$n++;
	}
	return $n;
}

# Remarks are no findings: that a call wanted more memory than there can be, and was refused; and that the search for leaks could
# not stop a thread, or read its registers, because the thread is gone (the process is killed while it ends). A leak is reported beside that.
sub is_remark
{
	my ($path) = @_;
	my @remarks = (qr/WARNING: \w+ failed to allocate 0x[0-9a-f]+ bytes/,
		qr/Running thread \d+ was not suspended\. False leaks are possible\./, qr/Unable to get registers from thread \d+\./);
	open my $in, '<:raw', $path or die "$path: $!\n";
	my @lines = <$in>;
	my @other = grep { my $line = $_; !grep { $line =~ /^==\d+==$_$/ } @remarks } @lines;
	return @lines && !@other && unlink $path;
}

sub show
{
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	read $in, my $text, MOST_BYTES;
	$text .= "\n[...]\n" if !eof $in;
	print STDERR "# $path:\n", map { "# $_\n" } split /\n/, $text;
	return;
}

# SPDX-License-Identifier: BSD-3-Clause
#
# What the commands of this folder share: words and cases, where results go, and that nothing stays behind, whatever ends them.
package FTMPI::Papers::Command;

use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Path ();
use File::Temp ();

use FTMPI::Bench::Options ();
use FTMPI::Bench::Process ();
use FTMPI::Bench::Results ();

# Goes when nobody writes into it any more.
my $dir;

# Does the work of the command of that name, and ends this process.
sub run
{
	my ($name, $work) = @_;
	binmode STDOUT, ':encoding(UTF-8)';
	$| = 1;
	$SIG{$_} = \&_on_signal for qw(INT TERM HUP);
	exit 0 if eval { $work->(); 1 };
	my $why = $@;
	FTMPI::Bench::Process::stop();
	undef $dir;
	if (ref $why) {
		$SIG{ $why->{signal} } = 'DEFAULT';
		kill $why->{signal}, $$;
	}
	print STDERR "$name: $why";
	exit 2;
}

# A signal is an exception: what runs is ended, the temporary directory goes.
sub _on_signal
{
	my ($name) = @_;
	$SIG{$_} = 'IGNORE' for qw(INT TERM HUP);
	die { signal => $name };
}

sub temporary
{
	$dir = File::Temp->newdir('ftmpi-papers-XXXXXX', TMPDIR => 1);
	return "$dir";
}

# The options and the cases that they choose, of what choose->(pattern, quick) returns; none when all has been said (-h, -list).
# kind: what the cases are.
sub chosen
{
	my ($name, $kind, $choose, @words) = @_;
	my $option = FTMPI::Bench::Options::parse(@words);
	if ($option->{h}) {
		print FTMPI::Bench::Options::help();
		return;
	}
	my @cases = $choose->($option->{only} // '', $option->{quick});
	die "no $kind matches -only; $name -list has them all\n" if !@cases;
	return ($option, @cases) if !$option->{list};
	print map { "$_->{id}\n" } @cases;
	return;
}

# Where the page goes, or undef: a part of it does not replace the results of a whole run. Found out before an hour of
# measuring, not after.
sub page_file
{
	my ($option, $usual) = @_;
	my $page = $option->{o} // ($option->{only} || $option->{quick} ? undef : $usual) // return undef;
	my $folder = dirname($page);
	File::Path::make_path($folder, { error => \my $errors });
	die "cannot write results into $folder\n" if @$errors || !-d $folder || !-w $folder;
	return $page;
}

# values: the text of the table of values; charts: [name, text, svg] each; text: is called with [file name, text] of each.
sub write_all
{
	my ($page, $values, $charts, $text) = @_;
	my $base = $page =~ s/\.md\z//r;
	my $name = basename($base);
	FTMPI::Bench::Results::write_file("$base.tsv", $values);
	FTMPI::Bench::Results::write_file("$base-$_->[0].svg", $_->[2]) for @$charts;
	FTMPI::Bench::Results::write_file($page, $text->(map { [ "$name-$_->[0].svg", $_->[1] ] } @$charts));
	print "written: $page, $base.tsv", (map { ", $base-$_->[0].svg" } @$charts), "\n";
	return;
}

1;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What people see at a terminal (tmux): the line of -progress, and ftmpi-top.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib", "$FindBin::RealBin/../lib";
use Test::More;

use FTMPI::FixedAddresses ();
use FTMPI::Test::Terminal ();
use LauncherTest;

my $why = FTMPI::Test::Terminal::why_not();
plan skip_all => $why if defined $why;

my $TOP = "$FindBin::RealBin/../../ftmpi-top";
my ($files, $text) = (0, 'w' x 20 . "\xc3\xa9" x 20);
my $STATUS = qr/ ranks on | % w/;

@ENV{qw(RUN TOP RANK PERL DIR WORDS)} = ($FTMPIRUN, $TOP, $RANK, $^X, scratch(), $text);

sub name_of_file { return 'go' . ++$files }
sub touch { text_file($_[0], ''); return }

# The screen has this once: the last row with something in it.
sub is_last
{
	my ($pattern, @rows) = @_;
	pop @rows while @rows && !length $rows[-1];
	return @rows && $rows[-1] =~ $pattern && 1 == grep { $_ =~ $STATUS } @rows;
}

sub columns { my ($row) = @_; utf8::decode(my $letters = $row); return length $letters }

sub shows
{
	my ($terminal, $name, $condition) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok($terminal->wait_screen($condition), $name) || diag $terminal->seen;
}

# The shell's prompt is the last row, and there is no line of -progress.
sub is_prompt
{
	my (@rows) = @_;
	pop @rows while @rows && !length $rows[-1];
	return @rows && $rows[-1] eq '$' && !grep { $_ =~ $STATUS } @rows;
}

sub runs
{
	my ($terminal, $options, @words) = @_;
	$terminal->type("clear; seq 30; \$RUN -progress -n 2 $options \$PERL \$RANK join 0:progress:250000,\$WORDS @words; echo status=\$?\n");
	return;
}

sub status
{
	my ($work) = @_;
	my ($path) = glob scratch() . "/$work/*/status.json" or return '';
	open my $file, '<', $path or return '';
	local $/;
	return readline($file) // '';
}

sub new { return FTMPI::Test::Terminal->new(scratch(), @_) }

subtest 'one line' => sub {
	my $terminal = new(columns => 160);
	my ($go, $end) = (name_of_file(), name_of_file());
	runs($terminal, '', 'say:first', "await:\$DIR/$go", (map { "0:say:this.is.line.$_" } 1 .. 40), "await:\$DIR/$end", 'finalize');
	shows($terminal, 'it is the last row', sub { is_last(qr/^\S+ s, 25 % w{20}(?:\xc3\xa9){20}, 2\/2 ranks on 1 host$/, @_) });
	for my $columns (80, 40, 20, 120, 40) {
		$terminal->resize($columns);
		my $words = $columns < 80 ? qr/^\S+ s, 25 % w.*\.\.\.$/ : qr/^\S+ s, 25 % w{20}(?:\xc3\xa9)+.*$/;
		shows($terminal, "at $columns columns, too", sub { is_last($words, @_) && !grep({ columns($_) >= $columns && $_ =~ $STATUS } @_)
			&& ($columns < 80 || !grep { /25 %/ && columns($_) < 50 } @_) });
	}
	touch($go);
	shows($terminal, 'what the job prints stands above it', sub { is_last(qr/^\S+ s, 25 % w/, @_) && grep { $_ eq 'this.is.line.40' } @_ });
	my @lines = grep { /line/ } $terminal->history;
	is_deeply(\@lines, [ map { "this.is.line.$_" } 1 .. 40 ], '... each line whole');
	is(scalar(grep { $_ =~ $STATUS } $terminal->history), 1, '... and has left nothing of it') or diag join "\n", $terminal->history;
	touch($end);
	shows($terminal, 'it is gone when the job has ended', \&is_prompt);
	ok((grep { $_ eq 'status=0' } $terminal->screen), '... well') or diag $terminal->seen;
	undef $terminal;
	nobody_left();
};

subtest 'a prompt' => sub {
	my $terminal = new();
	my ($go, $more, $most) = map { name_of_file() } 1 .. 3;
	runs($terminal, '-record -workdir $DIR/prompt', "0:await:\$DIR/$go", '0:raw:name?', '0:take:3', "1:await:\$DIR/$more", '1:progress:260000,\$WORDS', "1:await:\$DIR/$most", '1:progress:270000,\$WORDS', 'hang');
	shows($terminal, 'there is the line', sub { is_last(qr/25 %/, @_) });
	touch($go);
	my $is_prompt = sub { my @rows = grep { length } @_; $rows[-1] eq 'name?' };
	shows($terminal, 'a prompt has the row for itself', $is_prompt);
	# the status is saved every two seconds at most: the line would have been written meanwhile
	for my $case ([ $more, '0.26' ], [ $most, '0.27' ]) {
		my ($file, $fraction) = @$case;
		touch($file);
		ok(eventually(sub { status('prompt') =~ /"fraction":\Q$fraction\E\b/ }, sub { status('prompt') }), 'time goes by');
	}
	ok($is_prompt->($terminal->screen), '... and it still has') or diag $terminal->seen;
	$terminal->type("me\n");
	shows($terminal, '... and what is typed, and there is the line again', sub { is_last(qr/27 %/, @_) && 2 == grep { /^(?:name\?me|took=me)$/ } @_ });
	$terminal->key('C-c');
	shows($terminal, 'Ctrl-C: it is gone', \&is_prompt);
	my @rows = grep { length } $terminal->screen;
	ok((grep { $_ eq 'status=130' } @rows), '... and the job') or diag $terminal->seen;
	is_deeply([ grep { /interrupt|signal/i && !/^ftmpirun: / } @rows ], [], '... with a sentence in a row of its own') or diag $terminal->seen;
	undef $terminal;
	nobody_left();
};

subtest 'a rank that is killed' => sub {
	my $terminal = new(columns => 160);
	my ($go, $die, $end, $died) = map { name_of_file() } 1 .. 4;
	runs($terminal, '-restart-on any', "\@0:await:\$DIR/$go", '0:@0:line:1', "\@0:await:\$DIR/$die", "1:\@0:dieonce:\$DIR/$died", '@0:obey', '0:@1:say:again', "await:\$DIR/$end", 'finalize');
	shows($terminal, 'there is the line', sub { is_last(qr/25 %/, @_) });
	touch($go);
	shows($terminal, '... with a recovery line', sub { is_last(qr/, line 1 .* ago, lines cost 0 %$/, @_) });
	touch($die);
	shows($terminal, '... and a restart', sub { is_last(qr/ 1 restart$/, @_) });
	my @said = grep { /ftmpirun|again/ && !/RUN/ } $terminal->screen;
	is(scalar(grep { /^ftmpirun: rank 1 on \S+ was killed by signal 9 \(Killed\); restart 1 of 3 from line 1\.$/ } @said), 1, '... below the sentence') or diag $terminal->seen;
	is(scalar(grep { $_ !~ /^(?:ftmpirun: .*\.|again)$/ } @said), 0, '... and all rows are whole') or diag $terminal->seen;
	touch($end);
	shows($terminal, 'it is gone in the end', \&is_prompt);
	undef $terminal;
	nobody_left();
};

subtest 'suspended' => sub {
	my $terminal = new();
	my ($go, $end) = (name_of_file(), name_of_file());
	$terminal->type("clear; \$RUN -progress -n 2 \$PERL \$RANK join 0:progress:250000,\$WORDS await:\$DIR/$go 0:say:further await:\$DIR/$end finalize\n");
	shows($terminal, 'there is the line', sub { is_last(qr/25 %/, @_) });
	$terminal->key('C-z');
	shows($terminal, 'Ctrl-Z: it is gone', sub { is_prompt(@_) && grep { /Stopped/ } @_ });
	$terminal->type("fg\n");
	shows($terminal, 'fg: it is there again', sub { is_last(qr/25 %/, @_) });
	touch($go);
	shows($terminal, '... below what the job prints', sub { is_last(qr/25 %/, @_) && grep { $_ eq 'further' } @_ });
	touch($end);
	shows($terminal, 'and it is gone in the end', \&is_prompt);
	undef $terminal;
	nobody_left();
};

# Lines that are made by time tell that more than a second has passed in ftmpirun.
subtest 'in the background' => sub {
	my $refused = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
	plan skip_all => $refused if defined $refused;
	my $terminal = new();
	my $end = name_of_file();
	$terminal->type("clear; \$RUN -progress -image -ckpt-interval 0.4 -workdir \$DIR/work -n 2 \$PERL \$RANK start program:0 inited lines:4 0:say:four await:\$DIR/$end finalize &\n");
	shows($terminal, 'a job that prints', sub { grep { /four$/ } @_ });
	is(scalar(grep { $_ =~ $STATUS } $terminal->history), 0, '... and has the terminal not to itself shows no line') or diag $terminal->seen;
	$terminal->type("fg\n");
	shows($terminal, '... until it has', sub { is_last(qr/2\/2 ranks on 1 host, line 4 /, @_) });
	touch($end);
	shows($terminal, 'it is gone in the end', \&is_prompt);
	undef $terminal;
	nobody_left();
};

subtest 'a pipe that prints at the terminal' => sub {
	my $terminal = new();
	my ($go, $end) = (name_of_file(), name_of_file());
	$terminal->type("clear; \$RUN -progress -n 2 \$PERL \$RANK join 0:progress:250000,\$WORDS await:\$DIR/$go " . join(' ', map { "0:say:line.$_" } 1 .. 12) . " await:\$DIR/$end finalize | tee \$DIR/out\n");
	shows($terminal, 'there is the line', sub { is_last(qr/25 %/, @_) });
	touch($go);
	shows($terminal, '... below what tee prints', sub { is_last(qr/25 %/, @_) && grep { $_ eq 'line.12' } @_ });
	is_deeply([ grep { /line\.\d/ && !/RUN/ && !/say:/ } $terminal->history ], [ map { "line.$_" } 1 .. 12 ], '... each line whole') or diag $terminal->seen;
	touch($end);
	shows($terminal, 'it is gone in the end', \&is_prompt);
	undef $terminal;
	nobody_left();
};

subtest 'ftmpi-top' => sub {
	my $work = scratch() . '/top';
	mkdir $work or die "$work: $!\n";
	my $end = name_of_file();
	my $job = begin([ $FTMPIRUN, '-record', '-workdir', $work, qw(-n 2), $^X, $RANK, 'join', "0:progress:250000,$text", "await:" . scratch() . "/$end", 'finalize' ]);
	ok(eventually(sub { grep { -s } glob "$work/*/status.json" }, sub { "@{[glob qq($work/*/*)]}" }), 'a job has a status');
	my $terminal = new();
	$terminal->type("clear; echo before; \$TOP \$DIR/top; echo status=\$?\n");
	shows($terminal, 'it is shown', sub { $_[0] =~ /^session +\d{8}-\d{6}-/ && grep { /^progress +25 % w{20}(?:\xc3\xa9){20}$/ } @_ });
	ok($terminal->is_second, '... on the second screen');
	my $is_narrow = sub { !grep({ columns($_) >= 40 } @_) && 4 == grep({ length } @_) && grep { /^progress +25 % w.*\.\.\.$/ } @_ };
	$terminal->resize(40);
	shows($terminal, 'at 40 columns no row is wrapped', $is_narrow);
	$terminal->resize(80, 3);
	shows($terminal, 'and at 3 rows nothing scrolls', sub { @_ >= 3 && $_[0] =~ /^session/ && $_[2] eq '...' });
	$terminal->resize(80);
	$terminal->key('C-z');
	my $is_first = sub { grep({ $_ eq 'before' } @_) && !grep { /^(?:session|ranks)/ } @_ };
	shows($terminal, 'Ctrl-Z: the first screen is there', sub { $is_first->(@_) && grep { /Stopped/ } @_ });
	ok(!$terminal->is_second, '... and no second');
	$terminal->type("fg\n");
	shows($terminal, 'fg: it is shown again', sub { $_[0] =~ /^session/ });
	$terminal->key('C-c');
	shows($terminal, 'Ctrl-C: the terminal is as it was', $is_first);
	$terminal->type("echo status=\$?\n");
	shows($terminal, '... and the shell knows why', sub { $is_first->(@_) && grep { $_ eq 'status=130' } @_ });
	$terminal->type("clear; \$TOP \$DIR/top &\n");
	shows($terminal, 'in the background it is stopped', sub { $terminal->type("\n"); grep { /Stopped/ } @_ });
	$terminal->type("clear; fg\n");
	shows($terminal, '... until it has the terminal', sub { $_[0] =~ /^session/ });
	touch($end);
	is(wait_end($job)->{status}, 0, 'the job ends');
	shows($terminal, '... and it shows the end, and ends', sub { my @rows = grep { length } @_; grep({ /^state +ended, after / } @rows) && $rows[-1] eq '$' });
	ok(!$terminal->is_second, '... on the first screen');
	undef $terminal;
	nobody_left();
};

# As bytes, of a terminal that script(1) makes.
subtest 'no moment without the line' => sub {
	my $go  = name_of_file();
	my $job = begin([ 'script', '-qefc', "exec \$RUN -progress -n 1 \$PERL \$RANK join await:\$DIR/$go say:last hang", '/dev/null' ], keep_open => 1, env => { SHELL => '/bin/sh', TERM => 'xterm' });
	wait_for($job, 'out', qr/ 1\/1 ranks on 1 host\r/);
	touch($go);
	wait_for($job, 'out', qr/last/);
	syswrite $job->{feed}, "\003";
	wait_end($job);
	like($job->{out}, qr/\r\e\[Jlast\r\n\e\[\?7l[^\r\n\e]+ranks on 1 host\r\e\[\?7h/, 'it comes with what the job prints');
	like($job->{out}, qr/\r\e\[J\z/, 'and is cleared at last');
	nobody_left();
};

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen_calls.pl FTMPI.H FOLDER: writes a manual page of section 3 for every FTMPI_ function, from the comment
# above its prototype and the head of the header. A page has the name of the function, and prints the paths it wrote.
use strict;
use warnings;

my %ABOUT = (
	FTMPI_Perform_Checkpoint    => 'make a recovery line of all ranks',
	FTMPI_CKPT_Wait             => 'wait until recovery lines are committed',
	FTMPI_CKPT_Set_coordination => 'ask for a protocol of checkpoints',
	FTMPI_Restore               => 'give back the latest recovery line',
	FTMPI_Checkpoint_due        => 'ask whether it is time for a checkpoint',
	FTMPI_Get_restart_count     => 'tell how often the job was restarted',
	FTMPI_Progress              => 'tell how far the program has come',
	FTMPI_CKPT_Protect          => 'name a variable or array to be saved',
	FTMPI_CKPT_Unprotect        => 'forget a variable that was to be saved',
	FTMPI_CKPT_AllocBuffer      => 'make the data buffer',
	FTMPI_CKPT_ReAllocBuffer    => 'change the size of the data buffer',
	FTMPI_CKPT_DeAllocBuffer    => 'free the data buffer',
	FTMPI_CKPT_ResetBufPtr      => 'go to the beginning of the data buffer',
	FTMPI_CKPT_SeekBufPtr       => 'move to a place in the data buffer',
	FTMPI_CKPT_AddToBuffer      => 'write to the data buffer, and read from it',
	FTMPI_CKPT_GetFromBuffer    => 'write to the data buffer, and read from it',
);

my %RESULTS = (
	FTMPI_Perform_Checkpoint => [qw(FTMPI_CHECKPOINTED FTMPI_RESTORED FTMPI_CKPTERROR)],
	FTMPI_CKPT_Wait          => [qw(FTMPI_CHECKPOINTED FTMPI_CKPTERROR)],
	FTMPI_Restore            => [qw(FTMPI_RESTORED FTMPI_NOTHING FTMPI_CKPTERROR)],
);

# What a program does with the call, between MPI_Init and MPI_Finalize.
my $LOOP = <<'EOC';
int step = 0, due;
double field[1000] = {0};

if (FTMPI_CKPT_Protect(0, &step, 1, MPI_INT) || FTMPI_CKPT_Protect(1, field, 1000, MPI_DOUBLE))
    MPI_Abort(MPI_COMM_WORLD, 1);
if (FTMPI_Restore() == FTMPI_RESTORED)
    printf("it goes on at step %d\n", step);
while (step < 100) {
    field[step % 1000] += 1;
    step++;
    FTMPI_Checkpoint_due(&due);
    if (due && FTMPI_Perform_Checkpoint() == FTMPI_CKPTERROR)
        fprintf(stderr, "no checkpoint at step %d; it goes on\n", step);
}
EOC

my $BUFFER = <<'EOC';
int step = 7, back = 0;

if (FTMPI_CKPT_AllocBuffer(1024) || FTMPI_CKPT_AddToBuffer(&step, sizeof step))
    MPI_Abort(MPI_COMM_WORLD, 1);
if (FTMPI_Perform_Checkpoint() == FTMPI_RESTORED)
    printf("the buffer is there again, with its pointer at 0\n");
FTMPI_CKPT_ResetBufPtr();
if (FTMPI_CKPT_GetFromBuffer(&back, sizeof back))
    MPI_Abort(MPI_COMM_WORLD, 1);
printf("step %d\n", back);
EOC

my %EXAMPLE = (
	(map { $_ => $LOOP } qw(FTMPI_CKPT_Protect FTMPI_Restore FTMPI_Perform_Checkpoint FTMPI_Checkpoint_due)),
	(map { $_ => $BUFFER } qw(FTMPI_CKPT_AllocBuffer FTMPI_CKPT_AddToBuffer FTMPI_CKPT_GetFromBuffer FTMPI_CKPT_ResetBufPtr)),
	FTMPI_CKPT_Wait => <<'EOC',
if (FTMPI_Perform_Checkpoint() == FTMPI_CKPTERROR || FTMPI_CKPT_Wait() == FTMPI_CKPTERROR)
    fprintf(stderr, "the last line is not committed\n");
EOC
	FTMPI_CKPT_Set_coordination => <<'EOC',
if (FTMPI_CKPT_Set_coordination("eventlog"))
    MPI_Abort(MPI_COMM_WORLD, 1);
EOC
	FTMPI_Get_restart_count => <<'EOC',
int times;

FTMPI_Get_restart_count(&times);
if (times > 0)
    printf("the job was restarted %d times\n", times);
EOC
	FTMPI_Progress => <<'EOC',
for (int step = 1; step <= 100; step++)
    FTMPI_Progress(step / 100.0, "solving");
EOC
	FTMPI_CKPT_Unprotect => <<'EOC',
double *field = calloc(1000, sizeof *field);

if (!field || FTMPI_CKPT_Protect(1, field, 1000, MPI_DOUBLE))
    MPI_Abort(MPI_COMM_WORLD, 1);
FTMPI_Perform_Checkpoint();
FTMPI_CKPT_Unprotect(1); /* before the memory is freed */
free(field);
EOC
	FTMPI_CKPT_SeekBufPtr => <<'EOC',
int step = 7;

if (FTMPI_CKPT_AllocBuffer(1024) || FTMPI_CKPT_SeekBufPtr(512, FTMPI_SEEK_SET) < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
if (FTMPI_CKPT_AddToBuffer(&step, sizeof step))
    MPI_Abort(MPI_COMM_WORLD, 1);
printf("%lld bytes are before the pointer\n", (long long)FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_CUR));
EOC
	(map { $_ => <<'EOC' } qw(FTMPI_CKPT_ReAllocBuffer FTMPI_CKPT_DeAllocBuffer)),
if (FTMPI_CKPT_AllocBuffer(1024) || FTMPI_CKPT_ReAllocBuffer(1 << 20)) /* what is in it stays */
    MPI_Abort(MPI_COMM_WORLD, 1);
FTMPI_CKPT_DeAllocBuffer();
EOC
);

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "gen_calls.pl: $path: $!\n";
	local $/;
	return scalar <$in>;
}

# The text of a comment, its paragraphs as lists of lines.
sub paragraphs
{
	my ($comment) = @_;
	$comment =~ s{^/\*\s?|\s*\*/\z}{}g;
	my @lines = map { s/^ \* ?//r =~ s/\s+\z//r } split /\n/, $comment;
	shift @lines while @lines && $lines[0] eq '' || @lines && $lines[0] =~ /^\s*\*?\z/;
	my @all = ([]);
	for my $line (@lines) {
		push @all, [] if $line =~ /^\s*\z/ || $line =~ /^ - /;
		push @{ $all[-1] }, $line if $line =~ /\S/;
	}
	return grep { @$_ } @all;
}

# Text for troff: names in bold, nothing that begins with its control characters.
sub roff
{
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/-/\\-/g;
	$text =~ s/`([^`]+)`/\\fB$1\\fR/g;
	$text =~ s/(?<![\w\\])((?:FT)?MPI_\w+)/\\fB$1\\fR/g;
	$text =~ s/^(['.])/\\&$1/mg;
	return $text;
}

sub plain { return roff($_[0]) =~ s/\\f[BR]//gr }

sub body
{
	my $text = '';
	for my $paragraph (@_) {
		my ($first, @more) = @$paragraph;
		my $item = $first =~ s/^ - //;
		$text .= ($item ? ".IP \\(bu 2\n" : ".PP\n") . roff(join "\n", $first, map { s/^\s+//r } @more) . "\n";
	}
	return $text;
}

# The sentence with a thread rule that a call has of its own, or undef, and the paragraphs without it.
sub own_rule
{
	my $own;
	my @left;
	for my $paragraph (@_) {
		my $text = join "\n", @$paragraph;
		$own = $1 if $text =~ s/\s*\b(Thread rule: .*?\.)(?=\s|\z)//s;
		push @left, [ split /\n/, $text ] if length $text;
	}
	return ($own, @left);
}

sub page
{
	my ($f, $head) = @_;
	my $about = $ABOUT{ $f->{name} } // die "gen_calls.pl: what is $f->{name} about?\n";
	my $names = join ', ', map { $_->[0] } @{ $f->{prototypes} };
	my ($own, @paragraphs) = own_rule(@{ $f->{paragraphs} });
	my @text = (".\\\" SPDX-License-Identifier: BSD-3-Clause\n", ".\\\" Made from ftmpi.h by gen_calls.pl.\n",
		qq{.TH $f->{name} 3 "" "FTMPI $head->{version}"\n}, ".SH NAME\n", plain("$names - $about"), "\n",
		".SH SYNOPSIS\n.nf\n#include <ftmpi.h>\n\n", (map { plain("$_->[1];") . "\n" } @{ $f->{prototypes} }),
		".fi\n.PP\nIn Fortran, with \\fBuse ftmpi_f08\\fR, \\fBuse ftmpi\\fR or \\fBinclude \\(aqftmpif.h\\(aq\\fR, under the same name.\n",
		".SH DESCRIPTION\n", body(@paragraphs));
	if (my $results = $RESULTS{ $f->{name} }) {
		push @text, ".SH RETURN VALUE\n", map { ".TP\n.B $_\n" . roff($head->{constants}{$_}) . "\n" } @$results;
	}
	my $example = $EXAMPLE{ $f->{name} } // die "gen_calls.pl: there is no example of $f->{name}\n";
	my $rule = join "\n", @{ $head->{rule} };
	$rule =~ s/\AThread rule:.*?\.(?=\s)/$own/s if defined $own;
	push @text, ".SH NOTES\n", body([ split /\n/, $rule ]), ".SH EXAMPLES\n.nf\n", plain($example), ".fi\n", ".SH SEE ALSO\n",
		join(",\n", map { ".BR $_ (3)" } grep { $_ ne $f->{name} } @{ $head->{neighbours} }), ",\n.BR ftmpirun (1),\n.BR ftmpi (7)\n";
	return join '', @text;
}

my ($header, $folder) = @ARGV;
die "usage: gen_calls.pl FTMPI.H FOLDER\n" unless defined $folder;
my $text = slurp($header) =~ s/\)\s+FTMPI_MUST_LOOK;/);/gr;
my %head = (neighbours => [qw(FTMPI_CKPT_Protect FTMPI_Perform_Checkpoint FTMPI_Restore)]);
($head{version}) = $text =~ /^#define FTMPI_VERSION "(.*)"/m or die "gen_calls.pl: $header has no version\n";
$head{constants} = { $text =~ m{^#define (FTMPI_\w+) \d+\s*/\* (.*?) \*/}mg };
($head{rule}) = grep { $_->[0] =~ /^Thread rule/ } map { paragraphs($_) } $text =~ m{(/\*.*?\*/)}sg;
die "gen_calls.pl: $header has no thread rule\n" unless $head{rule};
$head{rule}[0] =~ s/ for all of them:/:/;

my (@pages, %known);
while ($text =~ m{(/\*(?:(?!\*/).)*\*/)\n((?:(?:int|MPI_Count) FTMPI_\w+\([^;]*\);\n)+)}sg) {
	my ($comment, $prototypes) = ($1, $2);
	my @prototypes = map { [ /(FTMPI_\w+)\(/, s/\s+/ /gr ] } $prototypes =~ /((?:int|MPI_Count) FTMPI_\w+\([^;]*\));/g;
	$known{ $_->[0] } = 1 for @prototypes;
	push @pages, map { { name => $_->[0], prototypes => \@prototypes, paragraphs => [ paragraphs($comment) ] } } @prototypes;
}
for my $name ($text =~ /^(?:int|MPI_Count) (FTMPI_\w+)\(/mg) {
	die "gen_calls.pl: $header: $name has no comment\n" unless $known{$name};
}
for my $f (@pages) {
	my $path = "$folder/$f->{name}.3";
	open my $out, '>', $path or die "gen_calls.pl: $path: $!\n";
	print $out page($f, \%head);
	close $out or die "gen_calls.pl: $path: $!\n";
	print "$path\n";
}

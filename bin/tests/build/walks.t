# SPDX-License-Identifier: BSD-3-Clause
#
# The walks of doc/design.md are as the source has them, and their chains of calls become no longer; walks.pl
# notices what is not so.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File ();

my $walks = "$FindBin::Bin/../walks.pl";
my $said  = `$^X $walks $FindBin::Bin/../../..`;
is($?, 0, 'the walks of the tree') or diag($said);
like($said, qr/^walks: [1-9][0-9]*, 0 not as the source has it$/m, 'a message, a line, a failure');

# Status and words for a tree of three files and a walk; most: of functions in a chain.
sub walks
{
	my ($most, %change) = @_;
	my $top = File::Temp->newdir('ftmpi-walks-XXXXXX', TMPDIR => 1);
	my %file = (
		'lib/a/send.c'     => "static int\nsend_it(int n)\n{\n\treturn out_it(n); /* never drop_it */\n}\n\nint PMPI_Send(int n)\n{\n\treturn send_it(n) + hook.out(n);\n}\n",
		'lib/b/out.c'      => "int out_it(int n)\n{\n\treturn n;\n}\n\nvoid drop_it(void)\n{\n}\n\nstruct hooks hook = { .out = out_it };\n",
		'bin/lib/X/Out.pm' => "sub begin\n{\n\treturn told();\n}\n\nsub told { return 1 }\n",
		'doc/design.md'    => "## Walk: sending\n\nWords.\n\n" . join("\n",
			'    PMPI_Send         lib/a/send.c    checks', '      send_it         lib/a/send.c', '        out_it        lib/b/out.c',
			'      out_it          lib/b/out.c     (by out) what is set', '    (the launcher)', '    begin             bin/lib/X/Out.pm', '      told            bin/lib/X/Out.pm')
			. "\n\n## Other\n",
	);
	for my $name (sort keys %file) {
		my $text = $file{$name};
		my ($from, $to) = @{ $change{$name} // ['', ''] };
		$text =~ s/$from/$to/ if $from ne '';
		FTMPI::Test::File::write_file("$top/$name", $text);
	}
	my $text = `$^X $walks -count -most '$most' $top`;
	return ($? >> 8, $text);
}

my $status;
($status, $said) = walks('sending=3');
is($status, 0, 'a walk in order') or diag($said);
like($said, qr/^sending: 6 functions, 3 files, 2 changes of file, 3 in a chain$/m, 'it is counted');

for my $wrong (
	[ 'a function that is gone', 'lib/b/out.c', qr/int out_it/, 'int out_all', qr{^sending: lib/b/out\.c does not define out_it$}m ],
	[ 'a call that is gone', 'lib/a/send.c', qr/return out_it\(n\)/, 'return n', qr/^sending: send_it does not call out_it$/m ],
	[ 'a call that stands in a comment', 'doc/design.md', qr/out_it        lib/, 'drop_it        lib', qr/^sending: send_it does not call drop_it$/m ],
	[ 'a declaration only', 'lib/b/out.c', qr/int out_it\(int n\)\n\{\n\treturn n;\n\}/, 'int out_it(int n);', qr/does not define out_it/ ],
	[ 'a pointer that is set to nothing', 'lib/b/out.c', qr/\.out = out_it/, '.out = drop_it', qr/^nothing sets out to out_it$/m ],
	[ 'a file that is gone', 'doc/design.md', qr{lib/b/out}, 'lib/b/gone', qr{lib/b/gone\.c does not define out_it} ],
	[ 'a module that does not call', 'bin/lib/X/Out.pm', qr/told\(\)/, '1', qr/^sending: begin does not call told$/m ],
	[ 'a line of another form', 'doc/design.md', qr{checks\n}, "checks\n    and then\n", qr/^not a line of a walk: +and then$/m ],
	[ 'no walk at all', 'doc/design.md', qr/Walk: /, '', qr/^no walks/m ],
) {
	my ($name, $file, $from, $to, $sentence) = @$wrong;
	($status, $said) = walks('sending=3', $file => [ $from, $to ]);
	isnt($status, 0, $name);
	like($said, $sentence, '... is named');
}

for my $wrong (
	[ 'a chain that is longer than it was', 'sending=2', qr/^sending: a chain of 3 functions, and MOST says 2$/m ],
	[ 'one that is shorter',                'sending=4', qr/^sending: a chain of 3 functions, and MOST says 4$/m ],
	[ 'one of a walk that is new',          'getting=3', qr/^sending: a chain of 3 functions, and MOST says nothing$/m ],
	[ 'a walk that is gone',                'getting=3', qr/^getting: MOST has it, and doc\/design\.md does not$/m ],
) {
	my ($name, $most, $sentence) = @$wrong;
	($status, $said) = walks($most);
	isnt($status, 0, $name);
	like($said, $sentence, '... is named');
}
($status, $said) = walks('sending=3', 'doc/design.md' => [ qr/(?=        out_it  )/, "    (another thread)\n" ]);
like($said, qr/^sending: a chain of 2 functions, and MOST says 3$/m, 'a line in parentheses begins a chain');

done_testing();

# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Terminal;

# A terminal as people see it, by tmux: a shell with job control runs in it, what is typed is typed, and what is looked at is its screen.
#
#	my $terminal = FTMPI::Test::Terminal->new($folder, columns => 80);
#	$terminal->type("ftmpirun -n 2 ./prog\n");
#	$terminal->wait_screen(sub { grep { /done/ } @_ }) or diag $terminal->seen;
#
# It ends with the object.

use strict;
use warnings;

use FTMPI::Test::Process qw(run_quiet must_run wait_until);

use constant SECONDS => 60;

# A sentence that says why there can be none here, or undef.
sub why_not
{
	my ($status) = run_quiet('sh', '-c', 'command -v tmux');
	return $status ? 'tmux is not installed (sh bin/tests/deps.sh installs it)' : undef;
}

# folder: for its socket; columns, rows.
sub new
{
	my ($class, $folder, %arg) = @_;
	my $why = why_not();
	die "$why\n" if defined $why;
	my $self = bless { socket => "$folder/tmux", shell => q(exec env PS1='$ ' bash --norc --noprofile) }, $class;
	local @ENV{qw(LC_ALL TERM)} = ('C.UTF-8', 'xterm');
	delete local @ENV{qw(TMUX PROMPT_COMMAND)};
	# The server goes on with the shells that it has, so this call comes back.
	must_run(@{ $self->_words }, '-f', '/dev/null', 'new-session', '-d', '-x', $arg{columns} // 80, '-y', $arg{rows} // 24, $self->{shell});
	$self->wait_screen(sub { $_[0] =~ /^\S*\$/ }) or die "no shell in tmux: " . $self->seen . "\n";
	return $self;
}

sub _words { my ($self) = @_; return [ 'tmux', '-u', '-S', $self->{socket} ] }

sub _tmux { my ($self, @words) = @_; return must_run(@{ $self->_words }, @words) }

sub type { my ($self, $text) = @_; $self->_tmux('send-keys', '-l', $text); return }

# As tmux names it: C-c.
sub key { my ($self, $name) = @_; $self->_tmux('send-keys', $name); return }

sub resize { my ($self, $columns, $rows) = @_; $self->_tmux('resize-window', '-x', $columns, '-y', $rows // 24); return }

# The rows of the screen, without blanks at their ends; with what has scrolled away.
sub screen { my ($self) = @_; return split /\n/, $self->_tmux('capture-pane', '-p'), -1 }
sub history { my ($self) = @_; return split /\n/, $self->_tmux('capture-pane', '-p', '-S', '-'), -1 }

# Whether a program has the second screen.
sub is_second { my ($self) = @_; return $self->_tmux('display-message', '-p', '#{alternate_on}') =~ /1/ ? 1 : 0 }

sub seen { my ($self) = @_; return join "\n", map { "|$_" } $self->screen }

# condition => sub (rows of the screen). Whether it comes to hold.
sub wait_screen { my ($self, $condition) = @_; return wait_until(SECONDS, sub { $condition->($self->screen) }) }

sub wait_history { my ($self, $condition) = @_; return wait_until(SECONDS, sub { $condition->($self->history) }) }

sub DESTROY
{
	my ($self) = @_;
	local ($@, $?, $!);
	run_quiet(@{ $self->_words }, 'kill-server');
	return;
}

1;

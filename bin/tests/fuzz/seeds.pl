#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the seeds of the fuzz targets: perl -Ibin/lib bin/tests/fuzz/seeds.pl CORPUS. What a byte means
# is said at the head of each target. Files called found-* are inputs that once failed; they are kept by
# hand and left alone here.
use strict;
use warnings;

use File::Path ();

use FTMPI::Control ();
use FTMPI::Wire    ();

my $corpus = shift // die "usage: $0 CORPUS\n";

sub seed
{
	my ($target, $name, @bytes) = @_;
	File::Path::make_path("$corpus/$target");
	open my $file, '>:raw', "$corpus/$target/$name" or die "$corpus/$target/$name: $!\n";
	print $file join '', @bytes;
	close $file or die "$name: $!\n";
	return;
}

# ---- frames: settings, then steps ----

my %KIND = (EAGER => 1, RTS => 2, CTS => 3, DATA => 4, CREDIT => 5, BYE => 6, WITHDRAW => 7,
	WITHDRAWN => 8, UNKNOWN => 9, NONE => 0);
my %STEP;
@STEP{ qw(frame raw body feed pieces post drop send withdraw stall bye close sleep self finished
	expect) } = 0 .. 15;
use constant { SMALL => 1, WIDE => 2, CLAIM => 4, BACK => 8 };
use constant { BODY => 1, CHANGED => 2, CREDIT => 4, ID => 8 };

# name, tag, peer (0 or 1), arguments
sub step { my ($name, $tag, $peer, @rest) = @_; return chr($STEP{$name} | $tag << 4 | $peer << 6) . join '', @rest }

# kind; then by name: tag, peer, how, length (shifted left by `shift`), which, credit, change => [at, xor]
sub frame
{
	my ($kind, %a) = @_;
	my $how = ($a{how} // 0) | ($a{shift} // 0) << 4;
	$how |= CREDIT  if defined $a{credit};
	$how |= CHANGED if $a{change};
	return step('frame', $a{tag} // 0, $a{peer} // 0,
		pack('C C v C', $KIND{$kind}, $how, $a{length} // 0, $a{which} // 0),
		defined $a{credit} ? chr $a{credit} : '', $a{change} ? pack('C C', @{ $a{change} }) : '');
}

sub eager { my ($length, @more) = @_; return frame('EAGER', length => $length, how => BODY, @more) }
sub data { my (@more) = @_; return frame('DATA', how => BODY, @more) }
sub feed  { return step('feed', 0, $_[0] // 0, pack 'v', $_[1] // 0) }
sub pieces { return step('pieces', 0, $_[1] // 0, chr($_[0] - 1)) }
sub post  { my ($tag, $room, $shift) = @_; return step('post', $tag, 0, pack 'v C', $room, $shift // 0) }
sub sends { my ($tag, $length, $sync, $peer) = @_; return step('send', $tag, $peer // 0, pack 'v C', $length, $sync // 0) }

sub frames_seeds
{
	my %seed = (
		'eager-expected'    => [ 0, post(1, 100), eager(100, tag => 1), feed() ],
		'eager-held'        => [ 0, eager(100, tag => 1), feed(), post(1, 100) ],
		'eager-empty'       => [ 0, post(1, 0), eager(0, tag => 1), eager(0, tag => 2), feed(), post(2, 8) ],
		'eager-long-direct' => [ 0, post(1, 8192), eager(8192, tag => 1), feed(0, 1064), feed(0, 3000), feed() ],
		'eager-long-held'   => [ 0, eager(8192), feed(0, 1064), post(0, 8000), feed() ],
		'eager-dropped-half' => [ 0, eager(6000), feed(0, 500), step('drop', 0, 0), feed() ],
		'eager-dropped'     => [ 0, eager(600), feed(), step('drop', 0, 0) ],
		'eager-cut'         => [ 0, post(0, 10), eager(5000), feed(0, 70), feed() ],
		'eager-to-nowhere'  => [ 0, post(0, 0), eager(5000), feed(0, 70), feed() ],
		'eager-half-closed' => [ 0, eager(6000), feed(0, 500), step('close', 0, 0) ],
		'eager-placed-closed' => [ 0, post(0, 9000), eager(6000), feed(0, 500), step('close', 0, 0) ],
		'eager-claimed-closed' => [ 0, eager(6000), feed(0, 500), post(0, 9000), step('close', 0, 0) ],
		'eager-half-dropped-closed' =>
			[ 0, eager(6000), feed(0, 500), step('drop', 0, 0), step('close', 0, 0) ],
		'eager-many-credited' => [ 0, (map { post(0, 8192) } 1 .. 8), (map { eager(8000), feed() } 1 .. 8) ],
		'eager-beyond-window' => [ 0, (map { eager(8000), feed() } 1 .. 5) ],
		'eager-beyond-1MiB'   => [ WIDE, frame('EAGER', length => 0x8001, shift => 6), feed() ],
		'eager-1MiB'        => [ WIDE, post(0, 8192, 7), frame('EAGER', length => 0x8000, shift => 5),
			(map { step('body', 0, 0, pack 'v', 0xffff) } 1 .. 17), feed() ],
		'pieces-of-1'       => [ 0, post(0, 20), eager(20), eager(20), pieces(1) ],
		'pieces-of-63'      => [ 0, post(0, 200), eager(200), eager(20), frame('RTS', length => 5), pieces(63) ],
		'two-peers'         => [ 0, eager(20), eager(30, peer => 1), feed(0), feed(1), post(0, 64), post(0, 64) ],
		'rts-expected'      => [ 0, post(0, 5000), frame('RTS', length => 5000, which => 9), feed(), data(), feed() ],
		'rts-held'          => [ 0, frame('RTS', length => 300, which => 9), feed(), post(0, 5000), data(), feed() ],
		'rts-empty'         => [ 0, post(0, 0), frame('RTS'), feed(), data(), feed() ],
		'rts-long-direct'   => [ 0, post(0, 0xffff), frame('RTS', length => 0xf000, which => 9), feed(), data(),
			feed(0, 5000), feed(0, 64), feed() ],
		'rts-cut'           => [ 0, post(0, 5000), frame('RTS', length => 9000), feed(), data(), feed(0, 1), feed() ],
		'rts-two-swapped'   => [ 0, post(0, 500), post(0, 500), frame('RTS', length => 100, which => 1),
			frame('RTS', length => 200, which => 2), feed(), data(which => 1), feed(), data(which => 0), feed() ],
		'rts-too-long'      => [ 0, frame('RTS', length => 1, change => [ 23, 1 ]), feed() ],
		'rts-held-closed'   => [ 0, frame('RTS', length => 100), feed(), step('close', 0, 0), post(0, 100) ],
		'rts-asked-closed'  => [ 0, post(0, 100), frame('RTS', length => 100), feed(), step('close', 0, 0) ],
		'rts-withdrawn'     => [ 0, frame('RTS', length => 100, which => 7), feed(), frame('WITHDRAW', how => ID,
			which => 7), feed() ],
		'rts-withdrawn-second' => [ 0, eager(3), frame('RTS', length => 100, which => 7), frame('RTS', length => 50,
			which => 8), feed(), frame('WITHDRAW', how => ID, which => 8), feed() ],
		'rts-withdrawn-late' => [ 0, post(0, 100), frame('RTS', length => 100, which => 7), feed(),
			frame('WITHDRAW', how => ID, which => 7), feed(), data(), feed() ],
		'rts-dropped'       => [ 0, frame('RTS', length => 100), feed(), step('drop', 0, 0) ],
		'data-unasked'      => [ 0, frame('DATA', length => 4), feed() ],
		'data-of-other-peer' => [ 0, post(0, 100), frame('RTS', length => 4, peer => 1), feed(1),
			data(which => 128), feed(0) ],
		'data-other-length' => [ 0, post(0, 100), frame('RTS', length => 4), feed(), frame('DATA',
			change => [ 16, 1 ]), feed() ],
		'data-twice'        => [ 0, post(0, 100), frame('RTS', length => 4), feed(), data(), feed(), data(), feed() ],
		'send-eager'        => [ 0, sends(0, 100), sends(0, 8000), frame('CREDIT', credit => 2), feed() ],
		'send-too-much-credit' => [ 0, sends(0, 100), frame('CREDIT', credit => 3), feed() ],
		'send-window-full'  => [ 0, (map { sends(0, 8000) } 1 .. 6), frame('CREDIT', credit => 126), feed(),
			sends(0, 8000) ],
		'send-long'         => [ 0, sends(1, 0x8000), frame('CTS', which => 0), feed() ],
		'send-sync-empty'   => [ 0, sends(0, 0, 1), frame('CTS', which => 0), feed() ],
		'send-asked-twice'  => [ 0, sends(0, 10, 1), frame('CTS'), feed(), frame('CTS'), feed() ],
		'send-asked-never'  => [ 0, frame('CTS', how => ID, which => 3), feed() ],
		'send-asked-by-other' => [ 0, sends(0, 10, 1, 1), frame('CTS', which => 128), feed() ],
		'send-withdrawn-by-other' => [ 0, sends(0, 10, 1, 1), step('withdraw', 0, 0, "\0"),
			frame('WITHDRAWN', which => 128), feed() ],
		'send-asked-while-going' => [ SMALL, sends(3, 0x3000), frame('CTS'), step('stall', 0, 0), feed(),
			frame('CTS'), feed() ],
		'send-withdraw'     => [ 0, sends(0, 10, 1), step('withdraw', 0, 0, "\0"), frame('WITHDRAWN'), feed() ],
		'send-withdraw-second' => [ 0, sends(0, 10, 1), sends(0, 11, 1), step('withdraw', 0, 0, "\1"),
			frame('WITHDRAWN', which => 1), feed() ],
		'send-withdraw-late' => [ 0, sends(0, 10, 1), step('withdraw', 0, 0, "\0"), frame('CTS'), feed(),
			frame('WITHDRAWN'), feed() ],
		'send-lost'         => [ 0, sends(0, 10, 1), sends(0, 10), step('close', 0, 0), sends(0, 10) ],
		'send-stalled'      => [ SMALL, step('stall', 0, 0), (map { sends(0, 8000) } 1 .. 6), sends(0, 0x3000),
			frame('CTS', which => 4), step('sleep', 0, 0), step('stall', 0, 0), feed(), frame('CTS',
			which => 4), feed() ],
		'send-stalled-lost' => [ SMALL, sends(3, 0x3000), frame('CTS', which => 0), step('stall', 0, 0), feed(),
			step('close', 0, 0) ],
		'send-back'         => [ BACK, post(0, 10), post(0, 10), eager(5), eager(6), feed() ],
		'claim-at-once'     => [ CLAIM, eager(5), frame('RTS', length => 7), feed(), data(), feed() ],
		'self-expected'     => [ 0, post(2, 100), step('self', 2, 0, pack 'v C', 25, 0) ],
		'self-held'         => [ 0, step('self', 2, 0, pack 'v C', 25, 0), post(2, 100) ],
		'self-sync'         => [ 0, step('self', 2, 0, pack 'v C', 25, 1), post(2, 10) ],
		'self-withdrawn'    => [ 0, step('self', 2, 0, pack 'v C', 25, 1), step('withdraw', 0, 0, "\0") ],
		'self-dropped'      => [ 0, step('self', 2, 0, pack 'v C', 25, 1), step('drop', 2, 0) ],
		'bye-both'          => [ 0, sends(0, 10, 1), step('bye', 0, 0), frame('BYE'), feed(), step('finished', 0, 0),
			step('close', 0, 0) ],
		'bye-then-message'  => [ 0, frame('BYE'), eager(1), feed() ],
		'bye-then-cts'      => [ 0, sends(0, 10, 1), frame('BYE'), feed(), frame('CTS'), feed() ],
		'bye-finished-cts'  => [ 0, sends(0, 10, 1), step('bye', 0, 0), frame('BYE'), feed(),
			step('finished', 0, 0), frame('CTS'), feed() ],
		'kind-unknown'      => [ 0, frame('UNKNOWN'), feed() ],
		'kind-none'         => [ 0, frame('NONE'), feed() ],
		(map { ("padding-$_" => [ 0, frame('BYE', change => [ $_, 4 ]), feed() ]) } 1 .. 3),
		'epoch'             => [ 0, frame('BYE', change => [ 4, 1 ]), feed() ],
		'seq-gap'           => [ 0, frame('EAGER', change => [ 8, 3 ]), feed() ],
		'seq-gap-rts'       => [ 0, frame('RTS', change => [ 8, 3 ]), feed() ],
		'expect'            => [ 0, eager(5), step('expect', 0, 0), feed(), step('expect', 0, 1) ],
		'raw'               => [ 0, step('raw', 0, 0, chr(64), pack('C x3 V Q< Q< Q< Q< V x20', 1, 3, 1, 3, 0, 0, 0)),
			step('raw', 0, 0, chr(3), 'abc'), feed(0, 65), feed() ],
		'prefetch-moved'    => [ 0, (map { post(0, 4000) } 1 .. 6), (map { eager(3500) } 1 .. 6), feed(0, 14286), feed() ],
	);
	seed('frames', $_, chr(shift @{ $seed{$_} }), @{ $seed{$_} }) for sort keys %seed;
	return;
}

# ---- handshake: what, then as the target says ----

sub handshake_seeds
{
	my $hello = pack 'V v v a16 V V V a24', 0x49504d46, 1, 0, "\x11" x 16, 3, 0, 1, 'n' x 24;
	my %seed = (
		'accept'           => "\0\0\0\0",
		'accept-rank-3'    => "\0\3\0\0",
		'accept-itself'    => "\0\1\0\0",
		'accept-bit'       => "\0\0\1\5\3",
		'accept-magic'     => "\0\0\1\0\1",
		'accept-version'   => "\0\0\1\4\1",
		'accept-zero'      => "\0\0\1\6\1",
		'accept-session'   => "\0\0\1\x09\1",
		'accept-epoch'     => "\0\0\1\x18\5",
		'accept-from-outside' => "\0\0\1\x1c\5",
		'accept-to-another' => "\0\0\1\x20\1",
		'accept-bad-proof' => "\0\0\0\1\7\2",
		'accept-raw'       => "\0\0\2" . $hello,
		'accept-cut-proof' => "\0\0\0\3\5abcde",
		'connect'          => "\1\x77\0",
		'connect-bad-mac'  => "\1\x77\1\x20\1",
		'connect-magic'    => "\1\x77\1\0\1",
		'talk-in'          => "\2\0\5\0\0\4\0\0",
		'talk-in-frame'    => "\2\0\5\0\0\4\0\1",
		'talk-in-raw'      => "\2\0\3" . chr(60) . $hello . "\3" . chr(32) . 'm' x 32,
		'talk-in-twice'    => "\2\0\5\0\0\4\0\0\x10\x15\0\0\x14\0\0",
		'talk-in-bad'      => "\2\0\5\0\0\4\1\3\1\0",
		'talk-in-split'    => "\2\0\3" . chr(10) . substr($hello, 0, 10) . "\3" . chr(50) . substr($hello, 10),
		'talk-out'         => "\2\1\0\5\0\0\4\1\0\0",
		'talk-out-frame'   => "\2\1\0\5\0\0\4\1\0\1",
		'talk-out-busy'    => "\2\1\2\5\0\0\4\2\0\0\x10\x15\2\0\x14\0\0",
		'talk-out-liar'    => "\2\1\0\5\0\1\x20\1",
		'talk-out-verdict' => "\2\1\0\5\0\0\4\7\0\0",
		'talk-out-hang-up' => "\2\1\0\2",
		'talk-both-lower'  => "\2\1\0\x10\x15\0\0\x14\0\0",
		'talk-both-higher' => "\2\1\3\x10\x15\3\0\x14\0\0",
	);
	seed('handshake', $_, $seed{$_}) for keys %seed;
	return;
}

# ---- control ----

sub start_frame
{
	my ($rank, @hosts) = @_;
	my $table = join '', map { FTMPI::Wire::pack_fields('sshhuu', "node$_", $hosts[$_], 4000 + $_, 0, $_, 2) }
		0 .. $#hosts;
	return FTMPI::Control::encode('START', 's' x 16, 0, $rank, scalar @hosts, 'k' x 32, 0, 1, 0, '/tmp',
		'name', [ 'heartbeat=100', 'coord=blocking', 'restarts=1' ], $table);
}

sub control_seeds
{
	my @v4 = map { "10.0.0.$_" } 1 .. 3;
	my %start = (
		'one' => start_frame(0, '127.0.0.1'),
		'three' => start_frame(1, @v4),
		'ipv6' => start_frame(2, 'fd00::1', '::1', '::ffff:1.2.3.4'),
		'rank-outside' => start_frame(3, @v4),
		'host-by-name' => start_frame(0, 'localhost'),
	);
	for my $name (keys %start) {
		seed('control', "body-$name", "\2", substr $start{$name}, FTMPI::Wire::HEAD);
		seed('control', "socket-$name", "\0\0\0\0", $start{$name});
	}
	my $outside = substr $start{one}, FTMPI::Wire::HEAD;
	substr $outside, -8, 8, pack 'V V', 1, 2;
	seed('control', 'body-node-outside', "\2", $outside);
	substr $outside, -8, 8, pack 'V V', 0, 0;
	seed('control', 'body-no-cores', "\2", $outside);
	seed('control', 'body-cut',      "\2", substr $start{three}, FTMPI::Wire::HEAD, 120);
	seed('control', 'body-more',     "\2", substr($start{three}, FTMPI::Wire::HEAD), 'x');
	seed('control', 'body-many',     "\2", pack 'a16 V3 a32 V3 V V', '', 0, 0, 1 << 20, '', 0, 0, 0, 0, 0);
	seed('control', 'socket-stdin',  "\0\1\0\0", $start{three});
	seed('control', 'socket-version', "\0\0\0\0", pack 'V v v', 0, 1, 2);
	seed('control', 'socket-length', "\0\0\0\0", pack 'V v v', 0x1000001, 1, 1);
	seed('control', 'socket-short',  "\0\0\0\0", substr $start{three}, 0, 30);
	seed('control', 'socket-fd-text', "\0\0\7abc\0", $start{three});
	seed('control', 'socket-fd-empty', "\0\1\1\0", $start{three});
	my @restart = map { FTMPI::Control::encode('RESTART', $_) } 1, 2;
	seed('control', 'socket-restarted', "\0\0\0\0", @restart, $start{three});
	seed('control', 'socket-restarted-cut', "\0\0\0\0", substr $restart[0], 0, 10);
	seed('control', 'socket-restarted-long', "\0\0\0\0", FTMPI::Wire::frame(2, 'x' x 5), $start{three});
	seed('control', 'order', "\3\7", substr($restart[0], 0, 8), "\3", substr $restart[0], 8);
	my %order = map { $_ => FTMPI::Control::encode($_, 1) } qw(OBSERVE DUMP);
	seed('control', "order-\L$_\E", "\3\7", substr($order{$_}, 0, 8), "\3", substr $order{$_}, 8) for keys %order;
	seed('control', 'order-pieces',  "\3", map { "\0$_" } split //, $restart[0]);
	seed('control', 'order-other',   "\3\7", FTMPI::Wire::frame(1, 'abcd'));
	seed('control', 'order-long',    "\3\7", FTMPI::Wire::frame(2, 'abcde'));
	seed('control', 'order-version', "\3\7", pack 'V v v V', 4, 2, 2, 1);
	seed('control', 'told',          "\1\1\2the connection was reset");
	seed('control', 'told-long',     "\1\1\2", 'y' x 2000);
	return;
}

# ---- byhand: 0 knob value, or 1 secret bind port then words ----

sub byhand_seeds
{
	my %knob = (right => "\0\0" . '4096', none => "\0\1", word => "\0\2abc", low => "\0\1" . '-5',
		high => "\0\3" . '3600001', huge => "\0\1" . '9' x 40, tail => "\0\4" . '2000x',
		spaces => "\0\2  12", line => "\0\2" . "1\n2", long => "\0\2" . 'z' x 1000,
		hex => "\0\2" . '0x10', plus => "\0\2+7");
	seed('byhand', "knob-$_", $knob{$_}) for keys %knob;
	my $two = join "\n", qw(-v -ftmpi /tmp 1 2 0 127.0.0.1 1 127.0.0.1);
	my %words = (
		'none'        => "-v",
		'two'         => $two,
		'ipv6'        => join("\n", qw(-ftmpi /tmp 0 2 0 ::1 1 fd00::2)),
		'no-workdir'  => '-ftmpi',
		'no-size'     => "-ftmpi\n/tmp\n0",
		'rank-outside' => join("\n", qw(-ftmpi /tmp 2 2 0 1.2.3.4 1 1.2.3.5)),
		'too-few'     => join("\n", qw(-ftmpi /tmp 0 2 0 1.2.3.4)),
		'swapped'     => join("\n", qw(-ftmpi /tmp 0 2 1 1.2.3.4 0 1.2.3.4)),
		'rank-word'   => join("\n", qw(-ftmpi /tmp 0x 2 0 1.2.3.4 1 1.2.3.4)),
		'no-host'     => join("\n", qw(-ftmpi /tmp 0 1 0 nowhere)),
		'recover'     => "$two\n-ftmpirecover\nfile",
		'no-directory' => join("\n", qw(-ftmpi /nowhere 0 1 0 1.2.3.4)),
		'long-directory' => join("\n", '-ftmpi', '/tmp' . '/' x 4080, qw(0 1 0 1.2.3.4)),
		'long-host'   => join("\n", qw(-ftmpi /tmp 0 1 0), '1.2.3.' . '0' x 260 . '4'),
		'odd-host'    => join("\n", qw(-ftmpi /tmp 0 1 0), "a\tb\e[31m"),
	);
	seed('byhand', "words-$_", "\1\0\0\0$words{$_}") for keys %words;
	seed('byhand', 'words-port-taken',     "\1\0\xff\0$two");
	seed('byhand', 'words-secret-short',   "\1\xfd\0\0$two");
	seed('byhand', 'words-secret-unset',   "\1\xfb\0\0$two");
	seed('byhand', 'words-secret-nowhere', "\1\xff", 'nowhere', "\0" x 57, "\0\0$two");
	seed('byhand', 'words-secret-directory', "\1\xfe\0\0$two");
	seed('byhand', 'words-ports-beyond', "\1\0\0\xff",
		join "\n", qw(-ftmpi /tmp 0 540), map { ($_, 1) } 0 .. 539);
	return;
}

# ---- the parsers in Perl (FTMPI::Test::FuzzTargets) ----

sub machines_seeds
{
	my %seed = (
		'file'       => "# a comment\n\nnode1\nnode2 slots=4   # and here\n\tnode3:8\nnode1:2\n10.0.0.1:3\n"
			. "[fd00::1]:5\n[fd00::2]\nfd00::3\nfd00::3 slots=2\nuser\@node4\n",
		'file-crlf'  => "a:2\r\nb\r\n",
		'file-too-many' => "a:65537\n",
		'file-empty' => "# nobody\n",
		'file-most'  => "a slots=65536\na slots=65536\nb:65537\n",
		'list'       => "-host\na,b:4,[::1]:2,a",
		'list-hole'  => "-host\na,,b",
		'list-lines' => "-host\na\nb",
	);
	seed('machines', $_, $seed{$_}) for keys %seed;
	return;
}

sub options_seeds
{
	my %seed = (
		'first-spelling'  => [qw(-v nodes.txt 4 /tmp/w prog -n 7 --x)],
		'second-spelling' => [qw(-n 3 -machinefile f -workdir d prog -v -- -restore)],
		'dashes'          => [qw(--np 3 -- -prog)],
		'all'             => [split(/ /, '-n 2 -host a,b -host c -wdir w -x A -x B=c=d -ssh'), 'ssh -p 2',
			qw(-tag-output -timeout 1.5 -ports 5000-5010 -iface 10.0.0.0/8 -no-oversubscribe -v -v p)],
		'interface'       => [qw(-n 1 -iface eth0 -timeout .5 p)],
		'help'            => ['-help'],
		'restore'         => [qw(f 1 w p a -restore)],
		'restore-line'    => [ 'f', 1, 'w', 'p', '-restore=20261121-203610-1a2b3c4d:7' ],
		'failures'        => [qw(-n 2 -heartbeat 50 -timeout-heartbeat 150 -ckpt-interval .25 -keep 3 -coord
			blocking -max-restarts 0 -restart-on crash -restart-from-start -accept-binary -debug -restore p)],
		'empty-words'     => [ '-n', '1', '', '' ],
	);
	seed('options', $_, join "\n", @{ $seed{$_} }) for keys %seed;
	return;
}

# one message of each kind
my @MESSAGES = (
	[ INITED => 4711 ], ['FINALIZED'], [ ABORTED => 1, 'MPI_Send' ], [ LOST => 2, 'reset' ],
	[ SETUP => 1000, 5000 ],
	[ BIND => '10.0.0.1', 2, 5000, 5010 ],
	[ RUN => 's' x 16, 'k' x 32, 0, 2, 1, '/tmp', 'name', [ 0, 1 ], '/', [qw(prog arg)], ['A=b'],
		['keep=2'], 'rest' ],
	[ STDIN => 'abc' ], ['STDIN_END'], [ KILL => 1 ], [ CREDIT => 7 ], ['PING'], ['END'],
	[ HERE => 4, '10.0.0.1', [qw(lo eth0)], [qw(127.0.0.1 10.0.0.2)] ], [ PORTS => [ 1, 65535 ] ],
	[ FAILED => 'why' ], [ STARTED => 0, 99 ], [ NEWS => 0, 16, 'body' ], [ BROKEN => 1, 'how' ],
	[ CANNOT_RUN => 0, 'no' ], [ OUT => 0, 2, "line\n" ], [ EXITED => 0, 1, 0 ], [ STDIN_TAKEN => 5 ],
	['STDIN_CLOSED'], ['PONG'], ['BYE'], [ AGAIN => 1 ], [ STOPPED => 1, 1000 ],
	[ RESTARTING => 1 ], [ SUSPECT => 1, 1012, 7 ], [ LINE => 4 ], [ PROGRAM => 1 ], [ RESTORED => 4, 'name' ],
	[ RESTART_ALL => 1 ], [ FENCE => 2 ], [ RESTART => 1 ],
);

sub wire_seeds
{
	my $all = join '', map { FTMPI::Control::encode(@$_) } @MESSAGES;
	seed('wire', "message-$_->[0]", "\0", FTMPI::Control::encode(@$_)) for @MESSAGES;
	seed('wire', 'message-START', "\1", start_frame(0, '127.0.0.1'));
	seed('wire', 'all', "\5", $all);
	seed('wire', 'version', "\0", pack 'V v v', 0, 1, 2);
	seed('wire', 'length',  "\0", pack 'V v v', 0x1000001, 1, 1);
	seed('channel', 'greeted', "\7welcome to this machine\n\0hello\n$all");
	seed('channel', 'greeted-at-once', "\0\0hello\n" . FTMPI::Control::encode('PONG'));
	seed('channel', 'greeted-cut', "\2\0hello\n" . substr $all, 0, 20);
	seed('channel', 'never-greeted', "\1\0hell");
	return;
}

sub address_seeds
{
	my %seed = (
		'one'     => "\n1  lo 127.0.0.1 eth0 10.0.0.1",
		'three'   => "\n1  lo 127.0.0.1 eth0 10.0.0.1\n0 10.0.0.2 lo 127.0.0.1 eth0 10.0.0.2\n"
			. "0 10.0.0.3 docker0 172.17.0.1 eth0 10.0.0.3",
		'network' => "10.0.0.0/8\n1  lo 127.0.0.1 eth0 10.0.0.1\n0 fd00::1 eth0 10.0.0.2 eth0 fd00::1",
		'name'    => "eth0\n1  eth0 fd00::1\n0 ::ffff:1.2.3.4 eth0 fd00::2 eth0 fe80::1",
		'none'    => "eth9\n1  lo 127.0.0.1\n0 10.0.0.2 eth0 10.0.0.2",
		'mixed'   => "\n0 fd00::1 eth0 fd00::1\n0 10.0.0.2 eth0 10.0.0.2 eth0 fd00::2",
		'odd'     => "\n0 nowhere eth0 no.address eth1 \n0 fe80::1%eth0 tun0 10.8.0.1",
	);
	seed('address', $_, $seed{$_}) for keys %seed;
	return;
}

# ---- beat: pieces, then steps ----

# wrong, sender, seq, progress, leaving; byte and bit of those that are spoiled
sub beat { my ($wrong, $from, $seq, @more) = @_; return pack 'C4 C v C3', 0, $wrong, $from, $seq, 7, @more, (0) x (3 - @more) }

sub beat_seeds
{
	my %seed = (
		'one'            => [ 'c', beat(0, 1, 1) ],
		'bytes-of-1'     => [ "\0", beat(0, 1, 1), beat(0, 1, 2), "\3\0" ],
		'bytes-of-47'    => [ "\0", map({ beat(0, 0, $_) } 1 .. 60), "\3." ],
		'leaving'        => [ 'c', beat(0, 1, 1), beat(0, 1, 9, 1) ],
		'bit'            => [ 'c', beat(0, 1, 1), beat(1, 1, 2, 0, 45, 3) ],
		'flags'          => [ 'c', beat(1, 1, 2, 0, 6, 1) ],
		'version'        => [ 'c', beat(1, 1, 2, 0, 4, 1) ],
		'magic'          => [ 'c', beat(1, 1, 2, 0, 0, 1) ],
		'epoch'          => [ 'c', beat(2, 1, 1) ],
		'other-receiver' => [ 'c', beat(3, 1, 1) ],
		'other-nonce'    => [ 'c', beat(4, 1, 1) ],
		'other-secret'   => [ 'c', beat(5, 1, 1) ],
		'huge-sender'    => [ 'c', beat(6, 1, 1) ],
		'other-sender'   => [ 'c', beat(0, 1, 1), beat(0, 0, 2) ],
		'seq-0'          => [ 'c', beat(0, 1, 0) ],
		'seq-back'       => [ 'c', beat(0, 1, 5), beat(0, 1, 4) ],
		'replay'         => [ 'c', beat(0, 1, 1), "\2" ],
		'raw'            => [ 'c', beat(0, 1, 1), "\1\100" . 'x' x 65, beat(0, 1, 2) ],
		'challenge'      => [ 'FMHB', 'n' x 24 ],
	);
	seed('beat', $_, @{ $seed{$_} }) for keys %seed;
	return;
}

# ---- recovery lines: what is mended, then the file ----

# A header; by name: fields that differ.
sub ckpt_header
{
	my (%f) = @_;
	return pack 'a8 V3 a16 V4 a16 a64 Q< V Q< Q< x88 Q<', "\x89FTCKPT\n", $f{version} // 1, $f{order} // 1,
		$f{word} // 8, '', $f{epoch} // 0, $f{rank} // 0, $f{size} // 2, $f{line} // 1, $f{program} // '',
		$f{name} // 'solver', 1795293000, $f{sections} // 0, $f{bytes} // 256, 0, 0;
}

# A file of these sections: [kind, id, type, bytes]; the header's fields.
sub ckpt_file
{
	my ($sections, %f) = @_;
	my $table = join '', map { pack 'V4 Q< Q<', @$_[ 0 .. 2 ], 0, length $_->[3], 0 } @$sections;
	my $rest = $table . join '', map { $_->[3] } @$sections;
	return ckpt_header(sections => scalar @$sections, bytes => 256 + length $rest, %f) . $rest;
}

sub ckpt_file_seeds
{
	my @three = ([ 1, 0, 0, 'buffer' ], [ 2, 7, 3, 'x' x 100 ], [ 3, 0, 0, '' ]);
	my $whole = ckpt_file(\@three);
	my %seed = (
		'whole'       => [ 31, $whole ],
		'empty'       => [ 31, ckpt_file([]) ],
		'unmeant'     => [ 23, $whole ],
		'unmended'    => [ 12, $whole ],
		'unsealed'    => [ 15, $whole ],
		'table'       => [ 29, $whole ],
		'sections'    => [ 30, $whole ],
		'program'     => [ 27, ckpt_file(\@three, program => 'p') ],
		'accepted'    => [ 31, ckpt_file(\@three, program => 'p') ],
		'odd-name'    => [ 27, ckpt_file(\@three, program => 'p', name => "\e[2J\n" . 'n' x 62) ],
		'version'     => [ 31, ckpt_file(\@three, version => 2) ],
		'order'       => [ 31, ckpt_file(\@three, order => 2) ],
		'word'        => [ 31, ckpt_file(\@three, word => 4) ],
		'other-rank'  => [ 31, ckpt_file(\@three, rank => 1) ],
		'other-line'  => [ 31, ckpt_file(\@three, line => 2) ],
		'other-epoch' => [ 31, ckpt_file(\@three, epoch => 1) ],
		'other-size'  => [ 31, ckpt_file(\@three, size => 3) ],
		'cut'         => [ 31, substr $whole, 0, -1 ],
		'cut-table'   => [ 31, substr $whole, 0, 300 ],
		'cut-header'  => [ 31, substr $whole, 0, 255 ],
		'longer'      => [ 31, "$whole+" ],
		'nothing'     => [ 31, '' ],
		'magic'       => [ 31, 'x' . substr $whole, 1 ],
		'many'        => [ 31, ckpt_file(\@three, sections => 0xffffffff) ],
		'fewer'       => [ 31, ckpt_file(\@three, sections => 2) ],
		'wrapped'     => [ 31, ckpt_header(sections => 2, bytes => 320) . pack('V4 Q< Q<', 1, 0, 0, 0, ~0, 0)
			. pack('V4 Q< Q<', 2, 0, 0, 0, 1, 0) ],
		'long-section' => [ 31, substr($whole, 0, 256 + 16) . pack('Q<', ~0) . substr $whole, 256 + 24 ],
	);
	seed('ckpt_file', $_, chr $seed{$_}[0], $seed{$_}[1]) for keys %seed;
	return;
}

sub manifest_seeds
{
	my $check = 'check ' . '0' x 16 . "\n";
	my $head = "FTMPI-LINE 1\nsession " . '5e' x 16 . "\nline 7\nepoch 2\ntime 1795293007\nprogram " . '09' x 16
		. "\nname solver\n";
	my @ranks = map { "rank $_ seal " . 'ab' x 8 . " bytes 100442\n" } 0 .. 2;
	my $whole = "${head}ranks 2\n$ranks[0]$ranks[1]$check";
	my %seed = (
		'whole' => [ 1, $whole ], 'unmended' => [ 0, $whole ], 'cut' => [ 1, substr $whole, 0, -30 ],
		'short' => [ 1, $check ], 'nothing' => [ 1, '' ], 'more' => [ 1, "${head}ranks 1\n$ranks[0]$ranks[1]$check" ],
		'fewer' => [ 1, "${head}ranks 3\n$ranks[0]$ranks[1]$check" ],
		'many'  => [ 1, "${head}ranks 4294967295\n$ranks[0]$check" ],
		'none'  => [ 1, "${head}ranks 0\n$check" ],
		'order' => [ 1, "${head}ranks 2\n$ranks[1]$ranks[0]$check" ],
		'name-file' => [ 2, 'rank-00007.ckpt' ], 'name-file-tmp' => [ 2, 'rank-00007.ckpt.tmp' ],
		'name-folder' => [ 2, 'line-00000007.e0002' ], 'name-long' => [ 2, 'line-4294967295.e4294967295.manifest.tmp' ],
		'name-manifest' => [ 2, 'line-00000007.manifest' ], 'name-zeros' => [ 2, 'line-000000007.manifest' ],
		'name-huge' => [ 2, 'line-4294967296.manifest' ],
	);
	my %change = ('version' => [ 'LINE 1', 'LINE 2' ], 'zero' => [ 'line 7', 'line 07' ], 'minus' => [ 'time ', 'time -' ],
		'big' => [ 'bytes 100442', 'bytes 18446744073709551616' ], 'blank' => [ 'epoch 2', 'epoch  2' ],
		'capital' => [ 'ab', 'AB' ], 'long-name' => [ 'solver', 's' x 64 ], 'no-name' => [ 'solver', '' ],
		'odd-name' => [ 'solver', "a\tb" ], 'crlf' => [ "\n", "\r\n" ]);
	for my $name (keys %change) {
		my ($from, $to) = @{ $change{$name} };
		(my $text = $whole) =~ s/\Q$from\E/$to/;
		$seed{$name} = [ 1, $text ];
	}
	seed('manifest', $_, chr $seed{$_}[0], $seed{$_}[1]) for keys %seed;
	return;
}

# ---- coord: the job, then steps ----

sub told { my ($peer, $kind, $flags, $line, $rest) = @_; return pack('C6', 4, $peer, $kind, $flags, $line, length $rest), $rest }
sub reported
{
	my ($peer, $flags, $line, $total, @entries) = @_;    # of entries: tag, count
	my $list = join '', map { pack 'Q< V Q<', 6, @$_ } @entries;
	return told($peer, 1, $flags, $line, pack('Q< V', $total, scalar @entries) . $list);
}
sub comes { my ($peer, $tag, $stamp) = @_; return pack 'C4', 2, $peer, $tag, $stamp }
sub ready { my ($peer, $line, @ok) = @_; return told($peer, 4, 0, $line, pack 'V (C Q< Q<)*', scalar @ok, map { ($_, 7, 9) } @ok) }

sub coord_seeds
{
	my ($checkpoint, $written, $committed, $received) = ("\0", "\5\1", "\6\1", "\10");
	my $two    = "\1";          # rank 0 of 2
	my $second = "\11";         # rank 1 of 2
	my $up     = sub { told(1, 2, 0, $_[0], pack 'V V V', 2, $_[1], 0) };
	my %seed   = (
		'alone'     => [ "\0", "\1\0\1", comes(0, 1, 1), $checkpoint, $written, $committed ],
		'committed' => [ $two, "\1\1\2", comes(1, 2, 1), $checkpoint, reported(1, 3, 1, 2, [ 2, 2 ]), $up->(1, 1),
			comes(1, 2, 1), $written, ready(1, 1, 1), $committed ],
		'second' => [ $second, comes(0, 2, 1), $received, $checkpoint, reported(0, 3, 1, 1, [ 2, 1 ]),
			told(0, 3, 0, 1, pack 'V V', 1, 1), $written, told(0, 5, 0, 1, "\1") ],
		'orphan'  => [ $two, comes(1, 2, 2), $received, $checkpoint, reported(1, 3, 1, 1, [ 3, 1 ]), comes(1, 3, 1), $up->(1, 1) ],
		'silent'  => [ $two, $checkpoint, $up->(1, 0), $written, ready(1, 1, 0), $checkpoint, $up->(2, 0) ],
		'ahead'   => [ $two, reported(1, 3, 1, 1, [ 1, 1 ]), reported(1, 3, 2, 1, [ 1, 1 ]), $up->(1, 1), $up->(2, 1),
			ready(1, 1, 1), $checkpoint, $checkpoint, comes(1, 1, 1), comes(1, 1, 2), $written, $committed, $written ],
		'early'   => [ $two, reported(1, 2, 1, 1, [ 1, 1 ]), reported(1, 3, 1, 3, [ 1, 2 ]), $checkpoint ],
		'lost'    => [ $two, $checkpoint, "\5\0", $up->(1, 0), ready(1, 1, 1) ],
		'wish'    => [ $second, "\7\1", told(0, 6, 0, 3, ''), $checkpoint, "\7\0" ],
		'auto'    => [ "\x41", comes(1, 1, 1), reported(1, 1, 1, 1), $checkpoint ],
		'restore' => [ $two, comes(1, 1, 1), "\11\3", chr 36, pack('V V l< Q< Q< Q<', 1, 1, 1, 6, 2, 1), comes(1, 1, 4),
			$checkpoint, comes(1, 1, 5), reported(1, 3, 4, 1, [ 1, 1 ]), $up->(4, 1) ],
		'raw'     => [ $two, "\3\1\14", pack 'C C v V V', 6, 0, 0, 0, 1 ],
		'torn'    => [ $two, "\3\1\13", pack 'C C v V V', 6, 0, 0, 0, 1 ],
		'counts'  => [ "\3", told(2, 2, 0, 1, pack 'V V4', 4, 2, 2, 1, 1), told(1, 2, 0, 1, pack 'V V4', 4, 1, 0, 1, 1), $checkpoint ],
	);
	seed('coord', $_, @{ $seed{$_} }) for keys %seed;
	return;
}

sub orphans_seeds
{
	my $range = sub { pack 'V l< Q< Q< Q<', @_ };
	my %seed  = (
		'none'     => [ 3, 0 ],
		'one'      => [ 3, 5, $range->(0, 7, 6, 2, 3) ],
		'two'      => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 9, 1) ],
		'sorted'   => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 8, 6, 1, 1), $range->(0, 0, 7, 1, 1), $range->(2, 0, 0, 1, 1) ],
		'unsorted' => [ 3, 9, $range->(2, 7, 6, 2, 3), $range->(0, 8, 6, 1, 1) ],
		'overlap'  => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 4, 1) ],
		'adjacent' => [ 3, 9, $range->(0, 7, 6, 2, 3), $range->(0, 7, 6, 5, 1) ],
		'rank'     => [ 0, 9, $range->(1, 7, 6, 2, 3) ],
		'zero'     => [ 3, 9, $range->(0, 7, 6, 0, 3) ],
		'empty'    => [ 3, 9, $range->(0, 7, 6, 1, 0) ],
		'huge'     => [ 3, 9, $range->(0, 7, 6, 1, ~0) ],
		'wrapped'  => [ 3, 9, $range->(0, 7, 6, ~0 >> 1, 2) ],
	);
	for my $name (keys %seed) {
		my ($ranks, $messages, @ranges) = @{ $seed{$name} };
		seed('orphans', $name, pack('C C V', $ranks, $messages, scalar @ranges), @ranges);
	}
	seed('orphans', 'cut', pack('C C V', 3, 1, 1), substr $range->(0, 7, 6, 2, 3), 0, 31);
	seed('orphans', 'more', pack('C C V', 3, 1, 0), "\0");
	return;
}

# ---- operations ----

sub operations_seeds
{
	my $open  = 1 << 29;
	my $entry = sub {
		my ($context, $tag, $local, $flags, $rounds, $error, $bytes) = @_;
		return pack('Q< V V V V V Q< Q<', $context, $tag, $local, $flags, $rounds, $error, 4711, length $bytes) . $bytes;
	};
	my %seed = (
		'none'       => [],
		'one'        => [ $entry->(0, $open | 5, 0, 2, 3, 0, 'written') ],
		'between'    => [ $entry->(6, $open | 5, $open | 4, 2, 3, 0, 'written') ],
		'standing'   => [ $entry->(0, $open | 5, 0, 1, 0, 0, ''), $entry->(0, $open | 6, 0, 3, 1, 0, 'x') ],
		'truncated'  => [ $entry->(0, $open | 5, 0, 2, 3, 15, '') ],
		'plane'      => [ $entry->(1, $open | 5, 0, 2, 3, 0, '') ],
		'waiting'    => [ $entry->(0, 5, 0, 2, 3, 0, '') ],
		'large'      => [ $entry->(0, $open << 1, 0, 2, 3, 0, '') ],
		'local'      => [ $entry->(0, $open | 5, 4, 2, 3, 0, '') ],
		'nothing'    => [ $entry->(0, $open | 5, 0, 0, 0, 0, '') ],
		'flags'      => [ $entry->(0, $open | 5, 0, 6, 0, 0, '') ],
		'not-active' => [ $entry->(0, $open | 5, 0, 1, 0, 0, 'x') ],
		'no-class'   => [ $entry->(0, $open | 5, 0, 2, 0, 1 << 31, '') ],
		'long'       => [ pack('Q< V V V V V Q< Q<', 0, $open | 5, 0, 2, 3, 0, 4711, ~0) ],
	);
	seed('operations', $_, pack('V', scalar @{ $seed{$_} }), @{ $seed{$_} }) for keys %seed;
	seed('operations', 'beyond', pack('V', 1), substr $entry->(0, $open | 5, 0, 2, 3, 0, 'written'), 0, -1);
	seed('operations', 'cut', pack('V', 1), substr $entry->(0, $open | 5, 0, 2, 3, 0, ''), 0, 43);
	seed('operations', 'more', pack('V', 0), "\0");
	seed('operations', 'many', pack('V', ~0 & 0xffffffff), $entry->(0, $open | 5, 0, 2, 3, 0, ''));
	return;
}

# ---- communicators: ranks of the job, then the section ----

sub communicators_seeds
{
	my $none  = ~0;
	my $entry = sub {
		my ($context, $local, $group, $remote) = @_;
		return pack 'Q< Q< V V V*', $context, $local, scalar @$group, scalar @$remote, @$group, @$remote;
	};
	my %seed = (
		'none'     => [ 3 ],
		'one'      => [ 3, $entry->(6, $none, [ 0, 1, 2 ], []) ],
		'two'      => [ 3, $entry->(6, $none, [ 2, 0 ], []), $entry->(8, $none, [ 1 ], []) ],
		'between'  => [ 3, $entry->(1 << 32 | 6, 8, [ 0, 2 ], [ 1 ]) ],
		'unknown'  => [ 3, $entry->($none, $none, [ 0, 2 ], [ 1 ]) ],
		'plane'    => [ 3, $entry->(7, $none, [ 0 ], []) ],
		'local'    => [ 3, $entry->(6, 9, [ 0 ], [ 1 ]) ],
		'empty'    => [ 3, $entry->(6, $none, [], []) ],
		'rank'     => [ 3, $entry->(6, $none, [ 0, 3 ], []) ],
		'too-many' => [ 1, $entry->(6, $none, [ 0, 0 ], []) ],
		'remote'   => [ 1, $entry->(6, 8, [ 0 ], [ 0, 0 ]) ],
		'no-job'   => [ 0, $entry->(6, $none, [ 0 ], []) ],
	);
	for my $name (keys %seed) {
		my ($ranks, @entries) = @{ $seed{$name} };
		seed('communicators', $name, pack('C V V', $ranks, 9, scalar @entries), @entries);
	}
	my $one = $entry->(6, $none, [ 0, 1 ], []);
	seed('communicators', 'cut',  pack('C V V', 3, 9, 1), substr $one, 0, -1);
	seed('communicators', 'more', pack('C V V', 3, 9, 1), $one, "\0");
	seed('communicators', 'many', pack('C V V', 3, 9, ~0 & 0xffffffff), $one);
	return;
}

# ---- rma_layout: copies less 1, extent in eights, then parts ----

sub rma_layout_seeds
{
	my $part = sub { pack 'q< Q< q< Q< Q<', @_ };    # at, count, stride, bytes, is there a child?
	my $layout = sub { pack('Q<', scalar @_) . join '', @_ };
	my $inner  = $layout->($part->(0, 5, 8, 4, 0), $part->(100, 1, 0, 4, 0));
	my %seed   = (
		'run'     => [ 0, 0, $layout->($part->(8, 1, 0, 4, 0)) ],
		'vector'  => [ 2, 5, $layout->($part->(0, 3, 12, 4, 0)) ],
		'nested'  => [ 1, 16, $layout->($part->(4, 2, 200, 24, 1) . $inner) ],
		'backward' => [ 3, 255, $layout->($part->(64, 4, -16, 8, 0)) ],
		'far'     => [ 0, 0, $layout->($part->(1 << 60, 1, 0, 4, 0)) ],
		'empty'   => [ 0, 0, $layout->() ],
		'size'    => [ 0, 0, $layout->($part->(4, 2, 200, 23, 1) . $inner) ],
		'many'    => [ 0, 0, pack('Q<', 1 << 60) ],
	);
	for my $name (keys %seed) {
		my ($copies, $extent, $bytes) = @{ $seed{$name} };
		seed('rma_layout', $name, pack('C C', $copies, $extent), $bytes);
	}
	return;
}

# ---- rma_words: dynamic?, then steps ----

use constant { RMA_PUT => 1, RMA_GET => 2, RMA_ACCUMULATE => 3, RMA_GET_ACCUMULATE => 4, RMA_SWAP => 5, RMA_UNLOCK => 6,
	RMA_SHARED => 7, RMA_EXCLUSIVE => 8, RMA_POST => 9, RMA_COMPLETE => 10, RMA_DONE => 11, RMA_DATA => 12,
	RMA_FAILED => 13, RMA_GRANTED => 14 };
use constant { OP_SUM => 0x21, OP_NO_OP => 0x3d, OP_MINLOC => 0x38, OP_REPLACE => 0x3c, TYPE_INT => 0x209, TYPE_FLOAT_INT => 0x228 };

# peer, kind; then by name: how, at, bytes, count, extent, layout (text), op, basic, data
sub words
{
	my ($peer, $kind, %a) = @_;
	my $layout = $a{layout} // '';
	my $all = $layout . "\0" x (-length($layout) % 16) . ($a{data} // '');
	return pack('C C C C s< v C c C v v v', 0, $peer, $kind, $a{how} // 0, $a{at} // 0, $a{bytes} // 0, $a{count} // 0,
		$a{extent} // 0, length($layout) / 8, $a{op} // 0, $a{basic} // 0, length $all) . $all;
}

sub rma_words_seeds
{
	my $wants  = sub { pack 'C C C', 1, @_ };    # rank, bytes
	my $vector = pack 'Q< q< Q< q< Q< Q<', 1, 0, 3, 12, 4, 0;
	my @sum    = (op => OP_SUM, basic => TYPE_INT);
	my %seed   = (
		'put'        => [ words(0, RMA_PUT, at => 8, bytes => 4, data => 'data'), words(2, RMA_GET, at => 8, bytes => 4) ],
		'put-vector' => [ words(0, RMA_PUT, bytes => 12, count => 1, layout => $vector, data => 'd' x 12) ],
		'put-twice'  => [ words(0, RMA_PUT, bytes => 24, count => 2, extent => 40, layout => $vector, data => 'd' x 24) ],
		'put-short'  => [ words(0, RMA_PUT, bytes => 4, data => 'dat') ],
		'put-beyond' => [ words(0, RMA_PUT, at => 253, bytes => 4, data => 'data') ],
		'put-before' => [ words(0, RMA_PUT, at => -1, bytes => 4, data => 'data') ],
		'put-far'    => [ words(0, RMA_PUT, how => 2, bytes => 4, data => 'data') ],
		'get-much'   => [ words(0, RMA_GET, how => 1, bytes => 0xffff) ],
		'get-vector' => [ words(0, RMA_GET, at => 100, bytes => 12, count => 1, layout => $vector) ],
		'sum'        => [ words(0, RMA_ACCUMULATE, @sum, bytes => 8, data => 'twoints ') ],
		'sum-odd'    => [ words(0, RMA_ACCUMULATE, @sum, at => 1, bytes => 8, data => 'twoints ') ],
		'sum-vector' => [ words(0, RMA_ACCUMULATE, @sum, bytes => 12, count => 1, layout => $vector, data => 'threeints...') ],
		'sum-part'   => [ words(0, RMA_ACCUMULATE, @sum, bytes => 7, data => 'sevenby') ],
		'sum-pairs'  => [ words(0, RMA_ACCUMULATE, op => OP_MINLOC, basic => TYPE_FLOAT_INT, bytes => 8, data => 'pairpair') ],
		'replace'    => [ words(0, RMA_ACCUMULATE, op => OP_REPLACE, basic => TYPE_INT, bytes => 8, data => 'twoints ') ],
		'no-type'    => [ words(0, RMA_ACCUMULATE, op => OP_SUM, basic => 9, bytes => 8, data => 'twoints ') ],
		'no-op'      => [ words(0, RMA_ACCUMULATE, op => 9, basic => TYPE_INT, bytes => 8, data => 'twoints ') ],
		'fetch'      => [ words(0, RMA_GET_ACCUMULATE, @sum, bytes => 4, data => 'int ') ],
		'fetch-only' => [ words(0, RMA_GET_ACCUMULATE, op => OP_NO_OP, basic => TYPE_INT, bytes => 4) ],
		'swap'       => [ words(0, RMA_SWAP, bytes => 4, data => "new \0\0\0\0") ],
		'swap-half'  => [ words(0, RMA_SWAP, bytes => 4, data => 'new ') ],
		'swap-much'  => [ words(0, RMA_SWAP, how => 1, bytes => 1, count => 1, layout => $vector) ],
		'layout-long' => [ words(0, RMA_PUT, how => 16, bytes => 4, layout => $vector) ],
		'layout-none' => [ words(0, RMA_PUT, bytes => 12, layout => $vector, data => 'd' x 12) ],
		'locks'      => [ words(0, RMA_SHARED), words(2, RMA_SHARED), words(2, RMA_UNLOCK), words(2, RMA_EXCLUSIVE),
			words(0, RMA_UNLOCK), words(2, RMA_UNLOCK) ],
		'lock-twice' => [ words(0, RMA_SHARED), words(0, RMA_SHARED) ],
		'lock-waits-twice' => [ words(0, RMA_EXCLUSIVE), words(2, RMA_SHARED), words(2, RMA_SHARED), words(0, RMA_UNLOCK) ],
		'unlock'     => [ words(0, RMA_UNLOCK) ],
		'posts'      => [ words(0, RMA_POST), words(2, RMA_COMPLETE) ],
		'done'       => [ $wants->(0, 0), $wants->(0, 0), words(0, RMA_DONE, bytes => 2) ],
		'done-more'  => [ $wants->(0, 0), words(0, RMA_DONE, bytes => 2) ],
		'done-data'  => [ $wants->(0, 4), words(0, RMA_DONE, bytes => 1) ],
		'data'       => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 4, data => 'data') ],
		'data-less'  => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 3, data => 'dat') ],
		'data-more'  => [ $wants->(0, 4), words(0, RMA_DATA, bytes => 5, data => 'data!') ],
		'data-unasked' => [ words(0, RMA_DATA, bytes => 4, data => 'data') ],
		'failed'     => [ $wants->(0, 4), words(0, RMA_FAILED, op => 48) ],
		'failed-well' => [ $wants->(0, 4), words(0, RMA_FAILED) ],
		'granted'    => [ pack('C C', 2, 0), words(0, RMA_GRANTED) ],
		'granted-unasked' => [ words(0, RMA_GRANTED) ],
		'no-window'  => [ words(0, RMA_POST, how => 4) ],
		'foreign'    => [ words(0, RMA_POST, how => 8) ],
		'cut'        => [ words(0, RMA_POST, how => 32) ],
		'lost'       => [ words(0, RMA_POST, how => 64), words(0, RMA_POST) ],
		'no-word'    => [ words(0, 15) ],
	);
	for my $name (keys %seed) {
		seed('rma_words', $name, "\0", @{ $seed{$name} });
		seed('rma_words', "$name-dynamic", "\1", @{ $seed{$name} }) if $name =~ /^(?:put|get|sum)/;
	}
	return;
}

# ---- saved: messages (0, ranks) or numbers (1) ----

sub saved_seeds
{
	my $message = sub { my ($peer, $tag, $text) = @_; pack('Q< V V V Q<', 0, $peer, $tag, $peer, length $text) . $text };
	my $number  = sub { pack 'Q< V V', @_ };
	my %messages = (
		'none'     => [],
		'two'      => [ $message->(1, 5, 'text'), $message->(0, 0, '') ],
		'stranger' => [ $message->(3, 5, 'text') ],
		'negative' => [ $message->(1, 0x80000000, 'text') ],
		'long'     => [ pack 'Q< V V V Q<', 0, 1, 5, 1, ~0 ],
	);
	my %numbers = (
		'none'  => [],
		'two'   => [ $number->(0, 17, 1), $number->(6, 2, 0) ],
		'twice' => [ $number->(6, 17, 1), $number->(6, 2, 0) ],
		'crowded' => [ $number->(0, 17, 2) ],
	);
	seed('saved', "messages-$_", "\0\3", pack('V', scalar @{ $messages{$_} }), @{ $messages{$_} }) for keys %messages;
	seed('saved', "numbers-$_", "\1", pack('V', scalar @{ $numbers{$_} }), @{ $numbers{$_} }) for keys %numbers;
	seed('saved', 'messages-cut', "\0\3", pack('V', 1), substr $message->(1, 5, 'text'), 0, -1);
	seed('saved', 'messages-more', "\0\3", pack('V', 0), "\0");
	seed('saved', 'messages-many', "\0\3", pack('V', 2), $message->(1, 5, 'text'));
	seed('saved', 'numbers-cut', "\1", pack('V', 1), substr $number->(0, 17, 1), 0, -1);
	seed('saved', 'numbers-many', "\1", pack('V', 0x10000001), $number->(0, 17, 1));
	return;
}

machines_seeds();
options_seeds();
wire_seeds();
address_seeds();
frames_seeds();
handshake_seeds();
control_seeds();
byhand_seeds();
beat_seeds();
ckpt_file_seeds();
manifest_seeds();
coord_seeds();
orphans_seeds();
operations_seeds();
communicators_seeds();
rma_layout_seeds();
rma_words_seeds();
saved_seeds();

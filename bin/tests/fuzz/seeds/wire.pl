# SPDX-License-Identifier: BSD-3-Clause
#
# Seeds of what comes over the network: frames, handshakes, beats.
use strict;
use warnings;

# ---- frames: settings, then steps ----

my %KIND = (EAGER => 1, RTS => 2, CTS => 3, DATA => 4, CREDIT => 5, BYE => 6, WITHDRAW => 7,
	WITHDRAWN => 8, UNKNOWN => 9, NONE => 0, SYNC => 253, MATCHED => 254, OPEN => 255);
my %STEP;
@STEP{ qw(frame raw body feed pieces post drop send withdraw stall bye close sleep self finished
	expect) } = 0 .. 15;
use constant { SMALL => 1, WIDE => 2, CLAIM => 4, BACK => 8, EARLY => 16 };
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
		'sync-expected'     => [ 0, post(0, 5000), frame('SYNC', length => 5000, which => 9), feed(), data(), feed() ],
		'sync-taken'        => [ EARLY, frame('SYNC', length => 300, which => 9), feed(), post(0, 5000), data(), feed() ],
		'sync-taken-at-once' => [ EARLY | CLAIM, frame('SYNC', length => 300, which => 9), frame('RTS', length => 9),
			feed(), data(), feed(), data(which => 1), feed() ],
		'sync-taken-closed' => [ EARLY | CLAIM, frame('SYNC', length => 300, which => 9), feed(), step('close', 0, 0) ],
		'sync-withdrawn'    => [ 0, frame('SYNC', length => 100, which => 7), feed(), frame('WITHDRAW', how => ID,
			which => 7), feed() ],
		'sync-withdrawn-late' => [ EARLY | CLAIM, frame('SYNC', length => 100, which => 7), feed(), frame('WITHDRAW', how => ID,
			which => 7), feed(), data(), feed() ],
		'seq-gap-sync'      => [ 0, frame('SYNC', change => [ 8, 3 ]), feed() ],
		'send-early'        => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), frame('MATCHED'), feed() ],
		'send-early-empty'  => [ 0, sends(0, 0, 1), frame('CTS', length => 1), feed(), frame('MATCHED'), feed() ],
		'send-early-at-once' => [ 0, sends(0, 10, 1), frame('CTS', length => 1), frame('MATCHED'), feed() ],
		'send-early-twice'  => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), frame('MATCHED'), feed(),
			frame('MATCHED'), feed() ],
		'send-early-asked-again' => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), frame('CTS'), feed() ],
		'send-early-never'  => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), step('close', 0, 0) ],
		'send-early-withdrawn' => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), step('withdraw', 0, 0, "\0"),
			frame('WITHDRAWN'), feed() ],
		'send-early-withdrawn-unasked' => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), frame('WITHDRAWN'),
			feed() ],
		'send-early-withdrawn-late' => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), step('withdraw', 0, 0, "\0"),
			frame('MATCHED'), feed(), frame('WITHDRAWN'), feed() ],
		'send-early-while-going' => [ SMALL, sends(3, 0x3000, 1), frame('CTS', length => 1), step('stall', 0, 0), feed(),
			frame('MATCHED'), feed() ],
		'send-early-bye'    => [ 0, sends(0, 10, 1), frame('CTS', length => 1), feed(), step('bye', 0, 0), frame('BYE'), feed(),
			step('finished', 0, 0), frame('MATCHED'), feed() ],
		'send-early-by-other' => [ 0, sends(0, 10, 1, 1), frame('CTS', length => 1, peer => 1), feed(1),
			frame('MATCHED', which => 128), feed() ],
		'send-ordinary-early' => [ 0, sends(1, 0x8000), frame('CTS', length => 1), feed() ],
		'send-matched-unasked' => [ 0, sends(0, 10, 1), frame('MATCHED'), feed() ],
		'send-matched-never' => [ 0, frame('MATCHED', how => ID, which => 3), feed() ],
		(map { ("open-$_" => [ 0, frame('OPEN', which => 3 + $_), feed(), frame('OPEN', which => 3 + $_), feed() ]) } 0 .. 2),
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
		'accept-times'     => "\0\0\1\6\1",
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

# ---- ring: steps ----

my ($LOOK, $RIGHT_ROOM) = ("\4", "\7\1\0");

sub short_of   { my ($bytes, $credit, $spoil) = @_; return pack 'C v C2', 0, $bytes, $credit // 0, $spoil // 0 }
sub post_room  { return pack 'C v', 5, $_[0] }
sub send_bytes { return pack 'C v', 6, $_[0] }

# kind; spoil: bits for number, length, id, address, credit; cut: bytes of its end; payload
sub ring_frame
{
	my ($kind, %f) = @_;
	return pack 'C4 v', 1, $kind, $f{spoil} // 0, $f{cut} // 0, $f{payload} // 0 if $kind == 1;
	return pack 'C4 v3 C', 1, $kind, $f{spoil} // 0, $f{cut} // 0, $f{payload} // 0, $f{length} // 0, $f{id} // 0, $f{peer} // 0;
}

sub ring_seeds
{
	my %seed = (
		'short'          => [ post_room(100), short_of(8), $LOOK ],
		'short-empty'    => [ post_room(0), short_of(0), $LOOK ],
		'short-longest'  => [ post_room(1999), short_of(8163), $LOOK ],
		'short-many'     => [ (short_of(500), $LOOK) x 60 ],
		'short-unasked'  => [ short_of(8), $LOOK, post_room(8), $LOOK ],
		'short-credited' => [ send_bytes(40), short_of(8, 104), $LOOK ],
		'short-too-much' => [ short_of(8, 1), $LOOK ],
		'short-spoiled'  => [ short_of(65535, 0, 255), $LOOK ],
		'around'         => [ (post_room(0), short_of(8000), $LOOK) x 20 ],
		'frame'          => [ post_room(100), ring_frame(1, payload => 100), $LOOK ],
		'frame-cut'      => [ post_room(100), ring_frame(1, payload => 100, cut => 90), $LOOK, short_of(8), $LOOK ],
		'header-cut'     => [ ring_frame(1, cut => 20), $LOOK, ring_frame(1, cut => 44), $LOOK ],
		'frame-number'   => [ ring_frame(1, spoil => 1), $LOOK ],
		'rts'            => [ post_room(100), ring_frame(2, length => 90, id => 4), $LOOK ],
		'rts-pulled'     => [ post_room(100), ring_frame(2, spoil => 8, length => 90, id => 4), $LOOK ],
		'rts-huge'       => [ post_room(100), ring_frame(2, spoil => 10, length => 90, id => 4), $LOOK ],
		'rts-kept'       => [ ring_frame(2, spoil => 8, length => 90, id => 4), $LOOK, post_room(1000), $LOOK ],
		'pulled-unasked' => [ ring_frame(13, id => 1), $LOOK ],
		'asked'          => [ send_bytes(20000), ring_frame(3, id => 1, peer => 1), $LOOK ],
		'offer'          => [ ring_frame(9), $LOOK ],
		'memory'         => [ ring_frame(11), $LOOK ],
		'bye'            => [ ring_frame(6), short_of(8), $LOOK ],
		'word'           => [ pack('C V', 3, 0xffffffff), $LOOK ],
		'word-nothing'   => [ pack('C V', 3, 1 << 24), $LOOK ],
		'skip'           => [ pack('C V', 3, 3 << 24), $LOOK ],
		'skip-again'     => [ short_of(8), pack('C V', 3, 3 << 24), pack('C V', 3, 3 << 24), $LOOK ],
		'raw'            => [ pack('C v C', 2, 0, 200), "\2\0\0\2" x 50, $LOOK ],
		'full'           => [ (send_bytes(8000)) x 12, $LOOK, $RIGHT_ROOM, $LOOK ],
		'room-of-a-liar' => [ send_bytes(8), pack('C2 V C', 7, 0, 12345, 1), (send_bytes(8000)) x 9, $LOOK ],
		'bits'           => [ pack('C2 V2', 8, 0, 0xffffffff, 0xffffffff), short_of(8), $LOOK ],
		'bell'           => [ "\11\0", short_of(8), $LOOK ],
		'bell-wrong'     => [ "\11\377", $LOOK ],
	);
	seed('ring', $_, @{ $seed{$_} }) for keys %seed;
	return;
}

1;

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors or memory are short for peers that want to connect. Handshakes under way take some
 * for a moment; a lasting shortage is the user's to end. It lasts until a peer is let in; of one
 * that is heard of no more it is not known.
 */
#include "base/clock.h"
#include "base/log.h"
#include "transport/conn.h"

void shortage_note(struct tp_conns *cs, const char *of)
{
	uint64_t now = clock_ns(), most = (uint64_t)SHORTAGE_MS * 1000000;

	if (cs->shortage == 0 || now - cs->shortage_noted > 2 * most)
		cs->shortage = now;
	cs->shortage_noted = now;
	if (cs->shortage_logged || now - cs->shortage < most)
		return;
	cs->shortage_logged = true;
	log_error("other ranks cannot connect: %s; each rank that one talks to takes some", of);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of point-to-point share, and what others may ask about it. Nothing here calls up.
 */
#include "p2p_inside.h"
#include "p2p_saved.h"

struct p2p p2p;

void p2p_coordinate(struct coord *c, void (*drive)(void))
{
	p2p.coord = c;
	p2p.drive = drive;
}

void p2p_drive(void)
{
	if (p2p.drive)
		p2p.drive();
}

uint32_t p2p_word_stamp(void)
{
	return p2p.coord ? coord_stamp(p2p.coord) : 0;
}

void p2p_word_sent(int peer, uint64_t context)
{
	if (p2p.coord && coord_sent(p2p.coord, peer, context, 0))
		p2p.drive();
}

void p2p_word_arrived(int peer, uint64_t context, uint32_t stamp)
{
	if (!p2p.coord)
		return;
	coord_arrived(p2p.coord, peer, context, 0, stamp);
	p2p_noted();
}

struct match *p2p_matching(void)
{
	return &p2p.match;
}

uint64_t p2p_sequence(void)
{
	return p2p.sequence;
}

uint64_t p2p_next_sequence(void)
{
	return ++p2p.sequence;
}

bool p2p_gone(void)
{
	return p2p.anyone_gone;
}

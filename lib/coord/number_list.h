/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in ascending order: those of messages under message logging that are not where they
 * belong yet. Mostly the last is added and the first goes, which costs the same however many there
 * are; in the middle a number costs a move of those behind it. Pure.
 */
#ifndef FTMPI_COORD_NUMBER_LIST_H
#define FTMPI_COORD_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_list {
	uint64_t *v; /* ascending */
	size_t n, room;
	size_t gone; /* places before v, whose numbers have gone */
};

void number_list_free(struct number_list *l);

/* Room for so many more. false: no memory. */
bool number_list_reserve(struct number_list *l, size_t more);

/* Above all that are there. There is room. */
void number_list_append(struct number_list *l, uint64_t number);

/* Wherever it belongs; it is not there. There is room. */
void number_list_add(struct number_list *l, uint64_t number);

bool number_list_has(const struct number_list *l, uint64_t number);

/* false: it is not there. */
bool number_list_remove(struct number_list *l, uint64_t number);

#endif

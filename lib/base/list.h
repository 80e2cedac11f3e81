/* SPDX-License-Identifier: BSD-3-Clause */
/* Intrusive circular doubly linked lists. A list head is a link that points to itself when empty.
 */
#ifndef FTMPI_BASE_LIST_H
#define FTMPI_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
	struct link *next, *prev;
};

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define list_for_each(pos, head)                                                                   \
	for (struct link *pos = (head)->next; pos != (head); pos = pos->next)

/* pos may be taken out of the list (and freed) in the body */
#define list_for_each_safe(pos, head)                                                              \
	for (struct link *pos = (head)->next, *pos##_next = pos->next; pos != (head);              \
		pos = pos##_next, pos##_next = pos->next)

static inline void list_init(struct link *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct link *head)
{
	return head->next == head;
}

static inline void list_append(struct link *head, struct link *item)
{
	item->prev = head->prev;
	item->next = head;
	head->prev->next = item;
	head->prev = item;
}

static inline void list_prepend(struct link *head, struct link *item)
{
	list_append(head->next, item);
}

/* Afterwards the item is an empty list of its own, so a second removal does no harm. */
static inline void list_remove(struct link *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	list_init(item);
}

static inline bool list_linked(const struct link *item)
{
	return item->next != item;
}

static inline struct link *list_first(const struct link *head)
{
	return list_empty(head) ? NULL : head->next;
}

static inline struct link *list_pop(struct link *head)
{
	struct link *item = list_first(head);

	if (item)
		list_remove(item);
	return item;
}

#endif

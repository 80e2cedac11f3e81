/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic symbols of what is loaded, as the dynamic linker has them in memory. Nothing is read
 * that does not lie in the object's own segments.
 */
#include "symbol_scan.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

struct object {
	const struct dl_phdr_info *info;
	uintptr_t symbols, names, hash, gnu_hash;
	size_t names_size;
	size_t own_name; /* of a library, among the names; 0: it has none */
};

static bool inside(const struct dl_phdr_info *o, uintptr_t at, size_t len)
{
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t start = o->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && len <= p->p_memsz && at >= start &&
			at - start <= p->p_memsz - len)
			return true;
	}
	return false;
}

/* Some linkers leave the addresses in this table as they are in the file. */
static uintptr_t address(const struct object *o, ElfW(Addr) value)
{
	return inside(o->info, value, 1) ? value : o->info->dlpi_addr + value;
}

static void take_entry(struct object *o, const ElfW(Dyn) * d)
{
	switch (d->d_tag) {
	case DT_SYMTAB:
		o->symbols = address(o, d->d_un.d_ptr);
		break;
	case DT_STRTAB:
		o->names = address(o, d->d_un.d_ptr);
		break;
	case DT_STRSZ:
		o->names_size = d->d_un.d_val;
		break;
	case DT_SONAME:
		o->own_name = d->d_un.d_val;
		break;
	case DT_HASH:
		o->hash = address(o, d->d_un.d_ptr);
		break;
	case DT_GNU_HASH:
		o->gnu_hash = address(o, d->d_un.d_ptr);
		break;
	}
}

static void take_entries(struct object *o)
{
	for (int i = 0; i < o->info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->info->dlpi_phdr[i];
		uintptr_t at = o->info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_DYNAMIC)
			continue;
		for (; inside(o->info, at, sizeof(ElfW(Dyn))); at += sizeof(ElfW(Dyn))) {
			if (((const ElfW(Dyn) *)at)->d_tag == DT_NULL)
				break;
			take_entry(o, (const ElfW(Dyn) *)at);
		}
	}
}

static bool word(const struct object *o, uintptr_t at, uint32_t *out)
{
	if (!inside(o->info, at, sizeof *out))
		return false;
	memcpy(out, (const void *)at, sizeof *out);
	return true;
}

/* This table has no count: the end of the last chain is one behind the last symbol. Symbols before
 * `offset` are in no chain. */
static size_t count_gnu(const struct object *o)
{
	uint32_t head[3], last = 0, link = 0;
	uintptr_t buckets, chains;

	for (int i = 0; i < 3; i++)
		if (!word(o, o->gnu_hash + 4u * (unsigned)i, &head[i]))
			return 0;
	buckets = o->gnu_hash + 16 + head[2] * sizeof(ElfW(Addr));
	chains = buckets + head[0] * (uintptr_t)4;
	for (uint32_t i = 0; i < head[0] && word(o, buckets + i * (uintptr_t)4, &link); i++)
		last = link > last ? link : last;
	if (last < head[1])
		return head[1];
	while (word(o, chains + (last - head[1]) * (uintptr_t)4, &link) && !(link & 1))
		last++;
	return (size_t)last + 1;
}

static size_t count_symbols(const struct object *o)
{
	uint32_t n = 0;

	if (o->gnu_hash)
		return count_gnu(o);
	return o->hash && word(o, o->hash + 4, &n) ? n : 0;
}

/* A name of the object's, by its place among them. */
static bool begins(const struct object *o, size_t name, const char *prefix)
{
	size_t len = strlen(prefix);

	return name < o->names_size && len <= o->names_size - name &&
	       inside(o->info, o->names + name, len) &&
	       memcmp((const char *)o->names + name, prefix, len) == 0;
}

static bool refers(const struct object *o, const ElfW(Sym) * s, const char *prefix)
{
	return s->st_shndx == SHN_UNDEF && begins(o, s->st_name, prefix);
}

static int look_into(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct object o = {.info = info};
	size_t n;

	(void)size;
	if (inside(info, (uintptr_t)symbol_scan_finds, 1))
		return 0;
	take_entries(&o);
	if (o.own_name && begins(&o, o.own_name, "libftmpi"))
		return 0;
	n = count_symbols(&o);
	for (size_t i = 0; i < n; i++) {
		uintptr_t at = o.symbols + i * sizeof(ElfW(Sym));

		if (!inside(info, at, sizeof(ElfW(Sym))))
			return 0;
		if (refers(&o, (const ElfW(Sym) *)at, arg))
			return 1;
	}
	return 0;
}

bool symbol_scan_finds(const char *prefix)
{
	return dl_iterate_phdr(look_into, (void *)(uintptr_t)prefix) != 0;
}

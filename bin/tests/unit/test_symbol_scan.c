/* SPDX-License-Identifier: BSD-3-Clause */
/* What this test itself consists of: it, and libraries that refer to names of each other. */
#include <stdlib.h>

#include "mpi/init/symbol_scan.h"
#include "unit.h"

/* libsubunit asks the C library for it */
START_TEST(names_that_a_library_asks_for)
{
	ck_assert(symbol_scan_finds("fputs"));
	ck_assert(symbol_scan_finds("fput"));
}
END_TEST

START_TEST(names_that_nobody_asks_for)
{
	ck_assert(!symbol_scan_finds("FTMPI_"));
	ck_assert(!symbol_scan_finds("fputs_of_nobody"));
	/* the mathematical library has it; nobody asks for it */
	ck_assert(!symbol_scan_finds("catanhl"));
}
END_TEST

START_TEST(the_own_object_does_not_count)
{
	unsigned short random[7] = {0};

	lcong48(random);
	ck_assert(!symbol_scan_finds("lcong48"));
}
END_TEST

UNIT_MAIN("uses", tcase_add_test(tc, names_that_a_library_asks_for);
	  tcase_add_test(tc, names_that_nobody_asks_for);
	  tcase_add_test(tc, the_own_object_does_not_count);)

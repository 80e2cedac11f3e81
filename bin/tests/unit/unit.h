/* SPDX-License-Identifier: BSD-3-Clause */
/* The main function of a unit test: UNIT_MAIN("name", tcase_add_test(tc, a); tcase_add_test(tc,
 * b);) */
#ifndef FTMPI_TESTS_UNIT_H
#define FTMPI_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

enum { UNIT_DEADLINE_S = 120 };

#define UNIT_MAIN(name, ...)                                                                       \
	int main(void)                                                                             \
	{                                                                                          \
		Suite *suite = suite_create(name);                                                 \
		TCase *tc = tcase_create(name);                                                    \
		SRunner *runner = srunner_create(suite);                                           \
		int failed;                                                                        \
                                                                                                   \
		tcase_set_timeout(tc, UNIT_DEADLINE_S);                                            \
		__VA_ARGS__                                                                        \
		suite_add_tcase(suite, tc);                                                        \
		srunner_run_all(runner, CK_NORMAL);                                                \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                       \
	}

#endif

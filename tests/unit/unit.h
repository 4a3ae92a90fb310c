/*
 * unit: what every unit test shares. A test file includes this, has its
 * START_TESTs, one function that adds them to the case, and UNIT_MAIN.
 *
 * In Makefile.am a new test is two lines of the tests section.
 */
#ifndef FPMX_TESTS_UNIT_H
#define FPMX_TESTS_UNIT_H

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tests run in children of the runner: the count of skips is shared memory. */
static unsigned *unit_skips;

/* Leaves a test that cannot run here, counted and said aloud. */
#define unit_skip(why)                                               \
	do {                                                         \
		printf("SKIP %s: %s\n", __func__, (why));            \
		__atomic_add_fetch(unit_skips, 1, __ATOMIC_RELAXED); \
		fflush(stdout);                                      \
		return;                                              \
	} while (0)

#define unit_needs_root()                        \
	do {                                     \
		if (geteuid() != 0)              \
			unit_skip("needs root"); \
	} while (0)

/* Valgrind preloads a library of its own. */
static inline int unit_on_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

static int unit_run(const char *name, void (*add)(TCase *))
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner;
	int ran, failed;

	unit_skips = mmap(
	    NULL, sizeof(*unit_skips), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (unit_skips == MAP_FAILED)
		return EXIT_FAILURE;
	tcase_set_timeout(tc, 60);
	add(tc);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	ran = srunner_ntests_run(runner);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	printf("%s: %d passed, %d failed, %u skipped\n", name, ran - failed - (int)*unit_skips,
	    failed, *unit_skips);
	return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define UNIT_MAIN(name, add)                    \
	int main(void)                          \
	{                                       \
		return unit_run((name), (add)); \
	}

#endif

/* slot: only the moves of the table. */
#include <signal.h>

#include "master/slot.h"
#include "unit.h"

static const bool allowed[SLOT_STATE_MAX][SLOT_STATE_MAX] = {
    [SLOT_FREE] = {[SLOT_ORDERED] = true},
    [SLOT_ORDERED] = {[SLOT_RUNNING] = true, [SLOT_LOST] = true, [SLOT_FREE] = true},
    [SLOT_LOST] = {[SLOT_RUNNING] = true, [SLOT_FREE] = true},
    [SLOT_RUNNING] = {[SLOT_RETIRING] = true, [SLOT_KILLED] = true, [SLOT_FREE] = true},
    [SLOT_RETIRING] = {[SLOT_KILLED] = true, [SLOT_FREE] = true},
    [SLOT_KILLED] = {[SLOT_FREE] = true},
};

START_TEST(moves_are_those_of_the_table)
{
	for (int from = 0; from < SLOT_STATE_MAX; from++)
		for (int to = 0; to < SLOT_STATE_MAX; to++)
			ck_assert_int_eq(slot_may_move((enum slot_state)from, (enum slot_state)to),
			    allowed[from][to]);
}
END_TEST

START_TEST(a_move_is_stamped)
{
	struct slot s = {.state = SLOT_FREE};

	slot_move(&s, SLOT_ORDERED, 42);
	ck_assert_int_eq(s.state, SLOT_ORDERED);
	ck_assert_uint_eq(s.since_ms, 42);
	ck_assert(slot_is_taken(&s) && !slot_has_process(&s));
	slot_move(&s, SLOT_RUNNING, 43);
	ck_assert(slot_is_taken(&s) && slot_has_process(&s));
	slot_move(&s, SLOT_FREE, 44);
	ck_assert(!slot_is_taken(&s) && !slot_has_process(&s));
}
END_TEST

START_TEST(another_move_is_our_bug)
{
	struct slot s = {.state = SLOT_FREE};

	slot_move(&s, SLOT_RUNNING, 1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, moves_are_those_of_the_table);
	tcase_add_test(tc, a_move_is_stamped);
	tcase_add_test_raise_signal(tc, another_move_is_our_bug, SIGABRT);
}

UNIT_MAIN("slot", add)

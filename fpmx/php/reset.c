/*
 * reset: goes through the tables.
 *
 * Runs in: worker.
 * Order matters in one place: ini settings come first, because a change of one
 * can change what another row keeps.
 */
#include "php/reset.h"

#include <stdlib.h>
#include <string.h>

#include "php/app.h"

static const struct reset_row *const tables[] = {
    reset_script_rows, reset_process_rows, reset_call_rows};

#ifdef FPMX_RESETS_CAN_BE_SKIPPED
bool reset_is_skipped(const char *row)
{
	const char *at = getenv("FPMX_SKIP_RESETS");
	size_t n = strlen(row);

	for (; at != NULL && *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == n && strncmp(at, row, n) == 0)
			return true;
	return false;
}
#endif

#define EACH_ROW(row)                                                                  \
	for (size_t table_ = 0; table_ < sizeof(tables) / sizeof(tables[0]); table_++) \
		for (const struct reset_row *row = tables[table_]; row->name != NULL; row++)

void reset_save(void)
{
	EACH_ROW(row)
	{
		row->save();
	}
}

const char *reset_restore(void)
{
	const char *failed = NULL;

	EACH_ROW(row)
	{
		if (!reset_is_skipped(row->name) && !row->restore())
			failed = row->name;
	}
	return failed;
}

void reset_end(void)
{
	EACH_ROW(row)
	{
		if (row->end != NULL)
			row->end();
	}
}

/*
 * trace: a slow log entry out of memory that means no good. The memory is a
 * file with the bytes at their addresses, and holes where there is nothing.
 */
#include "php/compat.h"

#include "base/clock.h"
#include "php/engine.h"
#include "unit.h"

#define BASE ((uintptr_t)0x10000)
#define END_OF_MEMORY ((off_t)1 << 48)

static int memory;

static void put(uintptr_t at, const void *bytes, size_t n)
{
	ck_assert_int_eq(pwrite(memory, bytes, n, (off_t)at), n);
}

static void put_pointer(const void *at, uintptr_t to)
{
	put((uintptr_t)at, &to, sizeof(to));
}

static void put_string(uintptr_t at, const char *text, size_t claimed)
{
	zend_string head = {.len = claimed};

	put(at, &head, offsetof(zend_string, val));
	put(at + offsetof(zend_string, val), text, strlen(text) + 1);
}

static void put_frame(uintptr_t at, uintptr_t func, uintptr_t prev)
{
	zend_execute_data frame = {
	    .func = (zend_function *)func, .prev_execute_data = (zend_execute_data *)prev};

	put(at, &frame, sizeof(frame));
}

static void put_function(uintptr_t at, uintptr_t name)
{
	zend_function f = {0};

	f.type = ZEND_INTERNAL_FUNCTION;
	f.common.function_name = (zend_string *)name;
	put(at, &f, sizeof(f));
}

/* A frame of the function "f" that nobody has called. */
static void lay_out(void)
{
	memory = memfd_create("memory", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(memory, END_OF_MEMORY), 0);
	put(BASE, "/x.php", sizeof("/x.php"));
	put_pointer(&SG(request_info).path_translated, BASE);
	put_string(BASE + 0x100, "f", 1);
	put_function(BASE + 0x200, BASE + 0x100);
	put_frame(BASE + 0x800, BASE + 0x200, 0);
	put_pointer(&EG(current_execute_data), BASE + 0x800);
}

static struct strbuf out;

static enum engine_trace trace(uint32_t depth)
{
	strbuf_free(&out);
	strbuf_init(&out, 1u << 20);
	return engine_trace(memory, depth, &out);
}

START_TEST(what_is_laid_out_is_found)
{
	lay_out();
	ck_assert_int_eq(trace(20), ENGINE_TRACE_WHOLE);
	ck_assert_str_eq(strbuf_str(&out), "script_filename = /x.php\n"
					   "[0x0000000000010800] f() unknown:0\n");
}
END_TEST

START_TEST(nothing_at_all_is_told)
{
	memory = memfd_create("memory", MFD_CLOEXEC);
	ck_assert_int_eq(trace(20), ENGINE_TRACE_NOTHING);
	ck_assert_uint_eq(out.len, 0);
}
END_TEST

START_TEST(pointers_to_nowhere_end_it)
{
	static const uintptr_t nowhere[] = {(uintptr_t)END_OF_MEMORY, (uintptr_t)END_OF_MEMORY - 4,
	    UINTPTR_MAX - 4095, UINTPTR_MAX / 2};

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		lay_out();
		put_pointer(&EG(current_execute_data), nowhere[i]);
		ck_assert_int_eq(trace(20), ENGINE_TRACE_CUT);
		lay_out();
		put_frame(BASE + 0x800, nowhere[i], 0);
		ck_assert_int_eq(trace(20), ENGINE_TRACE_CUT);
		lay_out();
		put_frame(BASE + 0x800, BASE + 0x200, nowhere[i]);
		ck_assert_int_eq(trace(20), ENGINE_TRACE_CUT);
		lay_out();
		put_function(BASE + 0x200, nowhere[i]);
		ck_assert_int_eq(trace(20), ENGINE_TRACE_CUT);
		ck_assert_str_eq(strbuf_str(&out), "script_filename = /x.php\n");
	}
	lay_out();
	put_pointer(&SG(request_info).path_translated, nowhere[0]);
	ck_assert_int_eq(trace(20), ENGINE_TRACE_NOTHING);
}
END_TEST

START_TEST(circles_come_to_an_end)
{
	uint64_t began_ms = clock_now_ms();

	lay_out();
	put_frame(BASE + 0x800, BASE + 0x200, BASE + 0x800); /* of internal functions only */
	ck_assert_int_eq(trace(UINT32_MAX), ENGINE_TRACE_CUT);
	put_frame(BASE + 0x800, 0, BASE + 0x900); /* of no functions */
	put_frame(BASE + 0x900, 0, BASE + 0x800);
	ck_assert_int_eq(trace(UINT32_MAX), ENGINE_TRACE_CUT);
	ck_assert_int_eq(trace(3), ENGINE_TRACE_WHOLE);
	ck_assert_uint_lt(clock_now_ms() - began_ms, 20000);
}
END_TEST

START_TEST(strings_are_cut_and_are_one_line)
{
	char longer[3000] = "";
	const char *name;

	memset(longer, 'n', sizeof(longer) - 1);
	lay_out();
	put_string(BASE + 0x2000, longer, SIZE_MAX);
	put_function(BASE + 0x200, BASE + 0x2000);
	ck_assert_int_eq(trace(20), ENGINE_TRACE_WHOLE);
	name = strchr(strbuf_str(&out), 'n') ? strstr(strbuf_str(&out), "] n") + 2 : NULL;
	ck_assert_ptr_nonnull(name);
	ck_assert_uint_eq(strspn(name, "n"), 1023);
	put_string(BASE + 0x2000, "a\n[0x1] b\033", 10);
	put(BASE, "/x\n+++", sizeof("/x\n+++"));
	ck_assert_int_eq(trace(20), ENGINE_TRACE_WHOLE);
	ck_assert_str_eq(strbuf_str(&out), "script_filename = /x\\x0A+++\n"
					   "[0x0000000000010800] a\\x0A[0x1] b\\x1B() unknown:0\n");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, what_is_laid_out_is_found);
	tcase_add_test(tc, nothing_at_all_is_told);
	tcase_add_test(tc, pointers_to_nowhere_end_it);
	tcase_add_test(tc, circles_come_to_an_end);
	tcase_add_test(tc, strings_are_cut_and_are_one_line);
}

UNIT_MAIN("phptrace", add)

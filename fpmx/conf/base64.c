/*
 * base64: how YAML writes bytes that are no text.
 *
 * Runs in: master, engine.
 * Pure.
 */
#include "conf/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *bytes, size_t n, struct strbuf *out)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t three = (uint32_t)b[i] << 16;

		if (left > 1)
			three |= (uint32_t)b[i + 1] << 8;
		if (left > 2)
			three |= b[i + 2];
		strbuf_addc(out, digits[three >> 18]);
		strbuf_addc(out, digits[three >> 12 & 63]);
		strbuf_addc(out, left > 1 ? digits[three >> 6 & 63] : '=');
		strbuf_addc(out, left > 2 ? digits[three & 63] : '=');
	}
}

char *base64_decode(struct arena *arena, const char *text, size_t *n)
{
	char *out = arena_alloc(arena, strlen(text) / 4 * 3 + 4, 1);
	uint32_t bits = 0;
	size_t len = 0, seen = 0, padding = 0;

	for (; *text != '\0'; text++) {
		const char *digit = strchr(digits, *text);

		if (strchr(" \t\r\n", *text) != NULL)
			continue;
		if (*text == '=')
			padding++;
		else if (digit == NULL || padding > 0)
			return NULL;
		bits = bits << 6 | (*text == '=' ? 0 : (uint32_t)(digit - digits));
		if (++seen % 4 != 0)
			continue;
		out[len++] = (char)(bits >> 16 & 255);
		out[len++] = (char)(bits >> 8 & 255);
		out[len++] = (char)(bits & 255);
	}
	if (seen % 4 != 0 || padding > 2 || padding > len)
		return NULL;
	*n = len - padding;
	out[*n] = '\0';
	return out;
}

/*
 * convert: php-fpm's files as YAML that means the same.
 *
 * Runs in: fpmx before it would become a master.
 * What is written was read again and compared: where the two do not mean the
 * same, nothing is written.
 */
#ifndef FPMX_CONF_CONVERT_H
#define FPMX_CONF_CONVERT_H

#include <stdbool.h>

#include "conf/conf.h"

struct convert_order {
	const char *path;
	const char *prefix;             /* -p or NULL */
	const char *folder;             /* for the files; NULL: one text */
	bool overwrite;                 /* files that are there already */
	void (*tell)(const char *line); /* what was done, and what to know of it */
};

/*
 * Without a folder the whole, includes in their places, is appended to text.
 * With one there is a file in it for each that was read, except where one
 * cannot stand alone. 0; or -1, with *e, or with findings in the report.
 */
int convert(const struct convert_order *, struct conf_report *, struct strbuf *text, struct err *)
    __attribute__((warn_unused_result));

#endif

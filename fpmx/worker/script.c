/*
 * script: which script a request is for, and what $_SERVER says of it.
 *
 * Runs in: worker.
 * Web servers disagree about how they tell a script from what follows it in the
 * URI; the rules here are php-fpm's, which applications have grown up with. All
 * values are slices of untouched strings: nothing is cut in place, every length
 * comes from a comparison that has succeeded.
 */
#include "worker/script.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

struct slice {
	const char *at; /* NULL: there is no such value */
	size_t n;
};

/* What the web server said, and what becomes of it. */
struct setup {
	struct params *params;
	struct arena *arena;
	script_stat_fn *stat;
	bool apache; /* mod_proxy_fcgi: the script came as an address of a proxy */

	struct slice said_filename, said_name, said_info, said_translated;
	struct slice filename; /* the script, with what may follow it */
	struct slice name;
	struct slice info;
	struct slice root;
	struct slice name_in_path; /* what the script's path ends in below a document root */
};

static struct slice slice_of(const char *text)
{
	return (struct slice){text, text != NULL ? strlen(text) : 0};
}

static bool is_set(struct slice s)
{
	return s.at != NULL;
}

static bool equal(struct slice a, struct slice b)
{
	return is_set(a) && is_set(b) && a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static bool is_other(struct slice a, struct slice b)
{
	return is_set(a) != is_set(b) || (is_set(a) && !equal(a, b));
}

static bool begins_with(struct slice s, struct slice prefix)
{
	return s.n >= prefix.n && memcmp(s.at, prefix.at, prefix.n) == 0;
}

static bool ends_with(struct slice s, struct slice suffix)
{
	return s.n >= suffix.n && memcmp(s.at + (s.n - suffix.n), suffix.at, suffix.n) == 0;
}

static struct slice first(struct slice s, size_t n)
{
	return (struct slice){s.at, n < s.n ? n : s.n};
}

static struct slice without(struct slice s, size_t n)
{
	return n < s.n ? (struct slice){s.at + n, s.n - n} : (struct slice){s.at + s.n, 0};
}

static const char *text_of(const struct setup *u, struct slice s)
{
	return is_set(s) ? arena_strndup(u->arena, s.at, s.n) : NULL;
}

static struct slice get(const struct setup *u, const char *name)
{
	return slice_of(params_get(u->params, name));
}

/* A value that is not set removes the parameter. */
static void put(const struct setup *u, const char *name, struct slice value)
{
	if (is_set(value))
		params_set(u->params, name, value.at, value.n);
	else
		params_remove(u->params, name);
}

static void keep(const struct setup *u, const char *name, struct slice said)
{
	if (is_set(said))
		put(u, name, said);
}

/* IIS repeats the script's name in PATH_INFO. */
static void repair_iis(struct setup *u)
{
	static const char iis[] = "Microsoft-IIS";
	struct slice server = get(u, "SERVER_SOFTWARE");

	if (!is_set(server) || !begins_with(server, (struct slice){iis, sizeof(iis) - 1}) ||
	    !is_set(u->info) || !is_set(u->name) || !begins_with(u->info, u->name))
		return;
	put(u, "ORIG_PATH_INFO", u->info);
	u->info = without(u->info, u->name.n);
	if (u->info.n == 0)
		u->info.at = NULL;
	put(u, "PATH_INFO", u->info);
}

/* Apache's mod_proxy_fcgi: proxy:fcgi://host:port/path?query */
static void strip_proxy(struct setup *u)
{
	static const char *const prefixes[] = {"proxy:fcgi://", "proxy:balancer://"};
	struct slice s = u->said_filename;

	for (size_t i = 0; is_set(s) && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);
		const char *path, *query;

		if (s.n < n || strncasecmp(s.at, prefixes[i], n) != 0)
			continue;
		path = memchr(s.at + n, '/', s.n - n);
		if (path != NULL) {
			s = without(s, (size_t)(path - s.at));
			u->apache = true;
		}
		query = memchr(s.at, '?', s.n);
		if (query != NULL)
			s = first(s, (size_t)(query - s.at));
		u->filename = s;
		/* $_SERVER has never shown the proxy's address. */
		put(u, "SCRIPT_FILENAME", s);
		u->said_filename = s;
		return;
	}
}

static char kind_of(const struct setup *u, struct slice path)
{
	return path.n == 0 ? 0 : u->stat(text_of(u, path));
}

/*
 * The longest path above filename that is a regular file. What the system cannot
 * look up for its length is none: a client's hundred thousand slashes are not
 * worth as many looks and copies.
 */
static bool find_file(const struct setup *u, struct slice *file)
{
	*file = first(u->filename, PATH_MAX);
	while (file->n > 0) {
		const char *slash = memrchr(file->at, '/', file->n);

		if (slash == NULL)
			return false;
		file->n = (size_t)(slash - file->at);
		if (kind_of(u, *file) == 'f')
			return true;
	}
	return false;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Percent-decoded; "+" stays. */
static struct slice decoded(const struct setup *u, struct slice s)
{
	char *out = arena_alloc(u->arena, s.n + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] == '%' && s.n - i > 2 && isxdigit((unsigned char)s.at[i + 1]) &&
		    isxdigit((unsigned char)s.at[i + 2])) {
			out[n++] = (char)(hex_digit(s.at[i + 1]) * 16 + hex_digit(s.at[i + 2]));
			i += 2;
		} else {
			out[n++] = s.at[i];
		}
	}
	return (struct slice){out, n};
}

static void set_name(const struct setup *u, struct slice name)
{
	keep(u, "ORIG_SCRIPT_NAME", u->said_name);
	put(u, "SCRIPT_NAME", name);
}

/* PATH_INFO was given: what is before the new one in it is the script's name. */
static void take_name_from_info(struct setup *u, struct slice info)
{
	struct slice name = u->said_info;

	put(u, "ORIG_PATH_INFO", u->said_info);
	/* Apache's rest comes from elsewhere, and the whole is taken. */
	if (!u->apache)
		name = first(name, name.n - info.n);
	if (!equal(u->said_name, name))
		set_name(u, name);
	u->name = name;
}

/* ProxyPass: Apache gave no PATH_INFO, it is behind the script's name, decoded. */
static void cut_name(struct setup *u, struct slice info)
{
	struct slice tail = info;

	if (!is_set(u->name))
		return;
	if (!ends_with(u->name, tail))
		tail = decoded(u, info);
	/* A name that is nothing else is none of this kind. */
	if (!ends_with(u->name, tail) || u->name.n == tail.n)
		return;
	u->name = first(u->name, u->name.n - tail.n);
	set_name(u, u->name);
	u->name_in_path = u->name;
}

/* rest is what follows the script. */
static void set_path_info(struct setup *u, struct slice rest)
{
	struct slice info = rest;

	if (u->apache) {
		if (rest.n == 0 || equal(u->said_info, rest))
			return;
	} else {
		/* The end of PATH_INFO, as it came; never more than there is. */
		if (!is_set(u->info) || u->info.n <= rest.n)
			return;
		info = without(u->info, u->info.n - rest.n);
	}
	if (is_set(u->said_info))
		take_name_from_info(u, info);
	else if (u->apache)
		cut_name(u, info);
	u->info = info;
	put(u, "PATH_INFO", info);
}

static struct slice joined(const struct setup *u, struct slice a, struct slice b)
{
	char *out = arena_alloc(u->arena, a.n + b.n + 1, 1);

	memcpy(out, a.at, a.n);
	if (is_set(b))
		memcpy(out + a.n, b.at, b.n);
	return (struct slice){out, a.n + b.n};
}

static void set_path_translated(struct setup *u, struct slice file)
{
	struct slice base = u->root;
	struct slice name = u->name_in_path;

	if (is_set(base)) {
		if (base.n > 0 && base.at[base.n - 1] == '/')
			base.n--;
	} else if (is_set(name) && memmem(file.at, file.n, name.at, name.n) != NULL) {
		base = first(file, file.n - name.n);
	} else {
		return;
	}
	keep(u, "ORIG_PATH_TRANSLATED", u->said_translated);
	put(u, "PATH_TRANSLATED", joined(u, base, u->info));
}

static bool set_filename(struct setup *u, struct slice file)
{
	if (equal(u->said_filename, file))
		return false;
	keep(u, "ORIG_SCRIPT_FILENAME", u->said_filename);
	put(u, "SCRIPT_FILENAME", file);
	return true;
}

/* The script is not there as it was named: something may follow its name. */
static bool split_filename(struct setup *u)
{
	struct slice file;

	if (!find_file(u, &file)) {
		keep(u, "ORIG_SCRIPT_FILENAME", u->said_filename);
		params_remove(u->params, "SCRIPT_FILENAME");
		return false;
	}
	set_path_info(u, without(u->filename, file.n));
	/*
	 * Redirected to something below the very script that was named: php-fpm
	 * does not run that script, and so do we.
	 */
	if (set_filename(u, file))
		u->filename = file;
	set_path_translated(u, file);
	return true;
}

static void move_to_orig(const struct setup *u, const char *name, const char *orig)
{
	struct slice value = get(u, name);

	if (!is_set(value))
		return;
	put(u, orig, value);
	params_remove(u->params, name);
}

static void keep_filename(struct setup *u)
{
	(void)set_filename(u, u->filename);
	if (!u->apache && is_set(get(u, "REDIRECT_URL"))) {
		move_to_orig(u, "PATH_INFO", "ORIG_PATH_INFO");
		move_to_orig(u, "PATH_TRANSLATED", "ORIG_PATH_TRANSLATED");
		u->info.at = NULL;
	}
}

/* An Apache action: the script is what was redirected, not the handler. */
static bool follow_redirect(struct setup *u)
{
	struct slice url = get(u, "REDIRECT_URL");

	if (u->apache || !is_set(u->said_translated) || !is_set(url) ||
	    equal(u->said_translated, u->filename))
		return false;
	u->filename = u->said_translated;
	u->name = url;
	return true;
}

/* cgi.fix_pathinfo=1. False: no file was found. */
static bool fix_path_info(struct setup *u, const char *doc_root)
{
	bool redirected, found;

	u->root = get(u, "DOCUMENT_ROOT");
	if (!is_set(u->root) && doc_root != NULL) {
		u->root = slice_of(doc_root);
		put(u, "DOCUMENT_ROOT", u->root);
	}
	redirected = follow_redirect(u);
	u->name_in_path = u->name;
	if (u->filename.n == 0 ||
	    (u->filename.at[u->filename.n - 1] != '/' && kind_of(u, u->filename) != 0)) {
		keep_filename(u);
		if (redirected)
			set_name(u, u->name);
		return true;
	}
	found = split_filename(u);
	/* Unless PATH_INFO has had another name in it. */
	if (redirected && !equal(u->name, u->said_name) &&
	    !is_other(u->said_name, get(u, "SCRIPT_NAME")))
		set_name(u, u->name);
	return found;
}

/* A component ".." could lead anywhere. */
static bool climbs(struct slice path)
{
	while (path.n > 0) {
		const char *slash = memchr(path.at, '/', path.n);
		size_t n = slash != NULL ? (size_t)(slash - path.at) : path.n;

		if (n == 2 && path.at[0] == '.' && path.at[1] == '.')
			return true;
		path = without(path, n + 1);
	}
	return false;
}

void script_resolve(struct params *params, const struct engine_cgi *cgi, struct arena *arena,
    script_stat_fn *stat, struct script *s)
{
	struct setup u = {.params = params, .arena = arena, .stat = stat};
	struct slice self;

	*s = (struct script){0};
	u.said_filename = get(&u, "SCRIPT_FILENAME");
	u.said_name = u.name = get(&u, "SCRIPT_NAME");
	u.info = get(&u, "PATH_INFO");
	u.said_translated = get(&u, "PATH_TRANSLATED");
	u.filename = is_set(u.said_filename) ? u.said_filename : u.said_translated;
	if (!is_set(u.filename))
		return;
	s->named = true;
	repair_iis(&u);
	u.said_info = u.info;
	strip_proxy(&u);
	if (cgi->fix_pathinfo) {
		s->missing = !fix_path_info(&u, cgi->doc_root);
		self = is_set(u.name) || is_set(u.info)
			   ? joined(&u, is_set(u.name) ? u.name : slice_of(""), u.info)
			   : u.name;
	} else {
		s->missing = false;
		if (is_set(u.info))
			u.name = u.info;
		if (!cgi->discard_path && is_set(u.said_translated))
			u.filename = u.said_translated;
		self = u.name;
	}
	s->path = s->missing || climbs(u.filename) ? NULL : text_of(&u, u.filename);
	s->name = text_of(&u, u.name);
	s->php_self = text_of(&u, self);
	s->path_info = text_of(&u, u.info);
}

bool script_extension_allowed(const char *limit_extensions, const char *path)
{
	struct slice file = slice_of(path);
	const char *at = limit_extensions;

	if (at == NULL || at[strspn(at, " \t")] == '\0')
		return true;
	for (at += strspn(at, " \t"); *at != '\0'; at += strspn(at, " \t")) {
		struct slice suffix = {at, strcspn(at, " \t")};

		/* The name before it must not be empty. */
		if (file.n > suffix.n && ends_with(file, suffix))
			return true;
		at += suffix.n;
	}
	return false;
}

/*
 * place: files written whole, and none overwritten unasked.
 *
 * Runs in: master, for --convert.
 */
#include "conf/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

#define REMEDY "give another folder, or --overwrite to replace it"

/* Every folder between base and the file of that name. */
static int make_folders(struct arena *arena, const char *base, const char *name, struct err *e)
{
	for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		const char *folder =
		    arena_printf(arena, "%s/%.*s", base, (int)(slash - name), name);

		if (mkdir(folder, 0755) < 0 && errno != EEXIST)
			return err_sys(e, "cannot make the folder '%s'", folder);
	}
	return 0;
}

/* As the file it is made from: that may hold secrets. */
static int give_mode(int fd, const struct place_file *f, struct err *e)
{
	struct stat st;

	if (f->like == NULL || stat(f->like, &st) < 0)
		return 0;
	/* Only root may give a file away; for others it is theirs then. */
	if (fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return err_sys(e, "cannot give '%s' the owner of '%s'", f->name, f->like);
	if (fchmod(fd, st.st_mode & 0777) < 0)
		return err_sys(e, "cannot give '%s' the mode of '%s'", f->name, f->like);
	return 0;
}

static int write_one(const char *path, const struct place_file *f, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int status = -1;

	if (fd < 0)
		return err_sys(e, "cannot write '%s'", path);
	if (give_mode(fd, f, e) == 0)
		status = fd_write_all(fd, f->text, f->n, e);
	fd_close(&fd);
	return status;
}

/* glob() takes a folder that is missing for an error. */
static int make_pattern_folders(
    const struct place *p, const char *base, struct arena *arena, struct err *e)
{
	for (size_t i = 0; i < p->npatterns; i++) {
		const char *pattern = p->patterns[i], *slash = strrchr(pattern, '/');
		size_t n = slash != NULL ? (size_t)(slash - pattern) : 0;

		if (strcspn(pattern, "*?[") >= n && make_folders(arena, base, pattern, e) < 0)
			return -1;
	}
	return 0;
}

int place_stage(struct place *p, struct arena *arena, struct err *e)
{
	if (mkdir(p->folder, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "cannot make the folder '%s'", p->folder);
	p->stage = arena_printf(arena, "%s/.fpmx-convert-XXXXXX", p->folder);
	if (mkdtemp(p->stage) == NULL) {
		p->stage = NULL;
		return err_sys(e, "cannot make a file in '%s'", p->folder);
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct place_file *f = &p->files[i];
		const char *path = arena_printf(arena, "%s/%s", p->stage, f->name);

		if (make_folders(arena, p->stage, f->name, e) < 0 || write_one(path, f, e) < 0)
			return -1;
	}
	return make_pattern_folders(p, p->stage, arena, e);
}

static int check_free(const struct place *p, struct arena *arena, struct err *e)
{
	struct stat st;

	for (size_t i = 0; i < p->n && !p->overwrite; i++) {
		const char *path = arena_printf(arena, "%s/%s", p->folder, p->files[i].name);

		if (lstat(path, &st) == 0)
			return err_set(e, "'%s' is there already: " REMEDY, path);
	}
	return 0;
}

/* No name before its text: one call for all, as they may be thousands. */
static int sync_stage(const struct place *p, struct err *e)
{
	int fd = open(p->stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = fd < 0 ? -1 : syncfs(fd);

	if (status < 0)
		err_sys(e, "cannot write to '%s'", p->folder);
	fd_close(&fd);
	return status;
}

static int move(const struct place *p, struct arena *arena, const char *name, struct err *e)
{
	const char *from = arena_printf(arena, "%s/%s", p->stage, name);
	const char *to = arena_printf(arena, "%s/%s", p->folder, name);
	unsigned flags = p->overwrite ? 0 : RENAME_NOREPLACE;

	if (make_folders(arena, p->folder, name, e) < 0)
		return -1;
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) == 0)
		return 0;
	if (errno == EEXIST)
		return err_set(e, "'%s' is there already: " REMEDY, to);
	return err_sys(e, "cannot write '%s'", to);
}

int place_commit(struct place *p, struct arena *arena, struct err *e)
{
	if (check_free(p, arena, e) < 0 || sync_stage(p, e) < 0)
		return -1;
	for (size_t i = p->n; i > 0; i--) {
		if (move(p, arena, p->files[i - 1].name, e) == 0)
			continue;
		/* Those before are new ones: half of a configuration helps nobody. */
		for (; !p->overwrite && i < p->n; i++)
			unlink(arena_printf(arena, "%s/%s", p->folder, p->files[i].name));
		return -1;
	}
	return make_pattern_folders(p, p->folder, arena, e);
}

/* Folders go with the last file in them. */
static void discard_one(const struct place *p, struct arena *arena, const char *name)
{
	char *path = arena_printf(arena, "%s/%s", p->stage, name), *slash;

	unlink(path);
	while ((slash = strrchr(path, '/')) > path + strlen(p->stage)) {
		*slash = '\0';
		rmdir(path);
	}
}

void place_discard(struct place *p, struct arena *arena)
{
	if (p->stage == NULL)
		return;
	for (size_t i = 0; i < p->n; i++)
		discard_one(p, arena, p->files[i].name);
	for (size_t i = 0; i < p->npatterns; i++)
		discard_one(p, arena, p->patterns[i]);
	rmdir(p->stage);
	p->stage = NULL;
}

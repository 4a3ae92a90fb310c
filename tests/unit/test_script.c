/*
 * script: which script a request is for, and what $_SERVER says of it. Expected
 * values are those of php-fpm 8.2 for the same parameters.
 */
#include "unit.h"
#include "worker/script.h"

/* What there is on this disk. */
static const char *const files[] = {
    "/w/a.php",
    "/w/b.php",
    "/w/sp ace.php",
    "/w/sub/a.php",
    "/w/up/a.jpg",
    "/w/100%25.php",
};
static const char *const folders[] = {"/w", "/w/sub", "/w/up", "/w/dir.php"};

static unsigned looks; /* how often the disk was asked */

static char fake_stat(const char *path)
{
	looks++;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i], path) == 0)
			return 'f';
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strcmp(folders[i], path) == 0)
			return 'd';
	}
	return strcmp(path, "/w/fifo.php") == 0 ? 'o' : 0;
}

enum mode {
	FIX,    /* cgi.fix_pathinfo=1 */
	RAW,    /* cgi.fix_pathinfo=0 */
	DISCARD /* cgi.fix_pathinfo=0, cgi.discard_path=1 */
};

/*
 * Parameters are "NAME=VALUE|" each, oldest first. The expected ones are all of
 * them, newest first, as $_SERVER shows them; path "-" for none.
 */
struct row {
	const char *what;
	enum mode mode;
	const char *said;
	const char *path, *self;
	const char *server;
};

static const struct row rows[] = {
    {"the plain case", FIX,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"nginx with path info", FIX,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/p/q|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/p/q",
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/p/q|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"nginx with path info not split", FIX,
	"SCRIPT_FILENAME=/w/a.php/p/q|"
	"SCRIPT_NAME=/a.php/p/q|"
	"PATH_INFO=/a.php/p/q|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/p/q",
	"PATH_TRANSLATED=/w/p/q|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/p/q|"
	"ORIG_SCRIPT_NAME=/a.php/p/q|"
	"ORIG_PATH_INFO=/a.php/p/q|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/p/q|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"no script at all", FIX, "SCRIPT_NAME=/a.php|", "-", NULL, NULL},
    {"apache balancer, old form", FIX,
	"SCRIPT_FILENAME=proxy:balancer://h:9000/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|"
	"PATH_TRANSLATED=/w/pinfo|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/pinfo",
	"DOCUMENT_ROOT=/w|"
	"PATH_TRANSLATED=/w/pinfo|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache balancer, real form", FIX,
	"SCRIPT_FILENAME=/w/a.php/pinfo|"
	"SCRIPT_NAME=|"
	"PATH_INFO=/w/a.php/pinfo|"
	"PATH_TRANSLATED=proxy:balancer://my/w/w/a.php/pinfo/w/w/a.php/pinfo|",
	"/w/a.php", "/w/a.php/pinfo",
	"ORIG_PATH_TRANSLATED=proxy:balancer://my/w/w/a.php/pinfo/w/w/a.php/pinfo|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/pinfo|"
	"ORIG_SCRIPT_NAME=|"
	"ORIG_PATH_INFO=/w/a.php/pinfo|"
	"PATH_TRANSLATED=/w/a.php/pinfo|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/w/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache handler on a unix socket", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://localhost/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache handler with path info", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|"
	"PATH_TRANSLATED=/w/pinfo|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/pinfo",
	"DOCUMENT_ROOT=/w|"
	"PATH_TRANSLATED=/w/pinfo|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache handler with query", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php?t=1&x=/y|"
	"SCRIPT_NAME=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache handler without document root", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php|"
	"SCRIPT_NAME=/a.php|",
	"/w/a.php", "/a.php",
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php/pinfo|"
	"SCRIPT_NAME=/a.php/pinfo|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/pinfo",
	"PATH_TRANSLATED=/w/pinfo|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/pinfo|"
	"PATH_INFO=/pinfo|"
	"ORIG_SCRIPT_NAME=/a.php/pinfo|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass, encoded", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php/1%202|"
	"SCRIPT_NAME=/a.php/1 2|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/1%202",
	"PATH_TRANSLATED=/w/1%202|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/1%202|"
	"PATH_INFO=/1%202|"
	"ORIG_SCRIPT_NAME=/a.php/1 2|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass, plus is no blank", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php/1%20+2|"
	"SCRIPT_NAME=/a.php/1 +2|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/1%20+2",
	"PATH_TRANSLATED=/w/1%20+2|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/1%20+2|"
	"PATH_INFO=/1%20+2|"
	"ORIG_SCRIPT_NAME=/a.php/1 +2|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass, no common end", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php/pinfo|"
	"SCRIPT_NAME=/a.php/info|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/info/pinfo",
	"PATH_TRANSLATED=/w/pinfo|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/pinfo|"
	"PATH_INFO=/pinfo|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php/info|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass, name that is all path info", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/a.php/x|"
	"SCRIPT_NAME=/x|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/x/x",
	"PATH_TRANSLATED=/w/x|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/x|"
	"PATH_INFO=/x|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/x|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"apache proxypass without document root", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/sub/a.php/x|"
	"SCRIPT_NAME=/sub/a.php/x|",
	"/w/sub/a.php", "/sub/a.php/x",
	"PATH_TRANSLATED=/w/x|"
	"ORIG_SCRIPT_FILENAME=/w/sub/a.php/x|"
	"PATH_INFO=/x|"
	"ORIG_SCRIPT_NAME=/sub/a.php/x|"
	"SCRIPT_NAME=/sub/a.php|"
	"SCRIPT_FILENAME=/w/sub/a.php|"},
    {"apache with another path info", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/a.php/x|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/other|"
	"DOCUMENT_ROOT=/w/|",
	"/w/a.php", "/other/x",
	"PATH_TRANSLATED=/w/x|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/x|"
	"ORIG_SCRIPT_NAME=/a.php|"
	"ORIG_PATH_INFO=/other|"
	"DOCUMENT_ROOT=/w/|"
	"PATH_INFO=/x|"
	"SCRIPT_NAME=/other|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"a proxy without a path keeps its prefix", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h|"
	"SCRIPT_NAME=/a.php|",
	"-", NULL, NULL},
    {"the prefix in capitals", FIX,
	"SCRIPT_FILENAME=PROXY:FCGI://h/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"no prefix in PATH_TRANSLATED", FIX,
	"PATH_TRANSLATED=proxy:fcgi://h/w/a.php|"
	"SCRIPT_NAME=/a.php|",
	"-", NULL, NULL},
    {"the shortest path info: shorter than what follows the script", FIX,
	"SCRIPT_FILENAME=/w/a.php/xyz|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"PATH_TRANSLATED=/w|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/xyz|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"path info as long as what follows", FIX,
	"SCRIPT_FILENAME=/w/a.php/xyz|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/xyz|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/xyz",
	"PATH_TRANSLATED=/w/xyz|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/xyz|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/xyz|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"path info one longer", FIX,
	"SCRIPT_FILENAME=/w/a.php/xyz|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=!/xyz|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "!/xyz",
	"PATH_TRANSLATED=/w/xyz|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/xyz|"
	"ORIG_SCRIPT_NAME=/a.php|"
	"ORIG_PATH_INFO=!/xyz|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/xyz|"
	"SCRIPT_NAME=!|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"path info unset, something follows", FIX,
	"SCRIPT_FILENAME=/w/a.php/xyz|"
	"SCRIPT_NAME=/a.php/xyz|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/xyz",
	"PATH_TRANSLATED=/w|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/xyz|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php/xyz|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"newline encoded behind the script", FIX,
	"SCRIPT_FILENAME=/w/a.php/%0aQ|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"PATH_TRANSLATED=/w|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/%0aQ|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"newline itself behind the script", FIX,
	"SCRIPT_FILENAME=/w/a.php/\nQ|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"PATH_TRANSLATED=/w|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/\nQ|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"below a file that is no script", FIX,
	"SCRIPT_FILENAME=/w/up/a.jpg/x.php|"
	"SCRIPT_NAME=/up/a.jpg/x.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/up/a.jpg", NULL, NULL},
    {"nothing is there", FIX,
	"SCRIPT_FILENAME=/w/nope.php/x|"
	"SCRIPT_NAME=/nope.php/x|"
	"DOCUMENT_ROOT=/w|",
	"-", NULL, NULL},
    {"a folder that is named with a slash", FIX,
	"SCRIPT_FILENAME=/w/sub/|"
	"SCRIPT_NAME=/sub/|"
	"DOCUMENT_ROOT=/w|",
	"-", NULL, NULL},
    {"a folder that is named without", FIX,
	"SCRIPT_FILENAME=/w/sub|"
	"SCRIPT_NAME=/sub|"
	"DOCUMENT_ROOT=/w|",
	"/w/sub", NULL, NULL},
    {"a script with a slash behind it", FIX,
	"SCRIPT_FILENAME=/w/a.php/|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=//|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "//",
	"PATH_TRANSLATED=/w/|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/|"
	"ORIG_SCRIPT_NAME=/a.php|"
	"ORIG_PATH_INFO=//|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/|"
	"SCRIPT_NAME=/|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"a blank in the name", FIX,
	"SCRIPT_FILENAME=/w/sp ace.php/x|"
	"SCRIPT_NAME=/sp ace.php|"
	"PATH_INFO=/sp ace.php/x|"
	"DOCUMENT_ROOT=/w|",
	"/w/sp ace.php", "/sp ace.php/x",
	"PATH_TRANSLATED=/w/x|"
	"ORIG_SCRIPT_FILENAME=/w/sp ace.php/x|"
	"ORIG_PATH_INFO=/sp ace.php/x|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/x|"
	"SCRIPT_NAME=/sp ace.php|"
	"SCRIPT_FILENAME=/w/sp ace.php|"},
    {"a per cent sign in the name", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/100%25.php/x|"
	"SCRIPT_NAME=/100%.php/x|"
	"DOCUMENT_ROOT=/w|",
	"/w/100%25.php", "/100%.php/x",
	"PATH_TRANSLATED=/w/x|"
	"ORIG_SCRIPT_FILENAME=/w/100%25.php/x|"
	"PATH_INFO=/x|"
	"ORIG_SCRIPT_NAME=/100%.php/x|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/100%.php|"
	"SCRIPT_FILENAME=/w/100%25.php|"},
    {"broken encodings stay as they are", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/a.php/%zz%2|"
	"SCRIPT_NAME=/a.php/%zz%2|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/%zz%2",
	"PATH_TRANSLATED=/w/%zz%2|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/%zz%2|"
	"PATH_INFO=/%zz%2|"
	"ORIG_SCRIPT_NAME=/a.php/%zz%2|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"climbing is refused", FIX,
	"SCRIPT_FILENAME=/w/sub/../a.php|"
	"SCRIPT_NAME=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"-", NULL, NULL},
    {"dots in a name do not climb", FIX,
	"SCRIPT_FILENAME=/w/a.php/..x|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/a.php/..x|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/..x",
	"PATH_TRANSLATED=/w/..x|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/..x|"
	"ORIG_PATH_INFO=/a.php/..x|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/..x|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"redirected to another script", FIX,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/b.php|"
	"REDIRECT_URL=/b.php|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/b.php|",
	"/w/b.php", "/b.php",
	"ORIG_SCRIPT_NAME=/a.php|"
	"ORIG_PATH_TRANSLATED=/w/b.php|"
	"ORIG_PATH_INFO=/b.php|"
	"ORIG_SCRIPT_FILENAME=/w/a.php|"
	"DOCUMENT_ROOT=/w|"
	"REDIRECT_URL=/b.php|"
	"SCRIPT_NAME=/b.php|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"redirected with something behind it", FIX,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/b.php/x|"
	"REDIRECT_URL=/b.php/x|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/b.php/x|",
	"/w/b.php", "/b.php/x",
	"ORIG_PATH_TRANSLATED=/w/b.php/x|"
	"ORIG_SCRIPT_FILENAME=/w/a.php|"
	"ORIG_SCRIPT_NAME=/a.php|"
	"ORIG_PATH_INFO=/b.php/x|"
	"PATH_INFO=/x|"
	"DOCUMENT_ROOT=/w|"
	"REDIRECT_URL=/b.php/x|"
	"PATH_TRANSLATED=/w/x|"
	"SCRIPT_NAME=/b.php|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"redirected below the script itself", FIX,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/x|"
	"PATH_TRANSLATED=/w/a.php/q|"
	"REDIRECT_URL=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php/q", NULL, NULL},
    {"redirected without a script name", FIX,
	"SCRIPT_FILENAME=/w/nope.php|"
	"PATH_TRANSLATED=/w/b.php|"
	"REDIRECT_URL=/r|"
	"DOCUMENT_ROOT=/w|",
	"/w/b.php", "/r",
	"SCRIPT_NAME=/r|"
	"ORIG_PATH_TRANSLATED=/w/b.php|"
	"ORIG_SCRIPT_FILENAME=/w/nope.php|"
	"DOCUMENT_ROOT=/w|"
	"REDIRECT_URL=/r|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"redirected to the same name", FIX,
	"SCRIPT_FILENAME=/w/a.php/x|"
	"SCRIPT_NAME=/b.php|"
	"PATH_TRANSLATED=/w/b.php|"
	"REDIRECT_URL=/b.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/b.php", "/b.php",
	"ORIG_SCRIPT_NAME=/b.php|"
	"ORIG_PATH_TRANSLATED=/w/b.php|"
	"ORIG_SCRIPT_FILENAME=/w/a.php/x|"
	"DOCUMENT_ROOT=/w|"
	"REDIRECT_URL=/b.php|"
	"SCRIPT_NAME=/b.php|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"a redirect leaves apache alone", FIX,
	"SCRIPT_FILENAME=proxy:fcgi://h/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/b.php|"
	"REDIRECT_URL=/b.php|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/x|",
	"/w/a.php", "/a.php/x",
	"PATH_INFO=/x|"
	"DOCUMENT_ROOT=/w|"
	"REDIRECT_URL=/b.php|"
	"PATH_TRANSLATED=/w/b.php|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"only PATH_TRANSLATED", FIX,
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"SCRIPT_FILENAME=/w/a.php|"
	"DOCUMENT_ROOT=/w|"
	"PATH_TRANSLATED=/w/a.php|"
	"SCRIPT_NAME=/a.php|"},
    {"IIS repeats the name", FIX,
	"SERVER_SOFTWARE=Microsoft-IIS/10.0|"
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/a.php/x|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php/x",
	"ORIG_PATH_INFO=/a.php/x|"
	"DOCUMENT_ROOT=/w|"
	"PATH_INFO=/x|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"
	"SERVER_SOFTWARE=Microsoft-IIS/10.0|"},
    {"IIS repeats the name alone", FIX,
	"SERVER_SOFTWARE=Microsoft-IIS/10.0|"
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/a.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/a.php",
	"ORIG_PATH_INFO=/a.php|"
	"DOCUMENT_ROOT=/w|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"
	"SERVER_SOFTWARE=Microsoft-IIS/10.0|"},
    {"raw, apache handler with all", DISCARD,
	"SCRIPT_FILENAME=proxy:fcgi://127.0.0.1:9000/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|"
	"PATH_TRANSLATED=/w/b.php|"
	"DOCUMENT_ROOT=/w|",
	"/w/a.php", "/pinfo",
	"DOCUMENT_ROOT=/w|"
	"PATH_TRANSLATED=/w/b.php|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"raw, path info and translated discarded", DISCARD,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|"
	"PATH_TRANSLATED=/w/b.php|",
	"/w/a.php", "/pinfo",
	"PATH_TRANSLATED=/w/b.php|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"raw, translated chooses the script", RAW,
	"SCRIPT_FILENAME=/w/b.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|"
	"PATH_TRANSLATED=/w/a.php|",
	"/w/a.php", "/pinfo",
	"PATH_TRANSLATED=/w/a.php|"
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"raw, path info is the name", RAW,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_INFO=/pinfo|",
	"/w/a.php", "/pinfo",
	"PATH_INFO=/pinfo|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"raw, translated without path info", RAW,
	"SCRIPT_FILENAME=/w/b.php|"
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/a.php|",
	"/w/a.php", "/a.php",
	"PATH_TRANSLATED=/w/a.php|"
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/b.php|"},
    {"raw and plain", RAW,
	"SCRIPT_FILENAME=/w/a.php|"
	"SCRIPT_NAME=/a.php|",
	"/w/a.php", "/a.php",
	"SCRIPT_NAME=/a.php|"
	"SCRIPT_FILENAME=/w/a.php|"},
    {"raw, only translated", RAW,
	"SCRIPT_NAME=/a.php|"
	"PATH_TRANSLATED=/w/a.php|",
	"/w/a.php", "/a.php",
	"PATH_TRANSLATED=/w/a.php|"
	"SCRIPT_NAME=/a.php|"},
};

static struct arena *arena;

static void setup(void)
{
	arena = arena_new(16384);
	looks = 0;
}

static void teardown(void)
{
	arena_free(arena);
}

static struct params *params_of(const char *pairs)
{
	struct params *p = params_new(arena);

	while (*pairs) {
		const char *value = strchr(pairs, '=') + 1;
		const char *end = strchr(pairs, '|');
		char *name = arena_strndup(arena, pairs, (size_t)(value - pairs - 1));

		params_set(p, name, value, (size_t)(end - value));
		pairs = end + 1;
	}
	ck_assert_int_eq(params_finish(p), PARAMS_OK);
	return p;
}

static const char *pairs_of(const struct params *p)
{
	char *text = arena_strdup(arena, "");
	const struct param *one;

	for (size_t i = 0; (one = params_at(p, i)); i++)
		text = arena_printf(arena, "%s%s=%s|", text, one->name, one->value);
	return text;
}

static struct script resolved(struct params *p, enum mode mode)
{
	struct engine_cgi cgi = {.fix_pathinfo = mode == FIX, .discard_path = mode == DISCARD};
	struct script s;

	script_resolve(p, &cgi, arena, fake_stat, &s);
	return s;
}

START_TEST(the_table_is_php_fpms)
{
	const struct row *row = &rows[_i];
	struct params *p = params_of(row->said);
	struct script s = resolved(p, row->mode);

	ck_assert_msg(strcmp(s.path ? s.path : "-", row->path) == 0, "%s: path %s, not %s",
	    row->what, s.path ? s.path : "-", row->path);
	ck_assert_int_eq(s.missing, s.path == NULL);
	if (row->self)
		ck_assert_msg(strcmp(s.php_self, row->self) == 0, "%s: PHP_SELF %s, not %s",
		    row->what, s.php_self, row->self);
	if (row->server)
		ck_assert_msg(strcmp(pairs_of(p), row->server) == 0, "%s: %s not %s", row->what,
		    pairs_of(p), row->server);
}
END_TEST

START_TEST(the_ini_document_root_stands_in)
{
	struct engine_cgi cgi = {.fix_pathinfo = true, .doc_root = "/w"};
	struct params *p = params_of("SCRIPT_FILENAME=/w/a.php/x|SCRIPT_NAME=/a.php|");
	struct script s;

	script_resolve(p, &cgi, arena, fake_stat, &s);
	ck_assert_str_eq(params_get(p, "DOCUMENT_ROOT"), "/w");
	ck_assert_str_eq(params_get(p, "PATH_TRANSLATED"), "/w");
}
END_TEST

START_TEST(one_look_is_enough_for_a_script_that_is_there)
{
	resolved(params_of("SCRIPT_FILENAME=/w/a.php|SCRIPT_NAME=/a.php|"), FIX);
	ck_assert_uint_eq(looks, 1);
	resolved(params_of("SCRIPT_FILENAME=/w/a.php|SCRIPT_NAME=/a.php|"), RAW);
	ck_assert_uint_eq(looks, 1);
}
END_TEST

START_TEST(what_is_no_regular_file_is_no_script_to_split_at)
{
	struct script s = resolved(
	    params_of("SCRIPT_FILENAME=/w/dir.php/x.php|SCRIPT_NAME=/dir.php/x.php|"), FIX);

	ck_assert_ptr_null(s.path);
	s = resolved(
	    params_of("SCRIPT_FILENAME=/w/fifo.php/x.php|SCRIPT_NAME=/fifo.php/x.php|"), FIX);
	ck_assert_ptr_null(s.path);
}
END_TEST

/* Lengths of PATH_INFO around that of what follows the script, all of them. */
START_TEST(no_length_of_path_info_goes_wrong)
{
	for (size_t n = 0; n < 40; n++) {
		char *info = arena_alloc(arena, n + 1, 1);
		struct params *p = params_of("SCRIPT_FILENAME=/w/a.php/0123456789|"
					     "SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");
		struct script s;

		memset(info, 'i', n);
		params_set(p, "PATH_INFO", info, n);
		s = resolved(p, FIX);
		ck_assert_str_eq(s.path, "/w/a.php");
		ck_assert_uint_eq(strlen(s.path_info), n > 11 ? 11 : n);
		ck_assert_uint_eq(
		    strlen(params_get(p, "SCRIPT_NAME")), n > 11 ? n - 11 : strlen("/a.php"));
	}
}
END_TEST

START_TEST(huge_values_are_only_long)
{
	const size_t n = 200000;
	char *path = arena_alloc(arena, n + 1, 1);
	struct params *p = params_of("SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");
	struct script s;

	memcpy(path, "/w/a.php", 8);
	for (size_t i = 8; i < n; i++)
		path[i] = i % 100 == 8 ? '/' : 'x';
	params_set(p, "SCRIPT_FILENAME", path, n);
	params_set(p, "PATH_INFO", path, n);
	s = resolved(p, FIX);
	ck_assert_str_eq(s.path, "/w/a.php");
	ck_assert_uint_eq(strlen(s.path_info), n - 8);
	ck_assert_str_eq(params_get(p, "SCRIPT_NAME"), "/w/a.php");
}
END_TEST

START_TEST(extensions_are_compared_byte_by_byte_at_the_end)
{
	const char *list = ".php .phar";

	ck_assert(script_extension_allowed(list, "/w/a.php"));
	ck_assert(script_extension_allowed(list, "/w/a.phar"));
	ck_assert(script_extension_allowed(list, "/w/.php"));
	ck_assert(script_extension_allowed(" \t.php", "/w/a.php"));
	ck_assert(!script_extension_allowed(list, "/w/a.PHP"));
	ck_assert(!script_extension_allowed(list, "/w/a.php."));
	ck_assert(!script_extension_allowed(list, "/w/a.php7"));
	ck_assert(!script_extension_allowed(list, "/w/a.php\n"));
	ck_assert(!script_extension_allowed(list, "/w/a.php/"));
	ck_assert(!script_extension_allowed(list, "/w/a.jpg"));
	ck_assert(!script_extension_allowed(list, "php"));
	ck_assert(!script_extension_allowed(list, ""));
}
END_TEST

/* Letters that fold to others somewhere. */
START_TEST(look_alikes_are_other_letters)
{
	const char *list = ".php";

	ck_assert(!script_extension_allowed(list, "/w/a\xef\xbc\x8ephp"));
	ck_assert(!script_extension_allowed(list, "/w/a.\xe2\x93\x9f\xe2\x93\x97\xe2\x93\x9f"));
	ck_assert(!script_extension_allowed(list, "/w/a.ph\xc3\x9f"));
	ck_assert(!script_extension_allowed(list, "/w/a.\xd1\x80h\xd1\x80"));
}
END_TEST

START_TEST(an_empty_list_allows_all)
{
	ck_assert(script_extension_allowed("", "/w/a.jpg"));
	ck_assert(script_extension_allowed("  ", "/w/a"));
	ck_assert(script_extension_allowed(NULL, ""));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, the_table_is_php_fpms, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tc, the_ini_document_root_stands_in);
	tcase_add_test(tc, one_look_is_enough_for_a_script_that_is_there);
	tcase_add_test(tc, what_is_no_regular_file_is_no_script_to_split_at);
	tcase_add_test(tc, no_length_of_path_info_goes_wrong);
	tcase_add_test(tc, huge_values_are_only_long);
	tcase_add_test(tc, extensions_are_compared_byte_by_byte_at_the_end);
	tcase_add_test(tc, look_alikes_are_other_letters);
	tcase_add_test(tc, an_empty_list_allows_all);
}

UNIT_MAIN("script", add)

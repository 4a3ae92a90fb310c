/*
 * script_rows: what php-fpm 8.2 made of these parameters, for test_script.c. A
 * row's path is "-" where it answered 404; where it answered 403 only the path
 * is known.
 */
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

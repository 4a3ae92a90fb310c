#!/bin/sh
# From a fresh clone to a configure script, a demo, or a tested build.
#
# Runs as root on Debian 12 with nothing installed, also from below a directory
# that only root may enter. Whatever it starts it stops.
set -eu

usage()
{
	cat <<'TEXT'
usage: ./autogen.sh [deps | demo [--once] | check [--long]]

  (no word)     make the configure script (autoreconf)
  deps          install what building, demo and tests need from Debian's packages
  demo          deps, build, then fpmx behind a private nginx: prints the URL
                and serves until Ctrl-C
  demo --once   the same, but asks for the pages itself, prints the answers, ends
  check         deps, build with -Werror, the short tier of all tests
  check --long  the same with all tests

Builds go to ./build; set FPMX_BUILD for another directory.
TEXT
}

src=$(cd "$(dirname "$0")" && pwd)
build=${FPMX_BUILD:-$src/build}

# A failed configure says what is missing, so it is not hidden; make is quiet.
# A change of configure's words makes it configure again.
build()
{
	words="$*"
	[ -f "$src/configure" ] && [ "$src/configure" -nt "$src/configure.ac" ] &&
		[ "$src/Makefile.in" -nt "$src/Makefile.am" ] || (cd "$src" && autoreconf -fi)
	mkdir -p "$build"
	if [ ! -f "$build/Makefile" ] || [ "$(cat "$build/configured-with" 2>/dev/null)" != "$words" ] ||
		[ "$src/configure" -nt "$build/Makefile" ]; then
		echo "autogen.sh: configuring $build"
		(cd "$build" && "$src/configure" --quiet "$@" && printf '%s' "$words" >configured-with)
	fi
	make -C "$build" -j"$(nproc)" --no-print-directory
}

[ $# -le 2 ] || { usage >&2; exit 64; }
case "${1-}:${2-}" in
:)
	cd "$src" && exec autoreconf -fi
	;;
deps:)
	exec "$src/demo/deps" build demo check
	;;
demo: | demo:--once)
	"$src/demo/deps" build demo
	build
	FPMX_SRC=$src FPMX_BUILD=$build exec "$src/demo/run" ${2+"$2"}
	;;
check: | check:--long)
	"$src/demo/deps" build demo check
	build --enable-werror
	make -C "$build" -j"$(nproc)" --no-print-directory units
	exec "$src/tests/runner" --build "$build" ${2+"$2"}
	;;
help: | -h: | --help:)
	usage
	;;
*)
	usage >&2
	exit 64
	;;
esac

#!/bin/sh
# Run the kernel's tests on a build with AddressSanitizer and UndefinedBehaviorSanitizer, in a copy of the project.
# Usage: tests/text/run_sanitized.sh [pytest arguments]. Needs gcc with its sanitizer libraries, cython and pytest.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$root/textnb" "$root/tests" "$root/pyproject.toml" "$copy"
cd "$copy"
rm -f textnb/text/_kernel*.so
cython -3 textnb/text/_kernel.pyx -o _kernel.c
include=$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$(python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
gcc -shared -fPIC -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
    -I"$include" _kernel.c -o "textnb/text/_kernel$suffix"
# CPython keeps memory until it exits, which is no leak of ours. Too big an allocation has to give NULL, as malloc does.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# pymalloc would hide what happens to strings; captured output would be lost with the process.
export PYTHONMALLOC=malloc
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    python -m pytest --capture=no -p no:cacheprovider tests/text/test_kernel*.py tests/text/mail/test_words.py \
    tests/text/mail/test_markup.py tests/text/mail/test_links.py tests/text/mail/test_message.py \
    tests/model/test_scorer.py tests/selection/test_leaving_counts_out.py "$@"

#!/usr/bin/env python3
"""Ascribe builds on another Debian, without a warning, and what it counts there is right:
debian.py SUITE.

Needs root, debootstrap and, the first time, the network. The root is made once, in
~/.cache/ascribe/roots/SUITE, and kept. It is entered with mounts and processes of its own (the
kernel takes both away when the first process there ends, however it ends)."""

import fcntl
import hashlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ascribe" / "roots"
# Beside what scripts/install-packages installs for building.
PACKAGES = ["valgrind", "python3", "binutils", "gfortran"]
# Short ones: what depends on the compiler, on its libraries, or on the kernel's and libc's headers.
SUITES = ["unit", "structure"]
TESTS = ["hooks, calls.c", "compiler wrapper", "callgrind exceptions.cc",
         "callgrind recursion.c", "branches", "expressions", "switches",
         "exceptions.cc", "fork.c", "recursion.c", "threads.c", "preloaded"]
# Run by the first process of the new namespaces. The source cannot be written to.
ENTER = """set -e
root=$1; source=$2; shift 2
mkdir -p "$root/source"
mount --bind "$source" "$root/source"
mount -o remount,bind,ro "$root/source"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/tmp"
! [ -e /etc/resolv.conf ] || cat /etc/resolv.conf >"$root/etc/resolv.conf"
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
"""
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
SKIP_STATUS = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP_STATUS)


def within(root, *command):
    """Run a command in the root; its status."""
    return subprocess.run([*NAMESPACES, "sh", "-c", ENTER, "sh", root, SOURCE, *command],
                          stdin=subprocess.DEVNULL, check=False).returncode


def must(root, *command):
    status = within(root, *command)
    if status:
        sys.exit(f"in {root}: {' '.join(command)}: status {status}")


def make_root(root, suite):
    """Unpack the system, once; half a root does not get the name."""
    if root.exists():
        return
    new = root.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    made = subprocess.run(["debootstrap", "--variant=minbase", suite, new], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if made.returncode:
        skip(f"debootstrap {suite}: {(made.stdout.splitlines() or ['failed'])[-1]}")
    new.rename(root)


def install(root):
    """Install packages, if the list is not the one of last time."""
    script = (SOURCE / "scripts/install-packages").read_bytes()
    wanted = hashlib.sha256(script + " ".join(PACKAGES).encode()).hexdigest()
    installed = root / "installed-for"
    if installed.exists() and installed.read_text() == wanted:
        return
    must(root, "dpkg", "--configure", "-a") # a run before may have been interrupted
    must(root, "apt-get", "update", "-q")
    must(root, "/source/scripts/install-packages", "build")
    must(root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y",
         "--no-install-recommends", *PACKAGES)
    installed.write_text(wanted)


def build_and_test(root):
    shutil.rmtree(root / "build", ignore_errors=True)
    must(root, "meson", "setup", "/build", "/source", "-Dwerror=true", "-Dgcc_plugin=enabled")
    must(root, "ninja", "-C", "/build", "programs")
    test = ["meson", "test", "-C", "/build", "--print-errorlogs", "--timeout-multiplier", "0"]
    failed = within(root, *test, *(word for suite in SUITES for word in ("--suite", suite)))
    failed |= within(root, *test, *TESTS)
    shutil.rmtree(root / "build")
    return failed


def main():
    suite = sys.argv[1]
    if os.getuid():
        skip("needs root, for a root directory of its own")
    for tool in ("debootstrap", "unshare"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed (scripts/install-packages test)")
    if subprocess.run([*NAMESPACES, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        skip("mounts of its own are refused here")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{suite}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        root, begin = CACHE / suite, time.monotonic()
        make_root(root, suite)
        install(root)
        print(f"{suite}: root ready after {time.monotonic() - begin:.0f} s", flush=True)
        failed = build_and_test(root)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{suite}: tested after {time.monotonic() - begin:.0f} s,"
              f" {used.ru_utime + used.ru_stime:.0f} s of CPU time")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""The packages of `script/package`, in a Debian that has only what every Debian has."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROOT = shutil.which("chroot") or "/usr/sbin/chroot"
# The suite of the machine: a debug build needs its libc. A release build runs on older systems, too.
SUITE = os.environ.get("WEIR_SUITE", "bookworm")
MIRROR = os.environ.get("WEIR_MIRROR", "http://deb.debian.org/debian")
# A build folder, or nothing for the release build of script/package.
BUILD = os.environ.get("WEIR_PACKAGE_FROM", "")
sys.path.insert(0, str(ROOT / "Tests/Browser"))


def pytest_configure(config):
    config.addinivalue_line("markers", "long: runs with `script/test long`, not before each change")


def pytest_collection_modifyitems(items):
    missing = [name for name in ("debootstrap", "dpkg-deb", "lintian", "skopeo") if not shutil.which(name)]
    if os.getuid() != 0:
        missing.append("root, which chroot needs")
    for item in items:
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"missing: {', '.join(missing)}"))


def make(folder, *options):
    """Makes packages, and returns the folder."""
    source = ["--from", BUILD, "--fast"] if BUILD else []
    subprocess.run([ROOT / "script/package", *source, *options, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    return make(tmp_path_factory.mktemp("packages"), *(["--only", "deb,tar"] if BUILD else []))


@pytest.fixture(scope="session")
def newer(tmp_path_factory):
    """The package of a later version, which has another settings file."""
    return make(tmp_path_factory.mktemp("newer"), "--version", "9.9.9", "--only", "deb")


class System:
    """A Debian in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return self.folder / name.lstrip("/")

    def run(self, *command, user="root", check=True, **options):
        environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [CHROOT, f"--userspec={user}:{user}", self.folder, *command], check=check, text=True, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def serve(self, *arguments):
        """Starts the server as its unit does, and returns the process and its address."""
        process = subprocess.Popen(
            [CHROOT, "--userspec=weir:weir", self.folder, "/usr/bin/weir", "serve", "--config", "/etc/weir/weir.yml",
             "--port", "0", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": "/var/lib/weir"})
        line = process.stdout.readline()
        assert line.startswith("Weir is at "), line + process.communicate()[1]
        return process, line.removeprefix("Weir is at ").strip()


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """The files of a bare Debian, kept between test runs for a week."""
    kept = ROOT / f".build/packages-{SUITE}.tar"
    if not kept.exists() or time.time() - kept.stat().st_mtime > 7 * 86_400:
        folder = tmp_path_factory.mktemp("debootstrap") / "root"
        subprocess.run(["debootstrap", "--variant=minbase", SUITE, folder, MIRROR], check=True, stdout=subprocess.DEVNULL)
        kept.parent.mkdir(exist_ok=True)
        subprocess.run(["tar", "-C", folder, "-cf", kept, "."], check=True)
    return kept


@pytest.fixture
def system(tmp_path, bare):
    folder = tmp_path / "system"
    folder.mkdir()
    subprocess.run(["tar", "-C", folder, "-xpf", bare], check=True)
    system = System(folder)
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--bind", f"/{name}", system.path(name)], check=True)
    yield system
    for name in ("proc", "dev"):
        subprocess.run(["umount", "-l", system.path(name)], check=True)

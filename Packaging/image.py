#!/usr/bin/env python3
"""Writes a container image as one tar file, without a daemon and without root: an OCI layout that also has the manifest of
`docker save`, so that `docker load`, `podman load` and `skopeo copy oci-archive:` all read it, also compressed with xz. Its layers are
not compressed: the file as a whole is, which is smaller.

The first layer has files of Debian packages, which apt-get downloads and nobody installs: libc, libpq, a small shell, certificates
and time zones. The second layer has Weir. Every file has the time of SOURCE_DATE_EPOCH.
"""
import argparse
import datetime
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

USER = 10001
# Nothing of these packages is needed at run time; programs of an operation belong into an image made from this one.
PACKAGES = ["libc6", "libgcc-s1", "libpq5", "busybox", "ca-certificates", "tzdata"]
UNUSED = re.compile(r"^(?:\./)?(?:usr/share/(?:doc|man|info|lintian|locale|bug|common-licenses|perl5?|zoneinfo/right)|usr/sbin|var|usr/lib/[^/]+/(?:gconv|audit|perl))(?:/|$)")
now = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def download(folder):
    """Downloads the packages, and the libraries that they depend on."""
    listing = subprocess.run(
        ["apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
         "--no-replaces", "--no-enhances", *PACKAGES], capture_output=True, text=True, check=True).stdout
    found = {name.split(":")[0] for name in re.findall(r"^(\S+)$", listing, re.M) if not name.startswith("<")}
    libraries = {name for name in found if re.match(r"(?:lib(?!.*perl|selinux|pcre)|zlib)", name)}
    wanted = sorted(libraries | set(PACKAGES))
    subprocess.run(["apt-get", "download", "-qq", *wanted], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.deb"))


class Layer:
    """A tar file in memory, of which the first entry for a path counts."""

    def __init__(self):
        self.entries = {}

    def add(self, path, mode, data=None, link=None, owner=0):
        path = path.strip("/")
        for parent in list(pathlib.PurePosixPath(path).parents)[-2::-1]:
            self.entries.setdefault(str(parent), self.info(str(parent), tarfile.DIRTYPE, 0o755))
        kind = tarfile.SYMTYPE if link else tarfile.DIRTYPE if data is None else tarfile.REGTYPE
        info, _ = self.info(path, kind, mode, owner)
        info.linkname = link or ""
        info.size = len(data or b"")
        self.entries[path] = (info, data)

    @staticmethod
    def info(path, kind, mode, owner=0):
        info = tarfile.TarInfo(path)
        info.type, info.mode, info.mtime, info.uid, info.gid = kind, mode, now, owner, owner
        return info, None

    def add_package(self, file):
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                path = usr_merged(entry.name.removeprefix("./").rstrip("/"))
                if not path or UNUSED.match(path) or entry.isdir():
                    continue
                if entry.issym():
                    self.add(path, 0o777, link=entry.linkname)
                elif entry.islnk():
                    self.add(path, 0o777, link="/" + usr_merged(entry.linkname.removeprefix("./")))
                elif entry.isfile():
                    self.add(path, entry.mode, archive.extractfile(entry).read())

    def bytes(self):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(self.entries):
                info, data = self.entries[path]
                archive.addfile(info, io.BytesIO(data) if data is not None else None)
        return stream.getvalue()


def usr_merged(path):
    """A path below /usr, to which /bin, /lib, /lib64 and /sbin are links."""
    return "usr/" + path if re.match(r"(?:bin|lib|lib64|sbin)(?:/|$)", path) else path


def base_layer():
    layer = Layer()
    with tempfile.TemporaryDirectory() as name:
        for file in download(pathlib.Path(name)):
            layer.add_package(file)
    for name in ("bin", "lib", "lib64", "sbin"):
        layer.add(name, 0o777, link="usr/" + name)
    names = subprocess.run(["busybox", "--list"], capture_output=True, text=True)
    applets = names.stdout.split() if names.returncode == 0 else sys.exit("✕ busybox is missing. Install it with script/dependencies package.")
    for applet in applets:
        if applet not in ("busybox", "init") and f"usr/bin/{applet}" not in layer.entries:
            layer.add(f"usr/bin/{applet}", 0o777, link="busybox")
    certificates = [data for path, (_, data) in sorted(layer.entries.items())
                    if path.startswith("usr/share/ca-certificates/") and path.endswith(".crt")]
    layer.add("etc/ssl/certs/ca-certificates.crt", 0o644, b"".join(certificates))
    layer.add("etc/passwd", 0o644, f"root:x:0:0:root:/root:/bin/sh\nweir:x:{USER}:{USER}::/var/lib/weir:/bin/sh\n".encode())
    layer.add("etc/group", 0o644, f"root:x:0:\nweir:x:{USER}:\n".encode())
    layer.add("etc/nsswitch.conf", 0o644, b"passwd: files\ngroup: files\nhosts: files dns\n")
    layer.add("tmp", 0o1777)
    return layer


def program_layer(folder):
    layer = Layer()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            path = "usr/lib/weir/" + str(file.relative_to(folder))
            layer.add(path, 0o755 if os.access(file, os.X_OK) else 0o644, file.read_bytes())
    layer.add("usr/bin/weir", 0o777, link="../lib/weir/weir")
    layer.add("etc/weir/operations", 0o755)
    layer.add("var/lib/weir", 0o700, owner=USER)
    return layer


def main():
    parser = argparse.ArgumentParser()
    for name in ("--program", "--version", "--architecture"):
        parser.add_argument(name, required=True)
    parser.add_argument("file")
    options = parser.parse_args()
    blobs = {}

    def keep(data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return digest

    layers = []
    for layer in (base_layer(), program_layer(pathlib.Path(options.program))):
        data = layer.bytes()
        layers.append({"digest": keep(data), "size": len(data)})
    created = datetime.datetime.fromtimestamp(now, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    configuration = json.dumps({
        "created": created, "architecture": options.architecture, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "WorkingDir": "/var/lib/weir", "Entrypoint": ["/usr/bin/weir"], "Cmd": ["serve"],
            "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/var/lib/weir", "LANG=C.UTF-8", "WEIR_HOST=0.0.0.0",
                    "WEIR_PORT=8080", "WEIR_DATA=/var/lib/weir", "WEIR_OPERATIONS=/etc/weir/operations"],
            "ExposedPorts": {"8080/tcp": {}}, "Volumes": {"/var/lib/weir": {}}, "StopSignal": "SIGTERM",
            "Healthcheck": {"Test": ["CMD", "wget", "-qO", "/dev/null", "http://127.0.0.1:8080/health/live"],
                            "Interval": 30_000_000_000, "Timeout": 5_000_000_000},
            "Labels": {"org.opencontainers.image.title": "weir", "org.opencontainers.image.version": options.version,
                       "org.opencontainers.image.licenses": "Apache-2.0"},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + layer["digest"] for layer in layers]},
        "history": [{"created": created, "created_by": "Packaging/image.py"} for _ in layers],
    }).encode()
    media = "application/vnd.oci.image."
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": media + "manifest.v1+json",
        "config": {"mediaType": media + "config.v1+json", "digest": "sha256:" + keep(configuration), "size": len(configuration)},
        "layers": [{"mediaType": media + "layer.v1.tar", "digest": "sha256:" + layer["digest"], "size": layer["size"]}
                   for layer in layers],
    }).encode()
    index = {
        "schemaVersion": 2, "mediaType": media + "index.v1+json",
        "manifests": [{"mediaType": media + "manifest.v1+json", "digest": "sha256:" + keep(manifest), "size": len(manifest),
                       "annotations": {"org.opencontainers.image.ref.name": options.version,
                                       "io.containerd.image.name": f"docker.io/library/weir:{options.version}"}}],
    }
    docker = [{"Config": f"blobs/sha256/{hashlib.sha256(configuration).hexdigest()}", "RepoTags": [f"weir:{options.version}"],
               "Layers": [f"blobs/sha256/{layer['digest']}" for layer in layers]}]
    files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}', "index.json": json.dumps(index).encode(),
             "manifest.json": json.dumps(docker).encode()}
    files |= {f"blobs/sha256/{digest}": data for digest, data in blobs.items()}
    image = Layer()
    for path, data in files.items():
        image.add(path, 0o644, data)
    pathlib.Path(options.file).write_bytes(image.bytes())


main()

"""A disk that is full in the middle of an upload: it is said, what has arrived is kept, and the upload continues."""

import base64
import hashlib
import pathlib
import random

import httpx
import pytest
from test_disk import NAMESPACE, may_mount

pytestmark = pytest.mark.long

TUS = {"Tus-Resumable": "1.0.0"}
UPLOADS = "/api/v1/operations/file-upload/uploads"
BYTES = random.Random(3).randbytes(6_000_000)


@pytest.fixture
def prefix(tmp_path):
    """Eight megabytes for the bytes of uploads; the journal and what runs write have the disk of the machine."""
    if not may_mount():
        pytest.skip("no mounts of its own for this user")
    folder = tmp_path / "data" / "spool" / "uploads"
    folder.mkdir(parents=True, mode=0o700)
    return [*NAMESPACE, "sh", "-c", 'mount -t tmpfs -o size=8m,mode=700 none "$0" && exec "$@"', folder]


@pytest.fixture
def ballast(weir):
    """What somebody else keeps on that disk: three megabytes of eight are left."""
    ballast = pathlib.Path(f"/proc/{weir.process.pid}/root{weir.data}/spool/uploads/ballast")
    ballast.write_bytes(bytes(5_000_000))
    return ballast


@pytest.fixture
def upload(weir, ballast):
    with httpx.Client(base_url=weir.url, headers=TUS, trust_env=False, timeout=30) as client:
        yield Upload(client)


class Upload:
    def __init__(self, client):
        begun = client.post(UPLOADS, headers={"Upload-Length": str(len(BYTES))})
        assert begun.status_code == 201, begun.text
        self.client, self.place, self.run = client, begun.headers["Location"], begun.json()["id"]

    @property
    def offset(self):
        return int(self.client.head(self.place).headers["Upload-Offset"])

    def send(self, offset, end=None, **headers):
        return self.client.patch(
            self.place, content=BYTES[offset:end],
            headers={"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream", **headers},
        )


def test_a_full_disk_stops_an_upload_which_goes_on_when_there_is_space(weir, upload, ballast):
    full = upload.send(0)
    assert full.status_code == 507, full.text
    assert full.json()["type"] == "urn:weir:problem:upload-not-stored"
    arrived = upload.offset
    assert 1_000_000 < arrived < len(BYTES)
    assert upload.send(arrived).status_code == 507
    ballast.unlink()
    assert upload.send(upload.offset).status_code == 204
    assert weir.ended({"id": upload.run})["phase"] == "succeeded"


def test_a_part_with_a_checksum_that_does_not_fit_goes_on_where_it_stopped(weir, upload, ballast):
    full = upload.send(0, **checksum(BYTES))
    assert full.status_code == 507, full.text
    arrived = upload.offset
    assert arrived < len(BYTES)
    ballast.unlink()
    rest = BYTES[arrived:]
    assert upload.send(arrived, **checksum(rest[::-1])).status_code == 460
    assert upload.offset == arrived
    assert upload.send(arrived, **checksum(rest)).status_code == 204
    assert weir.ended({"id": upload.run})["phase"] == "succeeded"


def checksum(part):
    return {"Upload-Checksum": "sha256 " + base64.b64encode(hashlib.sha256(part).digest()).decode()}

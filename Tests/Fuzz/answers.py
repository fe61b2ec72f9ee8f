"""Reads answers strictly: whatever is not well-formed HTTP with an explicit length, or not what it says it is, is a failure."""

import gzip
import json
import xml.parsers.expat
import zlib

# What a server may say of itself: it does not know the method or the version, or cannot take more at the moment.
DESIGNED = {501, 503, 505}


class Failure(Exception):
    """Something did not hold."""


class Closed(Exception):
    """The connection ended between two answers."""


class Reader:
    def __init__(self, connection):
        self.connection, self.bytes = connection, b""

    def fill(self):
        try:
            more = self.connection.recv(262_144)
        except TimeoutError:
            raise Failure("no answer within the time that a request may take") from None
        except ConnectionError:
            more = b""
        self.bytes += more
        return bool(more)

    def until(self, mark, limit=65_536):
        while mark not in self.bytes:
            if len(self.bytes) > limit:
                raise Failure(f"no end of a head within {limit} bytes: {self.bytes[:200]!r}")
            if not self.fill():
                if self.bytes:
                    raise Failure(f"the connection ended in the middle of a head: {self.bytes[:200]!r}")
                raise Closed
        found, _, self.bytes = self.bytes.partition(mark)
        return found

    def exactly(self, count):
        while len(self.bytes) < count:
            if not self.fill():
                raise Failure(f"the connection ended {count - len(self.bytes)} bytes before the announced end of a body")
        found, self.bytes = self.bytes[:count], self.bytes[count:]
        return found

    def answer(self, method):
        """The next answer: status, fields (names in lower case), body. An interim one is read and passed over."""
        while True:
            lines = self.until(b"\r\n\r\n").split(b"\r\n")
            version, _, rest = lines[0].partition(b" ")
            if version not in (b"HTTP/1.1", b"HTTP/1.0") or not rest[:3].isdigit():
                raise Failure(f"no status line: {lines[0]!r}")
            status, fields = int(rest[:3]), {}
            for line in lines[1:]:
                name, colon, value = line.partition(b":")
                if not colon or not name or name.strip() != name or any(byte < 32 and byte != 9 for byte in value):
                    raise Failure(f"no header field: {line!r}")
                fields.setdefault(name.decode("ascii").lower(), []).append(value.strip().decode("utf-8", "replace"))
            if status >= 200:
                return status, fields, self.body(method, status, fields)

    def body(self, method, status, fields):
        lengths, codings = fields.get("content-length", []), fields.get("transfer-encoding", [])
        if len(lengths) + len(codings) > 1:
            raise Failure(f"two lengths: {lengths} {codings}")
        if method == "HEAD" or status in (204, 304):
            return b""
        if lengths:
            return self.exactly(int(lengths[0]))
        if codings != ["chunked"]:
            raise Failure(f"an answer {status} without an explicit length")
        body = b""
        while size := int(self.until(b"\r\n"), 16):
            body += self.exactly(size)
            if self.exactly(2) != b"\r\n":
                raise Failure("a chunk without an end")
        while self.until(b"\r\n"):
            pass
        return body


def check(method, target, status, fields, body):
    """Holds an answer against what it says it is; returns its JSON, if it is some."""
    kind = fields.get("content-type", [""])[0].partition(";")[0]
    if method != "HEAD" and body:
        body = decoded(body, fields.get("content-encoding", []))
    if status >= 500 and status not in DESIGNED:
        raise Failure(f"{status}: {body[:500]!r}")
    if method == "HEAD":
        return None
    if kind == "text/html" and status != 304:
        well_formed(body)
    if not kind.endswith("json") or not body:
        # What is no HTTP at all, such as a method of no known name, is refused by the parser of HTTP, without words.
        if status >= 400 and not body and not (status == 400 and "close" in fields.get("connection", [])):
            raise Failure(f"{status} without a word")
        return None
    try:
        document = json.loads(body)
    except ValueError:
        raise Failure(f"{kind} that is none: {body[:300]!r}") from None
    if kind == "application/problem+json":
        expected = {"type": str, "title": str, "status": int, "detail": str}
        if any(not isinstance(document.get(name), type) for name, type in expected.items()) or document["status"] != status:
            raise Failure(f"a problem that says too little: {document}")
        if not document["detail"].strip() or len(document["detail"]) > 4_000:
            raise Failure(f"a detail that is no sentence: {document}")
    elif status >= 400 and target.startswith("/api/v1/"):
        raise Failure(f"{status} of the API without a problem document")
    return document


def decoded(body, codings):
    """The body without its coding; a coding that nobody can undo is a failure."""
    if not codings:
        return body
    if codings != ["gzip"]:
        raise Failure(f"codings that no request names: {codings}")
    try:
        return gzip.decompress(body)
    except (OSError, EOFError, zlib.error) as error:
        raise Failure(f"gzip that is none: {error}") from None


def well_formed(page):
    parser = xml.parsers.expat.ParserCreate("utf-8")
    parser.UseForeignDTD(True)
    parser.SetParamEntityParsing(xml.parsers.expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(page, True)
    except xml.parsers.expat.ExpatError as error:
        place = sum(len(line) + 1 for line in page.split(b"\n")[: error.lineno - 1]) + error.offset
        raise Failure(f"a page that is not well-formed: {error}: …{page[max(0, place - 80) : place + 80]!r}") from None

"""What operations ask while a server is fuzzed: a peer on a loopback port that answers with anything but good manners."""

import random
import socket
import threading


class Peer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def _listen(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection, self._make()), daemon=True).start()

    def _make(self):
        pick = self.random.choice
        body = pick([b"Hello!", b"\x00\xff", b'{"latitude":"1e400","longitude":1}', b'{"people":[{"name":"\xe2\x80\xae","craft":""}]}', b"x" * 5000])
        place = pick([
            b"/", b"//x", b"http://127.0.0.1:99999/", b"http://127.0.0.1:65536/", b"http://[::1/", b"", b"http://u:p@127.0.0.1/", b"ftp://x/",
            self.url.encode(), b"\xff\xfe", b"?" * 3000, b"http://127.0.0.1:-1/",
        ])
        status = pick([b"200 OK", b"204 No Content", b"301 Moved", b"302 Found", b"303 See Other", b"307 T", b"404 \x1b[31m", b"500", b"999 ?", b"099 x"])
        length = pick([str(len(body)).encode(), b"99999999999999999999", b"-1", b"9223372036854775807", b"0", b"x"])
        head = b"HTTP/1.1 " + status + b"\r\nContent-Length: " + length + b"\r\nLocation: " + place + b"\r\nX: " + pick([b"\xe2\x80\xae", b"", b"y" * 9000]) + b"\r\n\r\n"
        return pick([head + body, head + body, head, b"HTTP/1.1 200 OK\r\n\r\n" + body, b"\x16\x03\x01", self.random.randbytes(50), b""])

    def _answer(self, connection, answer):
        with connection:
            connection.settimeout(5)
            try:
                connection.recv(65_536)
                connection.sendall(answer)
            except OSError:
                pass

    def close(self):
        self.listener.close()

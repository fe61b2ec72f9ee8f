"""A wire between a server and what it connects to, which can be cut: nothing comes through, and nobody is told."""

import socket
import threading


class Relay:
    """Passes connections on to a port of this machine, as long as it is whole."""

    def passes(self, piece, is_sent):
        """Whether a piece is passed on, sent by a client or for it; otherwise its connection ends."""
        return True

    def __init__(self, port):
        self.target = port
        self.whole = threading.Event()
        self.whole.set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self):
        """From now on what is sent arrives nowhere; connections stay open, as with a cable that was pulled out."""
        self.whole.clear()

    def mend(self):
        """What was sent meanwhile arrives late, as when a network sends again what was not acknowledged."""
        self.whole.set()

    def close(self):
        self.listener.close()
        self.whole.set()

    def _listen(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client):
        self.whole.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()
        self._pass(server, client, False)

    def _pass(self, source, sink, is_sent):
        try:
            while piece := source.recv(262_144):
                self.whole.wait()
                if not self.passes(piece, is_sent):
                    break
                sink.sendall(piece)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

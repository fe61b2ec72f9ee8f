"""A mail server on loopback that takes, refuses, cuts or hangs as it is told, with TLS and sign-in."""

import email
import email.policy
import socket
import ssl
import threading

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from weir import free_port


class Mailbox:
    """`mails` has what arrived; `replies` has the replies of the next commands: "RCPT", "DATA", "AUTH" or "MAIL"."""

    user, password = "weir@example.com", "correct horse battery"

    def __init__(self, folder, tls="starttls"):
        self.mails, self.receivers, self.replies, self.sign_ins = [], [], {}, []
        authority = trustme.CA()
        self.authority = folder / "mail-ca.pem"
        authority.cert_pem.write_to_path(self.authority)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(context)
        options = {"tls_context": context, "require_starttls": True} if tls == "starttls" else {}
        if tls == "tls":
            options = {"ssl_context": context}
        self._controller = Controller(
            self, hostname="localhost", port=free_port(), authenticator=self._sign_in, auth_required=tls != "none",
            auth_require_tls=tls == "starttls", **options,
        )
        self._controller.start()
        self.address = f"localhost:{self._controller.port}"

    def stop(self):
        self._controller.stop()

    def _next(self, command, otherwise):
        waiting = self.replies.get(command)
        return waiting.pop(0) if waiting else otherwise

    def _sign_in(self, server, session, envelope, mechanism, data):
        right = (data.login.decode(), data.password.decode()) == (self.user, self.password)
        self.sign_ins.append((mechanism, session.ssl is not None, right))
        # Otherwise, the handler itself would have to refuse.
        return AuthResult(success=right, handled=right)

    async def handle_RCPT(self, server, session, envelope, address, options):
        reply = self._next("RCPT", "250 ok")
        if reply == "cut":
            server.transport.abort()
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server, session, envelope):
        reply = self._next("DATA", "250 taken")
        if reply == "cut":
            server.transport.abort()
        if reply.startswith("250"):
            # Lines that are longer, or end otherwise, would not survive every server.
            for line in envelope.original_content.split(b"\r\n"):
                assert len(line) <= 998 and b"\r" not in line and b"\n" not in line and line.isascii()
            self.receivers.append(sorted(envelope.rcpt_tos))
            self.mails.append(email.message_from_bytes(envelope.original_content, policy=email.policy.default))
        return reply


class Silent:
    """Accepts connections and says nothing."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.taken = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                self.taken.append(self._listener.accept()[0])
            except OSError:
                return

    def stop(self):
        self._listener.close()
        for connection in self.taken:
            connection.close()

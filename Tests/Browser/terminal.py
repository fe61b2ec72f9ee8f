"""The commands of `weir` that ask a server, as processes, with a home of their own."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import time

from weir import BINARY


class Terminal:
    """Runs `weir` commands for one user."""

    def __init__(self, home, **environment):
        self.home = home
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("WEIR_", "XDG_"))}
        self.environment = kept | {"HOME": str(home)} | environment
        self.started = []

    def run(self, *words, input="", seconds=60, **environment):
        """Runs a command to its end."""
        return subprocess.run(
            [BINARY, *words], capture_output=True, text=True, input=input, timeout=seconds, cwd=self.home,
            env=self.environment | environment,
        )

    def start(self, *words, **environment):
        """Starts a command, and returns its process."""
        process = subprocess.Popen(
            [BINARY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            cwd=self.home, env=self.environment | environment,
        )
        self.started.append(process)
        return process

    def screen(self, *words, columns=100, seconds=60, seen=(), **environment):
        """Runs a command on a terminal to its end; returns its exit code and all that it wrote there.

        `seen` has pairs of a text and a function, which is called when the text has appeared after the previous one.
        """
        main, other = pty.openpty()
        import fcntl, struct, termios  # noqa: E401

        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [BINARY, *words], stdin=other, stdout=other, stderr=other, cwd=self.home,
            env=self.environment | {"TERM": "xterm"} | environment, start_new_session=True,
        )
        self.started.append(process)
        os.close(other)
        text, deadline, place, seen = b"", time.monotonic() + seconds, 0, list(seen)
        with contextlib.suppress(OSError):
            while time.monotonic() < deadline:
                if select.select([main], [], [], 0.2)[0]:
                    piece = os.read(main, 65_536)
                    if not piece:
                        break
                    text += piece
                    while seen and (found := text.find(seen[0][0].encode(), place)) >= 0:
                        place = found
                        seen.pop(0)[1]()
        os.close(main)
        return process.wait(10), text.decode()

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()

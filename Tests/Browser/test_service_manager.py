"""The server as a service of systemd: what it reports by sd_notify(3), and the socket that it is given by sd_listen_fds(3)."""

import os
import signal
import socket
import subprocess
import urllib.request

import pytest
from weir import BINARY


@pytest.fixture
def manager(tmp_path_factory):
    """The socket of a service manager. The path of one is at most 107 characters long."""
    path = str(tmp_path_factory.mktemp("m") / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(30)
        yield manager


@pytest.fixture
def settings(manager):
    return {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "400000"}


def message(manager, words):
    """The next message with these words."""
    while words not in (text := manager.recv(4096).decode()):
        pass
    return text.split("\n")


def test_a_service_manager_learns_of_the_start_of_life_of_reloads_and_of_the_end(weir, manager):
    assert message(manager, "READY=1") == ["READY=1", f"STATUS=Weir is at {weir.url}/"]
    for _ in range(2):
        assert message(manager, "WATCHDOG=1") == ["WATCHDOG=1"]
    weir.process.send_signal(signal.SIGHUP)
    assert message(manager, "RELOADING=1")[1].startswith("MONOTONIC_USEC=")
    assert message(manager, "READY=1")[1].startswith("STATUS=The settings were read at ")
    weir.process.send_signal(signal.SIGTERM)
    assert "EXTEND_TIMEOUT_USEC=11000000" in message(manager, "STOPPING=1")
    assert weir.process.wait(20) == 0


def passed(descriptor, folder, *arguments, count=1):
    """A server that is given a socket as descriptor 3, as systemd does."""
    script = f'export LISTEN_FDS={count} LISTEN_PID=$$; exec 3<&{descriptor}; exec "$@"'
    return subprocess.Popen(
        ["bash", "-c", script, "bash", BINARY, "serve", "--data", str(folder / "data"), *arguments],
        pass_fds=[descriptor], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")},
    )


def test_the_server_listens_on_the_socket_that_it_is_given(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        # Its setting names another port: the one of the socket counts.
        server = passed(listener.fileno(), tmp_path, "--port", "1")
        assert server.stdout.readline() == f"Weir is at http://127.0.0.1:{port}/\n"
        for _ in range(3):
            assert urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30).status == 200
        server.terminate()
        assert server.wait(20) == 0
        server.stdout.close()
        # What connects meanwhile waits in the socket for the next server.
        with socket.create_connection(("127.0.0.1", port)) as early:
            early.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            server = passed(listener.fileno(), tmp_path)
            early.settimeout(30)
            assert early.recv(4096).startswith(b"HTTP/1.1 200")
        server.terminate()
        server.communicate(timeout=20)


def test_a_passed_socket_on_all_addresses_needs_a_choice_of_auth(tmp_path):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        server = passed(listener.fileno(), tmp_path)
        _, errors = server.communicate(timeout=30)
        assert server.returncode == 78 and "auth" in errors


@pytest.mark.parametrize("count, words", [(1, "Write ListenStream=ADDRESS:PORT"), (2, "passes 2 sockets")])
def test_a_passed_socket_that_cannot_be_used_is_refused_in_words(tmp_path, count, words):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        server = passed(datagrams.fileno(), tmp_path, count=count)
        _, errors = server.communicate(timeout=30)
        assert server.returncode == 78 and words in errors

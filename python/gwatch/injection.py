"""Traces kernels of other programs: the part of ``gwatch run`` that talks to them.

The CUDA driver loads ``libgwatch_injection.so`` into each process of the program that uses CUDA
(``CUDA_INJECTION64_PATH``). It connects to a socket here, asks for traced builds, and sends what
they wrote when the process ends.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from gwatch import libpygwatch, libraries
from gwatch.cuda.trace._preparer import Preparer
from gwatch.errors import CaptureError, FileError, GwatchError, UsageError
from gwatch.sources.cuda import CudaSource

INJECTION_VARIABLE = "CUDA_INJECTION64_PATH"
SOCKET_VARIABLE = "GWATCH_RUN_SOCKET"
_LIBRARY = "libgwatch_injection.so"
_LENGTH = struct.Struct("=Q")
_LAST_WORDS_SECONDS = 60.0


@dataclass(frozen=True)
class Orders:
    """What to trace in each process."""

    kernel_pattern: str
    max_launches: int = 1
    buffer_bytes: int = 0
    warp_mask: int = 0
    blocks: tuple[int, int, int] = (0, 1, 0)
    """First, stride and count; a count of 0: all."""
    auto_kinds: tuple[str, ...] = ()
    """Automatic scopes (docs/auto-scopes.md); they are made here, the program needs not know."""


@dataclass
class TracedProcess:
    """A process that used CUDA, and what was captured in it."""

    process_id: int
    program: str
    preparer: Preparer
    captured: libpygwatch.CaptureResult | None = None
    """None until it ends, and for ever if it was killed."""
    error: GwatchError | None = None
    """Why nothing could be captured."""


@dataclass
class Tracer:
    """Traces the processes that are started with its environment; a context manager."""

    orders: Orders
    processes: list[TracedProcess] = field(default_factory=list)

    def __enter__(self) -> Tracer:
        """Listen."""
        self._folder = tempfile.mkdtemp(prefix="gwatch-")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self._socket_path)
        self._listener.listen()
        self._threads: list[threading.Thread] = []
        self._is_closing = False
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop listening; what processes that have ended sent is taken in before."""
        # A connection of its own ends the wait for the next one.
        self._is_closing = True
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.connect(self._socket_path)
        self._accepting.join()
        self._listener.close()
        for thread in self._threads:
            thread.join(_LAST_WORDS_SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _socket_path(self) -> str:
        return os.path.join(self._folder, "socket")

    def environment(self) -> dict[str, str]:
        """The environment for the program to be traced.

        Raises:
            UsageError: another tool is to be loaded into the program.
        """
        other = os.environ.get(INJECTION_VARIABLE)
        if other:
            raise UsageError(
                f"{INJECTION_VARIABLE} is set already, to {other}",
                hint="One tool at a time can be loaded into a CUDA program: unset it.",
            )
        return {
            **os.environ,
            INJECTION_VARIABLE: str(find_library()),
            SOCKET_VARIABLE: self._socket_path,
        }

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            first = _receive(connection)
            if first is None:
                connection.close()
                if self._is_closing:
                    return
                continue
            thread = threading.Thread(target=self._serve, args=(connection, first), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket, first: bytes) -> None:
        with connection:
            hello = libpygwatch.read_message(first)
            assert isinstance(hello, libpygwatch.Hello)
            preparer = Preparer([CudaSource(hello.process_id)], self.orders.auto_kinds)
            process = TracedProcess(hello.process_id, hello.program, preparer)
            self.processes.append(process)
            try:
                _send(connection, self._orders_message())
                self._answer_all(connection, process)
            except GwatchError as error:
                process.error = error
            except OSError as error:
                process.error = CaptureError(f"the connection to {hello.program} broke: {error}")

    def _orders_message(self) -> bytes:
        return libpygwatch.orders_message(
            self.orders.kernel_pattern,
            self.orders.max_launches,
            self.orders.buffer_bytes,
            self.orders.warp_mask,
            self.orders.blocks,
            libraries.cupti_paths(),
        )

    def _answer_all(self, connection: socket.socket, process: TracedProcess) -> None:
        while (message := _receive(connection)) is not None:
            received = libpygwatch.read_message(message)
            if isinstance(received, libpygwatch.LaunchInfo):
                _send(connection, libpygwatch.answer_message(process.preparer, received))
            elif isinstance(received, libpygwatch.CaptureResult):
                process.captured = received


def find_library() -> Path:
    """Return the library that the CUDA driver loads into programs.

    Raises:
        FileError: if the package was installed without it.
    """
    path = Path(libpygwatch.__file__).parent / _LIBRARY
    if not path.is_file():
        raise FileError(
            f"{path} is not there",
            hint="Install gwatch again: pip install --force-reinstall gwatch",
        )
    return path


def _send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(_LENGTH.pack(len(message)) + message)


def _receive(connection: socket.socket) -> bytes | None:
    """The next message; None when the other end is gone."""
    length = _receive_bytes(connection, _LENGTH.size)
    return None if length is None else _receive_bytes(connection, _LENGTH.unpack(length)[0])


def _receive_bytes(connection: socket.socket, count: int) -> bytes | None:
    received = bytearray(count)
    view = memoryview(received)
    while len(view):
        taken = connection.recv_into(view)
        if taken == 0:
            return None
        view = view[taken:]
    return bytes(received)

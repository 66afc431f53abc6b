"""What another package, or the conftest.py of a suite, needs to bring faults, wires, dialects and transports.

The hooks are in :mod:`pytest_llmfaults.hookspecs`. A wire is made from one recorded reply by :meth:`Wire.from_sample`,
or from its parts (``Wire(...)``, ``Slot``, ``Stream``). How a host speaks a wire that is there is a ``Dialect``. Where
a library of your own opens connections is a ``Transport``, which says an ``Address``. A
fault is a row, ``Fault(...)``, whose ``play`` is a pure function ``(healthy, **values) -> Reply``; those below that
return one make the usual ones.

- ``put(slot, value)`` puts a value into a slot; ``ABSENT`` removes it, ``UNSAID`` is how the wire says nothing;
- ``rewrite(slot, change)`` replaces what is in a slot by ``change(what is there)``;
- ``reshape(change)`` replaces the whole envelope by ``change(envelope, **values)``;
- ``raw(change)`` replaces the bytes of the body by ``change(body, **values)``, and sets headers;
- ``error(status, message)`` answers a status with the wire's own error body;
- ``answers(status, body)`` answers a status with this body on every wire.
"""

from __future__ import annotations

from pytest_llmfaults._dial import Address, Transport
from pytest_llmfaults._faults import Fault, Healthy, Parameter
from pytest_llmfaults._faults._edit import answers, error, put, raw, reshape, rewrite
from pytest_llmfaults._wires import ABSENT, UNSAID, Dialect, Piece, Slot, Stream, Wire
from pytest_llmfaults._wires._encoding import Encoding, Event
from pytest_llmfaults._wires._slot import at
from pytest_llmfaults._wires._sse import SSE

__all__ = [
    "ABSENT",
    "SSE",
    "UNSAID",
    "Address",
    "Dialect",
    "Encoding",
    "Event",
    "Fault",
    "Healthy",
    "Parameter",
    "Piece",
    "Slot",
    "Stream",
    "Transport",
    "Wire",
    "answers",
    "at",
    "error",
    "put",
    "raw",
    "reshape",
    "rewrite",
]

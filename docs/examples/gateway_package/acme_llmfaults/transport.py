"""Where Acme's own client opens its connections."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults.extending import Address, Transport


def _address(host: str, port: int, *, timeout: float) -> Address:
    return Address(scheme="https" if port == 443 else "http", host=host, port=port, timeout_seconds=timeout)


RPC: Final = Transport(name="acme_rpc", module="acme_llmfaults.rpc", function="dial", address=_address)

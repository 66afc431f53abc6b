"""Acme's own client of its gateway: HTTP/1.1 over a socket, without any library."""

from __future__ import annotations

import email
import json
import socket
import ssl
from typing import Any

HOST = "llm.acme.example"


def dial(host: str, port: int, *, timeout: float) -> socket.socket:
    """Open a connection."""
    connection = socket.create_connection((host, port), timeout)
    return ssl.create_default_context().wrap_socket(connection, server_hostname=host) if port == 443 else connection


def ask(prompt: str, *, host: str = HOST, port: int = 443, timeout: float = 20.0) -> Any:
    """Ask once, and return what the gateway says."""
    body = json.dumps({"prompt": prompt}).encode()
    head = f"POST /v2/ask HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
    with dial(host, port, timeout=timeout) as connection:
        connection.sendall(head.encode() + body)
        with connection.makefile("rb") as reply:
            status = int(reply.readline().split()[1])
            headers = email.message_from_bytes(b"".join(iter(reply.readline, b"\r\n")))
            text = reply.read(int(headers["Content-Length"]))
    if status != 200:
        raise ConnectionError(status)
    return json.loads(text)["result"][0]["text"]

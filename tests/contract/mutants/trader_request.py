"""Refactors of what ``docs/examples/trader.py`` sends, and of what it makes of a status."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

_STATUSES: Final = "RETRIED = {429, 502, 503, 504}"
_CHECK: Final = "            if not reply.ok:\n"
_POST: Final = "requests.post(URL, json=body, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False)"
_LOOP: Final = "    for attempt in range(ATTEMPTS):\n"
_TRY: Final = "        try:\n            reply"


def _statuses(values: str) -> tuple[tuple[str, str], ...]:
    return ((_STATUSES, f"RETRIED = {{{values}}}"),)


REQUEST: Final = (
    Mutant("no timeout", ((", timeout=TIMEOUT_SECONDS", ""),), "transport.timeout", "waits for ever"),
    Mutant("a timeout to connect only", (("(5, 60)", "(5, None)"),), "transport.timeout", "waits for ever"),
    Mutant("a shorter timeout", (("(5, 60)", "(5, 20)"),), "transport.timeout", "takes 87 s instead of 247 s"),
    Mutant("one timeout for all", (("(5, 60)", "60"),), "transport.connect_timeout", "takes 247 s instead of 27 s"),
    Mutant(
        "redirects are followed",
        ((", allow_redirects=False", ""),),
        "status.307_moved",
        "returns what the healthy call returns instead of raising GatewayError",
    ),
    Mutant(
        "certificates are not looked at",
        ((_POST, f"{_POST[:-1]}, verify=False)"),),
        "transport.tls_verify",
        "no longer retried: 4 → 1 attempt; returns what the healthy call returns instead of raising GatewayError",
    ),
    Mutant(
        "the question is another when it is asked again",
        ((_LOOP, f'{_LOOP}        body["temperature"] = attempt / 10\n'),),
        "transport.refused",
        "the request changes between attempts",
    ),
    Mutant(
        "another model is asked the last time",
        ((_TRY, '        if attempt == ATTEMPTS - 1:\n            body["model"] = "gpt-5-mini"\n' + _TRY),),
        "transport.refused",
        "the request changes between attempts",
    ),
    Mutant(
        "another host is asked the second time",
        (
            (_LOOP, f'{_LOOP}        url = URL if attempt == 0 else URL.replace("gateway.", "backup.")\n'),
            ("requests.post(URL,", "requests.post(url,"),
        ),
        "transport.refused",
        "the request changes between attempts",
    ),
)

STATUSES: Final = (
    Mutant("429 is out", _statuses("502, 503, 504"), "status.429_rate", "no longer retried: 4 → 1 attempt"),
    Mutant("502 is out", _statuses("429, 503, 504"), "status.502", "no longer retried: 4 → 1 attempt"),
    Mutant("503 is out", _statuses("429, 502, 504"), "status.503", "no longer retried: 4 → 1 attempt"),
    Mutant("504 is out", _statuses("429, 502, 503"), "status.504", "no longer retried: 4 → 1 attempt"),
    *(
        Mutant(f"{status} is in", _statuses(f"429, 502, 503, 504, {status}"), f"status.{status}", "now retried: 1 → 4")
        for status in (400, 401, 403, 404, 408, 409, 413, 422, 425, 500, 520, 529)
    ),
    Mutant(
        "every status of a server is in",
        (("reply.status_code in RETRIED", "reply.status_code == 429 or reply.status_code >= 500"),),
        "status.500",
        "now retried: 1 → 4 attempts",
    ),
    Mutant(
        "every bad status is in",
        (("            if reply.status_code in RETRIED:\n    ", ""),),
        "status.400",
        "now retried: 1 → 4 attempts",
    ),
    Mutant(
        "only 200 is good",
        ((_CHECK, _CHECK.replace("not reply.ok", "reply.status_code != 200")),),
        "status.204",
        "no longer retried: 4 → 1 attempt",
    ),
    Mutant("no status is looked at", ((_CHECK, "            if False:\n"),), "status.400", "EnvelopeError"),
    Mutant(
        "redirects are bad statuses", (("not reply.ok", "reply.status_code >= 300"),), "status.302_login", "no longer"
    ),
    Mutant(
        "a bad status is a wrong envelope",
        (
            (
                "                raise GatewayError(message)\n            return",
                "                raise EnvelopeError(message)\n            return",
            ),
        ),
        "status.400",
        "raises EnvelopeError instead of GatewayError",
    ),
)

MUTANTS: Final = (*REQUEST, *STATUSES)

"""What the tests of the contract share: rows like those of the catalogue, and Hypothesis strategies."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour, Observation, Span

patient = settings(deadline=None)
"""For slow machines: these tests are about what comes out, not about how long one example takes."""

NODEID = "tests/test_trader.py::test_retry_contract"

ROWS = tuple(
    f"{family}.{slot}_{shape}"
    for family in ("body", "status", "envelope_like")
    for slot in ("html", "choices", "429_retry", "x")
    for shape in ("absent", "null", "empty", "wrong_type_of_thing")
)
SINCE = dict.fromkeys(ROWS, 1)

RETRIED = Behaviour("4 attempts, waits 1 2 4 s, raises GatewayError", "2 attempts, waits 1 s, same as ok")
FAILS = Behaviour("1 attempt, raises EnvelopeError", "1 attempt, raises EnvelopeError")
AS_OK = Behaviour("1 attempt, same as ok", "1 attempt, same as ok")

seconds = st.one_of(
    st.floats(0, 1e5, allow_nan=False), st.sampled_from([0.0, 0.1, 0.375, 1.0, 2.0, 59.999, 999.9, 1e-9, 86400.0])
)
spans = st.one_of(st.builds(Span, seconds, seconds), seconds.map(lambda value: Span(value, value)))
texts = st.text(max_size=40)
outcomes = st.one_of(
    st.just("same as ok"),
    st.just("waits for ever"),
    texts.map("returns {}".format),
    st.from_regex(r"raises [A-Z]\w{0,9}( from [A-Z]\w{0,9})?", fullmatch=True),
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """Draw anything that a subject might do."""
    waits = tuple(draw(st.lists(spans, max_size=6)))
    waits += waits[-1:] * draw(st.integers(0, 6))
    return Observation(
        attempts=len(waits) + 1,
        waits=waits,
        elapsed=draw(spans),
        outcome=draw(outcomes),
        changed=draw(st.booleans()),
        after=draw(st.none() | texts),
    )


def contract(**changes: object) -> Contract:
    """Return a small contract with some fields changed."""
    fields: dict[str, object] = {
        "catalogue": 1,
        "ok": "1 attempt, returns BUY ACME 2",
        "interrupt": "1 attempt, raises KeyboardInterrupt",
        "behaviours": {name: RETRIED if name.startswith("body") else FAILS for name in ROWS},
        "versions": {"requests": "2.34.2"},
    }
    return Contract(**{**fields, **changes})  # type: ignore[arg-type]

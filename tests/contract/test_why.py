"""Each way of writing a retry is told by the clause that made it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from pytest_llmfaults._contract.why import explain
from tests.contract import why_subjects as subjects
from tests.contract.why_kit import job

pytestmark = pytest.mark.usefixtures("untraced")

HTML, BUSY = "body.html_page", "status.503"
REQUESTS = "RequestException"
REPLY = "no exception: the client looked at the reply"

CLAUSES = [
    (subjects.sleeps_in_except, HTML, "JSONDecodeError", REQUESTS, "except requests.RequestException as error:"),
    (subjects.sleeps_in_except, BUSY, "HTTPError", REQUESTS, "except requests.RequestException as error:"),
    (subjects.sleeps_after, HTML, "JSONDecodeError", REQUESTS, "except (KeyError, requests.RequestException):"),
    (subjects.drops_it, HTML, "JSONDecodeError", "ValueError", "except ValueError:"),
    (subjects.bare, BUSY, "HTTPError", None, "except:"),
    (subjects.keeps_the_last, HTML, "JSONDecodeError", None, "except Exception as error:"),
    (subjects.parses_the_header, BUSY, "HTTPError", None, "except requests.HTTPError as error:"),
    (subjects.nested, HTML, "JSONDecodeError", REQUESTS, "except requests.RequestException:"),
    (subjects.translates, HTML, "Trouble from JSONDecodeError", None, "except Trouble:"),
    (subjects.parses_outside, HTML, "JSONDecodeError", "json.decoder.JSONDecodeError", "except json.JSONDecodeError:"),
    (subjects.logs_on_the_way, HTML, "JSONDecodeError", REQUESTS, "except requests.RequestException:"),
    (subjects.harmless_manager, BUSY, "HTTPError", REQUESTS, "except requests.RequestException:"),
    (subjects.again, HTML, "JSONDecodeError", REQUESTS, "except requests.RequestException:"),
    (subjects.named_classes, BUSY, "HTTPError", REQUESTS, "except RETRIED:"),
    (subjects.computed_classes, BUSY, "HTTPError", None, "except kinds():"),
    (subjects.changes_its_mind, BUSY, "HTTPError", None, "except requests.HTTPError:"),
    (subjects.changes_its_mind, HTML, "JSONDecodeError", "ValueError", "except ValueError:"),
    (subjects.finally_goes_on, BUSY, "HTTPError", None, "finally:"),
    (subjects.recalled, HTML, "JSONDecodeError", REQUESTS, "except requests.RequestException:"),
    (
        subjects.suppresses,
        BUSY,
        "HTTPError",
        REQUESTS,
        "with contextlib.suppress(requests.RequestException, KeyError)",
    ),
]


def line_of(function: Callable[..., Any], clause: str) -> int:
    """Return the last line of a function that holds a clause."""
    lines, first = inspect.getsourcelines(function)
    return max(first + at for at, line in enumerate(lines) if clause in line)


@pytest.mark.parametrize(
    ("subject", "fault", "exception", "base", "clause"), CLAUSES, ids=[f"{one[0].__name__}-{one[1]}" for one in CLAUSES]
)
def test_a_clause(subject: Callable[[], Any], fault: str, exception: str, base: str | None, clause: str) -> None:
    why = explain(job(subject, fault))
    line = line_of(subject, clause)
    thrown = f"{exception} (a {base})" if base else exception
    assert why.text == f"{thrown} caught by `{clause}` why_subjects.py:{line}"
    reason = why.reasons[0]
    assert set(why.reasons) == {reason}
    assert (reason.kind, reason.clause, reason.file, reason.line) == ("clause", clause, "why_subjects.py", line)
    assert reason.exception == exception.partition(" ")[0]
    assert reason.bases == ((base,) if base else ())
    assert reason.library is None


@pytest.mark.parametrize(
    ("subject", "inner", "clause"),
    [
        (subjects.helper, subjects.asks_or_none, "except requests.RequestException:"),
        (subjects.finally_only, subjects.closes, "except ValueError as error:"),
        (subjects.manager, subjects.forgiving, "except requests.RequestException:"),
        (subjects.decorated, subjects.retried, "except Exception as error:"),
    ],
)
def test_the_clause_may_be_in_another_function(
    subject: Callable[[], Any], inner: Callable[..., Any], clause: str
) -> None:
    why = explain(job(subject, HTML))
    assert why.text.startswith("JSONDecodeError")
    assert why.text.endswith(f" caught by `{clause}` why_subjects.py:{line_of(inner, clause)}")
    assert why.reasons[0].kind == "clause"


def test_a_look_at_the_reply_is_no_exception() -> None:
    why = explain(job(subjects.only_looks_at_the_status, BUSY))
    assert why.text == REPLY
    assert [reason.kind for reason in why.reasons] == ["reply", "reply"]


@pytest.mark.parametrize(
    ("subject", "fault", "inner", "caught"),
    [
        (
            subjects.parsing_helper,
            HTML,
            subjects.parsed,
            "JSONDecodeError (a ValueError) caught by `except ValueError:`",
        ),
        (subjects.looks_at_the_status, BUSY, subjects.looks_at_the_status, "KeyError caught by `except KeyError:`"),
    ],
)
def test_what_a_helper_caught_is_told_but_the_loop_looked_at_the_outcome(
    subject: Callable[[], Any], fault: str, inner: Callable[..., Any], caught: str
) -> None:
    clause = caught.split("`")[1]
    why = explain(job(subject, fault))
    assert why.text == f"{REPLY} (before that, {caught} why_subjects.py:{line_of(inner, clause)})"
    assert {reason.kind for reason in why.reasons} == {"reply"}


def test_each_retry_has_its_own_reason() -> None:
    why = explain(job(subjects.falls_back, HTML))
    inner = line_of(subjects.retries_inside, "except requests.RequestException:")
    outer = line_of(subjects.falls_back, "except Trouble:")
    assert [(reason.exception, reason.line) for reason in why.reasons] == [
        ("JSONDecodeError", inner),
        ("Trouble", outer),
        ("JSONDecodeError", inner),
    ]
    assert why.text.startswith("retries 1, 3: JSONDecodeError (a RequestException) caught by ")
    assert "; retry 2: Trouble caught by " in why.text


def test_a_redirect_that_is_followed_to_an_answer_is_no_retry() -> None:
    assert explain(job(subjects.ask, "status.307_moved")).text == "it followed a redirect"


def test_a_redirect_that_is_followed_is_the_librarys_doing() -> None:
    why = explain(job(subjects.sleeps_in_except, "status.307_loop"))
    assert why.text.startswith("retries 1-30, 32-61, 63-92: requests: it followed a redirect; retries 31, 62: TooMany")


def test_a_fault_that_strikes_once_gives_one_reason() -> None:
    why = explain(job(subjects.sleeps_in_except, HTML, once=True))
    assert len(why.reasons) == 1
    assert why.text.startswith("JSONDecodeError")


@pytest.mark.parametrize("fault", ["ok", "content.empty"])
def test_nothing_is_said_where_nothing_was_retried(fault: str) -> None:
    why = explain(job(subjects.sleeps_in_except, fault))
    assert (why.text, why.reasons) == ("it was not retried", ())


def test_a_second_question_after_a_healthy_reply_is_no_retry() -> None:
    def conversation() -> None:
        subjects.ask()
        subjects.ask()

    assert explain(job(conversation, "ok")).text == "it was not retried"


def test_code_without_source_is_told_by_its_place() -> None:
    names: dict[str, Any] = {"ask": subjects.ask, "__name__": "generated"}
    source = "def loop():\n for _ in range(2):\n  try:\n   ask()\n  except Exception:\n   pass\n"
    exec(compile(source, "<generated>", "exec"), names)  # noqa: S102
    why = explain(job(names["loop"], HTML))
    assert why.text == "JSONDecodeError caught by a clause whose source cannot be read <generated>:4"
    assert why.reasons[0].clause is None


def test_the_same_call_gives_the_same_answer() -> None:
    first, second = (explain(job(subjects.nested, HTML)) for _ in range(2))
    assert first == second

"""Every way of writing a retry that comes to mind, each around one plain request."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from typing import Any

import requests

URL = "https://gateway.example.com/v1/chat/completions"
BODY = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]}


class Trouble(Exception):
    """The client's own error."""


def post() -> requests.Response:
    return requests.post(URL, json=BODY, timeout=9)


def ask() -> Any:
    reply = post()
    reply.raise_for_status()
    return reply.json()["choices"][0]["message"]["content"]


def sleeps_in_except() -> Any:
    for attempt in range(3):
        try:
            return ask()
        except requests.RequestException as error:
            if attempt == 2:
                raise Trouble from error
            time.sleep(2**attempt)
    raise AssertionError


def sleeps_after() -> Any:
    attempt = 0
    while attempt < 3:
        attempt += 1
        try:
            return ask()
        except (KeyError, requests.RequestException):
            pass
        time.sleep(attempt)
    raise Trouble


def drops_it() -> Any:
    for _ in range(3):
        try: return ask()  # fmt: skip  # noqa: E701
        except ValueError: pass  # fmt: skip  # noqa: E701
    return None


def bare() -> Any:
    for _ in range(2):
        try:
            return ask()
        except:  # noqa: E722
            time.sleep(1)
    return None


def keeps_the_last() -> Any:
    last: Exception | None = None
    for attempt in range(3):
        if attempt:
            time.sleep(attempt)
        try:
            result = ask()
        except Exception as error:  # noqa: BLE001
            last = error
        else:
            return result
    assert last is not None
    raise last


def parses_the_header() -> Any:
    """The exception that comes up while the first one is handled is not the reason."""
    for _ in range(3):
        try:
            return ask()
        except requests.HTTPError as error:
            try:
                seconds = float(error.response.headers["x-no-such-header"])
            except (KeyError, ValueError):
                seconds = 1.0
            time.sleep(seconds + also_parses(error.response))
    return None


def also_parses(reply: requests.Response) -> int:
    try:
        return int(reply.headers["x-no-such-header"])
    except KeyError:
        return 2


def nested() -> Any:
    for _ in range(3):
        try:
            try:
                return ask()
            except requests.Timeout:
                raise
            except requests.JSONDecodeError:
                time.sleep(0)
                raise
        except requests.RequestException:
            time.sleep(1)
    return None


def translates() -> Any:
    for _ in range(3):
        try:
            try:
                return ask()
            except ValueError as error:
                message = "no JSON"
                raise Trouble(message) from error
        except Trouble:
            time.sleep(1)
    return None


def helper() -> Any:
    for attempt in range(3):
        result = asks_or_none()
        if result is not None:
            return result
        time.sleep(attempt)
    return None


def asks_or_none() -> Any:
    try:
        return ask()
    except requests.RequestException:
        return None


def parsing_helper() -> Any:
    for _ in range(3):
        reply = post()
        envelope = parsed(reply)
        if envelope is not None:
            return envelope
        time.sleep(1)
    return None


def parsed(reply: requests.Response) -> Any:
    try:
        return reply.json()
    except ValueError:
        return None


def looks_at_the_status() -> Any:
    for _ in range(3):
        reply = post()
        try:
            seconds = float(reply.headers["x-no-such-header"])
        except KeyError:
            seconds = 1.0
        if reply.status_code < 500:
            return reply.json()
        time.sleep(seconds)
    return None


def only_looks_at_the_status() -> Any:
    for _ in range(3):
        reply = post()
        if reply.status_code < 500:
            return reply.json()
        time.sleep(1)
    return None


def parses_outside() -> Any:
    """The request is not in the try, and the handler begins the loop anew."""
    for _ in range(3):
        reply = post()
        try:
            envelope = reply.json()
        except json.JSONDecodeError:
            time.sleep(1)
            continue
        return envelope["choices"]
    return None


def logs_on_the_way() -> Any:
    """The exception that was dropped inside the try is not the reason."""
    for _ in range(3):
        try:
            reply = post()
            try:
                print(reply.headers["x-no-such-header"])  # noqa: T201
            except KeyError:
                print("no header")  # noqa: T201
            return reply.json()
        except requests.RequestException:
            time.sleep(1)
    return None


def suppresses() -> Any:
    for _ in range(3):
        with contextlib.suppress(requests.RequestException, KeyError):
            return ask()
        time.sleep(1)
    return None


@contextlib.contextmanager
def forgiving() -> Iterator[None]:
    try:
        yield
    except requests.RequestException:
        print("forgiven")  # noqa: T201


def manager() -> Any:
    for _ in range(3):
        with forgiving():
            return ask()
    return None


@contextlib.contextmanager
def timed() -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(time.monotonic() - begun)  # noqa: T201


def harmless_manager() -> Any:
    for _ in range(3):
        try:
            with timed(), requests.Session() as session:
                reply = session.post(URL, json=BODY, timeout=9)
                reply.raise_for_status()
                return reply.json()
        except requests.RequestException:
            time.sleep(1)
        finally:
            print("done")  # noqa: T201
    return None


def again(attempts: int = 3) -> Any:
    """Calls itself."""
    try:
        return ask()
    except requests.RequestException:
        if attempts == 1:
            raise
        time.sleep(1)
        return again(attempts - 1)


def retried(function: Any) -> Any:
    def wrapper() -> Any:
        for _ in range(2):
            try:
                return function()
            except Exception as error:  # noqa: BLE001
                kept = error
                time.sleep(1)
        raise kept

    return wrapper


decorated = retried(ask)
RETRIED = (requests.ConnectionError, requests.RequestException)


def named_classes() -> Any:
    for _ in range(2):
        try:
            return ask()
        except RETRIED:
            time.sleep(1)
    return None


def kinds() -> Any:
    return (requests.RequestException,)


def kinds_of_errors() -> Any:
    return (KeyError, Trouble)


def computed_classes() -> Any:
    for _ in range(2):
        try:
            return ask()
        except kinds_of_errors():
            raise
        except kinds():
            time.sleep(1)
    return None


def changes_its_mind() -> Any:
    for _ in range(3):
        try:
            reply = post()
            reply.raise_for_status()
            return reply.json()
        except requests.HTTPError:
            time.sleep(1)
        except ValueError:
            time.sleep(2)
    return None


def falls_back() -> Any:
    for _ in ("first", "second"):
        try:
            return retries_inside()
        except Trouble:
            continue
    return None


def retries_inside() -> Any:
    for _ in range(2):
        try:
            return ask()
        except requests.RequestException:
            time.sleep(1)
    raise Trouble


def recalled() -> Any:
    """What went wrong in an earlier call is raised again, and is not what was caught."""
    kept: Exception = Trouble()
    for _ in range(2):
        try:
            return ask()
        except requests.RequestException:
            with contextlib.suppress(Trouble):
                raise kept from None
            time.sleep(1)
    return None


def finally_goes_on() -> Any:
    for _ in range(3):
        try:
            return ask()
        finally:
            time.sleep(1)
            continue  # noqa: B012
    return None


def finally_only() -> Any:
    for _ in range(3):
        reply = closes()
        if reply is None:
            time.sleep(1)
    return None


def closes() -> Any:
    try:
        return ask()
    except ValueError as error:
        print(error)  # noqa: T201
    finally:
        print("closed")  # noqa: T201

"""A client that decided: what can heal is asked again, twice, and what cannot is not."""

import time

import requests

URL = "https://api.openai.com/v1/chat/completions"
HOPELESS = {400, 401, 403, 404, 422}


class GatewayError(Exception):
    """The gateway did not answer, whatever that was inside."""


def ask(question: str) -> str:
    """Return what the model says, or a word that it said nothing."""
    try:
        return again(question)
    except (requests.RequestException, LookupError, TypeError) as error:
        raise GatewayError(str(error)) from error


def again(question: str) -> str:
    """Ask, and ask again after 1 and after 2 seconds where that can help."""
    for seconds in (1.0, 2.0):
        try:
            return once(question)
        except (requests.RequestException, LookupError, TypeError) as error:
            reply = getattr(error, "response", None)
            if reply is not None and reply.status_code in HOPELESS:
                raise
        time.sleep(seconds)
    return once(question)


def once(question: str) -> str:
    """Ask once."""
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": question}]}
    reply = requests.post(URL, json=body, timeout=30)
    reply.raise_for_status()
    text: str | None = reply.json()["choices"][0]["message"]["content"]
    return text or "(silence)"

"""Why rows stay that no audited client tells from their neighbours: the reasons that several rows share."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ELSEWHERE",
    "ERROR_SHAPE",
    "FIELD",
    "INDEXED",
    "LIBRARY",
    "LOOKALIKE",
    "NOT_READ",
    "NOT_TAKEN",
    "SAVED",
    "STATUS",
    "TYPE",
    "UNFRAMED",
    "WORDS",
    "WRONG_TYPE",
]

ELSEWHERE: Final = "A client that looks there finds what was said; the audited ones look at the usual place only."
ERROR_SHAPE: Final = "Code that reads the body of the error by itself meets another shape."
FIELD: Final = "A stricter validator, or code that sorts or counts by this field, tells it apart."
INDEXED: Final = "Code that indexes a dict raises KeyError on an absent key, and goes on with None where it is null."
LIBRARY: Final = "requests, httpx or aiohttp raises another class or cause here; the audited SDKs wrap all alike."
LOOKALIKE: Final = "A client that breaks on it is wrong; the audited ones do not."
NOT_READ: Final = "A client that reads the wait where it stands here waits so long; the audited ones do not look there."
NOT_TAKEN: Final = "A client that takes the value as it stands waits wrongly or raises; the audited ones fall back."
SAVED: Final = "Code that repairs a broken body, or reports what came, tells it apart; a JSON parser only refuses it."
STATUS: Final = "A policy that names statuses one by one tells it apart."
TYPE: Final = "A client that asks for the type before it parses refuses it, as aiohttp does."
UNFRAMED: Final = "A client that looks at bytes that are no event can say what came; the observed ones see no event."
WORDS: Final = "Only the message says what it is: a policy that reads messages tells it apart."
WRONG_TYPE: Final = "Code without a model of the reply fails in another way on each wrong type."

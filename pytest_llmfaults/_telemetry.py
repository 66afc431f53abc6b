"""Which requests are telemetry, or fetch a list that a library can do without: refused and listed, failing no test."""

from __future__ import annotations

import fnmatch
from typing import Final

__all__ = ["is_telemetry"]

_HOSTS: Final = (
    "*.sentry.io",
    "*.posthog.com",
    "app.posthog.com",
    "*.datadoghq.com",
    "*.datadoghq.eu",
    "*.honeycomb.io",
    "*.newrelic.com",
    "*.nr-data.net",
    "*.langfuse.com",
    "cloud.langfuse.com",
    "api.smith.langchain.com",
    "*.smith.langchain.com",
    "*.mixpanel.com",
    "api.segment.io",
    "*.amplitude.com",
    "*.logfire.dev",
    "logfire-*.pydantic.dev",
    "*.helicone.ai",
    "*.braintrust.dev",
    "*.arize.com",
    "*.traceloop.com",
    "*.scarf.sh",
    "*.applicationinsights.azure.com",
)
_PATHS: Final = ("/v1/traces", "/v1/metrics", "/v1/logs")
"""Where OpenTelemetry exporters post, by its protocol's specification."""

_LISTS: Final = ("raw.githubusercontent.com/BerriAI/litellm/",)
"""Lists of prices and models that a library fetches when it is imported; without them it takes those it came with."""


def is_telemetry(host: str, path: str) -> bool:
    """Tell whether a request reports on the program instead of being part of it, or fetches such a list."""
    hosts = any(fnmatch.fnmatchcase(host, pattern) for pattern in _HOSTS)
    return hosts or path.endswith(_PATHS) or f"{host}{path}".startswith(_LISTS)

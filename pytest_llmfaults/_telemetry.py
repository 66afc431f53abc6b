"""Which requests are telemetry: refused and listed, without failing a test."""

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


def is_telemetry(host: str, path: str) -> bool:
    """Tell whether a request to ``host`` and ``path`` reports on the program instead of being part of it."""
    return path.endswith(_PATHS) or any(fnmatch.fnmatchcase(host, pattern) for pattern in _HOSTS)

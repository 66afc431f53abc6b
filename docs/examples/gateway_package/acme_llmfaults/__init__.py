"""The gateway of Acme, for pytest-llmfaults: one wire, made from a recorded reply, and two faults of its own."""

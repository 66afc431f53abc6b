"""Inject LLM-gateway faults into code under test, and pin what that code does."""

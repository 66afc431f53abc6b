"""The contract: observe what the code under test does, compare it with what was signed, store it, show it."""

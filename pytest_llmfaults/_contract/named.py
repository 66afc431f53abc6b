"""What a name in a contract stands for: a fault of the catalogue, or a variant, which is spelled."""

from __future__ import annotations

from pytest_llmfaults._faults import Fault, fault

__all__ = ["is_variant", "row_named", "row_spelled"]


def is_variant(name: str) -> bool:
    """Tell the line of a variant from the name of a fault."""
    return "(" in name


def row_named(name: str) -> Fault:
    """Return what plays a name.

    Raises:
        UnknownFault: it names a fault that the catalogue does not have.
        InvalidUse: it is no name, and no line of a variant.
    """
    return row_spelled(name) if is_variant(name) else fault(name)


def row_spelled(line: str) -> Fault:
    """Return what plays a variant; its name is the line in the one way of writing it.

    Raises:
        UnknownFault: it names a fault that the catalogue does not have.
        InvalidUse: it is no line of a variant.
    """
    from pytest_llmfaults._strategies.changes import row
    from pytest_llmfaults._strategies.spelling import read

    return row(*read(line))

"""The pytest plugin: hooks and fixtures, thin. Everything heavy is imported by the test that needs it."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import TYPE_CHECKING, TypeVar

import pytest

from pytest_llmfaults import _edition
from pytest_llmfaults._pytest import extensions, options, using
from pytest_llmfaults._pytest.session import Session

if TYPE_CHECKING:
    from pytest_llmfaults._answer import Answer
    from pytest_llmfaults._pytest.contract import LLMFaultsContract
    from pytest_llmfaults._pytest.handle import LLMFaults

_T = TypeVar("_T")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and ini values."""
    options.add(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the hooks by which other packages bring faults and wires."""
    from pytest_llmfaults import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, ask the hooks, choose the edition, and set placeholder keys when the suite asks for it."""
    options.register(config)
    stack = contextlib.ExitStack()
    config.add_cleanup(stack.close)
    extensions.begin(config, stack)
    options.check(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Session(), "llmfaults-session")
    stack.enter_context(_edition.using(options.edition(config), extensions.editions(config)))
    if config.getini("llmfaults_placeholder_keys"):
        from pytest_llmfaults._placeholders import placeholders

        stack.enter_context(placeholders())


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """List the faults, if asked to."""
    words = config.getoption(options.LIST)
    if words is None:
        return None
    import shutil

    from pytest_llmfaults._pytest.report import listing

    with extensions.lent(config):
        print(listing(words, min(80, shutil.get_terminal_size().columns)))  # noqa: T201 - the option's one purpose
    return 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each fault that a marker names."""
    if metafunc.definition.get_closest_marker(using.MARKER) is not None:
        from pytest_llmfaults._pytest import cases

        cases.generate(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,  # noqa: ARG001 - pytest passes hook arguments by name
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn a bad marker into one clear line."""
    report = yield
    if any(isinstance(item, pytest.Item) and using.looks_marked(item) for item in report.result):
        from pytest_llmfaults._pytest import cases

        cases.check_collected(report)
    return report


def pytest_itemcollected(item: pytest.Item) -> None:
    """Have the suite's answer set up with the other fixtures, and the run begun before them."""
    names = getattr(item, "fixturenames", None)
    if names is not None and using.uses(item) and using.ANSWER not in names:
        names.append(using.ANSWER)
    if names is not None and using.uses(item):
        names.insert(0, using.RUN)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin the run of a test that uses this plugin, before its fixtures."""
    if using.uses(item):
        from pytest_llmfaults._pytest import state

        state.begin(item)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, _T, _T]:
    """Arm the marker, run the body, and judge it if it went well."""
    mine = using.of(item)
    if mine is None:
        return (yield from _left_behind())
    from pytest_llmfaults._pytest import state

    state.arm(item, mine)
    try:
        result = yield
    except pytest.skip.Exception:
        state.judge(mine, body=False)
        raise
    except (KeyboardInterrupt, pytest.exit.Exception):
        item.config.add_cleanup(lambda: state.end(item))  # pytest tears this test down by no hook
        raise
    except BaseException:
        state.skip_inapplicable(mine)
        raise
    finally:
        mine.over = True
    state.judge(mine, body=True)
    return result


def _left_behind() -> Generator[None, _T, _T]:
    """Run the body of a test that does not use the plugin, and end what it began with the function ``inject``."""
    before = using.entered()
    behind = None
    try:
        result = yield
    finally:
        behind = using.leave(before)
    if behind is not None:
        pytest.fail(behind, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, _T, _T]:
    """End the run of a test after its fixtures."""
    mine = using.of(item)
    if mine is None:
        return (yield)
    from pytest_llmfaults._pytest import state

    try:
        result = yield
        state.judge(mine, body=False)
        return result
    finally:
        state.end(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell the story of a failing test."""
    mine = using.of(item)
    if mine is not None and call.excinfo is not None:
        from pytest_llmfaults._pytest import frames

        if not item.config.getoption("fulltrace"):
            frames.drop_ours(call.excinfo.value)
    report = yield
    if mine is not None and report.failed:
        from pytest_llmfaults._pytest.report import add_section, show

        mine.new_refusals()  # they are told with this failure, not once more in the next phase
        show(report, call.excinfo, verbose=item.config.get_verbosity() > 0)
        add_section(report, mine)
    if mine is not None and mine.contract is not None and mine.over:
        from pytest_llmfaults._pytest import sign

        sign.attach(item, report)
    if mine is not None and call.when == "teardown":
        using.forget(item)
    return report


@pytest.fixture(scope="session")
def llmfaults() -> LLMFaults:
    """Inject faults and see what the code under test did: ``inject``, ``attempts``, ``waits``, ``requests``, ``on``."""
    from pytest_llmfaults._pytest.handle import LLMFaults

    return LLMFaults()


@pytest.fixture
def llmfaults_answer() -> Answer:
    """What the healthy model says. Override it once for a suite: ``return Answer(data=...)``."""
    from pytest_llmfaults._answer import Answer

    return Answer()


@pytest.fixture
def llmfaults_contract(request: pytest.FixtureRequest) -> LLMFaultsContract:
    """Observe a callable under faults, and hold it to the contract that a person signed: ``check``, ``acheck``."""
    from pytest_llmfaults._pytest.contract import LLMFaultsContract

    mine = using.of(request.node)
    if mine is None:
        pytest.fail("llmfaults_contract has to be among the arguments of the test or of its fixtures.", pytrace=False)
    mine.contract = LLMFaultsContract(request.node)
    return mine.contract


@pytest.fixture
def _llmfaults_run(request: pytest.FixtureRequest) -> Generator[None]:
    """Begin the run of a test whose fixtures are set up by another tool than pytest: HypoFuzz calls no hook."""
    if using.of(request.node) is not None:
        yield
        return
    from pytest_llmfaults._pytest import state

    with state.fuzzing(request.node):
        yield


@pytest.fixture
def _llmfaults_case(request: pytest.FixtureRequest) -> object:
    """Carry the fault of one case of the marker."""
    return request.param

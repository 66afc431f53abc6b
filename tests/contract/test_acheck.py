"""acheck: the same, in a loop that runs; and a contract that nobody held."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

ASK = """
import asyncio, openai

def client(**more):
    return openai.AsyncOpenAI(base_url="https://gateway.example.com/v1", api_key="k", **more)

async def aask(**more):
    async with client(**more) as it:
        reply = await it.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
        return reply.choices[0].message.content
"""
TEST = """
async def test_it(llmfaults_contract):
    await llmfaults_contract.acheck({call}, faults=FEW)
"""
ASYNCIO = "pytestmark = pytest.mark.asyncio\n"
ANYIO = """
pytestmark = pytest.mark.anyio

@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param
"""
RETRIED = '[["3 attempts, waits 0.375..0.5 0.75..1 s, raises InternalServerError"]]'


def test_under_pytest_asyncio(suite: SigningSuite) -> None:
    code = ASK + ASYNCIO + TEST.format(call="aask")
    suite.sign(code).assert_outcomes(passed=1)
    assert RETRIED in suite.signed
    suite.run(code).assert_outcomes(passed=1)
    result = suite.run(ASK + ASYNCIO + TEST.format(call="lambda: aask(max_retries=1)"))
    result.stdout.fnmatch_lines(["*status.503: retried less: 3 → 2 attempts"])
    result.stdout.no_fnmatch_line("*_pytest/contract.py*")


def test_under_anyio_in_both_loops(suite: SigningSuite) -> None:
    code = ASK + ANYIO + TEST.format(call="aask")
    suite.sign(code).assert_outcomes(passed=2)
    one, two = suite.files.values()
    assert RETRIED in one
    assert one.replace("[asyncio]", "[trio]").replace("CancelledError", "Cancelled") == two
    suite.run(code).assert_outcomes(passed=2)


def test_a_wait_for_ever_is_one_whatever_a_gathering_makes_of_it(suite: SigningSuite) -> None:
    code = (
        ASK
        + ASYNCIO
        + """
async def gathered():
    (text,) = await asyncio.gather(aask(timeout=None), return_exceptions=True)
    return text.upper()

async def test_it(llmfaults_contract):
    await llmfaults_contract.acheck(gathered, faults="transport.timeout")
"""
    )
    suite.sign(code).assert_outcomes(passed=1)
    assert '[["1 attempt, waits for ever"]]' in suite.signed


def test_asyncio_run_inside_check(suite: SigningSuite) -> None:
    code = (
        ASK
        + """
def test_it(llmfaults_contract):
    llmfaults_contract.check(lambda: asyncio.run(aask()), faults=FEW)
"""
    )
    suite.sign(code).assert_outcomes(passed=1)
    assert RETRIED in suite.signed


def test_one_test_per_fault(suite: SigningSuite) -> None:
    code = (
        ASK
        + """
@pytest.mark.asyncio
@pytest.mark.llmfaults(*FEW)
async def test_it(llmfaults_contract):
    await llmfaults_contract.acheck(aask)
"""
    )
    suite.sign(code).assert_outcomes(passed=4)
    assert RETRIED in suite.signed
    suite.run(code).assert_outcomes(passed=4)


@pytest.mark.parametrize(
    "together",
    [
        "return await asyncio.gather(aask(max_retries=0), aask(max_retries=0), return_exceptions=True)",
        "task = asyncio.create_task(aask())\n    return await task",
        "return await asyncio.wait_for(aask(), 60)",
    ],
)
def test_calls_in_tasks_of_their_own_can_be_interrupted(suite: SigningSuite, together: str) -> None:
    code = ASK + ASYNCIO + f"async def subject():\n    {together}\n" + TEST.format(call="subject")
    suite.sign(code).assert_outcomes(passed=1)
    assert 'interrupt = "' in suite.signed
    suite.run(code).assert_outcomes(passed=1)


@pytest.mark.parametrize("retried", ["False", "True"])
def test_a_nursery_of_trio_runs_in_the_same_order_each_time(suite: SigningSuite, retried: str) -> None:
    code = f"""
import httpx, trio

async def one(client, said):
    for attempt in range(2 if {retried} else 1):
        reply = await client.post(URL, json={{"messages": [], "seed": len(said) + attempt}})
        if reply.status_code < 500:
            break
        await trio.sleep(1)
    said.append(reply.json()["choices"][0]["message"]["content"])

async def subject():
    said = []
    async with httpx.AsyncClient() as client, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(one, client, said)
    return said

@pytest.fixture
def anyio_backend():
    return "trio"

@pytest.mark.anyio
""" + TEST.format(call="subject").lstrip()
    suite.sign(code).assert_outcomes(passed=1)
    for _ in range(3):
        suite.run(code).assert_outcomes(passed=1)


def test_acheck_that_is_not_awaited(suite: SigningSuite) -> None:
    result = suite.run(
        ASK
        + ASYNCIO
        + """
async def test_it(llmfaults_contract):
    llmfaults_contract.acheck(aask)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["acheck(aask) was not awaited: write await llmfaults_contract.acheck(...)."])


def test_a_contract_that_is_never_checked(suite: SigningSuite) -> None:
    result = suite.run("""
        def test_it(llmfaults_contract):
            ask
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["The test takes llmfaults_contract and never called check(*"])


def test_check_of_a_coroutine_function_says_acheck(suite: SigningSuite) -> None:
    result = suite.run(
        ASK
        + """
def test_it(llmfaults_contract):
    llmfaults_contract.check(aask)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InvalidUse: *aask* await llmfaults_contract.acheck(*"])


def test_acheck_of_a_plain_function_says_check(suite: SigningSuite) -> None:
    result = suite.run(
        ASYNCIO
        + """
async def test_it(llmfaults_contract):
    await llmfaults_contract.acheck(ask)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InvalidUse: *ask* cannot be awaited: write check(*"])


@pytest.mark.parametrize(
    "hang",
    [
        "await asyncio.Event().wait()",
        "threading.Event().wait()",
        "await asyncio.get_running_loop().run_in_executor(None, held.wait, 20)",
        "await asyncio.gather(asyncio.Event().wait(), asyncio.Event().wait())",
    ],
)
def test_a_hanging_call_is_ended(suite: SigningSuite, hang: str) -> None:
    code = f"""
import threading
held = threading.Event()
async def subject():
    try:
        said = await aask()
        if said == "":
            {hang}
        return said
    finally:
        held.set()
        held.clear()
"""
    result = suite.sign(ASK + ASYNCIO + code + TEST.format(call="subject"), "-o", "llmfaults_call_seconds=2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ContractError: Under content.empty the call had not ended after 2 s*"])
    result.stdout.no_fnmatch_line("*KeyboardInterrupt*")


def test_a_hanging_call_in_trio_is_ended(suite: SigningSuite) -> None:
    code = (
        ASK
        + """
import trio
async def subject():
    if (said := await aask()) == "":
        await trio.Event().wait()
    return said

@pytest.fixture
def anyio_backend():
    return "trio"

@pytest.mark.anyio
"""
        + TEST.format(call="subject").lstrip()
    )
    result = suite.sign(code, "-o", "llmfaults_call_seconds=2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ContractError: Under content.empty the call had not ended after 2 s*"])


def test_tasks_left_behind_are_not_counted(suite: SigningSuite) -> None:
    code = (
        ASK
        + ASYNCIO
        + """
tasks = []
async def later():
    await asyncio.sleep(3)
    await aask(max_retries=0)

async def subject():
    tasks.append(asyncio.create_task(later()))
    return await aask()
"""
        + TEST.format(call="subject")
    )
    suite.sign(code).assert_outcomes(passed=1)
    assert RETRIED in suite.signed
    suite.run(code).assert_outcomes(passed=1)

"""A decorated function stays what it was: signature, arguments, pickling, decorating again."""

from __future__ import annotations

import copy
import inspect
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from sqlobs.tracing.wrapping.function import Traced
from tests.tracing import portable
from tests.tracing.rig import GOOD


def test_signatures_are_read_once_at_decoration(rig, monkeypatch):
    """Signatures are read at decoration time."""

    @rig.sqlobs.trace_generation(schema=lambda question: None, target=lambda question: "t")
    def generate(question):
        return GOOD

    generate("q")
    monkeypatch.setattr(inspect, "signature", None)
    generate("q")
    assert len(rig.generations) == 2


def test_every_keyword_argument_reaches_the_function(rig):
    """Every keyword reaches the function, whatever its name; `self` and `cls` are just names."""

    @rig.sqlobs.trace_generation
    def generate(cls, self, **options):
        return cls, self, options

    options = {"sqlobs_session": 1, "langfuse_user": 2, "name": 3, "question": "q"}
    assert generate("a", self="b", **options) == ("a", "b", options)


def test_attributes_of_unknown_objects_are_not_accessed(rig):
    """langfuse#5032: arguments and results are not captured; no property of them is run."""

    class Touchy:
        def __getattr__(self, name):
            raise AssertionError(f"touched {name}")

        @property
        def question(self):
            raise AssertionError("touched a property")

        def __iter__(self):
            raise AssertionError("iterated")

        def __len__(self):
            raise AssertionError("measured")

        def __repr__(self):
            raise AssertionError("printed")

    touchy = Touchy()
    generate = rig.sqlobs.trace_generation(sql=lambda answer: GOOD)(lambda question: touchy)
    assert generate(touchy) is touchy
    run = rig.sqlobs.trace_execution(lambda sql: touchy)
    assert run(GOOD) is touchy
    assert rig.verdict == ("answered", "ok")


def test_name_signature_and_module_stay(rig):
    """Signature, name, docstring and kind are those of the function."""

    @rig.sqlobs.trace_generation
    async def generate(question: str, *, limit: int = 3) -> str:
        """Turn a question into SQL."""
        return GOOD

    assert str(inspect.signature(generate)) == "(question: 'str', *, limit: 'int' = 3) -> 'str'"
    assert generate.__name__ == "generate"
    assert generate.__doc__ == "Turn a question into SQL."
    assert inspect.iscoroutinefunction(generate)
    assert copy.deepcopy(generate) is generate


def test_decorated_functions_can_be_pickled():
    """Pickled by name, functions and methods alike."""
    assert _travelled(portable.generate) is portable.generate
    method = _travelled(portable.Model("m").generate)
    assert method("q") == "SELECT 'm'"
    assert _travelled(portable.Model.generate)(portable.Model("n"), "q") == "SELECT 'n'"
    assert _travelled(portable.Model.outer)("q") == "SELECT 2"
    assert _travelled(portable.short)() == "SELECT 2"
    assert _travelled(portable.model)("q") == "SELECT 'm'"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(portable.generate, "q").result(60) == "SELECT 1"


def test_decorating_again_replaces_the_options(rig):
    """A notebook cell that is run again traces once, not twice."""

    def generate(question):
        return GOOD

    once = rig.sqlobs.trace_generation(generate)
    again = rig.sqlobs.trace_generation(name="renamed")(once)
    assert issubclass(type(again), Traced)
    assert again.__wrapped__ is generate
    again("q")
    assert rig.tree == "invoke_workflow renamed"


def test_reloading_a_module_counts_once(rig, tmp_path, monkeypatch):
    """The reloaded function is a new one; nothing is left of the old decoration."""
    import importlib

    (tmp_path / "reloaded_cell.py").write_text(
        "def make(trace):\n    @trace\n    def generate(question):\n        return 'SELECT 1'\n"
        "    return generate\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_cell")
    module.make(rig.sqlobs.trace_generation)
    module = importlib.reload(module)
    module.make(rig.sqlobs.trace_generation)("q")
    assert rig.counts("sqlobs.generations", "sqlobs.workflow") == {"generate": 1}


def test_decorators_of_different_kinds_stack(rig):
    """Generating and executing in one function is a generation with an execution inside."""

    @rig.sqlobs.trace_generation
    @rig.sqlobs.trace_execution(sql="question")
    def both(question):
        return GOOD

    both(GOOD)
    assert rig.tree == "invoke_workflow both(sqlobs.execute)"


def _travelled(function):
    return pickle.loads(pickle.dumps(function))  # noqa: S301 - our own bytes

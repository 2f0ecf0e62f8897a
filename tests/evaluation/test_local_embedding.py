"""A model on the disk gives vectors; the model here is written by hand, byte by byte."""

from __future__ import annotations

import json
import struct

import pytest

from sqlobs.cli import main
from sqlobs.errors import ConfigError
from sqlobs.evaluation.local_embedding import LocalEmbedder
from sqlobs.metrics.credit_score import CreditSettings, Technique, partial_credit
from sqlobs.types import ResultTable

pytest.importorskip("onnxruntime", reason="the extra `embeddings` is not installed")
tokenizers = pytest.importorskip("tokenizers")

WORDS = {"[UNK]": 0, "[PAD]": 1, "name": 2, "title": 3, "total": 4}
VECTORS = ((0.0, 0.0), (9.0, 9.0), (1.0, 0.0), (0.5, 0.0), (0.0, 1.0))
INT64, FLOAT = 7, 1


def varint(number: int) -> bytes:
    head = bytearray()
    while number > 127:
        head.append(number & 127 | 128)
        number >>= 7
    return bytes([*head, number])


def field(number: int, content: bytes | str | int) -> bytes:
    """One field of a protobuf message."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    body = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(body)) + body


def value(name: str, kind: int, *dimensions: str) -> bytes:
    shape = b"".join(field(1, field(2, name)) for name in dimensions)
    tensor = field(1, kind) + field(2, shape)
    return field(1, name) + field(2, field(1, tensor))


def model(*, extra_input: str | None = None) -> bytes:
    """A model that looks up a vector for each token: `Gather(table, input_ids)`."""
    flat = [number for vector in VECTORS for number in vector]
    table = b"".join(
        (
            *(field(1, len(VECTORS)), field(1, len(VECTORS[0])), field(2, FLOAT)),
            *(field(8, "table"), field(9, struct.pack(f"<{len(flat)}f", *flat))),
        )
    )
    gather = field(1, "table") + field(1, "input_ids") + field(2, "tokens") + field(4, "Gather")
    inputs = ["input_ids", *([extra_input] if extra_input else [])]
    graph = b"".join(
        (
            *(field(1, gather), field(2, "lookup"), field(5, table)),
            *(field(11, value(name, INT64, "text", "token")) for name in inputs),
            field(12, value("tokens", FLOAT, "text", "token", "number")),
        )
    )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


@pytest.fixture
def folder(tmp_path):
    """A model and its tokenizer, as sentence-transformers lays them out."""
    place = tmp_path / "model"
    (place / "onnx").mkdir(parents=True)
    (place / "onnx" / "model.onnx").write_bytes(model())
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(WORDS, unk_token="[UNK]"))  # noqa: S106 - a word
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(place / "tokenizer.json"))
    return place


def test_a_text_s_vector_is_the_mean_of_its_tokens(folder):
    """Padding does not count, and a text is computed once."""
    embedder = LocalEmbedder(folder)
    found = embedder.embed(["name total total title", "total", "", "total"])
    assert found == [(0.375, 0.5), (0.0, 1.0), (0.0, 0.0), (0.0, 1.0)]
    assert repr(embedder) == f"LocalEmbedder({str(folder)!r})"


def test_the_model_may_say_that_the_first_token_counts(folder):
    """`1_Pooling/config.json` of sentence-transformers is read."""
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert LocalEmbedder(folder).embed(["name total"]) == [(1.0, 0.0)]


def test_columns_are_matched_by_a_local_model(folder):
    """A semantic technique takes it as it takes an endpoint."""
    reference = ResultTable(("name", "total"), (("a", 1), ("b", 2)))
    predicted = ResultTable(("total", "title"), ((1, "a"), (2, "b")))
    credit = partial_credit(
        reference,
        predicted,
        technique=Technique.SEMANTIC_COLUMN_AND_EXACT_CELL,
        settings=CreditSettings(embedder=LocalEmbedder(folder)),
    )
    assert (credit.ex, credit.f1) == (0, 1.0)


def test_what_is_no_model_is_named(folder, tmp_path):
    """A missing file, a broken one, and a model of something else: a sentence each."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"empty has no embedding model: model\.onnx is missing"):
        LocalEmbedder(tmp_path / "empty")
    (folder / "model.onnx").write_bytes(model(extra_input="pixels"))
    with pytest.raises(ConfigError, match="needs the inputs pixels"):
        LocalEmbedder(folder).embed(["name"])
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="has no embedding model"):
        LocalEmbedder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match="has no embedding model"):
        LocalEmbedder(folder)


def test_the_command_accepts_a_directory(folder, tmp_path, capsys, monkeypatch):
    """Without a URL the model's name is its folder; a wrong one is said before anything is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text("gold,pred\nSELECT 1 AS name,SELECT 1 AS title\n")
    asked = ["evaluate", "--input", "cases.csv", "--technique", "SEMANTIC_COLUMN_AND_EXACT_CELL"]
    asked += ["--dsn", f"sqlite:///{tmp_path}/x.db", "--embedding-model"]
    (tmp_path / "x.db").touch()
    assert main([*asked, str(folder)]) == 0
    [row] = map(json.loads, (tmp_path / "run/cases/eval/details.jsonl").read_text().splitlines())
    assert row["scores"]["f1"] == 1.0
    capsys.readouterr()
    assert main([*asked, "nowhere"]) == 2
    assert capsys.readouterr().err == (
        "sqlobs evaluate: nowhere has no embedding model: model.onnx is missing\n"
    )

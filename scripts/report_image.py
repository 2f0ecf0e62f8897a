"""Draw the README's picture of a report: `python -m scripts.report_image`.

Needs Chromium. The run compares the first recorded answers of the demo's model with the demo's
golden questions, on the demo's database.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from sqlobs.cli import main as sqlobs
from sqlobs.demo.recordings import by_question
from sqlobs.demo.shop import build_shop, shop_ddl

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "report.png"
BROWSER = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
SIZE = "1000,820"


def photograph(address: str, image: Path, *, size: str, directory: Path) -> None:
    """Write a picture of a page in Chromium, and say how large the file is.

    Args:
        address: URL of the page.
        image: The file to write.
        size: Width and height in pixels: `1000,820`.
        directory: Where the browser may leave files.
    """
    subprocess.run(  # noqa: S603
        [*BROWSER, f"--window-size={size}", f"--screenshot={image}", address],
        check=True,
        cwd=directory,
        stderr=subprocess.DEVNULL,
    )
    print(f"{image}: {image.stat().st_size // 1024} KiB", file=sys.stderr)


def evaluate(directory: Path) -> Path:
    """Evaluate the recorded answers and return the HTML page."""
    golden = resources.files("sqlobs.demo") / "golden.jsonl"
    build_shop(directory / "shop.db")
    (directory / "shop.sql").write_text(shop_ddl(), encoding="utf-8")
    cases = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    with (directory / "cases.jsonl").open("w", encoding="utf-8") as file:
        for case in cases:
            answer = by_question()[case["question"]].completion(0).content
            file.write(json.dumps({**case, "prediction": answer}) + "\n")
    arguments = (
        ("--input", directory / "cases.jsonl"),
        ("--dsn", f"sqlite:///{directory / 'shop.db'}"),
        ("--schema", directory / "shop.sql"),
        ("--dialect", "sqlite"),
        ("--run-dir", directory / "shop"),
        ("--html", directory / "report.html"),
    )
    sqlobs(["evaluate", *(str(part) for pair in arguments for part in pair)])
    return directory / "report.html"


def main() -> None:
    """Write the picture."""
    IMAGE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        page = evaluate(Path(directory))
        photograph(page.as_uri(), IMAGE, size=SIZE, directory=Path(directory))


if __name__ == "__main__":
    main()

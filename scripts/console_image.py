"""Draw the README's picture of the console: `python -m scripts.console_image`.

Needs Chromium. It shows a failed request of the demo.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from scripts.report_image import photograph
from sqlobs.cli import main as sqlobs
from sqlobs.cli.admin import ask
from sqlobs.cli.console import login_link
from sqlobs.demo.collector import running

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "console.png"
SIZE = "1200,1000"
INVENTED = "/v1/requests?since=1h&failure_code=schema.unknown_column"


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        sqlobs(["demo", "--output", name])
        with running(directory) as collector:
            request = ask(collector.admin, INVENTED)["requests"][0]["id"]
            link = f"{login_link(collector.admin)}&next=/requests/{request}"
            photograph(link, IMAGE, size=SIZE, directory=directory)


if __name__ == "__main__":
    main()

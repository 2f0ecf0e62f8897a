"""`python -m sqlobs`."""

from __future__ import annotations

import sys

from sqlobs.cli import main

sys.exit(main())

"""`python -m sqlobs_collector` is the command `sqlobs-collector`."""

from __future__ import annotations

import sys

from sqlobs_collector.cli import main

sys.exit(main())

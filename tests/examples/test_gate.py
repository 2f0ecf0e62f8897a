"""The gate example, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GATE = Path(__file__).parents[2] / "examples" / "gate.py"


def test_the_gate_refuses_invented_names_and_executes_the_rest():
    """Its whole output is what its text promises."""
    shown = subprocess.run([sys.executable, GATE], capture_output=True, check=False, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == (
        "SELECT name, sum(total_revenue) FROM customers c JOIN orders o ON o.customer_id = c.id"
        " GROUP BY c.id ORDER BY 2 DESC\n"
        "  executed: [('Ada', 150.5), ('Grace', 99.0)]\n"
        "SELECT sum(customer_revenue) FROM orders\n"
        "  refused: Unknown column customer_revenue.\n"
        "SELECT city, count(*) FROM clients GROUP BY city\n"
        "  refused: Unknown table clients.\n"
        "'```sql\\nSELECT count(*) FROM orders;\\n```\\nThis counts the orders.'\n"
        "  executed: [(3,)]\n"
    )

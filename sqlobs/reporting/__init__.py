"""What people read of a run: terminal, one HTML page, a workbook, JUnit, JSON, gates."""

"""Runs ranked by their judge: terminal, page, workbook and JSON."""

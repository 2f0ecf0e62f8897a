"""An Excel workbook about a run: a summary by difficulty with native charts, and every case."""

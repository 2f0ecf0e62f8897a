"""A statement as pieces to show: words by kind, lines laid out, differences marked."""

"""The judges: what they are shown, how they are asked, and how their verdicts are read."""

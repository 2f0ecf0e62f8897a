"""Verdicts of engines that run inside this process."""

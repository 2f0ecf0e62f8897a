"""Finds the statement in what a model returned."""

from __future__ import annotations

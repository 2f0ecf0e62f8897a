"""The result of a check: findings, labels, and the texts derived from them."""

from __future__ import annotations

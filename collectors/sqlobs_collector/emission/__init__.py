"""From stored evaluations to events and spans in the user's backend."""

from __future__ import annotations

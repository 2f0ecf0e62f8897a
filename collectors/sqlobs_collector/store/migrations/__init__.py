"""The versions of the store's tables, oldest first.

Collectors of two versions use the same tables during an update, so that a migration only expands:

- It may add tables, indexes, triggers, and columns with a default or without NOT NULL. Collectors
  that do not know them write nothing there.
- What is no longer used is dropped one release later. A migration that drops or changes something
  updates `compatibility.oldest_revision` to the oldest revision whose collectors can use the
  result; older ones refuse to start.
"""

from __future__ import annotations

"""SQL from strangers -> rows, under limits: gate, engine limits, killable worker processes.

Three layers, each of which must hold alone:

- `gate`: the statement's tree and tokens; one read-only query, allow-listed functions only;
- `engines`: the database's own limits; a read-only snapshot, time, rows, bytes, memory;
- `pool`: a process that is killed when the first two were not enough.

`executor.Executor` is the way in.
"""

from __future__ import annotations

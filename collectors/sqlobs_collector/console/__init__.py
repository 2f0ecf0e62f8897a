"""The console: pages of the admin port, rendered from the same views as the API.

To add a page `/things`:

1. `views/things.py`: a function that returns a pydantic model; `admin/things.py`: a router whose
   endpoint `/v1/things` returns it, listed in `admin/application.py`.
2. `console/things.py`: a router with a function for the page, which takes `reader: CanRead` and
   `sources: Known` as the endpoint does, calls the same view and returns
   `page(request, reader, "things.html", title="Things", view=view)` of `layout`.
3. `console/templates/things.html`: extends `layout.html` and fills the block `content`. Everything
   is escaped; the CSP allows neither inline scripts nor `style` attributes, so style goes to
   `static/console.css` and behavior to a file in `static/` that the block `scripts` names. A form
   that writes holds `{{ csrf_field }}`.
4. `console/application.py`: the router in `PAGES`; `console/layout.py`: an entry of `NAVIGATION`.
5. `tests/console/scene.py`: its address, so that accessibility and widths are tested;
   `tests/console/routes.py`: its right.

Tests of application, layout: `tests/console/test_login.py`.
"""

from __future__ import annotations

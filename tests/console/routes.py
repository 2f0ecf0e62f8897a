"""Every endpoint and page of the admin port, and the right that each needs.

A route that is missing here fails `test_access.py`.
"""

from __future__ import annotations

from sqlobs_collector.admin.application import ROUTERS, admin_application
from sqlobs_collector.console.application import PAGES

OPEN = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),  # without workspace names, and on this machine only
    ("GET", "/openapi.json"),
    ("GET", "/login"),
}
CSRF_ALONE = {("POST", "/login"), ("POST", "/logout")}
"""These need a form of the console, whoever sends it."""
ANYONE = {("POST", "/v1/login-codes"), ("POST", "/workspace")}
"""Any right is enough."""
RIGHTS: dict[tuple[str, str], str] = {
    ("GET", path): "read"
    for path in (
        "/",
        "/v1/cases",
        "/v1/explain",
        "/v1/statements",
        "/v1/units",
        "/v1/why",
        "/v1/why/{identity}",
    )
}


def routes() -> set[tuple[str, str]]:
    """Method and path of everything that is served, but for static files."""
    served = [
        *admin_application(None).routes,
        *(one for all_ in (*ROUTERS, *PAGES) for one in all_.routes),
    ]
    return {
        (method, route.path)
        for route in served
        for method in getattr(route, "methods", None) or ()
        if method != "HEAD"
    }

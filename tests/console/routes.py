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
    ("GET", "/login/oidc"),
    ("GET", "/login/oidc/callback"),
    ("GET", "/docs/alerts.md"),  # what to do about an alert, for whoever is woken
    ("OPTIONS", "/v1/feedback"),  # whether a page may send; tells no more
}
CSRF_ALONE = {("POST", "/login"), ("POST", "/logout")}
"""These need a form of the console, whichever user sends it."""
ANYONE = {("POST", "/v1/login-codes"), ("POST", "/workspace")}
"""Any right is enough."""
RIGHTS: dict[tuple[str, str], str] = {
    ("GET", path): "read"
    for path in (
        "/",
        "/compare",
        "/failures",
        "/requests",
        "/requests/{identity}",
        "/v1/alerts",
        "/v1/cases",
        "/v1/compare",
        "/v1/explain",
        "/v1/golden",
        "/v1/golden/export",
        "/v1/golden/{case_id}",
        "/v1/judges",
        "/v1/review",
        "/v1/failures",
        "/v1/requests",
        "/v1/requests/export",
        "/v1/requests/{identity}",
        "/v1/overview",
        "/v1/statements",
        "/v1/units",
        "/v1/views",
        "/v1/why",
        "/v1/why/{identity}",
    )
} | {
    ("POST", "/v1/golden"): "admin",
    ("POST", "/v1/golden/promote"): "admin",
    ("POST", "/v1/golden/import"): "admin",
    ("PUT", "/v1/golden/{case_id}"): "admin",
    ("DELETE", "/v1/golden/{case_id}"): "admin",
    ("POST", "/v1/golden/{case_id}/retire"): "admin",
    ("POST", "/v1/golden/{case_id}/restore"): "admin",
    ("POST", "/v1/golden/{case_id}/run"): "admin",
    ("POST", "/v1/review/sample"): "admin",
    ("POST", "/v1/review/calibrate"): "admin",
    ("GET", "/v1/review/export"): "admin",
    ("POST", "/v1/review/next"): "label",
    ("POST", "/v1/review/wrong"): "label",
    ("POST", "/v1/review/{item_id}/label"): "label",
    ("POST", "/v1/review/{item_id}/skip"): "label",
    ("POST", "/v1/review/{item_id}/settle"): "label",
    ("POST", "/v1/feedback"): "feedback",
    ("GET", "/golden"): "read",
    ("GET", "/golden/{case_id}"): "read",
    ("GET", "/judges"): "read",
    ("GET", "/review"): "label",
    **{
        ("POST", f"/golden{path}"): "admin"
        for path in (
            *("", "/promote", "/import", "/{case_id}/edit", "/{case_id}/retire"),
            *("/{case_id}/restore", "/{case_id}/run", "/{case_id}/delete"),
        )
    },
    ("POST", "/review/sample"): "admin",
    ("POST", "/review/calibrate"): "admin",
    ("POST", "/review/wrong"): "label",
    ("POST", "/review/{item_id}/label"): "label",
    ("POST", "/review/{item_id}/skip"): "label",
    ("POST", "/review/{item_id}/settle"): "label",
    ("POST", "/v1/failures"): "label",
    ("GET", "/settings"): "admin",
    ("GET", "/v1/settings"): "admin",
    ("POST", "/v1/views"): "label",
    ("POST", "/failures"): "label",
    ("POST", "/requests/views"): "label",
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

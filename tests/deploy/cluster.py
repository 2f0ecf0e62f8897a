"""An API server of Kubernetes on loopback that keeps what Helm sends it, and runs nothing."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RESOURCES = {
    "v1": {"ConfigMap": "configmaps", "Secret": "secrets", "Service": "services"},
    "apps/v1": {"StatefulSet": "statefulsets", "Deployment": "deployments"},
    "autoscaling/v2": {"HorizontalPodAutoscaler": "horizontalpodautoscalers"},
    "batch/v1": {"Job": "jobs"},
    "networking.k8s.io/v1": {"NetworkPolicy": "networkpolicies"},
    "policy/v1": {"PodDisruptionBudget": "poddisruptionbudgets"},
}
"""The kinds that it has, with their names in paths."""
KINDS = {name: kind for names in RESOURCES.values() for kind, name in names.items()}
FAILURE = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
MISSING = 404, {**FAILURE, "reason": "NotFound", "code": 404}
INVALID = 422, {**FAILURE, "reason": "Invalid", "code": 422}


class Cluster:
    """Answers as a cluster would in which every object is new and every Job succeeds."""

    def __init__(self) -> None:
        self.created: list[dict[str, object]] = []
        """What Helm has sent, in this order."""
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                # Helm lists what it may not watch.
                self._answer(*(INVALID if "watch=" in query else cluster.read(path)))

            def do_POST(self) -> None:
                self._answer(201, cluster.create(self._body()))

            def do_PUT(self) -> None:
                self._answer(200, self._body())

            def do_DELETE(self) -> None:
                self._body()
                self._answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})

            def _body(self) -> dict[str, object]:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                # Helm's own record of a release is a Secret in protobuf, which nobody reads here.
                record = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "release"}}
                return json.loads(body) if body.startswith(b"{") else record

            def _answer(self, status: int, document: object) -> None:
                body = b"" if document is None else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def read(self, path: str) -> tuple[int, object]:
        """Return status and body: what kinds there are, lists of objects, or one."""
        *_, name = path.split("/")
        version = path.removeprefix("/apis/").removeprefix("/api/")
        fixed = {
            "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {
                "kind": "APIGroupList",
                "groups": [_group(each) for each in RESOURCES if "/" in each],
            },
            "/openapi/v2": None,  # no schemas, in protobuf: `kubernetes-validate` has them
        }
        if path in fixed:
            return 200, fixed[path]
        if version in RESOURCES:
            return 200, _kinds(version)
        if name in KINDS:
            found = [_existing(one) for one in self.created if one["kind"] == KINDS[name]]
            kind, metadata = f"{KINDS[name]}List", {"resourceVersion": "1"}
            return 200, {"kind": kind, "apiVersion": "v1", "metadata": metadata, "items": found}
        return MISSING

    def create(self, document: dict[str, object]) -> dict[str, object]:
        """Keep an object; return it as a cluster would."""
        self.created.append(document)
        return _existing(document)

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _existing(document: dict[str, object]) -> dict[str, object]:
    done = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
    status = {"status": done} if document["kind"] == "Job" else {}
    named = {"namespace": "observability", "uid": "1", "resourceVersion": "1", "generation": 1}
    return {**document, "metadata": {**document["metadata"], **named}, **status}


def _group(name: str) -> dict[str, object]:
    group, version = name.split("/")
    known = {"groupVersion": name, "version": version}
    return {"name": group, "versions": [known], "preferredVersion": known}


def _kinds(version: str) -> dict[str, object]:
    verbs = ["create", "delete", "get", "list", "patch", "update", "watch"]
    kinds = [
        {"name": name, "kind": kind, "singularName": "", "namespaced": True, "verbs": verbs}
        for kind, name in RESOURCES[version].items()
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": kinds}

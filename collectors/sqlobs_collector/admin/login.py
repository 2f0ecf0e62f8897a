"""Codes that log a browser in: what `sqlobs console` opens."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from sqlobs_collector.admin.access import Anyone, sessions_of
from sqlobs_collector.admin.sessions import CODE_S

router = APIRouter(tags=["login"])


class LoginCode(BaseModel):
    """A code for `/login?code=CODE`."""

    code: str = Field(description="Logs one browser in, once.")
    expires_s: int = Field(description="How long it is valid, in seconds.")


@router.post("/v1/login-codes")
def make_code(request: Request, client: Anyone) -> LoginCode:
    """Return a code that logs a browser in with the rights of the client.

    A session may have other rights in its other workspaces: the code is for the one that it shows.
    """
    grant = client.grant
    if client.chosen is not None:
        grant = replace(grant, workspaces=(client.chosen,))
    return LoginCode(code=sessions_of(request).make_code(grant), expires_s=CODE_S)

"""Codes that log a browser in: what `sqlobs console` opens."""

from __future__ import annotations

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
    """Return a code that logs a browser in with the rights of the client."""
    return LoginCode(code=sessions_of(request).make_code(client.grant), expires_s=CODE_S)

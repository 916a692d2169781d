"""The description of the API (OpenAPI 3.1), made from the table of routes and the types in it."""

import inspect
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from wayfare.web.live import LiveRecord
from wayfare.web.records import SessionRecord, TokenBody
from wayfare.web.routes import API, ROUTES, Bytes, Route
from wayfare.web.shapes import schema

PROBLEM: Mapping[str, Any] = {
    "type": "object",
    "description": "An error (RFC 9457): detail is one line for the user.",
    "properties": {
        "type": {"type": "string", "examples": ["urn:wayfare:already-told"]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "trial": {"$ref": "#/components/schemas/TrialRecord"},
    },
    "required": ["type", "title", "status", "detail"],
}
ERRORS: Mapping[str, str] = {
    "400": "Not JSON, or not a request of this path.",
    "401": "No session, or one that has ended.",
    "403": "From a page elsewhere, or beyond the role.",
    "404": "No such study, trial or path.",
    "409": "The study does not allow it now: already told, a conflict, too early, nothing left.",
    "413": "The body is too large.",
    "421": "Not a host of this server.",
    "422": "A value was refused; nothing was written.",
    "429": "Too many requests; Retry-After says when.",
    "503": "The store cannot be read or written, or too many plans wait.",
}


def description() -> dict[str, Any]:
    """Return the description of the API."""
    known: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for one in ROUTES:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, known)
    for path, methods in _by_hand(known).items():
        paths.setdefault(path, {}).update(methods)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wayfare serve",
            "version": "1",
            "description": "A store: what is next, what was found, what it cost; see docs/how-to/serve.md.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": API}],
        "security": [{"cookie": []}, {"token": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Problem": PROBLEM, **dict(sorted(known.items()))},
            "responses": {"Problem": _problem("An error.")},
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "wayfare-8421", "description": "With the port."},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _operation(one: Route, known: dict[str, Any]) -> dict[str, Any]:
    summary, _, more = inspect.cleandoc(one.function.__doc__ or "").partition("\n")
    parameters = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in one.parts
        if part.startswith("{")
    ]
    hints = get_type_hints(one.function)
    for name, parameter in one.query.items():
        needed = parameter.default is inspect.Parameter.empty
        parameters.append({"name": name, "in": "query", "required": needed, **_query(hints[parameter.name], parameter)})
    made: dict[str, Any] = {
        "operationId": one.function.__name__,
        "summary": summary.rstrip("."),
        "parameters": parameters,
        "responses": {str(one.status): _answer(one, known), **_errors()},
        "x-role": one.role or "anyone",
    }
    if more.strip():
        made["description"] = " ".join(more.split())
    if one.role is None:
        made["security"] = []
    if one.body is not None:
        made["requestBody"] = _json(schema(one.body, known)) | {"required": True}
    return made


def _query(kind: Any, parameter: inspect.Parameter) -> dict[str, Any]:
    """Return the schema of a parameter of the query; an object is written as JSON."""
    kinds = [one for one in (get_args(kind) or (kind,)) if one is not type(None)]
    if getattr(kind, "__origin__", None) is dict or any(getattr(one, "__origin__", None) is dict for one in kinds):
        return {"content": {"application/json": {"schema": {"type": "object"}}}}
    described = schema(kinds[0], {})
    usual = parameter.default
    return {"schema": described if usual in (None, inspect.Parameter.empty) else described | {"default": usual}}


def _answer(one: Route, known: dict[str, Any]) -> dict[str, Any]:
    if one.answer is Bytes:
        media = "*/*" if "kind" in one.path else "application/octet-stream"
        return {"description": "Bytes.", "content": {media: {"schema": {"type": "string", "format": "binary"}}}}
    return {"description": "Done.", **_json(schema(one.answer, known))}


def _errors() -> dict[str, Any]:
    return {"default": {"$ref": "#/components/responses/Problem"}}


def _problem(what: str) -> dict[str, Any]:
    said = " ".join(f"{status}: {text}" for status, text in ERRORS.items())
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": f"{what} {said}", "content": content}


def _json(described: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": described}}}


def _by_hand(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the paths that are in no table: signing in and out, and the live streams."""
    signed_in = {"description": "Signed in; the session is in the cookie.", **_json(schema(SessionRecord, known))}
    sign_in = {
        "operationId": "sign_in",
        "summary": "Trade the token of a link for a session, once",
        "requestBody": _json(schema(TokenBody, known)) | {"required": True},
        "responses": {"200": signed_in, **_errors()},
        "security": [],
    }
    sign_out = {"operationId": "sign_out", "summary": "End the session", "responses": {"204": {"description": "Done."}}}
    event = schema(LiveRecord, known)
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    since = {"name": "since", "in": "query", "required": False, "schema": {"type": "integer"}}
    last = {"name": "Last-Event-ID", "in": "header", "required": False, "schema": {"type": "integer"}}
    stream = {"description": "Server-sent events.", "content": {"text/event-stream": {"schema": event}}}
    every = {"description": "Server-sent events.", "content": {"text/event-stream": {"schema": {"type": "object"}}}}
    return {
        "/session": {"post": sign_in, "delete": sign_out},
        "/studies/{name}/live": {
            "get": {
                "operationId": "live",
                "summary": "Follow the events of a study, without gaps",
                "parameters": [name, since, last],
                "responses": {"200": stream, **_errors()},
                "x-role": "read",
            }
        },
        "/live": {
            "get": {
                "operationId": "live_list",
                "summary": "Follow how many events each study has",
                "responses": {"200": every, **_errors()},
                "x-role": "read",
            }
        },
    }

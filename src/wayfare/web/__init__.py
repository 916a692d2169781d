"""The operator's page: a store's studies in a browser, and the API behind it (`wayfare serve`).

Needs the extra ``web``. ``make_app`` is the application for any ASGI server, ``serve`` runs it.
"""

from wayfare.web.app import make_app
from wayfare.web.server import serve
from wayfare.web.users import Users, users_beside

__all__ = ["Users", "make_app", "serve", "users_beside"]

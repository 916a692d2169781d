"""``wayfare serve`` and ``wayfare users``: the studies of a store in a browser, and who may use them."""

import ipaddress
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from wayfare._core.extras import from_where, install
from wayfare.cli.input import FILE, STORE_AT, as_option, json_option, options, store_option
from wayfare.cli.output import columns, note, plain, print_json
from wayfare.cli.studies import who
from wayfare.errors import InvalidInput
from wayfare.record.stamp import user

if TYPE_CHECKING:
    from wayfare.web.users import Users

PORT = 8421


def _need_web() -> None:
    """Refuse to go on without the packages of the extra ``web``."""
    try:
        import segno  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise click.ClickException(
            f"the page needs further packages: {from_where('web') or install('starlette', 'web')}"
        ) from error


users_option = click.option(
    "--users", "users_file", type=FILE, metavar="FILE", help="Where the users are.  [default: beside the store]"
)


def _users_of(store: Path | str, file: Path | None) -> "Users":
    """Return the users of a store: those of the file, or of the one beside the store; a database has none beside it."""
    from wayfare.web.users import Users, users_beside

    return Users(file or (users_beside(store) if isinstance(store, Path) else Path("wayfare.users")))


@click.command()
@click.argument("file", type=STORE_AT, required=False, metavar="[STORE]")
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 is all.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 is any.")
@click.option("--url", multiple=True, metavar="URL", help="How browsers reach it by a name or a proxy; repeatable.")
@click.option("--tls-cert", type=FILE, metavar="FILE", help="A certificate: the page is served by https.")
@click.option("--tls-key", type=FILE, metavar="FILE", help="Its key, if it is in a file of its own.")
@users_option
@click.option("--demo", is_flag=True, help="Show a made-up boat study that plays by itself.")
@as_option
def serve(
    file: Path | str | None,
    store: Path | str,
    host: str,
    port: int,
    url: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    users_file: Path | None,
    demo: bool,
) -> None:
    """Show the studies of a store in a browser, on this machine or in its network.

    Open the link that is printed: it signs you in, once. From another machine or a phone, add users first, and name an
    address: `wayfare users add ana`, `wayfare serve --host 0.0.0.0`.
    """
    _need_web()
    from wayfare.store import as_store
    from wayfare.web import make_app
    from wayfare.web import serve as run
    from wayfare.web.qr import blocks
    from wayfare.web.server import check_certificate, listening

    given = click.get_current_context().get_parameter_source("store") is ParameterSource.COMMANDLINE
    if file is not None and given:
        raise InvalidInput(f"the store is given twice: {file} and --store {store}")
    if tls_key is not None and tls_cert is None:
        raise InvalidInput("--tls-key is of a certificate; give --tls-cert, too")
    if tls_cert is not None:
        check_certificate(tls_cert, tls_key)
    with ExitStack() as stack:
        kept: Path | str = file or store
        if demo:
            kept = Path(stack.enter_context(TemporaryDirectory(prefix="wayfare-"))) / "demo.db"
        as_store(kept)  # refused before a file of users is made
        users = _users_of(kept, users_file)
        stack.callback(users.close)
        if not _is_loopback(host):
            if not users.everyone():
                raise InvalidInput(
                    f"--host {host} can be reached by others, and it has no users yet; first `wayfare users add NAME`"
                )
            if tls_cert is None and not any(one.startswith("https:") for one in url):
                note("without --tls-cert, others in the network can read along; use it where you trust all of them")
        listener = stack.enter_context(listening(host, port))
        base = _base(host, listener.getsockname()[1], tls_cert is not None)
        owner = who()["by"] or user()
        app = make_app(kept, users=users, urls=url, tls=tls_cert is not None, demo=demo, owner=owner, base=base)
        if demo:
            from wayfare.web.demo import Boat

            stack.callback(Boat(Path(kept)).start().stop)
        link = app.state.link(app.state.token)
        click.echo(f"wayfare serves {'a demo' if demo else plain(str(kept))} at {link.partition('/#')[0]}")
        click.echo(f"sign in: {link}")
        if sys.stdout.isatty():
            click.echo(blocks(link))
            click.echo("Ctrl-C stops it.")
        sys.stdout.flush()
        run(app, listener, tls_cert, tls_key)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise InvalidInput(f"--host must be an address such as 127.0.0.1 or 0.0.0.0, got {host!r}") from error


def _base(host: str, port: int, tls: bool) -> str:
    """Return the address of the page; of a server at all addresses, the one that this machine has in its network."""
    if host in ("0.0.0.0", "::"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # nothing is sent: the system only says by which address it would go
                host = probe.getsockname()[0]
            except OSError:
                host = "127.0.0.1"
    named = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{named}:{port}"


# Users.


@click.group()
def users() -> None:
    """Say who may use the page of a store, and in which role.

    The roles are read (look), operate (make moves) and own (begin and change studies, make links), for every study or
    for one. It takes effect at once, also on sessions under way.
    """


_users_options = options(store_option, users_option)
_url_option = click.option("--url", metavar="URL", help="The address of the page.  [default: where it was served last]")
_study_option = click.option("--study", metavar="STUDY", help="For this study alone.")


def _open(store: Path | str, file: Path | None) -> "Users":
    _need_web()
    return _users_of(store, file)


def _print_link(found: "Users", name: str, url: str | None, as_json: bool) -> None:
    from wayfare.web.guard import read_url

    address = read_url(url) if url is not None else found.address
    link = f"{address}/#token={found.link(name)}"
    if as_json:
        print_json({"user": name, "link": link})
        return
    click.echo(f"sign in, once and within a day: {link}")
    if not address:
        note("put the address of the page in front; --url does")


@users.command()
@click.argument("name")
@click.option("--role", type=click.Choice(["read", "operate", "own"]), default="operate", show_default=True)
@_study_option
@_url_option
@_users_options
@json_option
def add(
    name: str, role: str, study: str | None, url: str | None, store: Path | str, users_file: Path | None, as_json: bool
) -> None:
    """Give NAME a role, and print a link to sign in with."""
    found = _open(store, users_file)
    found.add(name, role, *([] if study is None else [study]))
    if not as_json:
        click.echo(f"{plain(name)} may {role} {'every study' if study is None else plain(study)}")
    _print_link(found, name.strip(), url, as_json)


@users.command()
@click.argument("name")
@_study_option
@_users_options
def remove(name: str, study: str | None, store: Path | str, users_file: Path | None) -> None:
    """Take NAME's roles back, or the one for a study; without any, all sessions end."""
    _open(store, users_file).remove(name, study)
    click.echo(f"{plain(name)} has no role {'any more' if study is None else f'for {plain(study)} any more'}")


@users.command()
@click.argument("name")
@_url_option
@_users_options
@json_option
def link(name: str, url: str | None, store: Path | str, users_file: Path | None, as_json: bool) -> None:
    """Print a link for a further device of NAME."""
    _print_link(_open(store, users_file), name, url, as_json)


@users.command()
@click.argument("name")
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="How long it may be used.")
@_users_options
@json_option
def token(name: str, days: int, store: Path | str, users_file: Path | None, as_json: bool) -> None:
    """Print a token for a program that acts as NAME.

    The program sends it with every request: `Authorization: Bearer TOKEN`. Keep it like a password.
    """
    made = _open(store, users_file).script(name, days)
    if as_json:
        print_json({"user": name, "token": made, "days": days})
    else:
        click.echo(made)


@users.command("sign-out")
@click.argument("name")
@_users_options
def sign_out(name: str, store: Path | str, users_file: Path | None) -> None:
    """End all sessions, links and tokens of NAME, as when a phone is lost."""
    click.echo(f"{_open(store, users_file).sign_out_everywhere(name)} ended")


@users.command("list")
@_users_options
@json_option
def list_users(store: Path | str, users_file: Path | None, as_json: bool) -> None:
    """List the users and their roles."""
    everyone = _open(store, users_file).everyone()
    rows = [(name, study, role) for name, grants in everyone.items() for study, role in grants.items()]
    if as_json:
        for name, study, role in rows:
            print_json({"user": name, "study": None if study == "*" else study, "role": role})
    elif rows:
        shown = [[name, "every study" if study == "*" else study, role] for name, study, role in rows]
        click.echo(columns(["user", "study", "role"], shown, left=(0, 1, 2)))
    else:
        note("no users yet: `wayfare users add NAME` makes one")

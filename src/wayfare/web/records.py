"""Requests and answers of the page beyond the records of ``--json``: a study's card, lists in pages, bodies.

Answers are made of the records of ``exchange/records.py``; what a request may hold is at the end. The description of
the API is made from both.
"""

from typing import Any, Literal, NotRequired, TypedDict

from wayfare.exchange.records import (
    AtHomeRecord,
    AxisImportanceRecord,
    BestRecord,
    ChangesRecord,
    CostRecord,
    DetourRecord,
    DriftRecord,
    ImportedRecord,
    LineRecord,
    LogRecord,
    MethodRecord,
    NewRouteRecord,
    Place,
    PreviewRowRecord,
    ProgressRecord,
    ReasonsRecord,
    SpecRecord,
    StatusRecord,
    StopRecord,
    TrialRecord,
)

Scalar = str | int | float | bool


class SessionRecord(TypedDict):
    """Who is signed in; ``user`` is null without a session, ``role`` is the one for the store as a whole.

    ``xlsx`` is whether workbooks can be read and written here.
    """

    user: str | None
    role: str | None
    expires: str | None
    app: str
    demo: bool
    tls: bool
    xlsx: bool


class LinkRecord(TypedDict):
    """A link to sign in with, once, and its picture as SVG."""

    url: str
    expires: str
    qr: str


class LastRecord(TypedDict):
    """What happened last, who did it, when and by which way."""

    what: str
    trial: int | None
    at: str | None
    by: str | None
    via: str | None


class StudyRecord(LineRecord):
    """A study in a list; one that cannot be read has an ``error``."""

    role: str
    version: int
    archived: bool
    best: float | None
    paid: float
    unit: str
    budget: float | None
    budget_left: float | None
    last: LastRecord | None
    error: str | None


class StudiesRecord(TypedDict):
    """The studies of a store."""

    studies: list[StudyRecord]


class NewStudyRecord(TypedDict):
    """A study that was begun, or would be, and what was understood of it: headings, each with words."""

    study: SpecRecord
    explained: list[list[str]]
    dry_run: bool


class MethodsRecord(TypedDict):
    """The methods of the catalogue."""

    methods: list[MethodRecord]


class SaidRecord(TypedDict):
    """Where a study stands, in sentences; empty where there is nothing to say."""

    budget: str
    route: str


class OutRecord(TypedDict):
    """A trial that is out, where the traveller comes from, and the leg in further currencies."""

    trial: TrialRecord
    before: Place | None
    also: list[CostRecord]


class CardRecord(TypedDict):
    """A study at one moment: what it is, where it stands, which trials are out and what is next."""

    version: int
    role: str
    user: str
    spec: SpecRecord
    status: StatusRecord
    said: SaidRecord
    paid: float
    last: LastRecord | None
    open: list[OutRecord]
    route: list[StopRecord]
    remarks: list[str]
    over: str | None


TrialsRecord = TypedDict("TrialsRecord", {"trials": list[TrialRecord], "from": int, "total": int})
TrialsRecord.__doc__ = "Some trials of a study, from number ``from`` on, and how many there are."
LogPageRecord = TypedDict("LogPageRecord", {"entries": list[LogRecord], "from": int, "total": int})
LogPageRecord.__doc__ = "Some entries of the log, and how many there are."
RouteRecord = TypedDict(
    "RouteRecord",
    {
        "stops": list[StopRecord],
        "from": int,
        "planned": int,
        "within_reach": int,
        "cost": float,
        "results": int,
        "expected": float | None,
        "unit": str,
        "remarks": list[str],
    },
)
RouteRecord.__doc__ = "Some stops of the route ahead, what all of it costs, and remarks on it."


class DriftAnswer(DriftRecord):
    """Whether results drift, in words too."""

    said: list[str]


class BestAnswer(BestRecord):
    """The best place, and what is still to be gained."""

    progress: ProgressRecord | None


class ProgressAnswer(ProgressRecord):
    """The gain that is still possible, in words too."""

    said: list[str]


class ImportanceRecord(TypedDict):
    """How much each axis matters."""

    axes: list[AxisImportanceRecord]


class WhyRecord(ReasonsRecord):
    """Why a trial was chosen, in words too: headings, each with a sentence."""

    entries: list[list[str]]


# The ground: what the places of a study are, and what lies between them.


class AxisRecord(TypedDict):
    """An axis: its bounds, how its values are written, the values of a choice and which of them are retired."""

    name: str
    kind: str
    low: float | None
    high: float | None
    step: float | None
    log: bool
    unit: str
    decimals: int | None
    values: list[Scalar] | None
    retired: list[Scalar]


class SideRecord(TypedDict):
    """The part of an axis that a region covers; a null end is open."""

    axis: str
    low: float | None
    high: float | None
    values: list[Scalar] | None


class RegionRecord(TypedDict):
    """A forbidden region: the places within all of its sides."""

    said: str
    sides: list[SideRecord]


class TerrainRecord(TypedDict):
    """The axes of a map; a unit of ``y`` is ``tall`` times as long as one of ``x``."""

    x: str
    y: str
    tall: float


class DegreesRecord(TypedDict):
    """The axes that are latitude and longitude."""

    lat: str
    lon: str


class ObstaclesRecord(TypedDict):
    """A map of cells over two axes: the middles of its first and last column and row, and how many there are."""

    x: str
    y: str
    columns: list[float]
    rows: list[float]
    shape: list[int]


class MeasuredLimitRecord(TypedDict):
    """A limit on what is measured beside the value."""

    name: str
    at_most: float | None
    at_least: float | None
    unit: str
    said: str


class GroundRecord(TypedDict):
    """The space of a study: axes, regions, constraints, maps, the table, home."""

    axes: list[AxisRecord]
    view: list[str]
    terrain: TerrainRecord | None
    degrees: DegreesRecord | None
    forbidden: list[RegionRecord]
    constraints: list[str]
    obstacles: list[ObstaclesRecord]
    places: int | None
    table: list[list[Scalar]]
    once: bool
    start: Place | None
    home: Place | None
    anchor: Place | None
    measured: list[MeasuredLimitRecord]
    unit: str


# Answers of moves.


class MoveRecord(TypedDict):
    """The trial that a move changed, and notes for the user, such as on a place beyond its bounds."""

    trial: TrialRecord
    version: int
    notes: list[str]


class AskRecord(TypedDict):
    """The trials that are out for a worker; without any, ``said`` is why."""

    trials: list[TrialRecord]
    version: int
    said: str | None
    notes: list[str]


class InsertRecord(DetourRecord):
    """An extra place as a trial, what it costs, and whether that was only asked."""

    dry_run: bool
    version: int


class ReplanRecord(NewRouteRecord):
    """A new route beside the one it replaces."""

    version: int
    notes: list[str]


class GoHomeRecord(AtHomeRecord):
    """A way home that was made."""

    version: int


class NamedRecord(TypedDict):
    """A study by the name that it has since, and whether lists leave it out."""

    name: str
    archived: bool


class ImportRecord(ImportedRecord):
    """How the rows of a file are used, as numbers of rows; ``preview`` has the first of them, of a dry run."""

    dry_run: bool
    version: int
    said: str
    notes: list[str]
    preview: list[PreviewRowRecord]


class FormRecord(TypedDict):
    """A study as its study file would state it."""

    form: dict[str, Any]
    version: int


class ChangeAnswer(ChangesRecord):
    """The effects of a change of the study, made or tried, in words too: headings, each with a sentence."""

    entries: list[list[str]]
    version: int


# What requests hold.


class TokenBody(TypedDict):
    """The token of a link."""

    token: str


class LinkBody(TypedDict):
    """For whom a link is; left out, for oneself."""

    user: NotRequired[str]


class NewStudyBody(TypedDict):
    """A study file as TOML text or as an object, or a study exported as JSON; one of the three."""

    toml: NotRequired[str]
    form: NotRequired[dict[str, Any]]
    archive: NotRequired[str]
    name: NotRequired[str]
    dry_run: NotRequired[bool]


class AskBody(TypedDict):
    """Who asks, and for how many stops, or for those up to the next return home (``day``).

    ``take_over``: in how many seconds a trial of another counts as given up.
    """

    worker: NotRequired[str]
    n: NotRequired[int | Literal["day"] | None]
    wait: NotRequired[bool]
    count: NotRequired[bool]
    take_over: NotRequired[float | None]
    request: NotRequired[str | None]


class SkipBody(TypedDict):
    """That a place was not visited; with ``issued`` only a trial that was handed out at this very time is meant."""

    why: NotRequired[str]
    issued: NotRequired[str | None]
    request: NotRequired[str | None]


class FailBody(SkipBody):
    """That a visit gave no value."""

    actual: NotRequired[Place | None]
    spent: NotRequired[float | None]


class TellBody(FailBody):
    """A result: a value, several as a list, or their mean with ``count``."""

    value: float | list[float]
    count: NotRequired[int | None]
    variance: NotRequired[float | None]
    measured: NotRequired[dict[str, float | None] | None]


class AmendBody(FailBody):
    """The values to correct; the rest stays."""

    value: NotRequired[float | list[float] | None]
    count: NotRequired[int | None]
    variance: NotRequired[float | None]
    measured: NotRequired[dict[str, float | None] | None]
    withdraw: NotRequired[bool]


class InsertBody(TypedDict):
    """An extra place; ``dry_run`` only asks for its price."""

    place: Place
    count: NotRequired[int]
    worker: NotRequired[str]
    dry_run: NotRequired[bool]
    request: NotRequired[str | None]


class ReplanBody(TypedDict):
    """Where the traveller is, if elsewhere than thought."""

    position: NotRequired[Place | None]
    why: NotRequired[str]
    request: NotRequired[str | None]


class GoHomeBody(TypedDict):
    """The real cost of the way home, if it is known."""

    spent: NotRequired[float | None]
    why: NotRequired[str]
    request: NotRequired[str | None]


class NameBody(TypedDict):
    """The new name of a study."""

    name: str
    why: NotRequired[str]


class ArchiveBody(TypedDict):
    """Whether lists are to leave the study out."""

    archived: bool
    why: NotRequired[str]


class ChangeBody(TypedDict):
    """The keys of a study file that change, each whole, as an object or as TOML text; null takes one away."""

    form: NotRequired[dict[str, Any]]
    toml: NotRequired[str]
    why: NotRequired[str]
    dry_run: NotRequired[bool]
    request: NotRequired[str | None]


class ImportBody(TypedDict):
    """A file of results: CSV as ``text``, or any file as ``data`` in base64, such as a workbook.

    ``columns``, ``ignore``, ``delimiter``, ``decimal``, ``encoding`` and ``sheet`` say how it is to be read, as far as
    it does not say so itself; ``tolerance``, ``extra`` and ``average`` for which trial a row without a number is taken.
    ``version`` is that of the dry run: if the study has changed since, nothing is written.
    """

    text: NotRequired[str]
    data: NotRequired[str]
    columns: NotRequired[dict[str, str]]
    ignore: NotRequired[list[str]]
    delimiter: NotRequired[str | None]
    decimal: NotRequired[str | None]
    encoding: NotRequired[str | None]
    sheet: NotRequired[str | None]
    tolerance: NotRequired[float | str | dict[str, float] | None]
    extra: NotRequired[bool]
    average: NotRequired[bool]
    prior: NotRequired[bool]
    again: NotRequired[bool]
    dry_run: NotRequired[bool]
    version: NotRequired[int | None]
    request: NotRequired[str | None]

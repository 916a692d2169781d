"""Tables shown on a terminal, kept as Markdown."""

from rich.table import Table


def as_markdown(table: Table) -> str:
    """Return the same table for a page."""
    columns = [list(map(str, column.cells)) for column in table.columns]
    head = [str(column.header) for column in table.columns]
    rule = ["---:" if column.justify == "right" else "---" for column in table.columns]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *map(list, zip(*columns, strict=True))])

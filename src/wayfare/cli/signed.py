"""Commands whose arguments may be negative: ``wayfare tell snar 3 -0.5``, without a ``--`` before it."""

import re
from itertools import islice

import click

# Also what is no number but was meant as one: better refused as a value than as an option.
NEGATIVE = re.compile(r"-(\.?\d|inf|nan)", re.IGNORECASE)


class Signed(click.Command):
    """A command that takes ``-0.5`` for a number; any other dash begins an option, which must be known."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the options first and the arguments, in their order, behind a ``--``."""
        given = {name for option in self.params if takes_value(option) for name in option.opts}
        options, arguments, rest = list[str](), list[str](), iter(args)
        for word in rest:
            if word == "--":
                arguments.extend(rest)
            elif word.startswith("-") and word != "-" and NEGATIVE.match(word) is None:
                value = list(islice(rest, 1)) if word in given else []
                options.extend([word, *value])
                if word in given and not value:
                    return super().parse_args(ctx, options)  # which says that the value is missing
            else:
                arguments.append(word)
        return super().parse_args(ctx, [*options, "--", *arguments])


def takes_value(parameter: click.Parameter) -> bool:
    """Return whether this is an option followed by its value."""
    return isinstance(parameter, click.Option) and not parameter.is_flag

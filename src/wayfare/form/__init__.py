"""A study's specification as plain data: the same in a TOML study file and as JSON in a store.

``read_study_file`` loads a file, ``read_spec`` makes a specification of such a form, and ``write_spec`` goes the other
way. A form holds tables, lists, numbers, text and booleans, and nothing else. Every refusal names the field by its
path, as in ``travel.parts[1].fee must not be negative, got -3``.
"""

from wayfare.form.change import changed_spec, form_changes, own_part, read_events
from wayfare.form.files import read_study_file, read_study_text, read_value
from wayfare.form.method import method_name
from wayfare.form.stored import created_form, read_created, read_form, write_form
from wayfare.form.study import read_spec, write_spec

__all__ = [
    "changed_spec",
    "created_form",
    "form_changes",
    "method_name",
    "own_part",
    "read_created",
    "read_events",
    "read_form",
    "read_spec",
    "read_study_file",
    "read_study_text",
    "read_value",
    "write_form",
    "write_spec",
]

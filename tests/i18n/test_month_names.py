"""The stored names of months are those that the script takes from CLDR."""

import runpy
from pathlib import Path

from printer.i18n import load_table

SCRIPT = Path(__file__).parents[2] / "scripts/month_names.py"


def test_the_file_is_the_output_of_the_script():
    assert runpy.run_path(str(SCRIPT))["month_names"]() == load_table("month_names")


def test_every_name_is_of_one_month():
    names = " ".join(load_table("month_names")).split()
    assert len(names) == len(set(names))
    assert {"january", "jänner", "février", "مايو", "ธันวาคม"} <= set(names)

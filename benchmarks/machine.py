"""The machine and the software versions of a measurement."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from printer.fetch.browser.process import find_chromium

#: Packages that affect the figures; those of peers are named with their figures.
PACKAGES = ("webprint", "weasyprint", "pydyf", "lxml", "numpy", "pillow", "playwright", "httpx2",
            "trafilatura")  # fmt: skip
NODE = Path(__file__).with_name("node")


def machine() -> dict[str, str]:
    """Return a description of this machine."""
    memory = int(_field(Path("/proc/meminfo"), "MemTotal").split()[0] or 0)  # in kB
    return {
        "processor": _field(Path("/proc/cpuinfo"), "model name") or platform.machine(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory / 2**20:.0f} GB",
        "system": platform.platform(terse=True),
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def versions() -> dict[str, str]:
    """Return the versions of Python, of libraries and of programs."""
    releases = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            releases[name] = version(name)
        except PackageNotFoundError:
            continue
    chromium = next(iter(find_chromium()), None)
    for name, command in {
        "Chromium": chromium and str(chromium),
        "Node": shutil.which("node"),
    }.items():
        if command and (release := _version_of(command)):
            releases[name] = release
    return releases


def _version_of(command: str) -> str:
    ran = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    words = [word for word in ran.stdout.split() if word.lstrip("v")[:1].isdigit()]
    return words[0].lstrip("v") if words else ""


def _field(file: Path, name: str) -> str:
    lines = (line.partition(":") for line in file.read_text().splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "")


def environ_for_node() -> Mapping[str, str]:
    """Return the environment in which Node programs find our browser."""
    chromium = next(iter(find_chromium()), None)
    return {**os.environ, "PUPPETEER_EXECUTABLE_PATH": str(chromium)} if chromium else os.environ

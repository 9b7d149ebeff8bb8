"""The sandbox of Chromium in a container: what the seccomp profile allows and refuses."""

import ctypes
import ctypes.util
import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from printer.fetch.browser.process import find_chromium

PROFILE = Path(__file__).parents[3] / "chromium-seccomp.json"
LIBRARY = ctypes.util.find_library("seccomp")
PROGRAM = next(iter(find_chromium()), "")
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
#: What Docker's own profile refuses, which the sandbox needs.
NAMESPACES = ("unshare", "chroot")

#: How a process gets the rights of root in a new namespace, as the sandbox does.
UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (LIBRARY and shutil.which("setpriv")), reason="no libseccomp or setpriv"
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user"),
]


def filter_of(*more: str) -> Callable[[], None]:
    """Return a function that applies the profile, and refuses more calls, to its process."""
    profile = json.loads(PROFILE.read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    (rule,) = profile["syscalls"]
    assert rule["action"] == "SCMP_ACT_ERRNO"
    lib = ctypes.CDLL(LIBRARY)
    lib.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ALLOW)))
    for name in (*rule["names"], *more):
        number = lib.seccomp_syscall_resolve_name(name.encode())
        assert number != -1, f"there is no system call {name}"
        if number >= 0:  # Others are not of this architecture.
            action = ctypes.c_uint32(ERRNO | rule["errnoRet"])
            assert lib.seccomp_rule_add(context, action, number, 0) == 0, name

    def apply() -> None:
        if lib.seccomp_load(context) != 0:
            raise OSError("seccomp_load")

    return apply


def as_nobody(apply: Callable[[], None], *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program as in a container: another user without capabilities, behind a filter."""
    rights = ["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
    rights += ["--bounding-set=-all", "--inh-caps=-all"]
    return subprocess.run(
        ["setpriv", *rights, *command], capture_output=True, text=True, check=False, timeout=60,
        preexec_fn=apply, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
    )  # fmt: skip


@pytest.fixture(autouse=True)
def namespaces() -> None:
    """Skip the test where no process gets namespaces, as in a chroot or in another container."""
    if (ran := as_nobody(lambda: None, *UNSHARE, "true")).returncode:
        pytest.skip(f"no user namespaces here: {ran.stderr.strip()}")


@pytest.mark.skipif(not PROGRAM, reason="no Chromium")
@pytest.mark.parametrize(("refused", "works"), [((), True), (NAMESPACES, False)])
def test_the_profile_lets_chromium_use_its_sandbox(
    tmp_path: Path, refused: tuple[str, ...], works: bool
) -> None:
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_mode & 0o001:
            break
        parent.chmod(0o711)
    page = "data:text/html,<script>document.write(6*7)</script>"
    switches = ["--headless", f"--user-data-dir={tmp_path}/profile", "--disable-gpu", "--dump-dom"]
    ran = as_nobody(filter_of(*refused), PROGRAM, *switches, page)
    assert ("42</body>" in ran.stdout) == works, ran.stderr
    assert ("No usable sandbox!" in ran.stderr) == (not works)


@pytest.mark.parametrize("command", [("mount", "-t", "tmpfs", "x", "/mnt"), ("strace", "true")])
def test_the_profile_refuses_system_calls_that_no_browser_needs(command: tuple[str, ...]) -> None:
    inside = [*UNSHARE, *command]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    allowed = as_nobody(lambda: None, *inside)
    assert allowed.returncode == 0, allowed.stderr
    ran = as_nobody(filter_of(), *inside)
    assert ran.returncode != 0
    assert os.strerror(errno.EPERM).lower() in ran.stderr.lower()

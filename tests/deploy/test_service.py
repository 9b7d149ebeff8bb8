"""The print server within the limits that the systemd unit and the container set, and behind proxies.

Where systemd and Docker cannot run, unshare and setpriv make the same limits: another user without
capabilities, a file system that is read-only but for the folders named, and, for the container, its
system call filter.  Not made here: limits of memory and of tasks, which need control groups.
"""

import contextlib
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import httpx2
import pytest

from printer.processes import kill_tree
from tests.support.jobs import wait_until
from tests.support.print_server import PrintServer

ROOT = Path(__file__).parents[2]
UNIT = (ROOT / "deploy/webprint.service").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
USER = "65534"
SHELL = "<title>Harbour lights</title><div id=a></div><script>a.innerHTML = '<article><h1>Harbour lights</h1>' + "
SHELL += "'<p>It was day when the boats came in, and the quay was full.</p>'.repeat(9)</script>"
#: Applies the container's filter to itself, then becomes the command.
FILTERED = (
    "import os, sys; from tests.fetch.browser.test_sandbox import filter_of;"
    " filter_of()(); os.execv(sys.argv[1], sys.argv[1:])"
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes the limits of a service")


@pytest.fixture(scope="module")
def namespaces():
    """Skip where namespaces cannot be made, as in a container or a changed root."""
    trial = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "true"]
    ran = subprocess.run(trial, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"no namespaces here: {ran.stderr.strip()}")


def environment_of(text):
    """Return the XDG folders that a file sets."""
    return dict(re.findall(r"(XDG_\w+)=(\S+)", text))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def limited(writable, command):
    """Return a script that runs a command as a user who may write to some folders only."""
    needed = {str(ROOT), sys.prefix, sys.base_prefix, sysconfig.get_path("purelib")}
    lines = ["set -e", "mount -t tmpfs none /mnt"]
    for home in ("/home", "/root"):  # Of these, only the modules that run the server exist.
        inside = sorted(path for path in needed if path.startswith(f"{home}/"))
        for number, path in enumerate(inside):
            lines.append(
                f"mkdir /mnt/{home[1:]}{number}; mount --bind {path} /mnt/{home[1:]}{number}"
            )
        lines.append(f"mount -t tmpfs -o mode=755 none {home}")
        for number, path in enumerate(inside):
            lines.append(f"mkdir -p {path}; mount --bind /mnt/{home[1:]}{number} {path}")
    tops = {f"/{path.split('/')[1]}" if path.count("/") == 1 else str(Path(path).parent)
            for path in writable}  # fmt: skip
    for top in sorted(tops):
        lines.append(f"test -d {top} || mkdir {top}; mount -t tmpfs none {top}")
    for path in writable:
        lines.append(f"mkdir -p {path}; chown {USER} {path}; chmod 700 {path}")
    lines += ["chmod 1777 /var/tmp", "mount -o remount,bind,ro /"]
    rights = f"--reuid={USER} --regid={USER} --clear-groups --no-new-privs"
    lines.append(f"exec setpriv {rights} --bounding-set=-all --inh-caps=-all {shlex.join(command)}")
    return "\n".join(lines)


@contextlib.contextmanager
def service(variables, writable, *options, filtered=False):
    """Run ``webprint serve`` within limits; yields its address."""
    port = free_port()
    command = [sys.executable, "-m", "printer", "serve", "--port", str(port), *options]
    if filtered:
        command = [sys.executable, "-c", FILTERED, *command]
    environment = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": "/var/tmp",
        "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "WEBPRINT_WORKERS": "1",
        "WEBPRINT_ALLOW_PRIVATE": "true", **variables,
    }  # fmt: skip
    script = limited([*writable, "/var/tmp/webprint"], command)
    process = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", script],
        env=environment, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip
    lines = []
    try:
        for line in process.stderr:
            lines.append(line)
            if match := re.search(r"open http://\S+/\?token=(\S+)", line):
                yield f"http://127.0.0.1:{port}", match[1]
                break
        else:
            pytest.fail("".join(lines))
    finally:
        # The first process of the namespace too, which changed its user and so outlives unshare.
        kill_tree(process.pid)
        process.wait(30)
        process.stderr.close()


def check_prints(url, token, web):
    """The server is healthy, and prints a page that needs a browser in its sandbox."""
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as client:
        assert "ok" in client.get("/health").raise_for_status().text
        client.headers["Authorization"] = f"Bearer {token}"
        submitted = client.post("/api/prints", json={"url": web.add("/app", SHELL)}).json()

        def over():
            job = client.get(f"/api/prints/{submitted['id']}").json()
            return job if job["state"] in ("done", "failed") else None

        job = wait_until(over)
    assert job["state"] == "done", job
    assert job["title"] == "Harbour lights"
    warnings = " ".join(job["result"]["warnings"])
    assert "without their sandbox" not in warnings
    assert "cache" not in warnings


@as_root
@pytest.mark.browser
@pytest.mark.usefixtures("namespaces")
def test_the_unit_lets_the_server_print(web):
    names = re.findall(r"^(State|Cache)Directory=(\S+)$", UNIT, re.MULTILINE)
    folders = {"State": "/var/lib/", "Cache": "/var/cache/"}
    writable = [folders[kind] + name for kind, name in names]
    with service(environment_of(UNIT), writable) as (url, token):
        check_prints(url, token, web)


@as_root
@pytest.mark.browser
@pytest.mark.usefixtures("namespaces")
def test_the_container_lets_the_server_print(web):
    """Read-only, with the volume and without capabilities, behind the filter of compose.yaml."""
    assert "read_only: true" in COMPOSE
    assert "cap_drop: [ALL]" in COMPOSE
    assert "seccomp=chromium-seccomp.json" in COMPOSE
    with service(environment_of(DOCKERFILE), ["/data"], "--host", "0.0.0.0", filtered=True) as at:
        check_prints(*at, web)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_understands_the_unit(tmp_path):
    unit = tmp_path / "webprint.service"
    unit.write_text(UNIT.replace("/opt/webprint/.venv/bin/webprint", "/bin/true"))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert "webprint.service" not in ran.stdout + ran.stderr, ran.stderr


@pytest.fixture
def behind(tmp_path):
    """A server with a public name."""
    server = PrintServer(tmp_path, "--port", "0", "--hostnames", "print.example.org")
    yield server
    server.close()


def certificate(folder):
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"]
    command += ["/CN=print.example.org", "-keyout", f"{folder}/key", "-out", f"{folder}/pem"]
    subprocess.run(command, check=True, capture_output=True)


def nginx(folder, port, server):
    certificate(folder)
    text = (ROOT / "deploy/nginx.conf").read_text()
    for old, new in (("443 ssl", f"127.0.0.1:{port} ssl"), ("8631", str(server.port)),
                     ("/etc/ssl/print.example.org.", f"{folder}/")):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    file = folder / "nginx.conf"
    paths = "".join(f"{kind}_temp_path {folder}/{kind}; "
                    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    file.write_text(f"daemon off; pid {folder}/pid; error_log stderr; events {{}} "
                    f"http {{ access_log off; {paths} {text} }}")  # fmt: skip
    return ["nginx", "-c", str(file), "-e", "stderr"]


def caddy(folder, port, server):
    text = (ROOT / "deploy/Caddyfile").read_text()
    assert "127.0.0.1:8631" in text
    text = text.replace("127.0.0.1:8631", f"127.0.0.1:{server.port}")
    text = text.replace(
        "print.example.org {", f"https://print.example.org:{port} {{\n\ttls internal"
    )
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
    (folder / "Caddyfile").write_text(options + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@pytest.mark.parametrize("proxy", [nginx, caddy], ids=["nginx", "caddy"])
def test_the_example_of_a_proxy_works(proxy, behind, tmp_path, web):
    if not shutil.which(proxy.__name__):
        pytest.skip(f"{proxy.__name__} is not installed")
    port = free_port()
    command = proxy(tmp_path, port, behind)
    with (tmp_path / "proxy.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, "HOME": str(tmp_path)}
        )
    curl = ["curl", "--silent", "--insecure", "--max-time", "60", "--noproxy", "*", "--resolve",
            f"print.example.org:{port}:127.0.0.1"]  # fmt: skip

    def ask(path, *more):
        url = f"https://print.example.org:{port}{path}"
        return subprocess.run([*curl, *more, url], capture_output=True, text=True).stdout

    try:
        wait_until(lambda: "ok" in ask("/health"))
        bearer = ("-H", f"Authorization: Bearer {behind.token}")
        start = ask("/", *bearer)
        assert "https://print.example.org" in start
        assert "Print this" in start
    except Exception:
        print((tmp_path / "proxy.log").read_text())
        raise
    finally:
        process.terminate()
        process.wait(60)


def test_a_page_of_the_documents_shows_the_files():
    page = (ROOT / "docs/deploy.md").read_text()
    for name in ("webprint.service", "nginx.conf", "Caddyfile"):
        assert f"](../deploy/{name})" in page

"""Certificates that nobody signed, for servers of the tests' own."""

import shutil
import ssl
import subprocess

import pytest


def make_certificate(folder, name, alternative=""):
    """Make ``cert.pem`` and ``key.pem`` in a folder; return the context of a server with them.

    ``alternative`` is another name, such as "DNS:page.test".
    """
    if not shutil.which("openssl"):
        pytest.skip("no openssl, which makes the certificate")
    extension = ["-addext", f"subjectAltName={alternative}"] if alternative else []
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={name}", *extension,
         "-keyout", "key.pem", "-out", "cert.pem"],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context

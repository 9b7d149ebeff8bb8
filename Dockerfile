# The print server.  Build: docker build -t webprint .   Run: see docs/deploy.md
FROM debian:trixie-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      python3 python3-venv chromium-headless-shell libatomic1 tini \
      libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
      fonts-linuxlibertine fonts-ebgaramond fonts-inter fonts-dejavu-core fonts-noto-core fonts-noto-cjk \
      fonts-noto-color-emoji \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home webprint

WORKDIR /opt/webprint
COPY pyproject.toml constraints.txt README.md LICENSE CHANGELOG.md ./
COPY printer printer
COPY templates templates
COPY docs/webprint.1 docs/webprint.1
RUN python3 -m venv .venv \
 && .venv/bin/pip install --no-cache-dir -c constraints.txt '.[server,postgresql,crawl,digest]' \
 && mkdir /data && chown webprint:webprint /data

USER webprint
ENV XDG_CONFIG_HOME=/data/config XDG_DATA_HOME=/data/share XDG_CACHE_HOME=/data/cache \
    PATH=/opt/webprint/.venv/bin:$PATH
VOLUME /data
EXPOSE 8631
HEALTHCHECK CMD python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8631/health', timeout=5)"
ENTRYPOINT ["tini", "--", "webprint"]
CMD ["serve", "--host", "0.0.0.0"]

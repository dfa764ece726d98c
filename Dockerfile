# Serves MCP over HTTP: docs/guides/connect.md says how. No secret is in it, and nothing but /data is written.
FROM python:3.13-slim AS build
RUN python -m pip install --no-cache-dir --root-user-action ignore uv==0.13.9
WORKDIR /build
COPY pyproject.toml uv.lock LICENSE ./
COPY docs/package.md docs/
COPY packages packages
RUN uv export --frozen --quiet --no-dev --no-emit-workspace --package katana-factory-mcp --output-file needs.txt
RUN uv build --quiet --wheel --out-dir dist
RUN uv venv --quiet /opt/katana
RUN uv pip install --quiet --python /opt/katana --require-hashes --compile-bytecode --requirements needs.txt
RUN uv pip install --quiet --python /opt/katana --no-deps --compile-bytecode dist/*.whl

FROM python:3.13-slim
COPY --from=build /opt/katana /opt/katana
RUN mkdir /data && chown 10001:10001 /data
ENV HOME=/data KATANA_CACHE_DIR=/data PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["/opt/katana/bin/python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8000, timeout=3); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["/opt/katana/bin/katana-mcp"]
CMD ["serve", "--http", "--host", "0.0.0.0"]

# A stand-in for postgres:18, with PostgreSQL from the npm registry and Debian's client.
FROM debian:bookworm-slim
RUN useradd postgres \
 && apt-get update \
 && apt-get install -y --no-install-recommends postgresql-client-15 \
 && rm -rf /var/lib/apt/lists/*
COPY native /usr/local/pgsql
# psql and pg_isready are in Debian's folder.
ENV PATH=/usr/local/pgsql/bin:/usr/lib/postgresql/15/bin:$PATH
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]

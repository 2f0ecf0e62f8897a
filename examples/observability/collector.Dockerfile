FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir "/src[collector,fast,postgres]" && rm -rf /src \
    && useradd --system sqlobs && mkdir /var/lib/sqlobs && chown sqlobs /var/lib/sqlobs
USER sqlobs
ENTRYPOINT ["sqlobs-collector"]

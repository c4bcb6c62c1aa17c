FROM debian:bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postfix \
    && rm -rf /var/lib/apt/lists/*
# No service of it is confined to a folder, where it would not find the names of the servers.
RUN postconf -F '*/*/chroot = n'
CMD ["postfix", "start-fg"]

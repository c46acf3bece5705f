# A broker in a container that takes the settings of Kafka's own image: see README.md, "In a container".

FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY tools/build.js tools/build.js
COPY src src
RUN npm ci --ignore-scripts \
 && node tools/build.js \
 && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
LABEL org.opencontainers.image.title="odradek" \
      org.opencontainers.image.description="A message broker that speaks the Kafka protocol" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN mkdir -p /var/lib/kafka/data /mnt/shared/config \
 && chown -R node:node /var/lib/kafka /mnt/shared/config
COPY --from=build /build/package.json /opt/odradek/package.json
COPY --from=build /build/node_modules /opt/odradek/node_modules
COPY --from=build /build/dist /opt/odradek/dist
COPY docker /opt/odradek/docker

# Data go to ./data of it unless log.dirs says otherwise.
WORKDIR /var/lib/kafka
VOLUME ["/var/lib/kafka/data", "/mnt/shared/config"]
ENV NODE_ENV=production \
    KAFKA_ODRADEK_METRICS_LISTENER=:9404
EXPOSE 9092 9404
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "/opt/odradek/docker/healthcheck.js"]
# Node.js itself is process 1 and gets the signals.
ENTRYPOINT ["node", "/opt/odradek/docker/run.js"]

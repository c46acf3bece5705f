/**
 * What the container image starts: `odradek start` with the settings that Kafka's own image would take. From weak to
 * strong: the file `server.properties` in the mounted folder, the environment (KAFKA_…), arguments KEY=VALUE, which
 * stand for variables, and options of `odradek start`. Like Kafka's image, it advertises localhost where nothing says
 * where it listens, so that `docker run -p 9092:9092` is enough. Runs in this very process, which gets the signals.
 */
const { existsSync } = require('node:fs');
const path = require('node:path');

const CONFIG_FOLDER = process.env.ODRADEK_CONFIG_FOLDER ?? '/mnt/shared/config';
const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=(.*)$/s;

const options = [];
for (const argument of process.argv.slice(2)) {
  const [, variable, value] = ASSIGNMENT.exec(argument) ?? [];
  if (variable === undefined) options.push(argument);
  else process.env[variable] = value;
}

const file = path.join(CONFIG_FOLDER, 'server.properties');
const files = existsSync(file) ? [file] : [];
const { KAFKA_LISTENERS, KAFKA_ADVERTISED_LISTENERS } = process.env;
if (files.length === 0 && !KAFKA_LISTENERS && !KAFKA_ADVERTISED_LISTENERS) {
  process.env.KAFKA_LISTENERS = 'PLAINTEXT://:9092';
  process.env.KAFKA_ADVERTISED_LISTENERS = 'PLAINTEXT://localhost:9092';
}

process.argv = [process.argv[0], process.argv[1], 'start', ...files, ...options];
require('../dist/main.js');

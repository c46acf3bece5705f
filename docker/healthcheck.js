/**
 * What the container image asks to know whether its broker is well: /health, or the path that is given. Ends with 0 if
 * the answer is 200, also where the endpoint is switched off, and with 1 otherwise.
 */
const listener = process.env.KAFKA_ODRADEK_METRICS_LISTENER ?? '';
const port = /:(\d+)$/.exec(listener)?.[1];
const [, , route = '/health'] = process.argv;

async function isWell() {
  if (port === undefined) return true;
  const host = listener.slice(0, -port.length - 1);
  const here = host === '' || host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
  const answer = await fetch(`http://${here}:${port}${route}`, { signal: AbortSignal.timeout(2000) });
  console.log((await answer.text()).trim());
  return answer.status === 200;
}

isWell().then(
  (well) => {
    process.exitCode = well ? 0 : 1;
  },
  (error) => {
    console.log(String(error.cause ?? error));
    process.exitCode = 1;
  },
);

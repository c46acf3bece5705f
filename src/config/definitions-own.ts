/** Rows of the configuration table that Kafka does not have: what operators watch. Names begin with `odradek.`. */
import { atLeast, between, type Check, long, optionalText } from './definition';
import { parseHostPort } from './metrics-listener';

/** What the names of all of them begin with. */
export const OWN_PREFIX = 'odradek.';

const hostPort: Check = {
  allowed: 'HOST:PORT, or :PORT for all interfaces; nothing for none',
  test: (value) => value === null || value === '' || parseHostPort(String(value)) !== undefined,
};

export const ownDefinitions = {
  'odradek.metrics.listener': optionalText(
    'HTTP address, HOST:PORT, of /metrics (for Prometheus), /health and /ready; port 0: any free one. Unset: none.',
    { check: hostPort },
  ),
  'odradek.slow.request.ms': long(
    1000,
    'Requests that take longer are logged, a few a second; what long polls wait for is not counted. 0: none.',
    { check: atLeast(0) },
  ),
  'odradek.busy.poll.us': long(
    0,
    'How long to stay awake for the next request, at the cost of CPU time, where small ones come at once. 0: never.',
    { check: between(0, 1000) },
  ),
  'odradek.event.loop.delay.warn.ms': long(
    500,
    'A warning is logged when nothing could run for longer than this: the event loop was held. 0: never.',
    { check: atLeast(0) },
  ),
};

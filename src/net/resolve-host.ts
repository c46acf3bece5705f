/** The address behind a name of a host, as this machine sees it. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** An address stays as it is; undefined where there is none behind the name. */
export async function resolveHost(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return host;
  const found = await lookup(host).catch(() => undefined);
  return found?.address;
}

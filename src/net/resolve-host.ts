/** The address behind a name of a host, as this machine sees it, and as it names the peers of sockets. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { plainAddress } from './plain-address';

/** An address is only put in its short form; undefined where there is none behind the name. */
export async function resolveHost(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return shortForm(host);
  const found = await lookup(host).catch(() => undefined);
  return found && shortForm(found.address);
}

function shortForm(address: string): string {
  const plain = plainAddress(address);
  // An address with a zone is no part of a URL; its peers are named with the zone, too.
  if (isIP(plain) !== 6 || plain.includes('%')) return plain;
  return plainAddress(new URL(`http://[${plain}]`).hostname.slice(1, -1));
}

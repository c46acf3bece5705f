/** How addresses of peers are named: IPv4 as such, also where a socket for both kinds accepted them. */
import { isIP } from 'node:net';

/** Without the prefix of an IPv4-mapped IPv6 address. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(.*)$/i.exec(address)?.[1];
  return mapped !== undefined && isIP(mapped) === 4 ? mapped : address;
}

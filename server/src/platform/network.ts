/** Networks of addresses. Limits count callers without a sign-in by network, because one caller can have many addresses. */
import ipaddr from 'ipaddr.js';

/**
 * The network of an address: an IPv4 address by itself; the /64 of an IPv6 address, because one customer usually has all of it.
 * Text that is not an address counts as one network.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}

/**
 * The network from which a person signs in: the /24 of an IPv4 address, the /48 of an IPv6 address, because one site usually
 * has all of it.
 */
export function siteOf(address: string | undefined): string | undefined {
  if (address === undefined || !ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 3).join(':')}/48` : `${parsed.octets.slice(0, 3).join('.')}.0/24`;
}

/** Returns why a text names no network; undefined if it is a network or an address. */
export function networkProblem(network: string): string | undefined {
  if (ipaddr.isValidCIDR(network) || (ipaddr.isValid(network) && !/^[0-9]+$|^0x/i.test(network))) return undefined;
  return `${network === '' ? 'An empty text' : network} is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.`;
}

export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.isValidCIDR(network) ? ipaddr.parseCIDR(network) : [ipaddr.process(network), undefined];
    return range.kind() === caller.kind() && caller.match(range, bits ?? (range.kind() === 'ipv4' ? 32 : 128));
  });
}

/** The address at which this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Limits count callers who are not signed in by their network, because one caller can have many addresses. */
import ipaddr from 'ipaddr.js';

/** An IPv4 address by itself; the /64 of an IPv6 address, which one customer has as a whole. Text that is no address counts as one network. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}

/** The host and the port in `name`, `name:port` or `[address]:port`; an address of IPv6 without brackets has no port. */
export function hostAndPort(text: string): { host: string; port: string | undefined } {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d*))?$/.exec(text.trim()) ?? [];
  return { host: bracketed ?? name ?? text.trim(), port };
}

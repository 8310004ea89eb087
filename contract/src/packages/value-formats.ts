/** What the values of parameters of built-in packages look like, so that a wrong one is refused when it is entered and not when it runs. */

import { hostAndPort } from './host-and-port.ts';

const namedFormats = ['url', 'host', 'hostPort', 'addressPort', 'port', 'status', 'path', 'pattern', 'hours', 'line'] as const;
type NamedFormat = (typeof namedFormats)[number];
/** A format by its name, or a number with its limits. */
export type ValueFormat = NamedFormat | { from: number; to: number };

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** An address of IPv6, as the parser of addresses knows it; a zone such as %eth0 stays outside. */
function isIpv6(text: string): boolean {
  const [address = '', zone] = text.split('%');
  return address.includes(':') && zone !== '' && URL.canParse(`http://[${address}]/`);
}

/** A name or an address without a port; international names too. */
function isHost(text: string): boolean {
  if (isIpv6(text)) return true;
  if (/[\s/\\[\]:@?#%]/.test(text) || text.startsWith('-')) return false;
  // Names of Windows may have an underscore, which addresses of web sites may have too.
  return URL.canParse(`http://${text}/`);
}

function isUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return false;
  return URL.canParse(text);
}

/** As the agent reads it, `(?i)` in front included. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text.replace(/^\(\?i\)/, ''), 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const isIpv4 = (text: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

const checks: Readonly<Record<NamedFormat, { holds: (text: string) => boolean; says: (name: string) => string }>> = {
  url: { holds: isUrl, says: (name) => `${name} begins with https:// or http://, as https://www.example.com/.` },
  host: {
    holds: (text) => isHost(/^\[([^\]]+)\]$/.exec(text)?.[1] ?? text),
    says: (name) => `${name} is a name or an address without a port or https://, as www.example.com or 2001:db8::1.`,
  },
  hostPort: {
    holds: (text) => {
      if (isIpv6(text)) return true;
      const { host, port } = hostAndPort(text);
      return isHost(host) && (port === undefined || isPort(port)) && (!text.startsWith('[') || isIpv6(host));
    },
    says: (name) =>
      `${name} is a name or an address, with :port if it is not the usual one, as switch.example.com, 192.0.2.1:1161 or [2001:db8::1]:1161.`,
  },
  addressPort: {
    holds: (text) => {
      const { host, port } = hostAndPort(text);
      return isIpv6(text) || ((isIpv4(host) || isIpv6(host)) && (port === undefined || isPort(port)));
    },
    says: (name) => `${name} is an address, with :port if it is not the usual one, as 192.0.2.53 or [2001:db8::53]:5353.`,
  },
  port: { holds: isPort, says: (name) => `${name} is a whole number from 1 to 65535.` },
  status: {
    holds: (text) => /^[1-5]\d\d(?:\s*-\s*[1-5]\d\d)?$/.test(text),
    says: (name) => `${name} is a status of HTTP or a range of them, as 200 or 200-399.`,
  },
  path: {
    holds: (text) => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(text) && !/[\0\r\n]/.test(text),
    says: (name) => `${name} is a whole path, as /var/log/backup.log or C:/Logs/backup.log.`,
  },
  pattern: {
    holds: isPattern,
    says: (name) => `${name} is no regular expression that can be read; put a backslash before a ( or [ that stands for itself.`,
  },
  hours: { holds: (text) => Number(text) > 0 && Number(text) <= 100_000, says: (name) => `${name} is a number of hours above 0, as 26.` },
  line: { holds: (text) => !/[\0\r\n]/.test(text), says: (name) => `${name} is one line.` },
};

/** What is wrong with a value; undefined if nothing is. A value with a placeholder is known only when it runs. */
export function formatFault(format: ValueFormat, name: string, value: string): string | undefined {
  const text = value.trim();
  if (text === '' || (format !== 'pattern' && text.includes('{'))) return undefined;
  if (typeof format === 'string') return checks[format].holds(text) ? undefined : checks[format].says(name);
  const { from, to } = format;
  return Number(text) >= from && Number(text) <= to ? undefined : `${name} is a number from ${from} to ${to}.`;
}

const limit = { 'Time limit': { from: 0.1, to: 300 } } as const;
const host = { Host: 'host' } as const;

/** The formats of parameters by package and parameter; what is not here may be any text. */
const builtIn: Readonly<Record<string, Readonly<Record<string, ValueFormat>>>> = {
  'HTTP check': { Address: 'url', Status: 'status', Follow: { from: 0, to: 20 }, ...limit },
  'TCP check': { ...host, Port: 'port', ...limit },
  Ping: { ...host, Count: { from: 1, to: 20 } },
  'DNS check': { Server: 'addressPort', ...limit },
  SNMP: { Host: 'hostPort', 'At most': { from: 1, to: 400 }, ...limit },
  'System metrics': { Count: { from: 1, to: 100 } },
  'Files and logs': { Path: 'path', Pattern: 'pattern', 'Oldest age': 'hours' },
};

/** The formats of the parameters of a built-in package. */
export const formatsOfBuiltIn = (packageName: string): Readonly<Record<string, ValueFormat>> => builtIn[packageName] ?? {};

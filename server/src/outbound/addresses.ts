/** Which addresses outbound calls may reach: public ones, and those in the operator's allow list. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressRange = [Address, number];

export interface AddressRules {
  /** Why an address may not be called by this host name; undefined when it may. */
  refusal(address: string, hostname: string): string | undefined;
  /** Whether the allow list has the host or the address, so that any port may be called. */
  isAllowed(address: string, hostname: string): boolean;
}

// Metadata services of cloud instances, link-local networks, and unspecified addresses. No setting allows these.
const never: readonly AddressRange[] = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '0.0.0.0/8',
  '::/128',
].map((text) => ipaddr.parseCIDR(text));

const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
const sixToFour = ipaddr.parseCIDR('2002::/16');
const compatible = ipaddr.parseCIDR('::/96');

function isIn(address: Address, [base, bits]: AddressRange): boolean {
  return address.kind() === base.kind() && (address as ipaddr.IPv6).match(base as ipaddr.IPv6, bits);
}

function v4From(bytes: readonly number[]): ipaddr.IPv4 {
  return new ipaddr.IPv4([...bytes]);
}

/** Returns the IPv4 address that an IPv6 address contains, because packets would go there; otherwise the address itself. */
function unwrap(address: Address): Address {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  if (six.isIPv4MappedAddress()) return six.toIPv4Address();
  const bytes = six.toByteArray();
  if (isIn(six, nat64)) return v4From(bytes.slice(12));
  if (isIn(six, sixToFour)) return v4From(bytes.slice(2, 6));
  // ::1 and :: contain no IPv4 address.
  if (isIn(six, compatible) && bytes.slice(12, 15).some((byte) => byte !== 0)) return v4From(bytes.slice(12));
  return six;
}

function parseAllow(entries: readonly string[]): { ranges: AddressRange[]; names: Set<string> } {
  const ranges: AddressRange[] = [];
  const names = new Set<string>();
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) ranges.push(ipaddr.parseCIDR(`${entry}/${ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128}`));
    else if (/^[a-z0-9.-]+$/i.test(entry)) names.add(entry.toLowerCase());
    else throw new Error(`OUTBOUND_ALLOW: "${entry}" is not an address, range or host name.`);
  }
  return { ranges, names };
}

/** `allow` has addresses, CIDR ranges and host names; an invalid one stops the start. */
export function addressRules(allow: readonly string[]): AddressRules {
  const { ranges, names } = parseAllow(allow);

  function isAllowed(text: string, hostname: string): boolean {
    if (names.has(hostname.toLowerCase())) return true;
    if (!ipaddr.isValid(text)) return false;
    const address = unwrap(ipaddr.parse(text));
    return ranges.some((range) => isIn(address, range));
  }

  return {
    isAllowed,
    refusal(text, hostname) {
      if (!ipaddr.isValid(text)) return `${text} is not an address.`;
      const address = unwrap(ipaddr.parse(text));
      if (never.some((range) => isIn(address, range))) return `The address ${address.toString()} must never be reached.`;
      if (address.range() === 'unicast' || isAllowed(text, hostname)) return undefined;
      return `The address ${address.toString()} is not public and the allow list (OUTBOUND_ALLOW of the server) does not name it.`;
    },
  };
}

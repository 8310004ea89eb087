/** Who may send: networks and hosts with the names that they may speak for, and how much each may send. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { number, required } from './operation.mjs';

const sendersMax = 10_000;

/** IPv4 without the prefix that a socket for both versions writes before it. */
export const plainAddress = (address) => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

const pattern = (name) =>
  new RegExp(
    `^${name
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('[^]*')}$`,
    'i',
  );

function entryOf(text) {
  const [network = '', ...names] = text.split('=').map((part) => part.trim());
  const [address = '', prefix] = network.split('/').map((part) => part.trim());
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (version === 0 || names.length > 1 || !/^\d+$/.test(String(length)) || length > bits)
    throw new Error(
      `Allowed senders: ${text} is neither an address, such as 192.0.2.7, nor a network, such as 192.0.2.0/24, with its names behind =, such as 192.0.2.7=sw1|sw2.`,
    );
  const list = new BlockList();
  list.addSubnet(address, length, `ipv${version}`);
  const listed = (names[0] ?? '')
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 1 && listed.length === 0) throw new Error(`Allowed senders: ${text} has no name behind the =.`);
  return {
    has: (other) => list.check(other, isIPv4(other) ? 'ipv4' : 'ipv6'),
    names: names.length === 1 ? listed.map(pattern) : undefined,
  };
}

/** Reads `Allowed senders`: entries such as `192.0.2.0/24, 192.0.2.7=sw1|*.plant.example`. */
export function readAllowed() {
  const entries = required('Allowed senders')
    .split(/[,;\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(entryOf);
  const speaksFor = (entry, name) => entry.names?.some((pattern) => pattern.test(name)) ?? false;
  return {
    has: (address) => entries.some((entry) => entry.has(address)),
    /** Whether a sender may speak for a name: `bound` when the name is one of its entry. A name of one entry is no other sender's. */
    mayName: (address, name) => {
      const ofSender = entries.filter((entry) => entry.has(address));
      if (ofSender.some((entry) => speaksFor(entry, name))) return 'bound';
      return ofSender.some((entry) => entry.names === undefined) && !entries.some((entry) => speaksFor(entry, name)) ? 'open' : undefined;
    },
  };
}

/** A bucket for each sender, and one for all together: `burst` at once, and `rate` a second. */
export function readRates(now = () => performance.now()) {
  const rate = number('Messages a second', { fallback: 200, min: 0.1, max: 100_000 });
  const bucket = (rate) => {
    const burst = Math.max(1, 5 * rate);
    let left = burst;
    let at = now();
    return () => {
      const time = now();
      left = Math.min(burst, left + ((time - at) / 1_000) * rate);
      at = time;
      if (left < 1) return false;
      left -= 1;
      return true;
    };
  };
  const all = bucket(20 * rate);
  const senders = new Map();
  return {
    rate,
    /** Whether the sender may send one more now. A flood costs this look alone. */
    take: (sender) => {
      let take = senders.get(sender);
      if (!take) {
        if (senders.size >= sendersMax) senders.delete(senders.keys().next().value);
        senders.set(sender, (take = bucket(rate)));
      }
      return take() && all();
    },
  };
}

export const tooMany = (sender, rate) => ({
  code: 'TooManyMessages',
  message: `${sender} sends more than ${rate} messages a second, and more than five times as many at once. The rest is refused.`,
  sender,
});

export const notAllowed = (sender) => ({
  code: 'SenderNotAllowed',
  message: `${sender} is not among the allowed senders of the listener. Add it to Allowed senders if it may send.`,
  sender,
});

export const mayNotName = (sender, name) => ({
  code: 'HostNotAllowed',
  message: `${sender} may not speak for ${String(name).slice(0, 100)}, which is a name of another sender, or none of its own. Correct Allowed senders if it may.`,
  sender,
});

/** Listens for SNMP traps and informs of versions 1, 2c and 3. Identifiers get their names on the server, from the MIBs of the tenant. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { EventEmitter } from 'node:events';
import snmp from 'net-snmp';
import { endWith, guarded, openItems } from './items.mjs';
import { droppedBySystem, listenAddress, openUdp, portOf } from './listen.mjs';
import { secret, text } from './operation.mjs';
import { openReplays } from './replays.mjs';
import { mayNotName, notAllowed, plainAddress, readAllowed, readRates, tooMany } from './senders.mjs';
import { headerOf } from './snmp-header.mjs';
import { valueOf } from '../snmp/values.mjs';

const versions = ['1', '2c', '3'];
const varbindsMax = 200;
const textMax = 2_000;
/** Each new engine costs a localized key for each user, which takes milliseconds, so a sender has few of them at once. */
const newEnginesMax = 20;
const newEnginesEveryMs = 60_000;
const cachedKeysMax = 2_000;
const keyMin = 8;

const objects = {
  uptime: '1.3.6.1.2.1.1.3.0',
  trap: '1.3.6.1.6.3.1.1.4.1.0',
  enterprise: '1.3.6.1.6.3.1.1.4.3.0',
  agent: '1.3.6.1.6.3.18.1.3.0',
};
const genericTraps = '1.3.6.1.6.3.1.1.5';

function oneOf(what, value, choices) {
  if (!choices.includes(value)) throw new Error(`${what} must be one of ${choices.join(', ')}.`);
  return value;
}

const secretOf = (kind, user) =>
  secret(
    `${kind}_${user
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')}`,
  ) || secret(kind);

/** Users of version 3, `name authentication privacy` each. Whoever does not sign and encrypt is refused. */
function readUsers() {
  const lines = text('Users')
    .split(/[,;\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [name = '', authentication = 'sha256', privacy = 'aes', ...more] = line.split(/[\s:/]+/);
    if (more.length > 0) throw new Error(`Users: ${line} has more than a name, an authentication and a privacy.`);
    const authProtocol = oneOf(`Users: the authentication of ${name}`, authentication.toLowerCase(), [
      'md5',
      'sha',
      'sha224',
      'sha256',
      'sha384',
      'sha512',
    ]);
    const privProtocol = oneOf(`Users: the privacy of ${name}`, privacy.toLowerCase(), ['des', 'aes', 'aes256b', 'aes256r']);
    const [authKey, privKey] = [secretOf('AUTH_KEY', name), secretOf('PRIVACY_KEY', name)];
    for (const [key, what] of [
      [authKey, 'Auth key'],
      [privKey, 'Privacy key'],
    ])
      if (key.length < keyMin)
        throw new Error(
          `The user ${name} needs the secret {${what} ${name}} (or {${what}} for all users), of at least ${keyMin} characters.`,
        );
    return {
      name,
      level: snmp.SecurityLevel.authPriv,
      authProtocol: snmp.AuthProtocols[authProtocol],
      authKey,
      privProtocol: snmp.PrivProtocols[privProtocol],
      privKey,
    };
  });
}

/** Why the library takes a message for refused, in words, without what the sender has guessed. */
function refusalOf(error, sender, header) {
  const { message } = error;
  const user = header?.user ? ` ${header.user.slice(0, 50)}` : '';
  if (message.startsWith('Local community'))
    return { code: 'WrongCommunity', message: `${sender} sends a community that is not {Community}.` };
  if (message.startsWith('Local user not found'))
    return { code: 'WrongUser', message: `${sender} sends as the user${user}, who is not among Users.` };
  if (/requires (authentication|privacy)/.test(message))
    return {
      code: 'NotProtected',
      message: `${sender} sends as the user${user} without a signature or without encryption; both are needed.`,
    };
  if (/digest|decrypt/i.test(message))
    return {
      code: 'WrongKey',
      message: `${sender} sends as the user${user} with a key that is not that of the secrets, or another Authentication or Privacy.`,
    };
  return { code: 'MalformedTrap', message: `${sender} sends what is no trap: ${message.slice(0, 200)}` };
}

const plainOid = (oid) => String(oid).replace(/^\./, '');

/** What a trap says, in one form for all versions (RFC 3584, 3.1). */
function trapOf(pdu) {
  const varbinds = pdu.varbinds ?? [];
  const of = (oid) => varbinds.find((binding) => plainOid(binding.oid) === oid)?.value;
  const isFirst = pdu.type === snmp.PduType.Trap;
  const enterprise = isFirst ? plainOid(pdu.enterprise) : of(objects.enterprise);
  const trap = !isFirst ? of(objects.trap) : pdu.generic < 6 ? `${genericTraps}.${pdu.generic + 1}` : `${enterprise}.0.${pdu.specific}`;
  const agent = isFirst ? pdu.agentAddr : of(objects.agent);
  const ofTrap = new Set(Object.values(objects));
  return {
    trap: trap === undefined ? undefined : plainOid(trap),
    ...(enterprise === undefined ? {} : { enterprise: plainOid(enterprise) }),
    uptime: Number(isFirst ? pdu.upTime : of(objects.uptime)) || 0,
    agent: typeof agent === 'string' && agent !== '0.0.0.0' ? agent : undefined,
    varbinds: varbinds
      .filter(({ oid }) => !ofTrap.has(plainOid(oid)))
      .map((binding) => ({ oid: plainOid(binding.oid), value: valueOf(binding) }))
      .filter(({ value }) => !Number.isNaN(value))
      .map(({ oid, value }) => ({ oid, value: typeof value === 'string' ? value.slice(0, textMax).toWellFormed() : value })),
  };
}

/** An inform comes again until its sender has got the answer; by this id it is stored once. */
const idOf = (...parts) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

export async function listenForTraps() {
  const address = listenAddress();
  const port = portOf('Port', 1_162);
  if (!port) throw new Error('Port must be a port from 1 to 65535.');
  const users = readUsers();
  const communities = secret('COMMUNITY')
    .split(',')
    .map((community) => community.trim())
    .filter((community) => community !== '');
  if (users.length === 0 && communities.length === 0)
    throw new Error('Nobody could send: give the secret {Community} for versions 1 and 2c, or Users with their keys for version 3.');
  const allowed = readAllowed();
  const rates = readRates();
  const items = openItems();
  const replays = openReplays(items.folder);

  // The library decodes, checks and answers; the socket is ours, so that a flood is refused before it is decoded.
  const decoder = new EventEmitter();
  const opened = {};
  /** Answers of the library, which are sent when the inform that they confirm is stored. */
  let answers = [];
  const sendAnswers = () => answers.forEach((answer) => opened.socket.send(...answer));
  Object.assign(decoder, { bind: () => undefined, close: () => undefined, address: () => ({}), send: (...answer) => answers.push(answer) });
  let result;
  const receiver = snmp.createReceiver(
    { dgramModule: { createSocket: () => decoder }, port, includeAuthentication: true },
    (error, data) => {
      result = error ? { error } : { pdu: data.pdu };
    },
  );
  for (const community of communities) receiver.getAuthorizer().addCommunity(community);
  for (const user of users) receiver.getAuthorizer().addUser(user);

  const engines = new Set();
  const newEngines = new Map();
  /** Whether the keys of an engine may be made: it has sent before, or its sender is not making up many. */
  function mayUse({ engineId }, sender) {
    if (engineId === '' || engines.has(engineId)) return true;
    const now = performance.now();
    const before = newEngines.get(sender);
    const attempts = before && now - before.at < newEnginesEveryMs ? before : { at: now, count: 0 };
    attempts.count += 1;
    newEngines.delete(sender);
    if (newEngines.size > 1_000) newEngines.delete(newEngines.keys().next().value);
    newEngines.set(sender, attempts);
    if (attempts.count > newEnginesMax) return false;
    const { authToKeyCache } = snmp.Authentication;
    if (Object.keys(authToKeyCache).length > cachedKeysMax) for (const key of Object.keys(authToKeyCache)) delete authToKeyCache[key];
    return true;
  }

  function take(bytes, from) {
    const sender = plainAddress(from.address);
    const refuse = (refusal, sample) => items.refuse({ sender, sample: { sender, bytes: bytes.length, ...sample }, ...refusal });
    if (!allowed.has(sender)) return items.refuse(notAllowed(sender));
    if (!rates.take(sender)) return items.refuse(tooMany(sender, rates.rate));
    const header = headerOf(bytes);
    if (!header) return refuse({ code: 'MalformedTrap', message: `${sender} sends what is no message of SNMP.` });
    const version = versions[header.version === 3 ? 2 : header.version];
    const parts = { version, ...(header.user ? { user: header.user.slice(0, 50) } : {}) };
    if (header.version === 3) {
      if (!mayUse(header, sender))
        return refuse(
          { code: 'TooManyEngines', message: `${sender} sends with more than ${newEnginesMax} new engine ids a minute.` },
          parts,
        );
      // Only what this digest is of can be told from its repetition, so it is looked for before anything costs.
      header.digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    }
    result = undefined;
    answers = [];
    decoder.emit('message', bytes, from);
    // The question of a sender for the id of our engine, or a message that was answered by a report.
    if (!result) {
      sendAnswers();
      if (!header.user) return undefined;
      if (!users.some(({ name }) => name === header.user))
        return refuse(refusalOf(new Error('Local user not found'), sender, header), parts);
      return header.isProtected ? undefined : refuse(refusalOf(new Error('requires privacy'), sender, header), parts);
    }
    if (result.error) return refuse(refusalOf(result.error.error ?? result.error, sender, header), parts);
    const { pdu } = result;
    if (header.version === 3) {
      engines.add(header.engineId);
      const isOurs = header.engineId === receiver.engine.engineID.toString('hex');
      const problem = replays.check(header, isOurs);
      if (problem) return refuse({ code: 'Replayed', message: `${sender}: ${problem}` }, parts);
    }
    const trap = trapOf(pdu);
    if (trap.trap === undefined || !/^\d+(\.\d+)+$/.test(trap.trap))
      return refuse({ code: 'MalformedTrap', message: `${sender} sends a trap without its identifier.` }, parts);
    if (trap.varbinds.length > varbindsMax)
      return refuse(
        {
          code: 'MalformedTrap',
          message: `${sender} sends a trap with ${trap.varbinds.length} objects; there are at most ${varbindsMax}.`,
        },
        parts,
      );
    let verified = header.version === 3 ? 'user' : 'no';
    const { agent } = trap;
    if (agent !== undefined && agent !== sender) {
      // A relay, or somebody who speaks for a device that is not theirs.
      const named = allowed.mayName(sender, agent);
      if (!named || (named === 'open' && allowed.has(agent))) return refuse(mayNotName(sender, agent), parts);
      if (named === 'open') verified = 'no';
    }
    const isInform = pdu.type === snmp.PduType.InformRequest;
    const isStored = items.add({
      sender,
      transport: 'udp',
      verified,
      ...parts,
      ...trap,
      ...(isInform ? { id: idOf(sender, pdu.id, trap) } : {}),
    });
    if (isStored && isInform) sendAnswers();
    return isStored;
  }

  opened.socket = await openUdp(port, address, (bytes, from) => guarded(items, plainAddress(from.address), () => take(bytes, from)));
  endWith(() => {
    opened.socket.close();
    items.close();
  });
  items.begin(`Listens on UDP ${port} of ${isIPv6(address) ? `[${address}]` : address}.`, () => {
    const dropped = droppedBySystem(port);
    return dropped === undefined ? {} : { DroppedBySystem: dropped };
  });
}

/** Asks a device by SNMP. What a device refuses is told apart from a device that does not answer. */
import snmp from 'net-snmp';
import { CouldNotLook, faultOf, number, reportDown, required, secret, text } from './operation.mjs';

/** Datagrams get lost, so a question is asked again this often within the time limit. */
const retries = 3;
/** Objects of one request, and of one answer of a walk. A device for which that is too much gets smaller requests. */
const atOnce = 20;

const status = snmp.ErrorStatus;
/** The device answered, but does not permit what was asked. */
const forbidden = new Set([status.NoAccess, status.AuthorizationError]);

function oneOf(name, choices) {
  const value = text(name).toLowerCase();
  if (!choices.includes(value)) throw new Error(`${name} must be one of ${choices.join(', ')}.`);
  return value;
}

/** `host`, `host:port` or `[address]:port`. An address of IPv6 without brackets has no port. */
function addressOf(host) {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(host) ?? [undefined, undefined, host];
  return { host: bracketed ?? name, port: Number(port ?? 161) };
}

function userOf() {
  const [authKey, privKey] = [secret('AUTH_KEY'), secret('PRIVACY_KEY')];
  if (privKey !== '' && authKey === '') throw new Error('Privacy needs the secret {Auth key} too.');
  const level = privKey !== '' ? 'authPriv' : authKey !== '' ? 'authNoPriv' : 'noAuthNoPriv';
  return {
    name: required('User'),
    level: snmp.SecurityLevel[level],
    ...(authKey === ''
      ? {}
      : { authKey, authProtocol: snmp.AuthProtocols[oneOf('Authentication', ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'])] }),
    ...(privKey === '' ? {} : { privKey, privProtocol: snmp.PrivProtocols[oneOf('Privacy', ['des', 'aes', 'aes256b', 'aes256r'])] }),
  };
}

function openSession(version) {
  const { host, port } = addressOf(required('Host'));
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  const options = { port, timeout: Math.ceil(limitMs / (retries + 1)), retries, transport: host.includes(':') ? 'udp6' : 'udp4' };
  if (version === '3') return snmp.createV3Session(host, userOf(), options);
  const community = secret('COMMUNITY') || 'public';
  return snmp.createSession(host, community, { ...options, version: version === '1' ? snmp.Version1 : snmp.Version2c });
}

/** What the device or its user-based security model answered, in plain words. */
function refusalOf(error) {
  const answers = {
    'Unsupported Security Level': 'it does not support this combination of Authentication and Privacy for the user',
    'Not In Time Window': 'its clock does not agree with that of the request',
    'Unknown User Name': 'it does not know the user',
    'Unknown Engine ID': 'it does not accept the engine id',
    'Decryption Error': 'it could not decrypt the request; {Privacy key} or Privacy is wrong',
  };
  const [, plain] = Object.entries(answers).find(([name]) => error.message.startsWith(name)) ?? [];
  if (plain) return plain;
  if (/digest/i.test(error.message)) return 'the signature is wrong; {Auth key} or Authentication is not that of the user';
  if (forbidden.has(error.status)) return 'it does not permit to read this';
  return error.message;
}

/** Returns a device that answers `get`, `getNext` and `getBulk`. Each throws the error of the library. */
function deviceOf(session) {
  const call = (name, ...args) =>
    new Promise((resolve, reject) => session[name](...args, (error, answer) => (error ? reject(error) : resolve(answer))));
  return {
    get: (oids) => call('get', oids),
    /** The objects that follow; none at the end of what the device has. */
    next: async (oid, count) => {
      if (session.version !== snmp.Version1) return (await call('getBulk', [oid], 0, count))[0] ?? [];
      try {
        return await call('getNext', [oid]);
      } catch (error) {
        if (error.status === status.NoSuchName) return [];
        throw error;
      }
    },
  };
}

const isFailed = (error) => error instanceof snmp.RequestFailedError;
const isSilent = (error) => error instanceof snmp.RequestTimedOutError;

/**
 * Reads objects; missing ones are undefined in the result. Version 1 refuses a request as a whole for one object, and a small device
 * one for many: then each half is asked alone.
 */
export async function readObjects(device, oids) {
  if (oids.length > atOnce) {
    const results = [];
    for (let at = 0; at < oids.length; at += atOnce) results.push(...(await readObjects(device, oids.slice(at, at + atOnce))));
    return results;
  }
  try {
    return (await device.get(oids)).map((binding) => (snmp.isVarbindError(binding) ? undefined : binding));
  } catch (error) {
    if (!isFailed(error)) throw error;
    if (oids.length > 1) {
      const half = Math.ceil(oids.length / 2);
      return [...(await readObjects(device, oids.slice(0, half))), ...(await readObjects(device, oids.slice(half)))];
    }
    if (error.status === status.NoSuchName || error.status === status.GeneralError) return [undefined];
    throw error;
  }
}

const isAfter = (oid, other) => {
  const [a, b] = [oid.split('.').map(Number), other.split('.').map(Number)];
  const at = a.findIndex((part, n) => part !== b[n]);
  return at >= 0 && (at >= b.length || a[at] > b[at]);
};

/** Reads what is below an identifier. `cut` says why there may be more; it is undefined if everything was read. */
export async function walkBelow(device, below, max) {
  const bindings = [];
  let [last, count] = [below, atOnce];
  for (;;) {
    let answer;
    try {
      answer = await device.next(last, count);
    } catch (error) {
      if (isFailed(error) && error.status === status.TooBig && count > 1) {
        count = Math.ceil(count / 2);
        continue;
      }
      // What was read is true, but it is not everything.
      if (bindings.length > 0 && isSilent(error))
        return { bindings, cut: `Cut at ${bindings.length} objects: the device no longer answers.` };
      throw error;
    }
    if (answer.length === 0) return { bindings };
    for (const binding of answer) {
      if (snmp.isVarbindError(binding) || !binding.oid.startsWith(`${below}.`)) return { bindings };
      if (!isAfter(binding.oid, last)) return { bindings, cut: `Cut at ${bindings.length} objects: the device repeats objects.` };
      if (bindings.length === max) return { bindings, cut: `Cut at ${max} objects: there are more.` };
      bindings.push(binding);
      last = binding.oid;
    }
  }
}

/** Runs `read` with the device. A device that does not answer is Down; one that refuses, or cannot be read, is Unknown. */
export async function withDevice(state, read) {
  const version = oneOf('Version', ['1', '2c', '3']);
  const session = openSession(version);
  let unreadable;
  session.on('error', (error) => (unreadable = error));
  try {
    await read(deviceOf(session));
  } catch (error) {
    if (error instanceof snmp.ResponseInvalidError || isFailed(error))
      throw new CouldNotLook(`The device answers, but ${refusalOf(error)}.`, { message: `${text('Host')}: ${refusalOf(error)}` });
    if (isSilent(error)) {
      if (unreadable) throw new CouldNotLook(`The answer of the device cannot be read: ${unreadable.message}`);
      // The device has answered the question for its engine, so it is there.
      if (session.msgSecurityParameters)
        throw new CouldNotLook('The device answers, but not to this request; {Privacy key} or Privacy may be wrong.');
      const reason = `No answer to ${retries + 1} requests${version === '3' ? '' : '; a device is also silent if the community is wrong'}`;
      return reportDown(state, reason, { message: `${text('Host')}: ${reason}` });
    }
    if (!error.syscall && !error.code?.startsWith?.('EAI')) throw error;
    const { isOwn, reason } = faultOf(error);
    if (isOwn) throw new CouldNotLook(reason);
    reportDown(state, reason, { message: `${text('Host')}: ${reason}` });
  } finally {
    session.close();
  }
}

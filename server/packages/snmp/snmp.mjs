import snmp from 'net-snmp';
import { number, report, required, run, text } from './operation.mjs';

const identifier = /^\d+(\.\d+)+$/;

/** Returns the value of a secret, or an empty text. The secret `{Auth key}` has the name AUTH_KEY here. */
const secret = (name) => process.env[`CLOUDFIT_SECRET_${name}`] ?? '';

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

function openSession() {
  const { host, port } = addressOf(required('Host'));
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  const version = oneOf('Version', ['1', '2c', '3']);
  const options = { port, timeout: limitMs, retries: 0, transport: host.includes(':') ? 'udp6' : 'udp4' };
  const session =
    version === '3'
      ? snmp.createV3Session(host, userOf(), options)
      : snmp.createSession(host, secret('COMMUNITY') || 'public', {
          ...options,
          version: version === '1' ? snmp.Version1 : snmp.Version2c,
        });
  // Without a listener, an unknown host would end the process without a report.
  session.on('error', () => undefined);
  return session;
}

const numbers = new Set(['Integer', 'Counter', 'Gauge', 'TimeTicks', 'Counter64'].map((name) => snmp.ObjectType[name]));

/** Returns a number or a text; bytes that are no text are returned as hexadecimal digits. */
function valueOf({ type, value }) {
  // A counter of 64 bits comes as its bytes.
  if (Buffer.isBuffer(value) && numbers.has(type)) return Number(BigInt(`0x${value.toString('hex') || '0'}`));
  if (!Buffer.isBuffer(value)) return numbers.has(type) ? Number(value) : String(value);
  const words = value.toString('utf8');
  // oxlint-disable-next-line no-control-regex -- Control characters are what tells bytes from text.
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(words) ? value.toString('hex') : words;
}

const down = (host, reason) =>
  report({ value: null, metrics: { Up: 0 }, states: { Answers: 'Down', Reason: reason }, message: `${host}: ${reason}` });

/** Runs `read` with a session. A device that does not answer is reported as down, and the operation succeeds. */
async function withSession(read) {
  const session = openSession();
  try {
    await read(session);
  } catch (error) {
    if (!error.isSnmp) throw error;
    down(text('Host'), error.message);
  } finally {
    session.close();
  }
}

const answered = (resolve, reject) => (error, answer) => (error ? reject(Object.assign(error, { isSnmp: true })) : resolve(answer));

async function get() {
  const objects = required('Objects')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [name, oid] = one.includes('=') ? one.split('=').map((part) => part.trim()) : [one, one];
      if (!identifier.test(oid ?? '')) throw new Error(`Objects: ${one} is not an object identifier, such as Uptime=1.3.6.1.2.1.1.3.0.`);
      return { name, oid };
    });
  if (objects.length > 50) throw new Error('Objects: at most 50 can be read at once.');
  await withSession(async (session) => {
    const bindings = await new Promise((resolve, reject) =>
      session.get(
        objects.map(({ oid }) => oid),
        answered(resolve, reject),
      ),
    );
    const metrics = { Up: 1 };
    const states = { Answers: 'Up' };
    const missing = [];
    let first;
    for (const [at, binding] of bindings.entries()) {
      const { name } = objects[at];
      if (snmp.isVarbindError(binding)) {
        missing.push(name);
        continue;
      }
      const value = valueOf(binding);
      if (at === 0) first = value;
      if (typeof value === 'number') metrics[name] = value;
      else states[name] = value.slice(0, 1_000);
    }
    report({
      value: first ?? null,
      metrics,
      states,
      ...(missing.length > 0 ? { message: `The device does not have ${missing.join(', ')}.` } : {}),
    });
  });
}

async function walk() {
  const below = required('Below');
  if (!identifier.test(below)) throw new Error(`Below: ${below} is not an object identifier, such as 1.3.6.1.2.1.2.2.1.10.`);
  const max = number('At most', { fallback: 200, min: 1, max: 400 });
  await withSession(async (session) => {
    const bindings = [];
    await new Promise((resolve, reject) =>
      session.subtree(
        below,
        20,
        (more) => {
          bindings.push(...more.filter((binding) => !snmp.isVarbindError(binding)));
          // True ends the walk.
          return bindings.length >= max;
        },
        answered(resolve, reject),
      ),
    );
    const metrics = { Up: 1 };
    const objects = bindings.slice(0, max).map((binding) => {
      const value = valueOf(binding);
      if (typeof value === 'number') metrics[binding.oid.slice(below.length + 1) || binding.oid] = value;
      return { oid: binding.oid, value };
    });
    report({
      value: objects.length,
      metrics,
      states: { Answers: 'Up' },
      diagnostics: { objects },
      ...(bindings.length > max ? { message: `There are more than ${max} objects.` } : {}),
    });
  });
}

await run({ 'SNMP get': get, 'SNMP walk': walk });

/**
 * What every built-in script needs: its parameters, and the report that it prints as a line of JSON. A check says Up, Down, or Unknown
 * if it could not look; Unknown is never reported as Down.
 */

const values = JSON.parse(process.env['CLOUDFIT_PARAMETERS'] || '{}');

/** Returns a parameter as text; an empty text if it is not set. */
export function text(name) {
  return String(values[name] ?? '').trim();
}

export function required(name) {
  const value = text(name);
  if (value === '') throw new Error(`${name} is required.`);
  return value;
}

/** Returns the parameter Host: a name or an address. A port or an address of the web would be looked up as a name that does not exist. */
export function host() {
  const value = required('Host');
  const inBrackets = /^\[([0-9a-f:.%]+)\]$/i.exec(value)?.[1];
  if (inBrackets !== undefined) return inBrackets;
  if (value.startsWith('-') || /[\s/[\]]|^[^:]*:[^:]*$/.test(value))
    throw new Error('Host must be a name or an address, without a port or https://, such as www.example.com.');
  return value;
}

/** Returns a parameter as a number, or `fallback` if it is not set. Throws for a number outside the limits. */
export function number(name, { fallback, min, max }) {
  const value = text(name) === '' ? fallback : Number(text(name));
  if (!(value >= min && value <= max)) throw new Error(`${name} must be a number from ${min} to ${max}.`);
  return value;
}

/** Returns a secret, or an empty text. The secret `{Auth key}` has the name AUTH_KEY here. */
export const secret = (name) => process.env[`CLOUDFIT_SECRET_${name}`] ?? '';

export function report(reading) {
  process.stdout.write(`${JSON.stringify(reading)}\n`);
}

export const round = (value, digits = 1) => Number(value.toFixed(digits));

/** The check could not look: it has no right, no tool, or an answer that it cannot read. */
export class CouldNotLook extends Error {
  constructor(reason, parts = {}) {
    super(reason);
    this.parts = parts;
  }
}

/** Reports that the target is well. `state` is the name of the state, such as Reachable. */
export function reportUp(state, { metrics, states, ...rest } = {}) {
  report({ ...rest, metrics: { ...metrics, Up: 1 }, states: { [state]: 'Up', ...states } });
}

export function reportDown(state, reason, { metrics, states, ...rest } = {}) {
  report({ value: null, message: reason, ...rest, metrics: { ...metrics, Up: 0 }, states: { [state]: 'Down', Reason: reason, ...states } });
}

/** Reports no metric Up: neither 1 nor 0 was seen. */
export function reportUnknown(state, reason, { states, ...rest } = {}) {
  report({ value: null, message: reason, ...rest, status: 'Unknown', states: { [state]: 'Unknown', Reason: reason, ...states } });
}

/** Errors of this machine, which say nothing about the target. */
const ownFaults = {
  EACCES: 'This machine does not permit the connection',
  EPERM: 'This machine does not permit the connection',
  EMFILE: 'This machine has too many open files',
  ENFILE: 'This machine has too many open files',
  ENOBUFS: 'This machine has no buffer left for the network',
  ENOMEM: 'This machine has no memory left',
  EADDRNOTAVAIL: 'This machine has no address or port for the connection',
  EAFNOSUPPORT: 'This machine does not support addresses of this kind',
  ENETDOWN: 'The network of this machine is down',
  ENETUNREACH: 'This machine has no route to the network',
  EAI_AGAIN: 'The name could not be resolved, because no name server answers',
};

/** The fault of a name that is still being resolved when the time is over. */
export const nameTooLate = { isOwn: true, reason: 'The name could not be resolved within the time limit' };

/** Errors that the target or the network before it has answered with. */
const targetFaults = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before the answer',
  EPIPE: 'The connection was closed before the answer',
  ETIMEDOUT: 'No answer within the time limit',
  EHOSTUNREACH: 'The host is unreachable',
  EHOSTDOWN: 'The host is down',
  ENOTFOUND: 'The name does not exist',
};

/** Returns why a connection failed in plain words, and whether this machine is the cause, so that the check could not look. */
export function faultOf(error) {
  // Several addresses were tried. The target is the cause if one of them was reached and did not answer well.
  const tried = error.errors?.length > 0 ? error.errors : [error];
  const decisive = tried.find((item) => !(item.code in ownFaults)) ?? tried[0];
  const { code, message } = decisive;
  return { isOwn: code in ownFaults, reason: ownFaults[code] ?? targetFaults[code] ?? (message || code) };
}

/**
 * Runs the operation that CLOUDFIT_OPERATION names, by default the first. Reports a check that could not look as Unknown, under the
 * name of its state. Prints the message of any other error and sets exit code 1.
 */
export async function run(operations, state) {
  const name = process.env['CLOUDFIT_OPERATION'] ?? Object.keys(operations)[0];
  try {
    const operation = operations[name];
    if (!operation) throw new Error(`There is no operation ${name}.`);
    await operation();
  } catch (error) {
    if (state !== undefined && error instanceof CouldNotLook) return reportUnknown(state, error.message, error.parts);
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

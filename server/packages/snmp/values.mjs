/** Values of SNMP as numbers and texts. */

/** The types of BER, without the library that reads them. */
const types = { integer: 2, counter: 65, gauge: 66, timeTicks: 67, opaque: 68, counter64: 70 };
const numbers = new Set([types.integer, types.counter, types.gauge, types.timeTicks, types.counter64]);

/** Numbers within Opaque, as net-snmp and many power supplies send them: 9f, the type, the length, the number. */
function opaqueNumber(bytes) {
  const [mark, type, length] = bytes;
  const content = bytes.subarray(3);
  if (mark !== 0x9f || length !== content.length || length === 0) return undefined;
  if (type === 0x78 && length === 4) return content.readFloatBE();
  if (type === 0x79 && length === 8) return content.readDoubleBE();
  if (type === 0x7a && length <= 9) return Number(BigInt.asIntN(8 * length, BigInt(`0x${content.toString('hex')}`)));
  return (type === 0x76 || type === 0x7b) && length <= 9 ? Number(BigInt(`0x${content.toString('hex')}`)) : undefined;
}

/** Returns a number or a text; bytes that are no text are returned as hexadecimal digits. NaN: the device has no number. */
export function valueOf({ type, value }) {
  if (value === null) return Number.NaN;
  // A counter of 64 bits comes as its bytes.
  if (Buffer.isBuffer(value) && numbers.has(type)) return Number(BigInt(`0x${value.toString('hex') || '0'}`));
  if (!Buffer.isBuffer(value)) return numbers.has(type) ? Number(value) : String(value);
  const opaque = type === types.opaque ? opaqueNumber(value) : undefined;
  if (opaque !== undefined) return value[1] === 0x78 ? Number(opaque.toPrecision(7)) : opaque;
  // Some devices fill a text with zeros.
  const words = value.toString('utf8').replace(/(?<=[^\0])\0+$/, '');
  // oxlint-disable-next-line no-control-regex -- Control characters are what tells bytes from text.
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(words) ? value.toString('hex') : words;
}

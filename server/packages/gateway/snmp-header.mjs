/** Reads the beginning of a message of SNMP (BER), as far as it is not encrypted: by that, repetitions are known before anything costs. */

/** Reads one element; throws when it is not whole. */
function elementAt(bytes, at) {
  const tag = bytes[at];
  let length = bytes[at + 1];
  let from = at + 2;
  if (length === undefined) throw new RangeError('cut');
  if (length > 0x80) {
    const count = length & 0x7f;
    if (count > 4 || from + count > bytes.length) throw new RangeError('cut');
    length = bytes.readUIntBE(from, count);
    from += count;
  } else if (length === 0x80) throw new RangeError('indefinite');
  if (from + length > bytes.length) throw new RangeError('cut');
  return { tag, content: bytes.subarray(from, from + length), end: from + length };
}

function parts(bytes, tags) {
  const contents = [];
  let at = 0;
  for (const tag of tags) {
    const element = elementAt(bytes, at);
    if (element.tag !== tag) throw new RangeError('another element');
    contents.push(element.content);
    at = element.end;
  }
  return contents;
}

const [integer, octets, sequence] = [0x02, 0x04, 0x30];
function numberOf(bytes) {
  if (bytes.length === 0 || bytes.length > 5) throw new RangeError('no number');
  return bytes.readIntBE(0, bytes.length);
}

/** The version, and of version 3 what identifies a message; undefined when the bytes are no message of SNMP. */
export function headerOf(bytes) {
  try {
    const whole = elementAt(bytes, 0);
    if (whole.tag !== sequence || whole.end !== bytes.length) return undefined;
    const version = numberOf(parts(whole.content, [integer])[0]);
    if (version === 0 || version === 1) return { version };
    if (version !== 3) return undefined;
    const [, global, security] = parts(whole.content, [integer, sequence, octets]);
    const [messageId, , flags] = parts(global, [integer, integer, octets]);
    const [inner] = parts(security, [sequence]);
    const [engineId, boots, time, user] = parts(inner, [octets, integer, integer, octets]);
    if (engineId.length > 32) return undefined;
    return {
      version,
      messageId: numberOf(messageId),
      engineId: engineId.toString('hex'),
      boots: numberOf(boots),
      time: numberOf(time),
      user: user.toString('utf8'),
      isProtected: ((flags[0] ?? 0) & 3) === 3,
    };
  } catch {
    return undefined;
  }
}

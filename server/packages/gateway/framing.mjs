/** Splits a stream of syslog into messages (RFC 6587): with their lengths before them, or a line each. Each message may have its own form. */

/** Digits and a space before `<`: the length of a message, which begins with its priority. */
const counted = /^([1-9]\d{0,8}) (?=<|$)/;
const mayBeCounted = /^[1-9]\d{0,8} ?$/;

/**
 * Returns a function that takes chunks, and calls `onMessage` with the bytes of each message, or `onTooLong` with the length of one that
 * is longer than `max`, whose rest is skipped.
 */
export function splitter(max, onMessage, onTooLong) {
  let rest = Buffer.alloc(0);
  /** Bytes that are left of a counted message that is too long; Infinity: up to the end of a line. */
  let skip = 0;

  function next(isEnd) {
    if (skip > 0) {
      const end = skip === Infinity ? rest.indexOf(0x0a) + 1 : Math.min(skip, rest.length);
      if (skip === Infinity && end === 0) return ((rest = Buffer.alloc(0)), false);
      if (skip !== Infinity) skip -= end;
      else skip = 0;
      rest = rest.subarray(end);
      return rest.length > 0;
    }
    const start = rest.subarray(0, 11).toString('latin1');
    const match = counted.exec(start);
    if (match) {
      const length = Number(match[1]);
      const from = match[0].length;
      if (length > max) {
        onTooLong(length);
        skip = length;
        rest = rest.subarray(from);
        return true;
      }
      if (rest.length < from + length) return isEnd ? line(isEnd) : false;
      onMessage(rest.subarray(from, from + length));
      rest = rest.subarray(from + length);
      return rest.length > 0;
    }
    if (!isEnd && mayBeCounted.test(start) && rest.length < 11) return false;
    return line(isEnd);
  }

  /** A line; a zero ends one too, as some senders write it. */
  function line(isEnd) {
    const newline = rest.indexOf(0x0a);
    const zero = (newline < 0 ? rest : rest.subarray(0, newline)).indexOf(0);
    const at = zero < 0 ? newline : zero;
    if (at < 0 && !isEnd) {
      if (rest.length <= max) return false;
      onTooLong(rest.length);
      skip = Infinity;
      rest = Buffer.alloc(0);
      return false;
    }
    const end = at < 0 ? rest.length : at;
    if (end > max) onTooLong(end);
    else if (end > 0) onMessage(rest.subarray(0, end));
    rest = rest.subarray(end + 1);
    return rest.length > 0;
  }

  return {
    add: (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length > 0 && next(false));
    },
    /** The stream has ended: what is left is a message too. */
    end: () => {
      while (rest.length > 0 && next(true));
    },
  };
}

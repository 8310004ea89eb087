/** Reads what ping prints: of iputils, BusyBox, BSD, macOS and Windows. */

const timeOf = /[=<]\s?(\d+(?:[.,]\d+)?)\s?ms\b/;
const numberOf = (text) => Number(text.replace(',', '.'));

/** `3 packets transmitted, 2 received, +1 duplicates, 33% packet loss`; Windows has a line `(33% loss)` in each language. */
function countsOf(output) {
  const unix = /(\d+) (?:packets )?transmitted, (\d+) (?:packets )?received/.exec(output);
  if (unix) return { sent: Number(unix[1]), received: Number(unix[2]), duplicates: Number(/(\d+) duplicates/.exec(output)?.[1] ?? 0) };
  const windows = /=\s*(\d+)\b.*=\s*(\d+)\b.*=\s*\d+\b[^\n]*\n?\s*\(\d+\s?%/.exec(output);
  return windows ? { sent: Number(windows[1]), received: Number(windows[2]), duplicates: 0 } : undefined;
}

/**
 * Returns undefined if the output has no statistics: then no request was sent. The times are those of first answers; a request
 * that is answered twice is no second answer.
 */
export function statisticsOf(output) {
  const counts = countsOf(output);
  if (!counts || counts.sent === 0) return undefined;
  const lines = output.split('\n').map((line) => line.trim());
  const sequences = new Set();
  const times = [];
  for (const line of lines) {
    const time = timeOf.exec(line);
    if (!time || /^(rtt|round-trip)|^Minimum/i.test(line) || /\(DUP!\)/.test(line)) continue;
    const sequence = /\b(?:icmp_)?seq[= ](\d+)/.exec(line)?.[1];
    if (sequence !== undefined && sequences.has(sequence)) continue;
    sequences.add(sequence);
    times.push(numberOf(time[1]));
  }
  const notice = lines.find((line) => /^From .*(unreachable|exceeded|prohibited|filtered)/i.test(line));
  return { ...counts, times: times.slice(0, counts.received), reason: notice?.replace(/^From (\S+?):? (?:icmp_seq=\d+ )?/, '$1: ') };
}

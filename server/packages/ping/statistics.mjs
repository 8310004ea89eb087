/** Reads what ping prints: of iputils, BusyBox, BSD, macOS and Windows. */

const timeOf = /[=<]\s?(\d+(?:[.,]\d+)?)\s?(?:ms\b|мс|毫秒|ミリ秒)/;
const numberOf = (text) => Number(text.replace(',', '.'));

/**
 * Windows counts a router's `Destination host unreachable` as received. Answers tell their time, in each language: `time=12ms`,
 * `время=12мс`.
 */
const answersBefore = (at, output) =>
  output
    .slice(0, at)
    .split('\n')
    .filter((line) => /[=<]\s?\d+\s?\p{L}/u.test(line)).length;

/** `3 packets transmitted, 2 received, +1 duplicates, 33% packet loss`; Windows has `(33% loss)` or `(perte 33%)` in each language. */
function countsOf(output) {
  const unix = /(\d+) (?:packets )?transmitted, (\d+) (?:packets )?received/.exec(output);
  if (unix) return { sent: Number(unix[1]), received: Number(unix[2]), duplicates: Number(/(\d+) duplicates/.exec(output)?.[1] ?? 0) };
  const windows = /=\s*(\d+)\b.*=\s*(\d+)\b.*=\s*\d+\b[^\n]*?\n?\s*\([^()\d]*\d+\s?%/.exec(output);
  if (!windows) return undefined;
  return { sent: Number(windows[1]), received: Math.min(Number(windows[2]), answersBefore(windows.index, output)), duplicates: 0 };
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
  const notice = lines.find((line) =>
    /^(?:From|Reply from|\d+ bytes from) .*(unreachable|exceeded|expired|prohibited|filtered)/i.test(line),
  );
  const reason = notice?.replace(/^(?:Reply from|From|\d+ bytes from) (\S+?):? (?:icmp_seq=\d+ )?/, '$1: ');
  return { ...counts, times: times.slice(0, counts.received), reason };
}

/** Lines of the Prometheus text format and of OpenMetrics: `http_requests_total{code="200"} 12 1700000000`. */

export interface ExposedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
  /** As it was sent. */
  time: number | undefined;
}

const longestLine = 65_536;
const maxLabels = 200;

const bare = /[A-Za-z_:.][\w:.-]*/y;
const quoted = /"((?:[^"\\\n]|\\.)*)"/y;
const blanks = /[ \t]*/y;
const number = /[^\s]+/y;

/** Reads a text from left to right. */
class Scanner {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match) this.at += match[0].length;
    return match;
  }

  is(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };
const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (written, char: string) => escapes[char] ?? written);

function quotedText(scanner: Scanner): string | undefined {
  const match = scanner.take(quoted);
  return match && unescaped(match[1] ?? '');
}

/** Reads what stands in braces; a quoted text without a value is the name of the metric. Returns what is wrong. */
function readLabels(scanner: Scanner, sample: ExposedSample): string | undefined {
  let count = 0;
  for (;;) {
    scanner.take(blanks);
    if (scanner.is('}')) return undefined;
    const quotedName = quotedText(scanner);
    const name = quotedName ?? scanner.take(bare)?.[0];
    if (name === undefined) return 'a label has no name';
    scanner.take(blanks);
    if (quotedName !== undefined && sample.name === '' && scanner.text[scanner.at] !== '=') sample.name = quotedName;
    else {
      if (!scanner.is('=')) return `the label ${name.slice(0, 50)} has no =`;
      scanner.take(blanks);
      const value = quotedText(scanner);
      if (value === undefined) return `the value of the label ${name.slice(0, 50)} is not in quotes`;
      count += 1;
      if (count > maxLabels) return `there are more than ${maxLabels} labels`;
      if (name !== '__proto__' && name !== 'constructor' && value !== '') sample.labels[name] = value;
      scanner.take(blanks);
    }
    if (!scanner.is(',') && scanner.text[scanner.at] !== '}') return 'the labels have no closing brace';
  }
}

const words: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '+inf': Infinity, '-inf': -Infinity };
const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function numberOf(text: string): number | undefined {
  const word = text.toLowerCase();
  if (Object.hasOwn(words, word)) return words[word];
  return numeric.test(text) ? Number(text) : undefined;
}

/** Reads the line of a sample; returns what is wrong with it. Exemplars behind a # are left out. */
export function parseSample(line: string): ExposedSample | string {
  if (line.length > longestLine) return `a line has at most ${longestLine} characters`;
  const scanner = new Scanner(line);
  const sample: ExposedSample = { name: scanner.take(bare)?.[0] ?? '', labels: {}, value: 0, time: undefined };
  scanner.take(blanks);
  if (scanner.is('{')) {
    const problem = readLabels(scanner, sample);
    if (problem !== undefined) return problem;
  }
  if (sample.name === '') return 'it begins with no name';
  scanner.take(blanks);
  const written = scanner.take(number)?.[0] ?? '';
  const value = numberOf(written);
  if (value === undefined) return written === '' ? 'there is no value' : `${written.slice(0, 50)} is no number`;
  sample.value = value;
  scanner.take(blanks);
  const rest = scanner.text.slice(scanner.at).trim();
  const time = rest.startsWith('#') ? '' : (rest.split(/\s/, 1)[0] ?? '');
  if (time !== '') {
    const at = numberOf(time);
    if (at === undefined || !Number.isFinite(at)) return `${time.slice(0, 50)} is no time`;
    sample.time = at;
  }
  return sample;
}

/** The lines of a body with their numbers; longer ones are cut, one character behind what a line may have. */
export function* exposedLines(text: string): Generator<{ number: number; line: string }> {
  let count = 0;
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    count += 1;
    const line = text.slice(at, Math.min(end, at + longestLine + 1)).trim();
    if (line !== '') yield { number: count, line };
    at = end + 1;
  }
}

/** Masks secrets in texts from outside, such as a receiver's answer or the output of a program, also in the usual encodings. */

/** The minimum characters of a part or encoding of a secret to search for; shorter ones would match by chance. */
const shortest = 4;

const reversed = (text: string): string => Array.from(text).toReversed().join('');

/**
 * Returns how the value looks inside the base64 of a longer text. The value starts at one of three offsets in a group of three
 * bytes; for each offset, the result has the characters that do not depend on the text around the value.
 */
function base64Of(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    const text = bytes.toString('base64').replace(/=+$/, '');
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    const middle = text.slice(from, to);
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const withoutPadding = (text: string): string => text.replace(/=+$/, '');

function spellings(secret: string): string[] {
  const plain = (text: string): string[] => {
    const url = encodeURIComponent(text);
    const json = JSON.stringify(text).slice(1, -1);
    return [text, url, url.replaceAll('%20', '+'), json, json.replaceAll('/', String.raw`\/`)];
  };
  if (secret.length < shortest) return plain(secret);
  const direct = [secret, reversed(secret)].flatMap((text) => {
    const bytes = Buffer.from(text);
    const whole = [bytes.toString('base64'), bytes.toString('base64url')];
    return [...plain(text), bytes.toString('hex'), ...whole, ...whole.map(withoutPadding), ...base64Of(text)];
  });
  return [...direct, ...direct.map(reversed)].filter((text) => text.length >= shortest);
}

const decoders: readonly ((text: string) => string)[] = [
  (text) => text,
  reversed,
  (text) => text.replaceAll(/\s+/g, ''),
  (text) => text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString()),
  (text) =>
    text
      .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll(/\\(.)/g, '$1'),
  (text) =>
    text
      .replaceAll(/&#x([0-9a-f]{1,5});/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll(/&#(\d{1,6});/g, (_, number: string) => String.fromCodePoint(Number(number)))
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  (text) => text.replaceAll(/(?:[0-9a-f]{2}[\s:,-]?){4,}/gi, (run) => Buffer.from(run.replaceAll(/[^0-9a-f]/gi, ''), 'hex').toString()),
  (text) => text.replaceAll(/[A-Za-z0-9+/_-]{6,}/g, (run) => Buffer.from(run, 'base64').toString()),
];

/** Reduces a text to its letters and digits in lower case, so that neither separators nor case can hide a secret. */
const squeezed = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Whether the text contains a secret, itself or after one or two of the usual decodings. */
function hides(text: string, secrets: readonly string[]): boolean {
  const once = new Set(decoders.map((decode) => decode(text)));
  const twice = new Set([...once].flatMap((decoded) => decoders.map((decode) => decode(decoded))));
  const forms = secrets.flatMap((secret) => [secret, reversed(secret)]).map((form) => [form.toLowerCase(), squeezed(form)] as const);
  for (const decoded of twice) {
    const lower = decoded.toLowerCase();
    const letters = squeezed(decoded);
    if (forms.some(([form, formLetters]) => (formLetters.length < 6 ? lower.includes(form) : letters.includes(formLetters)))) return true;
  }
  return false;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Returns the length of the longest prefix of `word` with which `text` ends; runs in linear time. */
function lengthAtEnd(text: string, word: string): number {
  const tail = `${word}\n${text.slice(1 - word.length)}`;
  const matched = new Int32Array(tail.length);
  for (let at = 1; at < tail.length; at += 1) {
    let length = matched[at - 1] ?? 0;
    while (length > 0 && tail[at] !== tail[length]) length = matched[length - 1] ?? 0;
    matched[at] = tail[at] === tail[length] ? length + 1 : 0;
  }
  return matched.at(-1) ?? 0;
}

/** Masks the beginning of a secret at the end of a text, which may be truncated inside the secret. */
function withoutCut(text: string, all: readonly string[]): string {
  const longest = Math.max(0, ...all.map((word) => lengthAtEnd(text, word.slice(0, text.length))));
  return longest < shortest ? text : `${text.slice(0, -longest)}***`;
}

export const notKept = 'The answer is not kept, because it holds a secret of the tenant.';

/** Returns a function that masks secrets in a text; a text with a secret in another encoding becomes `notKept`. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const all = [...new Set(secrets.flatMap(spellings))].toSorted((a, b) => b.length - a.length);
  const long = secrets.filter((secret) => secret.length >= shortest);
  return (text) => {
    const findable = all.filter((spelling) => spelling.length <= text.length);
    const masked = findable.length === 0 ? text : text.replaceAll(new RegExp(findable.map(escaped).join('|'), 'gi'), '***');
    const whole = withoutCut(masked, all);
    return hides(whole, long) ? notKept : whole;
  };
}

/** Parses the headers of an action, and finds those whose values are secrets. */

const secretName = /auth|token|secret|password|cookie|api-?key|signature/i;
/** Matches a value that is only a placeholder, possibly after a scheme such as Bearer. */
const placeholderOnly = /^(?:[A-Za-z]+\s+)?\{[A-Za-z][\w.:-]*\}$/;
const mask = '••••••••';

interface Header {
  name: string;
  value: string;
}

function headerOf(line: string): Header | undefined {
  const colon = line.indexOf(':');
  return colon < 1 ? undefined : { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
}

function isSecret({ name, value }: Header): boolean {
  return secretName.test(name) && value !== '' && !placeholderOnly.test(value);
}

/** Returns the names of headers whose value is a literal secret instead of a placeholder for a secret. */
export function secretHeaders(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const header = headerOf(line);
    return header && isSecret(header) ? [header.name] : [];
  });
}

/** The text with the secret values hidden. */
export function maskedHeaders(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const header = headerOf(line);
      return header && isSecret(header) ? `${header.name}: ${mask}` : line;
    })
    .join('\n');
}

/**
 * Templates that make a text of what a source sends: `{instance:host} {mountpoint|device}`. A place names a label or a path, several with
 * `|` of which the first that has a value counts, and how to change it after `:`.
 */

/** What a template reads: labels by their whole names, which may have dots, and other values by their paths. */
export interface TemplateValues {
  labels: Readonly<Record<string, string>>;
  body?: unknown;
  /** Labels that `{rest}` leaves out. */
  notInRest?: readonly string[];
}

interface TemplatePlace {
  names: readonly string[];
  change: keyof typeof changes | undefined;
}

export type ValueTemplate = readonly (string | TemplatePlace)[];

const changes = {
  /** Without the port: `web-1:9100` becomes `web-1`, `[::1]:80` becomes `::1`. */
  host: (text: string): string => /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([^:]+):\d+$/, '$1'),
  lower: (text: string): string => text.toLowerCase(),
  upper: (text: string): string => text.toUpperCase(),
} as const;

const changeNames = Object.keys(changes).join(', ');
const isChange = (name: string): name is keyof typeof changes => Object.hasOwn(changes, name);
const maxPlaces = 20;

/** Parses a template; returns a text that says what is wrong with it. */
export function parseTemplate(text: string): ValueTemplate | string {
  const parts: (string | TemplatePlace)[] = [];
  let places = 0;
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('{', at);
    const literal = text.slice(at, open < 0 ? undefined : open);
    if (literal.includes('}')) return 'A } has no { before it.';
    if (literal !== '') parts.push(literal);
    if (open < 0) break;
    const close = text.indexOf('}', open);
    if (close < 0) return 'A { has no } behind it.';
    const [named = '', change, ...more] = text.slice(open + 1, close).split(':');
    const names = named.split('|').map((name) => name.trim());
    if (names.some((name) => name === '' || name.includes('{'))) return 'Between { and } stands a name, or several with | between them.';
    const how = change?.trim();
    if (more.length > 0 || (how !== undefined && !isChange(how))) return `After : stands one of ${changeNames}.`;
    places += 1;
    if (places > maxPlaces) return `A template has at most ${maxPlaces} names in braces.`;
    parts.push({ names, change: how as TemplatePlace['change'] });
    at = close + 1;
  }
  return parts;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The value at a path such as `monitor.tags.0`; names with dots in them, such as `host.name`, are tried whole. */
export function valueAt(body: unknown, path: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const read = (name: string): unknown => (Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined);
  let value = read(path);
  for (let at = path.indexOf('.'); value === undefined && at >= 0; at = path.indexOf('.', at + 1))
    value = valueAt(read(path.slice(0, at)), path.slice(at + 1));
  return value;
}

/** The values of the labels that the template does not name, for an identity of all of them. */
function restOf(template: ValueTemplate, { labels, notInRest = [] }: TemplateValues): string {
  const named = new Set([...notInRest, ...template.flatMap((part) => (typeof part === 'string' ? [] : part.names))]);
  return Object.keys(labels)
    .filter((name) => !named.has(name))
    .toSorted()
    .map((name) => labels[name])
    .join(' ');
}

function placed(place: TemplatePlace, template: ValueTemplate, values: TemplateValues): string | number | boolean | undefined {
  for (const name of place.names) {
    if (name === 'rest') return restOf(template, values);
    const value = Object.hasOwn(values.labels, name) ? values.labels[name] : valueAt(values.body, name);
    if (isScalar(value) && value !== '') return place.change ? changes[place.change](String(value)) : value;
  }
  return undefined;
}

/** Fills a template; undefined when one of its names has no value. A template that is one name keeps a number or a boolean. */
export function fillTemplate(template: ValueTemplate, values: TemplateValues): string | number | boolean | undefined {
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== 'string') return placed(only, template, values);
  let text = '';
  for (const part of template) {
    const value = typeof part === 'string' ? part : placed(part, template, values);
    if (value === undefined) return undefined;
    text += String(value);
  }
  return text.trim();
}

/** The names in a template, for messages about what is missing. */
export const namesIn = (template: ValueTemplate): string =>
  template.flatMap((part) => (typeof part === 'string' ? [] : [part.names.join(' or ')])).join(', ');

/** What the answer of a receiver means: how an action declares it, and how an answer is judged. */
import { startOf } from './one-line.ts';

/** The answers by which a receiver says that it has the message; what is null is not asked for. */
export interface ExpectedAnswer {
  /** Statuses and ranges, such as `200-204, 409`; by default 200-299. */
  successStatuses: string | null;
  /** A text that the answer contains, in any case. */
  successText: string | null;
  /** A field of the JSON answer, such as `ok` or `result.0.status`. */
  successField: string | null;
  /** The value of that field, in any case. */
  successValue: string | null;
}

/** Where an answer names what its receiver has made for a work unit, such as a ticket. */
export interface ReferenceOfAnswer {
  /** The field of its id, such as `key` or `result.number`; without one, nothing is stored. */
  referenceField: string | null;
  /** Its address, with fields of the answer in braces, such as `https://site.example/browse/{key}` or `{html_url}`. */
  referenceAddress: string | null;
}

const range = /^([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?$/;

/** The ranges of statuses; undefined if the text is no list of them. */
function rangesOf(text: string): [number, number][] | undefined {
  const ranges: [number, number][] = [];
  for (const part of text.split(',')) {
    const [, from, to = from] = range.exec(part.trim()) ?? [];
    if (from === undefined || Number(to) < Number(from)) return undefined;
    ranges.push([Number(from), Number(to)]);
  }
  return ranges;
}

function referenceProblems({ referenceField, referenceAddress }: Partial<ReferenceOfAnswer>) {
  if (!referenceAddress) return [];
  const target = 'referenceAddress' as const;
  if (!referenceField) return [{ target, message: 'Write the field of the answer that has the ID of the reference too, such as key.' }];
  return /^(?:https?:\/\/|\{[\w.-]+\}$)/i.test(referenceAddress)
    ? []
    : [
        {
          target,
          message:
            'Write an address with fields of the answer, such as https://site.example/browse/{key}, or the field that has it, such as {html_url}.',
        },
      ];
}

/** What is wrong with a declaration, by field. */
export function expectedAnswerProblems(
  expected: ExpectedAnswer & Partial<ReferenceOfAnswer>,
): { target: keyof ExpectedAnswer | keyof ReferenceOfAnswer; message: string }[] {
  const { successStatuses, successField, successValue } = expected;
  return [
    ...(successStatuses && !rangesOf(successStatuses)
      ? [{ target: 'successStatuses' as const, message: 'Write statuses from 100 to 599 and ranges, separated by commas: 200-204, 409.' }]
      : []),
    ...referenceProblems(expected),
    ...(successField && !successValue
      ? [
          {
            target: 'successValue' as const,
            message: 'Write the value that the field has when the receiver accepts the call, such as true.',
          },
        ]
      : []),
    ...(successValue && !successField
      ? [{ target: 'successField' as const, message: 'Write the name of the field of the answer that has this value, such as ok.' }]
      : []),
  ];
}

/** Whether the content of an answer decides, and not its status alone. */
export const readsContent = ({ successText, successField }: ExpectedAnswer): boolean => Boolean(successText ?? successField);

/** Whether the status is one of those that the action takes for success. */
export function isExpectedStatus(status: number, { successStatuses }: Pick<ExpectedAnswer, 'successStatuses'>): boolean {
  return (rangesOf(successStatuses ?? '') ?? [[200, 299]]).some(([from, to]) => status >= from && status <= to);
}

/** Why an answer does not say that the receiver has the message. `isRefusal`: the receiver says no, so a repeat would change nothing. */
interface AnswerProblem {
  message: string;
  isRefusal: boolean;
}

const longestShown = 100;
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${startOf(text, longestShown)}${text.length > longestShown ? '…' : ''}`;
};

/** The value at a path such as `result.0.status`; undefined if there is none. */
function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** Judges the content of an answer with an expected status; undefined if the receiver has the message. */
export function contentProblem(content: string, { successText, successField, successValue }: ExpectedAnswer): AnswerProblem | undefined {
  if (successText && !content.toLowerCase().includes(successText.toLowerCase()))
    return { message: `Its answer does not contain "${shown(successText)}".`, isRefusal: false };
  if (!successField) return undefined;
  const json = parsed(content);
  if (json === undefined) return { message: `Its answer is not JSON, so it has no field ${successField}.`, isRefusal: false };
  const value = valueAt(json, successField);
  if (value === undefined) return { message: `Its answer has no field ${successField}.`, isRefusal: false };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.trim().toLowerCase() === (successValue ?? '').trim().toLowerCase()) return undefined;
  return { message: `Its answer has ${successField} ${shown(value)}, not ${shown(successValue)}.`, isRefusal: true };
}

const textAt = (json: unknown, path: string): string | undefined => {
  const value = valueAt(json, path);
  return typeof value === 'string' || typeof value === 'number' ? startOf(String(value).trim(), undefined) || undefined : undefined;
};

/** What the receiver has made, by its answer; undefined if the answer does not name it. */
export function referenceIn(
  content: string,
  { referenceField, referenceAddress }: ReferenceOfAnswer,
): { id: string; url: string | undefined } | undefined {
  if (!referenceField) return undefined;
  const json = parsed(content);
  const id = textAt(json, referenceField);
  if (id === undefined) return undefined;
  // A field that is a whole address stays as it is; one within an address is a part of it.
  const whole = /^\{([\w.-]+)\}$/.exec(referenceAddress ?? '')?.[1];
  const url =
    whole === undefined
      ? referenceAddress?.replaceAll(/\{([\w.-]+)\}/g, (_all, path: string) => encodeURIComponent(textAt(json, path) ?? ''))
      : textAt(json, whole);
  return { id: startOf(id, 200), url: url !== undefined && /^https?:\/\//i.test(url) && url.length <= 2_000 ? url : undefined };
}

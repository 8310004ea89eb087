/** The parameters of a protocol action: a JSON object as text, with the names that its action declares. */
import { z } from 'zod';

const scalar = z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()]);
const schema = z.record(z.string(), scalar);

export type ActionParameters = z.infer<typeof schema>;

/** Returns the parameters; undefined if the text is not a JSON object of plain values. */
export function readParameters(text: string): ActionParameters | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(text === '' ? '{}' : text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

export function parametersProblem(text: string): string | undefined {
  return readParameters(text) ? undefined : 'Parameters must be a JSON object of texts, numbers and yes or no.';
}

/** Returns the values that the action's comma-separated list names (PACT-010). */
export function namedOnly(values: ActionParameters, inputParameters: string): ActionParameters {
  const names = new Set(inputParameters.split(',').map((name) => name.trim()));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** Returns the text to store. A text that is no JSON object is returned unchanged; the check of the row refuses it. */
export function keptParameters(text: string, inputParameters: string): string {
  const values = readParameters(text);
  return values ? JSON.stringify(namedOnly(values, inputParameters)) : text;
}

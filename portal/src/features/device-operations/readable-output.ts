/** Parses output that is one JSON object, as packages print it: its texts hold line breaks and quotes as escapes. */
function parsedResult(output: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(output);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    // Plain text, or JSON that was cut off at the maximum stored length.
    return undefined;
  }
}

/** Formats a JSON object for people: its text `value`, if any, then the rest as JSON. Returns other output unchanged. */
export function readableOutput(output: string): string {
  const result = parsedResult(output);
  if (!result) return output;
  const { value, ...rest } = result;
  if (typeof value !== 'string') return JSON.stringify(result, null, 2);
  return Object.keys(rest).length === 0 ? value : `${value}\n\n${JSON.stringify(rest, null, 2)}`;
}

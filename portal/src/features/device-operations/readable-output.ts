/** A result as packages print it: one JSON object, whose text values hold line breaks and quotes as escapes. */
function parsedResult(output: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(output);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    // Plain text, or JSON that was cut at the limit of what is kept.
    return undefined;
  }
}

/** The output of a run for people to read: the lines of a result's value, then what else it holds; other output as it is. */
export function readableOutput(output: string): string {
  const result = parsedResult(output);
  if (!result) return output;
  const { value, ...rest } = result;
  if (typeof value !== 'string') return JSON.stringify(result, null, 2);
  return Object.keys(rest).length === 0 ? value : `${value}\n\n${JSON.stringify(rest, null, 2)}`;
}

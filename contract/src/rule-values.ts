/** The values of a device that rules compare with: one per line, as `maxTemp = 80`. */

const line = /^\s*([^=\s][^=]*?)\s*=\s*(.*?)\s*$/;

/** Parses values by name. Of several lines with one name, the last one counts. */
export function ruleValuesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((item) => {
      const [, name, value] = line.exec(item) ?? [];
      return name !== undefined && value ? [[name, value] as const] : [];
    }),
  );
}

/** Returns the problem of the first invalid line; undefined when all lines are valid. */
export function ruleValuesProblem(text: string): string | undefined {
  const wrong = text.split('\n').find((text) => text.trim() !== '' && !line.exec(text)?.[2]);
  return wrong === undefined ? undefined : `"${wrong.trim().slice(0, 100)}" is not a value. Write one per line, as maxTemp = 80.`;
}

/** The arguments that an operation starts its program with. */
import { fillPlaceholders, placeholdersIn } from '@cloudfit/contract/packages/manifest.ts';

/**
 * Arguments with values in place of placeholders. An argument without a value is left out, together with the option before it
 * whose value it would be.
 */
export function argumentsOf(templates: readonly string[], values: ReadonlyMap<string, string>): string[] {
  const filled: { text: string; isOption: boolean }[] = [];
  for (const template of templates) {
    const text = fillPlaceholders(template, (name) => values.get(name));
    const isOption = template.startsWith('-');
    if (text !== undefined) filled.push({ text, isOption: isOption && placeholdersIn(template).length === 0 });
    else if (!isOption && filled.at(-1)?.isOption) filled.pop();
  }
  return filled.map((one) => one.text);
}

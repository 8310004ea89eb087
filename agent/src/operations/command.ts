/** The arguments that an operation starts its program with. */
import { fillPlaceholders, placeholdersIn } from '@cloudfit/contract/packages/manifest.ts';

/**
 * Replaces the placeholders of arguments by values. Omits an argument whose placeholder has no value, together with the option
 * before it that expects this argument.
 */
export function argumentsOf(templates: readonly string[], values: ReadonlyMap<string, string>): string[] {
  const filled: { text: string; isOption: boolean }[] = [];
  for (const template of templates) {
    const text = fillPlaceholders(template, (name) => values.get(name));
    const isOption = template.startsWith('-');
    if (text !== undefined) filled.push({ text, isOption: isOption && placeholdersIn(template).length === 0 });
    else if (!isOption && filled.at(-1)?.isOption) filled.pop();
  }
  return filled.map((item) => item.text);
}

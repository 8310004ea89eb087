/** Recognizes the columns of a file by their headings: names of fields, their labels, and what other programs call them. */
import { columnsOfList, type ImportList, type ListColumn } from '@cloudfit/contract/configuration/lists.ts';
import { listTexts as german } from '@cloudfit/contract/messages/lists.de.ts';
import { listTexts as english } from '@cloudfit/contract/messages/lists.en.ts';
import { labels } from '@cloudfit/contract/messages/labels.de.ts';
import { folded } from '@cloudfit/contract/query/text.ts';

/** Without case, accents, and what separates words. */
export const plain = (text: string): string => folded(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** By how well the heading names the column: 0 its name or label, 1 a word for it. */
function rank({ name, field, words }: ListColumn, heading: string): number | undefined {
  const ofEnglish = english.columns[name as keyof typeof english.columns];
  const ofGerman = german.columns[name as keyof typeof german.columns];
  const label = field?.label;
  const best = [
    name,
    ...(field?.ref === undefined ? [] : [name.replace(/Id$/, ''), `${field.label} Name`]),
    label,
    label && labels[label],
    ofEnglish,
    ofGerman,
  ];
  if (best.some((text) => text !== undefined && plain(text) === heading)) return 0;
  return words.some((text) => plain(text) === heading) ? 1 : undefined;
}

/** What each heading is; null for one that nothing is called. A column is given once, to the heading that names it best. */
export function guessColumns(list: ImportList, headings: readonly string[]): (string | null)[] {
  const columns = columnsOfList(list);
  const guessed: (string | null)[] = headings.map(() => null);
  const usedNames = new Set<string>();
  for (const level of [0, 1])
    for (const [at, heading] of headings.entries()) {
      if (guessed[at] !== null) continue;
      const column = columns.find((item) => (item.several === true || !usedNames.has(item.name)) && rank(item, plain(heading)) === level);
      if (!column) continue;
      guessed[at] = column.name;
      usedNames.add(column.name);
    }
  return guessed;
}

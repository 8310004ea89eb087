/** Estimates the width of a text in a cell, because a layout by the browser would take longer. */

/** Widths in pixels of 13 px type with weight 500, plus a tenth for fonts wider than Inter. */
const classes: readonly (readonly [string, number])[] = [
  [" !',.:;I`ijlt", 5],
  ['"()-/1[\\]^_fr{|}', 7],
  ['#$*0235689?EFJLPRSTZabcdeghknopqsuvxyz', 9],
  ['&+4<=>7ABCDGHKNOQUVXY~', 11],
];
const widest = 14;
const widths = new Map(classes.flatMap(([letters, px]) => letters.split('').map((letter) => [letter, px] as const)));

/** An upper bound of the text's width in pixels. A character beyond ASCII counts with the width of the widest character. */
export function atMostPx(text: string): number {
  let px = 0;
  for (const letter of text) px += widths.get(letter) ?? widest;
  return px;
}

/** The left and right padding, added up, of a cell in the first or last column, in pixels. */
export const cellPaddingPx = 26;

/** How well a text answers what was typed: the higher the better, undefined when not at all. */
export function matchScore(typed: string, text: string): number | undefined {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return 0;
  const found = text.toLowerCase();
  const at = found.indexOf(wanted);
  if (at === 0) return 4;
  const words = found.split(/[^\p{L}\p{N}]+/u);
  if (at > 0 && words.some((word) => word.startsWith(wanted.split(' ')[0] ?? ''))) return 3;
  if (
    words
      .map((word) => word.charAt(0))
      .join('')
      .startsWith(wanted)
  )
    return 2;
  if (at > 0 || wanted.split(/\s+/).every((word) => found.includes(word))) return 1;
  return undefined;
}

/** Those that answer what was typed, the best first; as many as `most`. */
export function bestMatches<T>(typed: string, all: readonly T[], textOf: (one: T) => string, most = Infinity): T[] {
  return all
    .flatMap((one) => {
      const score = matchScore(typed, textOf(one));
      return score === undefined ? [] : [{ one, score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}

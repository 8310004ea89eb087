/** Makes one answer for Prometheus of those of several processes. */

/** Joins texts in Prometheus's format, in which a metric may stand only once: its lines from all texts follow one heading. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const family of texts.flatMap((text) => text.trim().split('\n\n')).filter(Boolean)) {
    const [help = '', type = '', ...lines] = family.split('\n');
    const heading = `${help}\n${type}`;
    families.set(heading, [...(families.get(heading) ?? []), ...lines]);
  }
  return `${[...families].map(([heading, lines]) => [heading, ...lines].join('\n')).join('\n\n')}\n`;
}

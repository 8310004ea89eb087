/** Placeholders of the templates of updates: what a communication knows, and customers may read. */
import { reportTime } from './report-time.ts';

export const updatePlaceholders = ['Title', 'Reference', 'Services', 'CurrentImpact', 'Started', 'NextUpdate'] as const;
type Placeholder = (typeof updatePlaceholders)[number];

const pattern = /\{([^{}\n]*)\}/g;
const isKnown = (name: string): name is Placeholder => (updatePlaceholders as readonly string[]).includes(name);

/** Returns what stands in braces and is no placeholder, each once. */
export function unknownPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name).filter((name) => !isKnown(name)))];
}

interface KnownFacts {
  title: string;
  publicWorkUnitCommunicationId: number;
  impactedServices: string | null;
  currentImpact: string | null;
  eventStarted: string | null;
  nextUpdate: string | null;
}

/** Puts the facts in place of the placeholders; a placeholder without a fact stays, so that its author sees it. Times are in UTC. */
export function fillTemplate(text: string, c: KnownFacts): string {
  const facts: Record<Placeholder, string | null> = {
    Title: c.title,
    Reference: `WUCOMM #${c.publicWorkUnitCommunicationId}`,
    Services:
      c.impactedServices
        ?.trim()
        .split(/\s*\n\s*/)
        .join(', ') || null,
    CurrentImpact: c.currentImpact?.trim() || null,
    Started: reportTime(c.eventStarted, 'UTC'),
    NextUpdate: reportTime(c.nextUpdate, 'UTC'),
  };
  return text.replaceAll(pattern, (all, name: string) => (isKnown(name) ? (facts[name] ?? all) : all));
}

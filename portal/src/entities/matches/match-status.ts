export type MatchStatus = 'Active' | 'Inactive';

/** A match is active until it expires (MATCH-011, MATCH-012). */
export function matchStatus(match: { expires: string }, now: number): MatchStatus {
  return new Date(match.expires).getTime() > now ? 'Active' : 'Inactive';
}

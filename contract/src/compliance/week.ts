/** Compliance weeks start on Monday, by the UTC date (domain, "Other decisions"). */

const dayMs = 86_400_000;

/** Midnight UTC of the Monday of the week of this time. */
export function mondayOf(instant: string): string {
  const midnight = Math.floor(Date.parse(instant) / dayMs) * dayMs;
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  return new Date(midnight - sinceMonday * dayMs).toISOString();
}

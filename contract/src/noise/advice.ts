/** Advice how to reduce the matches and work units that a rule causes. */
import type { RuleNoise } from './calls.ts';

export const noiseAdvice = ['flapping', 'single', 'returning', 'idle'] as const;
export type NoiseAdvice = (typeof noiseAdvice)[number];

/** The minimum matches for advice about matches, and the minimum ended units for advice about units. */
const minMatches = 10;
const minUnits = 5;

/** Returns the advice that would reduce the noise of a rule, the most promising first. */
export function adviceFor(noise: RuleNoise): NoiseAdvice[] {
  const share = (part: number, all: number): number => (all === 0 ? 0 : part / all);
  const shares: [NoiseAdvice, number][] = [
    ['single', noise.matches >= minMatches ? share(noise.single, noise.matches) : 0],
    ['returning', noise.matches >= minMatches ? share(noise.returning, noise.matches) : 0],
    ['idle', noise.ended >= minUnits ? share(noise.idle, noise.ended) : 0],
  ];
  // A rule that flaps gets that advice, which is the more exact one.
  const isFlapping = noise.flapping > 0 && noise.clearMatches < noise.matches;
  const others: NoiseAdvice[] = shares
    .filter(([, part]) => part >= 0.5)
    .toSorted(([, a], [, b]) => b - a)
    .map(([advice]) => advice);
  return isFlapping ? ['flapping', ...others.filter((item) => item !== 'returning')] : others;
}

import fc from 'fast-check';
import { compare } from 'semver';
import { expect, it } from 'vitest';
import { precedenceOf } from './precedence.ts';

const number = fc.nat({ max: 120 });
const part = fc.oneof(
  number.map(String),
  fc.stringMatching(/^[a-zA-Z-][0-9a-zA-Z-]{0,3}$/),
  fc.constantFrom('alpha', 'beta', 'beta1', 'rc'),
);
const version = fc
  .tuple(number, number, number, fc.array(part, { maxLength: 3 }))
  .map(([major, minor, patch, tag]) => `${major}.${minor}.${patch}${tag.length > 0 ? `-${tag.join('.')}` : ''}`);

it('[PKG-019] sorts by bytes as SemVer 2 orders versions', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      const [x, y] = [Buffer.from(precedenceOf(a)), Buffer.from(precedenceOf(b))];
      expect(Math.sign(Buffer.compare(x, y))).toBe(compare(a, b));
    }),
    { numRuns: 3_000, seed: 7 },
  );
});

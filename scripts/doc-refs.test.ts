import { expect, it } from 'vitest';
import { findReferences } from './doc-refs.ts';

it('finds paths, links and scripts in a page, and leaves patterns and prose alone', () => {
  const page =
    'See `server/src/main.ts`, `docs/` and `config.ts`; not `*.job.ts`, `GET /v1/x` or `features/<area>/`.\n[how](CONTRIBUTING.md#a) [out](https://example.org) run `npm run check`';
  expect(findReferences(page)).toEqual({
    paths: ['server/src/main.ts', 'docs/', 'config.ts'],
    links: ['CONTRIBUTING.md'],
    scripts: ['check'],
  });
});

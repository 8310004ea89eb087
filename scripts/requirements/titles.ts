/** Refuses titles of tests with more than two requirement ids, so that a failing test tells which requirement is violated. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { findIds } from '../spec.ts';

const root = join(import.meta.dirname, '../..');
const maxIds = 2;

/** Returns the lines of texts in a test that have too many ids. */
export function findCrowdedTitles(path: string, source: string): number[] {
  const lines: number[] = [];
  const add = (text: string, start: number) => {
    if (new Set(findIds(text)).size > maxIds) lines.push(source.slice(0, start).split('\n').length);
  };
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') add(node.value, node.start);
    },
    TemplateLiteral: (node) => add(node.quasis.map(({ value }) => value.raw).join(''), node.start),
  }).visit(parseSync(path, source).program);
  return lines;
}

if (process.argv[1] === import.meta.filename) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.test.ts', '*.test.tsx', 'e2e/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const paths = listed.split('\n').filter((path) => path !== '' && path !== 'scripts/requirements/titles.test.ts');
  const crowded = paths.flatMap((path) => findCrowdedTitles(path, readFileSync(join(root, path), 'utf8')).map((line) => `${path}:${line}`));
  for (const place of crowded)
    console.log(`${place}  more than ${maxIds} ids in one title -> give each its own part: proves() in tests, test.step in e2e`);
  process.exitCode = crowded.length > 0 ? 1 : 0;
}

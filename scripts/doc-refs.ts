/** Fails when README or a page of docs/ names a path of the repository, or an npm script, that does not exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Paths that exist only after the product or one of its scripts has run. */
const generated =
  /^(node_modules|portal\/dist|server\/dist|\.data|agent\/dist|client\/dist|agent\/signing\.key|test-results|playwright-report|screenshots)(\/|$)/;

/** Returns the references of a page to the repository: `code spans` that are paths, links to files, and npm scripts. */
export function findReferences(page: string): { paths: string[]; links: string[]; scripts: string[] } {
  const spans = [...page.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  const paths = spans.filter((span) => /^(\.?[\w-]+\/)+[\w.-]*$|^[\w-]+\.(?:ts|mjs|json|md)$/.test(span) && !/[<>{}*]/.test(span));
  const links = [...page.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '').filter((link) => !/^\w+:/.test(link));
  const scripts = [...page.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1] ?? '');
  return { paths, links, scripts };
}

if (process.argv[1] === import.meta.filename) {
  const list = (...args: string[]) =>
    execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...args], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  const files = list();
  const existing = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const top = new Set(files.map((file) => file.split('/')[0]));
  const wrong: string[] = [];
  for (const page of list('*.md', 'docs/**/*.md')) {
    const { paths, links, scripts } = findReferences(readFileSync(join(root, page), 'utf8'));
    for (const path of paths) {
      if (generated.test(path)) continue;
      // A path is resolved from the root, or as the end of some file's path; words such as `and/or` do not start with
      // a folder of the repository.
      const rooted = top.has(path.split('/')[0] ?? '');
      const isThere =
        existsSync(join(root, path)) || files.some((file) => file.endsWith(`/${path}`) || file.includes(`/${path.replace(/\/?$/, '/')}`));
      if (!isThere && (rooted || !path.includes('/'))) wrong.push(`${page} names ${path}, which does not exist.`);
    }
    for (const link of links)
      if (!existsSync(join(root, dirname(page), link))) wrong.push(`${page} links to ${link}, which does not exist.`);
    for (const script of scripts) if (!(script in existing.scripts)) wrong.push(`${page} names "npm run ${script}", which does not exist.`);
  }
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

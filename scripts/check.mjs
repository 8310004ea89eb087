/** `npm run check`: all static checks of the sources. */
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';
import { shortly } from './shortly.mjs';

/** Name of each step and its script; slow ones first, two at a time. */
const steps = [
  // One program finds the errors of types and of lint, because both need the types of all sources.
  [
    'lint and types',
    'node_modules/oxlint/bin/oxlint',
    '--type-aware',
    '--type-check',
    '--deny-warnings',
    '--report-unused-disable-directives',
  ],
  ['dead exports', 'node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check'],
  ['statements', 'scripts/check-sql.ts'],
  ['migrations', 'scripts/migrations.ts'],
  ['calls', 'scripts/calls/calls.ts'],
  ['rooms', 'scripts/rooms.ts'],
  ['words', 'scripts/words.ts'],
  ['titles', 'scripts/requirements/titles.ts'],
  ['budgets', 'scripts/budgets.ts'],
  ['references in docs', 'scripts/doc-refs.ts'],
];

/** A low priority, with which the checks leave the processor to tests that run beside them. */
const behindTests = Math.max(10, getPriority());

/** Runs all steps, prints the output of failed steps, and returns how many steps passed and failed, and which failed. */
export async function check({ print = console.log, isBesideTests = false } = {}) {
  const waiting = [...steps];
  const tally = { passed: 0, failed: 0, named: [] };
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const [name, script, ...args] = step;
      const started = Date.now();
      const { code, output } = await run(script, args, isBesideTests);
      if (code === 0) tally.passed++;
      else {
        tally.failed++;
        tally.named.push(shortly(name, output));
      }
      print(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}  ${((Date.now() - started) / 1000).toFixed(1)} s`);
      if (code !== 0) print(output.trimEnd());
    }
  };
  await Promise.all([work(), work()]);
  return tally;
}

function run(script, args, isBesideTests) {
  return new Promise((done) => {
    let output = '';
    const child = spawn(modernNode(), [join(root, script), ...args], {
      cwd: root,
      env: modernEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (isBesideTests && child.pid !== undefined) setPriority(child.pid, behindTests);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => done({ code: 1, output: error.message }));
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}

if (process.argv[1] === import.meta.filename) {
  ensureInstalled();
  const { failed } = await check();
  process.exit(failed > 0 ? 1 : 0);
}

/**
 * `npm test`: installs missing dependencies and runs every test; the last line is `N passed, N failed`, with `, N skipped` when
 * tests were skipped. `--long` repeats random tests more often.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPortal } from './build-portal.mjs';
import { check } from './check.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureGenerators, ensureInstalled, root } from './install.mjs';
import { ensureTestedPrograms, mustRunAll } from './debian.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';
import { programOf } from './server/program.mjs';
import { shortly } from './shortly.mjs';

const reports = mkdtempSync(join(tmpdir(), 'cloudfit-reports-'));
const total = { passed: 0, failed: 0, skipped: 0 };
/** The failures in a few lines each, printed again at the end, where they are easy to find. */
const failures = [];
/** What is missing for skipped tests, and how to install it. */
const hints = [];
const repeats = process.argv.includes('--long') ? { LONG_TESTS: '1' } : {};

function add(name, { passed, failed, skipped = 0, named = [] }) {
  console.log(`== ${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  failures.push(...(failed > 0 && named.length === 0 ? [name] : named));
}

/** Runs a test tool and reads its report; a run that failed without a failing test counts as one failure. */
async function runTool(name, script, args, env, count) {
  const report = join(reports, `${name}.json`);
  const child = spawn(modernNode(), [join(root, script), ...args(report)], {
    cwd: root,
    stdio: 'inherit',
    env: modernEnvironment({ ...repeats, ...env(report) }),
  });
  const ended = await new Promise((done) => {
    child.once('error', ({ message }) => done(message));
    child.once('exit', (code, signal) => done(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
  const counted = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
  if (ended !== undefined && counted.failed === 0) Object.assign(counted, { failed: 1, named: [`${name} ended with ${ended}`] });
  // Where every program is installed, only tests of other platforms are skipped; these are not counted.
  if (mustRunAll()) counted.skipped = 0;
  add(name, counted);
}

const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

function countPlaywright({ stats, errors = [], suites }) {
  const named = (specs) => specs.map((spec) => shortly(`${spec.file} > ${spec.title}`, spec.tests[0]?.results[0]?.error?.message));
  // A flow that passed only at the second try has failed: the second try is for its trace.
  const failedSpecs = suites
    .flatMap(specsOf)
    .filter((spec) => spec.tests.some(({ status }) => status === 'unexpected' || status === 'flaky'));
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
    named: [...errors.map((error) => shortly('playwright', error.message)), ...named(failedSpecs)],
  };
}

/** Runs the static checks with low priority, and returns a function that waits for them and prints their output. */
function startChecks() {
  const lines = [];
  const checking = check({ print: (line) => lines.push(line), isBesideTests: true });
  return async () => {
    const tally = await checking;
    for (const line of lines) console.log(line);
    add('check', tally);
  };
}

/** Something that tests need is missing: fails where everything must run; otherwise its tests are skipped. */
function lacks(name, hint) {
  if (mustRunAll()) add(name, { passed: 0, failed: 1, named: [shortly(name, hint)] });
  else hints.push(hint);
}

const playwright = ['browser', 'node_modules/@playwright/test/cli.js'];
const playwrightReport = (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report });

ensureInstalled();
const broken = buildPortal();
if (broken) console.error(broken);
add('portal build', { passed: broken ? 0 : 1, failed: broken ? 1 : 0 });
// Otherwise each of the tests that start a server would bundle it.
programOf('server/src/main.ts');
const missing = ensureTestedPrograms();
if (missing) lacks('programs of tests', missing);
const noGenerators = ensureGenerators();
if (noGenerators) lacks('generators of clients', noGenerators);
// Beside the tests, because many of these wait for clocks and processes.
const endChecks = startChecks();
await runTool(
  'vitest',
  'node_modules/vitest/vitest.mjs',
  () => ['run', '--reporter=dot', `--reporter=${join(import.meta.dirname, 'vitest-report.mjs')}`],
  (report) => ({ VITEST_REPORT: report }),
  (report) => report,
);
await endChecks();
const noBrowser = ensureChromium();
if (noBrowser) {
  console.error(noBrowser);
  lacks('browser', noBrowser);
  // Lists the tests, to count those that are skipped.
  if (!mustRunAll())
    await runTool(
      ...playwright,
      () => ['test', '--list', '--reporter=json'],
      playwrightReport,
      ({ suites, errors = [] }) => ({
        passed: 0,
        failed: errors.length,
        skipped: suites.flatMap(specsOf).length,
      }),
    );
} else {
  await runTool(...playwright, () => ['test', '--reporter=line,json'], playwrightReport, countPlaywright);
}
rmSync(reports, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED ${failure}\n`);
for (const hint of hints) console.log(`SKIPPED ${hint}\n`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed > 0 ? 1 : 0;

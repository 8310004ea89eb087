/** `npm test`: installs missing dependencies and runs every test; the last line is `N passed, N failed`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPortal } from './build-portal.mjs';
import { check } from './check.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureGenerators, ensureInstalled, root } from './install.mjs';
import { ensureTestedPrograms } from './debian.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';
import { shortly } from './shortly.mjs';

const reports = mkdtempSync(join(tmpdir(), 'cloudfit-reports-'));
const total = { passed: 0, failed: 0 };
/** The failures in a few lines each, printed again at the end, where they are easy to find. */
const failures = [];

function add(name, { passed, failed, named = [] }) {
  console.log(`== ${name}: ${passed} passed, ${failed} failed\n`);
  total.passed += passed;
  total.failed += failed;
  failures.push(...(failed > 0 && named.length === 0 ? [name] : named));
}

/** Runs a test tool and reads its report; a run that failed without a failing test counts as one failure. */
function runTool(name, script, args, env, count) {
  const report = join(reports, `${name}.json`);
  const { status, signal } = spawnSync(modernNode(), [join(root, script), ...args(report)], {
    cwd: root,
    stdio: 'inherit',
    env: modernEnvironment(env(report)),
  });
  const counted = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
  if (status !== 0 && counted.failed === 0)
    Object.assign(counted, { failed: 1, named: [`${name} ended with ${signal ?? `exit code ${status}`}`] });
  add(name, counted);
}

function countPlaywright({ stats, errors = [], suites }) {
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
  const named = (specs) => specs.map((spec) => shortly(`${spec.file} > ${spec.title}`, spec.tests[0]?.results[0]?.error?.message));
  // A flow that passed only at the second try has failed: the second try is for its trace.
  const failedSpecs = suites
    .flatMap(specsOf)
    .filter((spec) => spec.tests.some(({ status }) => status === 'unexpected' || status === 'flaky'));
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    named: [...errors.map((error) => shortly('playwright', error.message)), ...named(failedSpecs)],
  };
}

ensureInstalled();
const broken = buildPortal();
if (broken) console.error(broken);
add('portal build', { passed: broken ? 0 : 1, failed: broken ? 1 : 0 });
add('check', await check());
ensureTestedPrograms();
ensureGenerators();
runTool(
  'vitest',
  'node_modules/vitest/vitest.mjs',
  () => ['run', '--reporter=dot', `--reporter=${join(import.meta.dirname, 'vitest-report.mjs')}`],
  (report) => ({ VITEST_REPORT: report }),
  (report) => report,
);
const noBrowser = ensureChromium();
if (noBrowser) {
  console.error(noBrowser);
  add('browser', { passed: 0, failed: 1 });
} else {
  runTool(
    'browser',
    'node_modules/@playwright/test/cli.js',
    () => ['test', '--reporter=line,json'],
    (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report }),
    countPlaywright,
  );
}
rmSync(reports, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED ${failure}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/**
 * Reporter of Vitest for `npm test`: prints the slowest files, and writes the numbers of passed, failed and
 * skipped tests, and the failures, to the file in VITEST_REPORT.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { shortly } from './shortly.mjs';
import { root } from './install.mjs';

export default class VitestReport {
  onTestRunEnd(testModules, unhandledErrors) {
    const tests = testModules.flatMap((module) => [...module.children.allTests()].map((test) => ({ module, test })));
    const failed = tests.filter(({ test }) => test.result().state === 'failed');
    const named = [
      // Errors outside of tests: of files that failed to load, and of code that runs between tests.
      ...testModules.flatMap((module) => module.errors().map((error) => shortly(relative(root, module.moduleId), error.stack))),
      ...unhandledErrors.map((error) => shortly('an error outside of every test', error.stack ?? error.message)),
      ...failed.map(({ module, test }) =>
        shortly(`${relative(root, module.moduleId)} > ${test.fullName}`, test.result().errors?.[0]?.stack ?? ''),
      ),
    ];
    const [passed, skipped] = ['passed', 'skipped'].map((state) => tests.filter(({ test }) => test.result().state === state).length);
    const seconds = (module) => Math.round(module.diagnostic().duration / 1_000);
    const slowest = testModules.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, 12);
    console.log(`\nSlowest: ${slowest.map((module) => `${relative(root, module.moduleId)} ${seconds(module)} s`).join(', ')}`);
    writeFileSync(process.env.VITEST_REPORT, JSON.stringify({ passed, failed: named.length, skipped, named }));
  }
}

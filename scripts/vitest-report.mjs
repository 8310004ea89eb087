/**
 * Reporter of Vitest for `npm test`: prints each failed test as soon as its file is done, and at the end the slowest files. Writes
 * the numbers of passed, failed and skipped tests, and the failures, to the file in VITEST_REPORT.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { shortly } from './shortly.mjs';
import { root } from './install.mjs';

const place = (module) => relative(root, module.moduleId);

export default class VitestReport {
  onTestModuleEnd(module) {
    for (const test of module.children.allTests('failed')) console.log(`\nFailed: ${place(module)} > ${test.fullName}`);
  }

  onTestRunEnd(testModules, unhandledErrors) {
    const tests = testModules.flatMap((module) => [...module.children.allTests()].map((test) => ({ module, test })));
    const failed = tests.filter(({ test }) => test.result().state === 'failed');
    const named = [
      // Errors outside of tests: of files that failed to load, and of code that runs between tests.
      ...testModules.flatMap((module) => module.errors().map((error) => shortly(place(module), error.stack))),
      ...unhandledErrors.map((error) => shortly('an error outside of every test', error.stack ?? error.message)),
      ...failed.map(({ module, test }) => shortly(`${place(module)} > ${test.fullName}`, test.result().errors?.[0]?.stack ?? '')),
    ];
    const [passed, skipped] = ['passed', 'skipped'].map((state) => tests.filter(({ test }) => test.result().state === state).length);
    const seconds = (module) => Math.round(module.diagnostic().duration / 1_000);
    const slowest = testModules.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, 12);
    console.log(`\nSlowest: ${slowest.map((module) => `${place(module)} ${seconds(module)} s`).join(', ')}`);
    writeFileSync(process.env.VITEST_REPORT, JSON.stringify({ passed, failed: named.length, skipped, named }));
  }
}

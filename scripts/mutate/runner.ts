/**
 * Runs each test again for every mutant that the test reaches, by Vitest's retries: the runner reports a try as failed while a
 * further try follows, and the last try as passed. The runner itself evaluates the real result of each try.
 */
import { relative } from 'node:path';
import { TestRunner, type RunnerTestCase, type RunnerTestFile, type TestRunnerConfig, type TestTryOptions } from 'vitest';
import { clearReached, followChildren, readReached } from './children.ts';
import { folderVariable, readPlan, readReports, report, type MutationPlan } from './plan.ts';
import { createSwitch, reachedIds, type MutationSwitch } from './switch.ts';

/** The number of kills after which the test runs without a mutant; the kills count if this run passes. */
const killsPerCheck = 6;
/** Milliseconds that a test of the portal waits for a condition, without a mutant, and at least with one. */
const waitMs = 12_000;
const minWaitMs = 1_500;

/** The progress of one test: first and second try without a mutant, then mutants, with occasional checks without one. */
interface Progress {
  phase: 'first' | 'second' | 'mutant' | 'check';
  firstMs: number;
  /** The duration of the second try, for which all modules are loaded. */
  secondMs: number;
  firstReached: number[];
  startedAt: number;
  waiting: number[];
  unchecked: number[];
}

export default class MutationRunner extends TestRunner {
  private readonly folder: string;
  private readonly plan: MutationPlan;
  private readonly switch: MutationSwitch;
  private readonly progress = new WeakMap<RunnerTestCase, Progress>();
  private killed = new Set<number>();
  private readonly steady = new Set<number>();
  private readonly once = new Set<number>();
  private isDirty = false;
  private tries = 0;
  /** The try that starts processes; 0 between tests, where hooks of suites start them. */
  private attempt = 0;
  private file = '';

  constructor(config: TestRunnerConfig) {
    super(config);
    this.folder = process.env[folderVariable] ?? '';
    this.plan = readPlan(this.folder);
    this.switch = createSwitch(this.plan.count);
    this.switch.active = this.plan.active ?? -1;
    globalThis.__mutation = this.switch;
    clearReached(this.folder);
    followChildren(() => ({ folder: this.folder, active: this.switch.active, attempt: this.attempt }));
  }

  /** Adds what the processes of this try reached, and those of hooks, in which no mutant can be switched later. */
  private addChildren(): void {
    for (const { attempt, id } of readReached(this.folder)) {
      if (attempt === 0 && !this.plan.onlyCoverage) this.once.add(id);
      else if (attempt === this.attempt) this.switch.reached[id] = 1;
    }
  }

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    this.file = relative(this.config.root, file.filepath);
    report(this.folder, { kind: 'worker', file: this.file, pid: process.pid });
    for (const line of readReports(this.folder)) if (line.kind === 'killed') this.killed.add(line.id);
  }

  onBeforeRunFiles(): void {
    // Forgets what the imports of this file reached: every test file that imports a source runs the source's top-level code.
    if (this.plan.onlyCoverage) this.switch.reached.fill(0);
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (this.plan.active !== undefined) return;
    this.addChildren();
    if (this.plan.onlyCoverage) for (const id of reachedIds(this.switch)) this.steady.add(id);
    report(this.folder, { kind: 'reached', file: this.file, steady: [...this.steady], once: [...this.once] });
    if (this.isDirty) report(this.folder, { kind: 'dirty', file: this.file });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (this.plan.active !== undefined || this.plan.onlyCoverage) return;
    for (const id of reachedIds(this.switch)) this.once.add(id);
    if (this.isDirty) test.mode = 'skip';
    test.retry = Number.MAX_SAFE_INTEGER;
    this.progress.set(test, { phase: 'first', firstMs: 0, secondMs: 0, firstReached: [], startedAt: 0, waiting: [], unchecked: [] });
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (this.plan.active === undefined || test.result?.state !== 'fail') return;
    report(this.folder, { kind: 'killed', id: this.plan.active, by: `${this.file} > ${test.name}` });
    this.cancel('test-failure');
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    const progress = this.progress.get(test);
    if (!progress) return;
    const id = progress.phase === 'mutant' ? progress.waiting[0] : undefined;
    if (id !== undefined) report(this.folder, { kind: 'start', file: this.file, id });
    this.switch.active = id ?? -1;
    this.switch.steps = 0;
    this.attempt = ++this.tries;
    this.switch.reached.fill(0);
    globalThis.__limitWaits?.(id === undefined ? waitMs : Math.min(waitMs, Math.max(minWaitMs, 3 * progress.secondMs)));
    progress.startedAt = performance.now();
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const progress = this.progress.get(test);
    const { result } = test;
    if (!progress || !result) return;
    if (progress.phase === 'first' || progress.phase === 'second') this.addChildren();
    const hasFailed = (result.state === 'fail') !== (test.fails === true);
    const isOver = this.advance(test, progress, hasFailed, result.errors?.at(-1)?.message ?? '');
    this.switch.active = -1;
    this.attempt = 0;
    // Clears the reached mutants: those that are reached from here to the next test are reached by hooks of suites.
    if (isOver) this.switch.reached.fill(0);
    const isPass = isOver !== (test.fails === true);
    result.state = isPass ? 'pass' : 'fail';
    result.errors = isPass ? [] : [{ name: 'Error', message: 'The next try is due.' }];
    result.attempts?.splice(0);
  }

  /** Evaluates one try; returns whether it was the last. */
  private advance(test: RunnerTestCase, progress: Progress, hasFailed: boolean, message: string): boolean {
    switch (progress.phase) {
      case 'first':
        progress.firstMs = performance.now() - progress.startedAt;
        return hasFailed ? this.unfit(test, message) : this.afterFirst(test, progress);
      case 'second':
        progress.secondMs = performance.now() - progress.startedAt;
        return hasFailed ? this.unfit(test, `Fails when it is run again: ${message}`) : this.afterSecond(progress);
      case 'mutant': {
        const id = progress.waiting.shift();
        if (hasFailed && id !== undefined) progress.unchecked.push(id);
        if (progress.unchecked.length >= killsPerCheck || (progress.waiting.length === 0 && progress.unchecked.length > 0))
          progress.phase = 'check';
        return progress.phase === 'mutant' && progress.waiting.length === 0;
      }
      case 'check': {
        // The first of several failures had a clean state; the others may have failed because of the first.
        const certain = hasFailed ? progress.unchecked.slice(0, 1) : progress.unchecked;
        for (const id of certain) {
          this.killed.add(id);
          report(this.folder, { kind: 'killed', id, by: `${this.file} > ${test.name}` });
        }
        progress.unchecked = [];
        progress.phase = 'mutant';
        this.isDirty = hasFailed;
        return hasFailed || progress.waiting.length === 0;
      }
    }
  }

  private unfit(test: RunnerTestCase, why: string): true {
    report(this.folder, { kind: 'unfit', file: this.file, test: test.name, why: why.slice(0, 300) });
    for (const id of reachedIds(this.switch)) this.once.add(id);
    return true;
  }

  private afterFirst(test: RunnerTestCase, progress: Progress): boolean {
    const reached = reachedIds(this.switch).filter((id) => !this.killed.has(id));
    progress.firstReached = reached;
    if (reached.length === 0) return true;
    if (this.plan.slowTests && !this.plan.slowTests.includes(test.name)) return true;
    if (this.plan.maxMs !== undefined && progress.firstMs > this.plan.maxMs) {
      report(this.folder, { kind: 'slow', file: this.file, test: test.name, reached });
      return true;
    }
    progress.phase = 'second';
    return false;
  }

  private afterSecond(progress: Progress): boolean {
    progress.waiting = reachedIds(this.switch).filter((id) => !this.killed.has(id));
    for (const id of progress.waiting) this.steady.add(id);
    for (const id of progress.firstReached) if (this.switch.reached[id] === 0) this.once.add(id);
    progress.phase = 'mutant';
    return progress.waiting.length === 0;
  }
}

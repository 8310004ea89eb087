/** The outcome of a device of a campaign, for each state of its run, its installation and its restart. */
import { describe, expect, it } from 'vitest';
import type { OperationRunStatus, InstallStatus } from '@cloudfit/contract/enums.ts';
import { outcomeOf, type CampaignFacts } from './outcome.rules.ts';

const now = new Date('2026-11-26T12:00:00.000Z');
const before = (ms: number) => new Date(now.getTime() - ms).toISOString();
const day = 24 * 3_600_000;
const begun: CampaignFacts = {
  kind: 'InstallVersion',
  outcome: 'Waiting',
  reason: null,
  begun: before(0),
  isGone: false,
  restartIsAsked: false,
  run: null,
  installation: null,
};
const find = (facts: Partial<CampaignFacts>) => outcomeOf({ ...begun, ...facts }, now);
const waiting = { outcome: 'Waiting', reason: null };
const running = { outcome: 'Running', reason: null };
const done = { outcome: 'Done', reason: null };
const failed = (reason: string) => ({ outcome: 'Failed', reason });
const anotherVersion = { outcome: 'Stopped', reason: 'Somebody chose another version for this device in the meantime.' };

describe('a device that runs an operation', () => {
  const run = (status: OperationRunStatus, message: string | null = null) => find({ kind: 'RunOperation', run: { status, message } });

  it('follows its run', () => {
    expect(find({ kind: 'RunOperation' })).toEqual(waiting);
    expect(run('Queued')).toEqual(waiting);
    expect(run('Running')).toEqual(running);
    expect(run('Success', 'Fine.')).toEqual(done);
  });

  it('is done when its operation has a bad result, which is the reason', () => {
    expect(run('Warning')).toEqual({ outcome: 'Done', reason: 'Warning' });
    expect(run('Critical', 'Disk full.')).toEqual({ outcome: 'Done', reason: 'Critical: Disk full.' });
  });

  it('is stopped when its request was taken back', () => {
    expect(run('Dequeued')).toEqual({ outcome: 'Stopped', reason: 'The request was withdrawn.' });
    expect(run('Dequeued', 'Taken back by mara.')).toEqual({ outcome: 'Stopped', reason: 'Taken back by mara.' });
  });

  it('has failed, untried when its request has expired', () => {
    expect(run('Expired')).toEqual({ ...failed('Expired'), untried: true });
    for (const status of ['Failed', 'TimedOut', 'Skipped', 'Interrupted'] as const) {
      expect(run(status)).toEqual(failed(status));
      expect(run(status, 'No disk.')).toEqual(failed('No disk.'));
    }
  });

  it('follows its run also after its deletion; other work on a deleted device has failed, untried', () => {
    expect(find({ kind: 'RunOperation', isGone: true, run: { status: 'Success', message: null } })).toEqual(done);
    const deleted = { ...failed('The device was deleted or moved to another tenant.'), untried: true };
    expect(find({ isGone: true })).toEqual(deleted);
    expect(find({ isGone: true, outcome: 'Returning' })).toEqual(deleted);
    expect(find({ isGone: true, kind: 'RestartAgent' })).toEqual(deleted);
  });
});

describe('a device that restarts its agent', () => {
  it('waits for a day, and is done when the agent has restarted', () => {
    const restart = { kind: 'RestartAgent', restartIsAsked: true } as const;
    expect(find({ ...restart, begun: before(day) })).toEqual(waiting);
    expect(find({ ...restart, begun: before(day + 1) })).toEqual({ ...waiting, expires: true });
    expect(find({ ...restart, begun: before(day + 1), restartIsAsked: false })).toEqual(done);
  });
});

const installation = (status: InstallStatus, over: Partial<NonNullable<CampaignFacts['installation']>> = {}) => ({
  installation: { status, detail: null, changed: before(0), isOurWish: true, ...over },
});

describe('a device that installs a version', () => {
  it('is done when the version is installed, and a removal when nothing is left', () => {
    expect(find(installation('Installed'))).toEqual(done);
    expect(find({ kind: 'RemovePackage' })).toEqual(done);
  });

  it('is stopped when somebody chose another version, or removed the package', () => {
    expect(find(installation('Installed', { isOurWish: false }))).toEqual(anotherVersion);
    expect(find({})).toEqual(anotherVersion);
    expect(find({ kind: 'RemovePackage', ...installation('Installed', { isOurWish: false }) })).toEqual(anotherVersion);
  });

  it('has failed with the reason of the device, without the time of its next try', () => {
    for (const status of ['InstallFailed', 'UninstallFailed', 'RolledBack'] as const) {
      expect(find(installation(status))).toEqual(failed('The device gave no reason.'));
      const detail = 'No disk. The next try is at 2026-11-26 13:00 UTC.';
      expect(find(installation(status, { detail }))).toEqual(failed('No disk.'));
    }
  });

  it('waits for a day until the device begins', () => {
    for (const status of ['InstallPending', 'UninstallPending'] as const) {
      expect(find({ ...installation(status), begun: before(day) })).toEqual(waiting);
      expect(find({ ...installation(status), begun: before(day + 1) })).toEqual({ ...waiting, expires: true });
    }
  });

  it('may take a day since its last report', () => {
    const changed = (ms: number | null) => installation('Installing', { changed: ms === null ? null : before(ms) });
    expect(find({ ...changed(day), begun: before(2 * day) })).toEqual(running);
    expect(find({ ...changed(null), begun: before(2 * day) })).toEqual(running);
    expect(find(changed(day + 1))).toEqual(failed('The device began and did not report its end.'));
  });
});

describe('a device that returns to the version before', () => {
  const returning = { outcome: 'Returning', reason: 'No disk.' } as const;

  it('has returned when that version is installed, or nothing if there was none', () => {
    expect(find({ ...returning, ...installation('Installed') })).toEqual({ outcome: 'Returned', reason: 'No disk.' });
    expect(find(returning)).toEqual({ outcome: 'Returned', reason: 'No disk.' });
  });

  it('is stopped when somebody chose another version', () => {
    expect(find({ ...returning, ...installation('Installed', { isOurWish: false }) })).toEqual(anotherVersion);
  });

  it('has failed with both reasons when the version before cannot be installed', () => {
    const without = 'The previous version was not restored: the device gave no reason.';
    for (const status of ['InstallFailed', 'RolledBack'] as const) {
      expect(find({ ...returning, ...installation(status) })).toEqual(failed(`No disk. ${without}`));
      expect(find({ ...returning, reason: null, ...installation(status) })).toEqual(failed(without));
    }
    const detail = 'No network. The next try is at 2026-11-26 13:00 UTC.';
    const both = 'No disk. The previous version was not restored: No network.';
    expect(find({ ...returning, ...installation('InstallFailed', { detail }) })).toEqual(failed(both));
  });

  it('may take a day', () => {
    expect(find({ ...returning, ...installation('InstallPending'), begun: before(day) })).toEqual(returning);
    const late = failed('No disk. The previous version was not restored: the device did not answer.');
    expect(find({ ...returning, ...installation('InstallPending'), begun: before(day + 1) })).toEqual(late);
  });
});

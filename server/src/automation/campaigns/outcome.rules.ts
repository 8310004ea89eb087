/** The outcome of a device of a campaign, from what is stored about its run, its installation or its restart. */
import { withoutNextTry } from '@cloudfit/contract/agent/installations.ts';
import type { CampaignKind, CampaignOutcome, InstallStatus, OperationRunStatus } from '@cloudfit/contract/enums.ts';
import { queuedRunHours } from '@cloudfit/contract/resources/device-operations.ts';

export interface CampaignFacts {
  kind: CampaignKind;
  outcome: CampaignOutcome;
  reason: string | null;
  begun: string;
  isGone: boolean;
  restartIsAsked: boolean;
  run: { status: OperationRunStatus; message: string | null } | null;
  installation: { status: InstallStatus; detail: string | null; changed: string | null; isOurWish: boolean } | null;
}

/** `expires`: the requested installation, removal or restart has waited for its device too long; the campaign withdraws it. */
export interface DeviceFinding {
  outcome: CampaignOutcome;
  reason: string | null;
  expires?: true;
  /** Whether the device failed without having been tried. */
  untried?: true;
}

const lostText = 'The device began and did not report its end.';
const anotherText = 'Somebody chose another version for this device in the meantime.';
const waitMs = queuedRunHours * 3_600_000;

const waiting: DeviceFinding = { outcome: 'Waiting', reason: null };
const running: DeviceFinding = { outcome: 'Running', reason: null };

function ofRun(run: CampaignFacts['run']): DeviceFinding {
  switch (run?.status) {
    case undefined:
    case 'Queued':
      return waiting;
    case 'Running':
      return running;
    case 'Success':
      return { outcome: 'Done', reason: null };
    // The operation ran; Warning and Critical are its results.
    case 'Warning':
    case 'Critical':
      return { outcome: 'Done', reason: run?.message ? `${run.status}: ${run.message}` : (run?.status ?? null) };
    case 'Dequeued':
      return { outcome: 'Stopped', reason: run?.message ?? 'The request was withdrawn.' };
    case 'Expired':
      return { outcome: 'Failed', reason: run?.message ?? 'Expired', untried: true };
    default:
      return { outcome: 'Failed', reason: run?.message ?? run?.status ?? null };
  }
}

function ofInstallation({ kind, installation }: CampaignFacts, now: number): DeviceFinding {
  if (!installation && kind === 'RemovePackage') return { outcome: 'Done', reason: null };
  if (!installation?.isOurWish) return { outcome: 'Stopped', reason: anotherText };
  const { status, detail, changed } = installation;
  if (status === 'Installed') return { outcome: 'Done', reason: null };
  if (status.endsWith('Failed') || status === 'RolledBack')
    return { outcome: 'Failed', reason: withoutNextTry(detail ?? 'The device gave no reason.') };
  if (status.endsWith('Pending')) return waiting;
  return changed !== null && now - Date.parse(changed) > waitMs ? { outcome: 'Failed', reason: lostText } : running;
}

/**
 * Returns the outcome of a device that returns to the previous version. `reason`, if present, says why the new version could
 * not be installed.
 */
function ofReturn({ installation, begun, reason }: CampaignFacts, now: number): DeviceFinding {
  if (!installation) return { outcome: 'Returned', reason };
  if (!installation.isOurWish) return { outcome: 'Stopped', reason: anotherText };
  const { status, detail } = installation;
  if (status === 'Installed') return { outcome: 'Returned', reason };
  const failed = (why: string): DeviceFinding => ({
    outcome: 'Failed',
    reason: `${reason === null ? '' : `${reason} `}The previous version was not restored: ${why}`,
  });
  if (status.endsWith('Failed') || status === 'RolledBack') return failed(withoutNextTry(detail ?? 'the device gave no reason.'));
  return now - Date.parse(begun) > waitMs ? failed('the device did not answer.') : { outcome: 'Returning', reason };
}

export function outcomeOf(facts: CampaignFacts, now: Date): DeviceFinding {
  // Also for a deleted device: its run is withdrawn together with its operation, or expires.
  if (facts.kind === 'RunOperation') return ofRun(facts.run);
  if (facts.isGone) return { outcome: 'Failed', reason: 'The device was deleted or moved to another tenant.', untried: true };
  if (facts.outcome === 'Returning') return ofReturn(facts, now.getTime());
  const isRestart = facts.kind === 'RestartAgent';
  const restarted: DeviceFinding = facts.restartIsAsked ? waiting : { outcome: 'Done', reason: null };
  const finding = isRestart ? restarted : ofInstallation(facts, now.getTime());
  const isLate = now.getTime() - Date.parse(facts.begun) > waitMs;
  return finding.outcome === 'Waiting' && isLate ? { ...finding, expires: true } : finding;
}

/** Whether the next ring of a campaign may begin, by the outcomes of the devices of the present ring. */
import type { CampaignGate } from '@cloudfit/contract/resources/campaigns.ts';

export interface RingFacts {
  /**
   * Devices of the ring of which the share `minShare` must succeed: those that have tried or may still try, without stopped
   * ones.
   */
  counted: number;
  failed: number;
  /**
   * Done devices. If the gate requires a heartbeat: only those that have reported since they were done, or on which the
   * campaign changed nothing.
   */
  succeeded: number;
  /** Done devices that the gate requires to report, that have not reported, and whose time to report is not over. */
  unreported: number;
  /** Done devices that have not reported for three heartbeat intervals, at least five minutes, after they were done. */
  silent: number;
  /** The first match since the ring began of a rule that the gate names. */
  match: { rule: string; device: string } | null;
  /** Whether the campaign changes a rule. Its devices count as failed if the new version of the rule has matched on them. */
  isRule?: boolean;
  /** For a campaign that changes a rule: devices that have not reported since their ring began. */
  awaited?: number | null;
  /** Why the new version of a rule cannot be evaluated. */
  fault?: string | null;
}

export type RingVerdict = { kind: 'fails' | 'waits'; reason: string } | { kind: 'passes' };

/** The gate of campaigns with rings that name no gate. */
export const usualGate: CampaignGate = { minShare: 95, ruleIds: [], heartbeat: false };

export function verdictOf(gate: CampaignGate, facts: RingFacts): RingVerdict {
  const { counted, failed, succeeded, unreported, silent, match, isRule = false, awaited, fault } = facts;
  if (fault) return { kind: 'fails', reason: `The new version cannot be evaluated: ${fault}` };
  if (match) return { kind: 'fails', reason: `The rule ${match.rule} matched on ${match.device}.` };
  const needed = Math.ceil((counted * gate.minShare) / 100);
  const devices = counted === 1 ? '1 device' : `${counted} devices`;
  if (isRule && counted - failed < needed)
    return { kind: 'fails', reason: `The new version matched on ${failed} of ${devices}; ${gate.minShare} % must stay without a match.` };
  if (counted - failed - silent < needed) {
    const parts = [...(failed > 0 ? [`${failed} failed`] : []), ...(silent > 0 ? [`${silent} did not report afterwards`] : [])];
    return {
      kind: 'fails',
      reason: `Of ${devices} ${parts.join(' and ')}; ${gate.minShare} % must succeed.`,
    };
  }
  if (counted === 0) return { kind: 'waits', reason: 'No device of this ring could try. Continue by hand, or stop.' };
  if (succeeded < needed) {
    if (isRule) {
      const silence = awaited ? ` Not reported yet: ${awaited}.` : '';
      return { kind: 'waits', reason: `${failed} of ${devices} matched so far, limit ${counted - needed}.${silence}` };
    }
    const since = unreported > 0 ? `, not reported since: ${unreported}` : '';
    return { kind: 'waits', reason: `Succeeded: ${succeeded} of ${counted}, needed: ${needed}${since}.` };
  }
  return { kind: 'passes' };
}

/** Whether the next ring of a campaign may begin, by the outcomes of the devices of the present ring. */
import type { CampaignGate } from '@cloudfit/contract/resources/campaigns.ts';

export interface RingFacts {
  /** Devices of the ring whose outcome counts: they have tried or may still try. */
  counted: number;
  failed: number;
  /** Done devices that have also reported since, if the gate requires it and the campaign changed something on them. */
  succeeded: number;
  /** Done, and not reported yet. */
  unreported: number;
  /** Done devices that have been silent since for longer than a device may be. */
  silent: number;
  /** The first match of a chosen rule since the ring began. */
  match: { rule: string; device: string } | null;
  /** For a campaign that changes a rule: a device has failed when the new version matched there. */
  isRule?: boolean;
  /** For a campaign that changes a rule: devices that have not reported since their ring began. */
  awaited?: number | null;
  /** Why the new version of a rule cannot be evaluated. */
  fault?: string | null;
}

export type RingVerdict = { kind: 'fails' | 'waits'; reason: string } | { kind: 'passes' };

/** The gate of rings for which none is chosen. */
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

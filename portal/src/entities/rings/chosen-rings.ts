/** The rings of a campaign: as typed, and as the body of the request that starts the campaign. */
import type { StartCampaign } from '@cloudfit/contract/actions/devices.ts';
import { campaignTexts } from '@cloudfit/contract/messages/campaigns.en.ts';
import { contains } from '@cloudfit/contract/query/build.ts';
import { ringSizes } from '@cloudfit/contract/resources/campaigns.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';

const t = campaignTexts.rings;

export interface ChosenRing {
  id: number;
  kind: 'share' | 'tag';
  /** The percentage or the tag, as typed. */
  text: string;
}

export interface ChosenRings {
  rings: readonly ChosenRing[];
  minShare: string;
  pauseMinutes: string;
  heartbeat: boolean;
  rules: readonly { ruleId: string; name: string }[];
}

/** The default rings: up to 1 %, up to 10 %, the rest; for fewer than 100 devices, larger shares, so that no ring is empty. */
export function usualRings(total: number): ChosenRings {
  const shares = total >= 100 ? ['1', '10'] : total >= 10 ? ['10'] : ['50'];
  return {
    rings: shares.map((text, at) => ({ id: at, kind: 'share', text })),
    minShare: '95',
    pauseMinutes: '30',
    heartbeat: true,
    rules: [],
  };
}

const numberOf = (text: string) => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN);
const isWhole = (text: string, from: number, to: number) =>
  Number.isInteger(numberOf(text)) && numberOf(text) >= from && numberOf(text) <= to;
const sharesOf = (rings: readonly ChosenRing[]) => rings.filter(({ kind }) => kind === 'share').map(({ text }) => numberOf(text));

/** The initial share of a further ring: halfway between the last share and 100 %; empty when there is no share between them. */
export function nextShare(rings: readonly ChosenRing[]): string {
  const last = sharesOf(rings).at(-1) ?? 0;
  const next = Math.floor((last + 100) / 2);
  return next > last ? String(next) : '';
}

export function problemOfRings({ rings, minShare, pauseMinutes }: ChosenRings): string | undefined {
  const shares = sharesOf(rings);
  if (!shares.every((share, at) => share > (shares[at - 1] ?? 0) && share < 100)) return t.wrongShares;
  if (rings.some(({ kind, text }) => kind === 'tag' && text.trim() === '')) return t.wrongTag;
  return isWhole(minShare, 1, 100) && isWhole(pauseMinutes, 0, 10_080) ? undefined : t.wrongGate;
}

/** The size of each ring; undefined for a tag, whose devices only the server knows, and while a share is no number. */
export function sizesOfRings(rings: readonly ChosenRing[], total: number): readonly (number | undefined)[] {
  const shares = sharesOf(rings);
  const sizes = shares.some(Number.isNaN) ? [] : ringSizes(total, shares);
  return rings.map(({ kind }) => (kind === 'share' ? sizes.shift() : undefined));
}

export function ringsBody({
  rings,
  minShare,
  pauseMinutes,
  heartbeat,
  rules,
}: ChosenRings): Pick<StartCampaign, 'rings' | 'gate' | 'pauseMinutes'> {
  return {
    rings: rings.map(({ kind, text }) => (kind === 'share' ? { share: Number(text) } : { filter: contains(devices, 'tags', text.trim()) })),
    gate: { minShare: Number(minShare), heartbeat, ruleIds: rules.map(({ ruleId }) => ruleId) },
    pauseMinutes: Number(pauseMinutes),
  };
}

/**
 * A slow reference: computes the work units of one rule from the events, one after another, whatever the requests in which
 * packets came.
 */

export type UnitStep =
  /** Packets of these devices that match. */
  | { kind: 'hit'; devices: readonly number[] }
  /** A buffer whose matches have already ended. */
  | { kind: 'old'; devices: readonly number[] }
  | { kind: 'recover'; devices: readonly number[] }
  /** More time than the group window of the rule passes without a match that joins. */
  | { kind: 'pause' }
  /** A person resolves every unit that lists one of these devices. */
  | { kind: 'resolve'; devices: readonly number[] };

export interface UnitRule {
  recurrence: 'Append' | 'Reopen' | 'New';
  /** Returns the key of the group of a device's match; undefined if the match stays by itself. */
  keyOf: (device: number) => string | undefined;
  /** The number of matches above which further matches share a group, whatever their times. Default: no limit. */
  stormLimit?: number;
}

interface ListedMatch {
  device: number;
  isOpen: boolean;
}

export interface ScratchUnit {
  state: 'New' | 'Resolved';
  occurrences: number;
  matches: ListedMatch[];
}

interface ScratchGroup {
  key: string;
  matches: ListedMatch[];
  unit: ScratchUnit;
  takesMore: boolean;
}

export function unitsFromScratch(
  steps: readonly UnitStep[],
  { recurrence, keyOf, stormLimit = Infinity }: UnitRule,
): { units: ScratchUnit[]; calls: number } {
  const units: ScratchUnit[] = [];
  const groups: ScratchGroup[] = [];
  const latestUnits = new Map<string, ScratchUnit>();
  const reported = new Set<number>();
  const open = new Map<number, ListedMatch>();
  let [calls, matched] = [0, 0];

  /**
   * Returns the unit of a new group: the latest unit if it is open, without a call; otherwise the latest unit, reopened, or a
   * new unit, with a call.
   */
  function unitFor(key: string): ScratchUnit {
    const latest = latestUnits.get(key);
    if (latest && recurrence !== 'New' && latest.state === 'New') return latest;
    calls += 1;
    if (latest && recurrence === 'Reopen') return Object.assign(latest, { state: 'New' as const });
    const unit: ScratchUnit = { state: 'New', occurrences: 0, matches: [] };
    units.push(unit);
    latestUnits.set(key, unit);
    return unit;
  }

  function hit(device: number): void {
    reported.add(device);
    if (open.has(device)) return;
    const match = { device, isOpen: true };
    open.set(device, match);
    matched += 1;
    const key = keyOf(device) ?? (matched > stormLimit ? 'storm' : `alone ${device}`);
    let group = groups.find((group) => group.key === key && group.takesMore && group.unit.state === 'New');
    if (!group) {
      group = { key, matches: [], unit: unitFor(key), takesMore: true };
      groups.push(group);
    }
    group.matches.push(match);
    group.unit.matches.push(match);
    group.unit.occurrences += 1;
  }

  function recover(device: number): void {
    reported.add(device);
    const match = open.get(device);
    if (!match) return;
    match.isOpen = false;
    open.delete(device);
    for (const group of groups) if (group.matches.every((match) => !match.isOpen)) group.takesMore = false;
  }

  for (const step of steps) {
    if (step.kind === 'pause') for (const group of groups) group.takesMore = false;
    else if (step.kind === 'hit') for (const device of step.devices) hit(device);
    else if (step.kind === 'recover') for (const device of step.devices) recover(device);
    // Matches that are over open no unit.
    else if (step.kind === 'old') for (const device of step.devices) reported.add(device);
    else
      for (const group of groups)
        if (group.matches.some((match) => step.devices.includes(match.device))) {
          group.unit.state = 'Resolved';
          group.takesMore = false;
        }
  }
  return { units, calls };
}

import { useEffect, useRef, useState } from 'react';
import { severities } from '@cloudfit/contract/enums.ts';
import { playSound } from './sound.ts';
import { keyOf, type DoNowEntry } from './use-do-now.ts';

/** The sound of an update that is overdue, which has no severity. */
const ofCommunication = 'Sev2';

/**
 * Plays the sound of the most severe entry that is new since the last answer; the first answer is silent, and so is the first of another
 * `scope`. Returns whether the browser has refused it.
 */
export function useEntrySound(entries: readonly DoNowEntry[] | undefined, scope: string, isOn: boolean): boolean {
  const lastKeys = useRef<{ scope: string; keys: Set<string> }>(undefined);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (!entries) return;
    const before = lastKeys.current;
    const fresh = before?.scope === scope ? entries.filter((entry) => !before.keys.has(keyOf(entry))) : [];
    // What was there once is not new when it comes back, such as the last entries of a full list.
    lastKeys.current = { scope, keys: new Set([...(before?.scope === scope ? before.keys : []), ...entries.map(keyOf)]) };
    const severity = severities.find((level) => fresh.some(({ unit }) => (unit?.severityId ?? ofCommunication) === level));
    if (isOn && severity) void playSound(severity).then((played) => setRefused(!played));
  }, [entries, scope, isOn]);
  return isOn && isRefused;
}

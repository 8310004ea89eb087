import { useState } from 'react';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { useCurrentUser, useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { nearing, Pop } from '../../components/overlay/floating.tsx';
import { viewerZone, zoneTime, instantAt } from '../../theme/times.ts';
import { useTakeOver } from './use-on-call.ts';
import { nowMs } from '../../theme/now.ts';

/** Returns the offered ends: four and eight hours after the last full hour, tomorrow at 8:00, and the end of the shift. */
function choices(endOfShift: string | undefined): Date[] {
  const now = nowMs();
  const hour = new Date(now);
  hour.setMinutes(0, 0, 0);
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(8, 0, 0, 0);
  const inHours = (hours: number) => new Date(hour.getTime() + hours * 3_600_000);
  const end = Date.parse(endOfShift ?? '');
  const all = [inHours(4), inHours(8), morning].map((item) => item.getTime());
  if (end > now && end < now + 60 * 86_400_000) all.push(end);
  return [...new Set(all)].toSorted((a, b) => a - b).map((at) => new Date(at));
}

/** A button that takes over the shift until an end that the person then chooses or types. */
export function TakeOver({ id, endOfShift, small = false }: { id: string; endOfShift: string | undefined; small?: boolean }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [typed, setTyped] = useState('');
  const may = useMay();
  const { data: me } = useCurrentUser();
  const takeOver = useTakeOver(id);
  if (!may('OnCall.Overrides', 'create') || !me?.personId) return null;
  const take = (until: Date) => {
    setAnchor(null);
    void takeOver(until);
  };
  return (
    <>
      <Button small={small} icon="phone" {...nearing} aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        {t.take}
      </Button>
      {anchor && (
        <Pop anchor={anchor} label={t.takeUntil} onClose={() => setAnchor(null)}>
          <div className="take-over">
            <strong>{t.takeUntil}</strong>
            {choices(endOfShift).map((until) => (
              <Button key={until.getTime()} small onClick={() => take(until)}>
                {zoneTime(until.getTime())}
              </Button>
            ))}
            <label className="take-until">
              <span className="faint">{t.inZone(t.otherTime, viewerZone())}</span>
              <input className="input num" type="datetime-local" value={typed} onChange={(event) => setTyped(event.target.value)} />
            </label>
            <Button small look="primary" disabled={typed === ''} onClick={() => take(instantAt(typed))}>
              {t.confirmTake}
            </Button>
          </div>
        </Pop>
      )}
    </>
  );
}

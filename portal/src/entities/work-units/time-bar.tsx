import type { Tone } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import './time-bar.css';

/** How much of the time from the beginning to the end has passed, in percent. */
const passed = (from: number, to: number, now: number): number => Math.min(100, Math.max(0, ((now - from) / Math.max(to - from, 1)) * 100));

/** A bar of how much of a promised time has passed; the text beside it says when it ends. */
export function TimeBar({ from, to, tone }: { from: string; to: string; tone: Tone }) {
  const now = useNow();
  return (
    <span className={`time-bar ${tone}`} aria-hidden>
      <i style={{ width: `${passed(Date.parse(from), Date.parse(to), now)}%` }} />
    </span>
  );
}

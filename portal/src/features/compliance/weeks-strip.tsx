/** Half a year of a control set: a column for each week; a click opens the week. */
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { complianceWeeks } from '@cloudfit/contract/calls.ts';
import { weeksAtOnce } from '@cloudfit/contract/compliance/evidence.ts';
import type { WeekCounts } from '@cloudfit/contract/compliance/week-report.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { complianceTexts } from '@cloudfit/contract/messages/compliance.en.ts';
import { weeksTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { controlSets, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { useCall } from '../../api/call.ts';
import { dayOf, weekBefore, weekText } from './week-picker.tsx';

const order = [...controlStatusValues.slice(1), ...controlStatusValues.slice(0, 1)];

/** Returns every week of the half year, including weeks without a status. */
function complete({ controls, weeks }: CallOutput<typeof complianceWeeks>, last: string): WeekCounts[] {
  const byWeek = new Map(weeks.map((week) => [week.week, week]));
  const all: WeekCounts[] = [];
  for (let week = last, n = 0; n < weeksAtOnce; week = weekBefore(week), n += 1) {
    const { counts = {}, isSigned = false } = byWeek.get(week) ?? {};
    const judged = order.reduce((sum, status) => sum + (status === 'Notset' ? 0 : (counts[status] ?? 0)), 0);
    all.unshift({ week, counts: { ...counts, Notset: Math.max(0, controls - judged) }, isSigned });
  }
  return all;
}

/** The strip is one stop of the Tab key; the arrows, Home and End move between its weeks. */
function moveInStrip(event: KeyboardEvent<HTMLDivElement>) {
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const at = buttons.findIndex((button) => button === event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  const next = to === undefined ? undefined : buttons[to];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface WeeksStripProps {
  setId: string;
  tenantId: string;
  monday: string;
  onChange: (day: string) => void;
}

export function WeeksStrip({ setId, tenantId, monday, onChange }: WeeksStripProps) {
  const last = mondayOf(new Date().toISOString());
  // A changed status refreshes the strip too.
  const refreshedBy = [controlSets.name, controlStatuses.name];
  const { data } = useCall(complianceWeeks, { id: setId, tenantId, week: dayOf(last) }, { refreshedBy });
  const chosen = useRef<HTMLButtonElement>(null);
  const isShown = data !== undefined;
  // On a phone the strip is wider than the window, so it is scrolled to the chosen week, or else to the current week.
  useEffect(() => {
    chosen.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [isShown, monday]);
  if (!data || !Array.isArray(data.weeks)) return null;
  const weeks = complete(data, last);
  const stop = weeks.some(({ week }) => week === monday) ? monday : last;
  return (
    <div className="weeks-strip" role="group" aria-label={t.title} onKeyDown={moveInStrip}>
      {weeks.map(({ week, counts, isSigned }) => {
        const parts = order.flatMap((status) => (counts[status] ? [`${complianceTexts.status[status]} ${counts[status]}`] : []));
        const label = [weekText(week), parts.join(', '), ...(isSigned ? [t.signed] : [])].join(' · ');
        return (
          <button
            key={week}
            type="button"
            title={label}
            aria-label={label}
            aria-pressed={week === monday}
            ref={week === stop ? chosen : undefined}
            tabIndex={week === stop ? 0 : -1}
            onClick={() => onChange(week === last ? '' : dayOf(week))}
          >
            <span className="column">
              {order.map((status) => {
                const count = counts[status] ?? 0;
                return count > 0 && <i key={status} className={status} style={{ flexGrow: count }} />;
              })}
            </span>
            <span className="signed-mark">{isSigned ? '✓' : ''}</span>
          </button>
        );
      })}
    </div>
  );
}

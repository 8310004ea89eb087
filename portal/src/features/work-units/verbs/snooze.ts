/** Snoozes work units until a time, or wakes them. */
import { snoozeWorkUnits } from '@cloudfit/contract/calls.ts';
import { snoozeTexts as t } from '@cloudfit/contract/messages/snooze.en.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { command } from '../../../calls/command.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { isOpen } from './unit-target.ts';

interface Snoozing {
  units: readonly PanelWorkUnit[];
  until: string | null;
}

const send = command(({ units, until }: Snoozing) => call(snoozeWorkUnits, { ids: units.map(({ workUnitId }) => workUnitId), until }), {
  done: (_, { units, until }) => (until === null ? t.woken : t.done)(units.length, units[0]?.publicWorkUnitId ?? 0),
  refreshes: [workUnits.name, inboxItems.name],
});

/** Snoozes those of the units that are open; `until` null wakes those that are snoozed. */
export async function snooze(units: readonly PanelWorkUnit[], until: string | null): Promise<void> {
  const meant = units.filter((unit) => (until === null ? Boolean(unit.snoozedUntil) : isOpen(unit)));
  if (meant.length > 0) await send({ units: meant, until });
}

/** What everybody asks first about a unit, in a line under its title: severity, state, number, assignee, age, tenant, who is here. */
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { snoozeTexts as s } from '@cloudfit/contract/messages/snooze.en.ts';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { Chip, PendingChip, SeverityChip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { exactTime } from '../../../theme/times.ts';
import { PersonName, PersonWho } from '../../../rows/person-name.tsx';
import { Occurrences } from '../occurrences.tsx';
import { PresenceFaces } from '../presence/presence-faces.tsx';
import { VisitLine } from '../visits/visits.tsx';
import { StateChip } from '../state-chip.tsx';
import { usePendingField } from '../verbs/pending.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './situation.css';

export function UnitLine({ unit }: { unit: PanelWorkUnit }) {
  const pending = usePendingField(unit.workUnitId, 'stateId');
  const type = unit.workUnitType?.name;
  return (
    <div className="unit-line">
      <SeverityChip value={unit.severityId} />
      {pending ? <PendingChip>{pending}</PendingChip> : <StateChip state={unit.stateId} />}
      {unit.holdReason && <Chip>{t.waitsFor(choiceText(unit.holdReason))}</Chip>}
      <span className="num">#{unit.publicWorkUnitId}</span>
      {type && <span>{type === 'Request' ? en.workUnits.userRequest : type}</span>}
      <span className="unit-assignee">{unit.assignedTo ? <PersonWho userName={unit.assignedTo} /> : en.workUnits.unassigned}</span>
      <span>
        {t.opened} <RelativeTime value={unit.created} />
      </span>
      {unit.tenant && <span className="ellipsis">{unit.tenant.name}</span>}
      {unit.snoozedUntil && (
        <Chip tone="info">
          {s.until} {exactTime(unit.snoozedUntil)}{' '}
          {unit.snoozedBy && (
            <>
              {s.by} <PersonName userName={unit.snoozedBy} />
            </>
          )}{' '}
          {s.orChange}
        </Chip>
      )}
      <Occurrences count={unit.occurrences} />
      <VisitLine id={unit.workUnitId} />
      <PresenceFaces id={unit.workUnitId} />
    </div>
  );
}

import { openStates } from '@cloudfit/contract/enums.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { serviceLevelTexts as levelTexts } from '@cloudfit/contract/messages/service-levels.en.ts';
import { snoozeTexts } from '@cloudfit/contract/messages/snooze.en.ts';
import { personName } from '../../api/people-names.ts';
import { PersonName, PersonWho } from '../../rows/person-name.tsx';
import { PendingChip, SeverityChip } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { useCurrentUser, useMay } from '../../api/lookups.ts';
import { isAwake, isBreaching, waitsFor } from '../../entities/attention.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { FoundPlace, FoundTitle } from './found-places.tsx';
import { DueTime } from '../../entities/work-units/due-time.tsx';
import { Occurrences } from './occurrences.tsx';
import { RuleColor } from './rule-color.tsx';
import { StateChip } from './state-chip.tsx';
import { workUnitExpand } from './panel/use-work-unit.ts';
import { CellChoice } from './verbs/cell-choice.tsx';
import { usePendingChange, usePendingField } from './verbs/pending.ts';
import { loadVerbs } from './verbs/unit-commands.ts';
import type { PanelWorkUnit } from './work-unit.rules.ts';
import { workUnitPanel } from './panel/work-unit-panel-lazy.tsx';

interface AckProps {
  unit: PanelWorkUnit;
  open: () => void;
}

/** The link in a row that acknowledges its work unit (WU-005). */
function AckLink(props: AckProps) {
  const may = useMay();
  const isPending = usePendingChange(props.unit.workUnitId) !== undefined;
  return props.unit.stateId === 'New' && !isPending && may('WorkUnits', 'edit') ? <Ack {...props} /> : null;
}

/** The longest wait for the answer before the unit opens: a panel that opens after it reads everything once. */
const answerWaitMs = 150;

function Ack({ unit, open }: AckProps) {
  const { data: user } = useCurrentUser();
  const run = async () => {
    if (!user) return;
    const answered = loadVerbs().then((verbs) => verbs.acknowledge([unit], user.userName));
    await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, answerWaitMs))]);
    open();
  };
  return (
    <button
      type="button"
      className="link inline"
      aria-label={`${en.workUnits.ack} ${en.workUnits.ackLabel(unit.publicWorkUnitId)}`}
      onClick={() => void run()}
    >
      {en.workUnits.ack}
    </button>
  );
}

function UnitState({ unit }: { unit: PanelWorkUnit }) {
  const pending = usePendingField(unit.workUnitId, 'stateId');
  return pending === undefined ? <StateChip state={unit.stateId} /> : <PendingChip>{pending}</PendingChip>;
}

function UnitAssignee({ unit }: { unit: PanelWorkUnit }) {
  return (
    <CellChoice unit={unit} field="assignedTo">
      {unit.assignedTo ? (
        <PersonWho userName={unit.assignedTo} />
      ) : (
        <>
          <span className="faint" aria-hidden>
            {en.common.none}
          </span>
          <span className="visually-hidden">{en.workUnits.unassigned}</span>
        </>
      )}
    </CellChoice>
  );
}

type ListedUnit = ExpandedRow<typeof workUnits, (typeof workUnitExpand)[number]>;

const named = (name: FieldName<typeof workUnits>, width: number, header?: string): ViewColumn<ListedUnit> => ({
  ...fieldColumn(workUnits, name),
  width,
  tone: 'soft',
  ...(header ? { header } : {}),
});

const columns: readonly ViewColumn<ListedUnit>[] = [
  {
    id: 'publicWorkUnitId',
    header: en.workUnits.id,
    width: 84,
    fits: true,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <span className="num">{row.publicWorkUnitId}</span>,
    text: (row) => String(row.publicWorkUnitId),
  },
  {
    id: 'severityId',
    header: workUnits.fields.severityId.label,
    width: 94,
    fits: true,
    below: 'sm',
    sortable: true,
    cell: (row) => (
      <CellChoice unit={row} field="severityId">
        <SeverityChip value={row.severityId} />
      </CellChoice>
    ),
    text: (row) => row.severityId,
  },
  {
    id: 'title',
    header: workUnits.fields.title.label,
    width: 270,
    grow: true,
    sortable: true,
    tone: 'strong',
    cell: (row) => <FoundTitle title={row.title} />,
    after: (row, open) => (
      <>
        <RuleColor ruleId={row.ruleId} />
        <Occurrences count={row.occurrences} />
        <AckLink unit={row} open={open} />
        <FoundPlace unit={row} />
      </>
    ),
    text: (row) => row.title,
  },
  {
    id: 'stateId',
    header: workUnits.fields.stateId.label,
    width: 124,
    fits: true,
    below: 'sm',
    sortable: true,
    cell: (row) => (
      <CellChoice unit={row} field="stateId">
        <StateChip state={row.stateId} />
      </CellChoice>
    ),
    text: (row) => row.stateId,
  },
  {
    id: 'assignedTo',
    header: workUnits.fields.assignedTo.label,
    width: 132,
    fits: true,
    below: 'sm',
    sortable: true,
    cell: (row) => <UnitAssignee unit={row} />,
    text: (row) => personName(row.assignedTo),
  },
  named('tenantId', 116, en.workUnits.tenant),
  {
    id: 'created',
    header: workUnits.fields.created.label,
    width: 92,
    fits: true,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <RelativeTime plain value={row.created} />,
    text: (row) => exactTime(row.created),
  },
  {
    id: 'modified',
    header: workUnits.fields.modified.label,
    width: 108,
    fits: true,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <RelativeTime plain value={row.modified} />,
    text: (row) => exactTime(row.modified),
  },
  {
    id: 'clockDue',
    header: levelTexts.due,
    width: 92,
    fits: true,
    below: 'sm',
    sortable: true,
    cell: (row) => <DueTime unit={row} />,
    text: (row) => (row.clockDue ? exactTime(row.clockDue) : ''),
  },
  {
    id: 'workUnitTypeId',
    header: en.workUnits.type,
    width: 120,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => typeName(row),
    text: typeName,
  },
  named('assignmentGroup', 140),
  named('stakeHolderFullName', 150),
  named('stakeHolderPhoneNumber', 140),
  named('stakeHolderEmailAddress', 200),
];

function typeName(row: PanelWorkUnit): string {
  const name = row.workUnitType?.name ?? '';
  return name === 'Request' ? en.workUnits.userRequest : name;
}

/** The clock that warns or is over, in place of the age. */
function ClockOrAge({ unit, warnAt }: { unit: PanelWorkUnit; warnAt: string }) {
  return Date.parse(warnAt) <= useNow() ? <DueTime unit={unit} /> : <RelativeTime plain value={unit.created} />;
}

/** The second line of a row, which a phone shows below the title. */
function PhoneLine({ unit }: { unit: PanelWorkUnit }) {
  return (
    <>
      <SeverityChip value={unit.severityId} />
      <span className="num">{unit.publicWorkUnitId}</span>
      <UnitState unit={unit} />
      <span className="ellipsis">{unit.assignedTo ? <PersonName userName={unit.assignedTo} /> : en.workUnits.unassigned}</span>
      {unit.clockWarn ? <ClockOrAge unit={unit} warnAt={unit.clockWarn} /> : <RelativeTime plain value={unit.created} />}
    </>
  );
}

export const workUnitsView = defineView({
  resource: workUnits,
  icon: 'workUnits',
  texts: { title: en.workUnits.title, emptyText: en.workUnits.emptyText },
  columns,
  phoneLine: (row) => <PhoneLine unit={row} />,
  expand: workUnitExpand,
  base: ({ tenantId }) => [tenantId ? eq(workUnits, 'tenantId', tenantId) : undefined],
  filters: [
    'stateId',
    'severityId',
    'holdReason',
    'tenantId',
    'workUnitTypeId',
    'workUnitCategoryId',
    'assignedTo',
    'assignmentGroup',
    'stakeHolderFullName',
    'source',
    'protocolId',
    'created',
    'modified',
    'clockDue',
  ],
  quick: [
    {
      id: 'approval',
      label: en.workUnits.needsMyApproval,
      clause: ({ user }) => (user ? waitsFor(user.userName) : undefined),
      filters: { stateId: openStates },
    },
    {
      id: 'mine',
      label: en.workUnits.mine,
      clause: ({ user }) => (user ? eq(workUnits, 'assignedTo', user.userName) : undefined),
      filters: { stateId: openStates },
    },
    { id: 'awake', label: snoozeTexts.notSnoozed, clause: () => isAwake },
    { id: 'breaching', label: levelTexts.breaching, clause: () => isBreaching, filters: { stateId: openStates } },
  ],
  searchIn: ['tenant/name', 'workUnitId', 'publicWorkUnitId'],
  searchDebounceMs: 250,
  panelParam: 'workUnitId',
  offers: ['list', 'create'],
  panel: workUnitPanel,
  pollMs: 60_000,
  exportFile: en.workUnits.exportFile,
});

import { workUnitEventTypes } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { nameOf, type ProtocolAction } from './use-protocol-actions.ts';

const t = protocolTexts.actions;

interface ActionTools {
  open: (action: ProtocolAction) => void;
  mayEdit: boolean;
  /** Undefined for people without the permission. */
  remove: ((action: ProtocolAction) => void) | undefined;
}

const eventOf = (action: ProtocolAction) =>
  choiceText(workUnitEventTypes.find((event) => event.value === action.workUnitEventTypeId)?.label ?? '');

const noteOf = ({ summary, repeatable, wait, repeatEvery, repeatTimes, onlySeverities, onlyStates }: ProtocolAction) =>
  [
    summary,
    wait && t.after(wait),
    repeatEvery && repeatTimes && t.repeats(repeatTimes, repeatEvery),
    [...onlySeverities, ...onlyStates].join(', '),
    repeatable && t.repeatable,
  ]
    .filter(Boolean)
    .join(' · ');

/** The columns event, action, run mode and buttons. */
export function protocolActionColumns({ open, mayEdit, remove }: ActionTools): readonly TableColumn<ProtocolAction>[] {
  return [
    { id: 'event', header: t.event, width: 134, tone: 'soft', cell: eventOf },
    {
      id: 'action',
      header: t.action,
      width: 140,
      grow: true,
      tone: 'strong',
      cell: (action) => (
        <button type="button" className="link protocol-action" onClick={() => open(action)}>
          <span className="ellipsis">{action.actionDefinition?.name ?? en.common.none}</span>
          {noteOf(action) && <small className="ellipsis">{noteOf(action)}</small>}
        </button>
      ),
    },
    {
      id: 'runs',
      header: t.runs,
      width: 116,
      below: 'sm',
      cell: (action) => (
        <Chip tone={action.runAutomatically ? 'info' : 'plain'} dot>
          {action.runAutomatically ? t.automatic : t.manual}
        </Chip>
      ),
    },
    {
      id: 'actions',
      header: en.common.actions,
      width: 76,
      align: 'end',
      cell: (action) => (
        <span className="row-actions">
          {mayEdit && <IconButton small icon="edit" label={t.edit(nameOf(action))} title={en.common.edit} onClick={() => open(action)} />}
          {remove && (
            <IconButton small icon="trash" label={t.remove(nameOf(action))} title={en.common.delete} onClick={() => remove(action)} />
          )}
        </span>
      ),
    },
  ];
}

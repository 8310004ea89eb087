import { memo } from 'react';
import { controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { useMay } from '../../api/lookups.ts';
import { NotesInput } from './notes-input.tsx';
import { StatusButtons } from './status-buttons.tsx';
import { useControlStatus, type WeekOfTenant } from './use-control-status.ts';
import type { WeekControl } from './use-controls.ts';
import type { Status } from './use-place.ts';

interface ControlRowProps {
  control: WeekControl;
  week: WeekOfTenant;
  /** Notes that could not be saved. */
  unsaved: string | undefined;
  onUnsaved: (id: string, notes: string | undefined) => void;
}

function ControlRowView({ control, week, unsaved, onUnsaved }: ControlRowProps) {
  const may = useMay();
  const { choose, saveNotes } = useControlStatus(control, week);
  const record = control.controlStatuses[0];
  const mayWrite = may(controlStatuses.area, record ? 'edit' : 'create');
  const mayDelete = may(controlStatuses.area, 'delete');
  return (
    <tr>
      <th scope="row" className="num">
        {control.name}
      </th>
      <td className="title">
        {control.description ? (
          <details>
            <summary>{control.title}</summary>
            <p className="muted">{control.description}</p>
          </details>
        ) : (
          control.title
        )}
      </td>
      <td className="status-cell">
        <StatusButtons
          control={control.name}
          value={(record?.status ?? 'Notset') as Status}
          disabled={!mayWrite}
          onChoose={(status) => {
            if (status !== record?.status || mayDelete) choose(status);
          }}
        />
      </td>
      <td className="notes-cell">
        <NotesInput
          control={control.name}
          value={record?.notes ?? ''}
          readOnly={!mayWrite}
          unsaved={unsaved}
          onUnsaved={(notes) => onUnsaved(control.id, notes)}
          onSave={saveNotes}
        />
      </td>
    </tr>
  );
}

/** One control with its status and notes in the week. */
export const ControlRow = memo(ControlRowView);

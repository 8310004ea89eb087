import { memo } from 'react';
import { evidenceTexts, signOffTexts } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { isChanged } from './narrow.ts';
import { NotesInput } from './notes-input.tsx';
import { StatusButtons } from './status-buttons.tsx';
import { useControlStatus, type WeekOfTenant } from './use-control-status.ts';
import type { WeekControl } from './use-controls.ts';
import type { Status } from './use-place.ts';

interface ControlRowProps {
  control: WeekControl;
  week: WeekOfTenant;
  /** Status in the week before. */
  before: Status | undefined;
  /** Number of pieces of evidence. */
  evidence: number;
  /** Whether the week is signed off. */
  isFrozen: boolean;
  onEvidence: (controlId: string) => void;
  /** Notes that could not be saved. */
  unsaved: string | undefined;
  onUnsaved: (id: string, notes: string | undefined) => void;
}

function ControlRowView({ control, week, before, evidence, isFrozen, onEvidence, unsaved, onUnsaved }: ControlRowProps) {
  const may = useMay();
  const { choose, saveNotes, isSaving } = useControlStatus(control, week);
  const record = control.controlStatuses[0];
  const mayWrite = !isFrozen && may(controlStatuses.area, record ? 'edit' : 'create');
  const mayDelete = may(controlStatuses.area, 'delete');
  return (
    <tr data-row={control.id} tabIndex={-1}>
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
        {before && isChanged(control, new Map([[control.id, before]])) && <Chip tone="warn">{signOffTexts.was(t.status[before])}</Chip>}
      </td>
      <td className="status-cell">
        <StatusButtons
          control={control.name}
          value={(record?.status ?? 'Notset') as Status}
          disabled={!mayWrite}
          isSaving={isSaving}
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
        <Button
          small
          look="quiet"
          icon="link"
          className="evidence-button"
          aria-label={`${evidenceTexts.openOf(control.name)}: ${evidenceTexts.open(evidence)}`}
          title={evidenceTexts.open(evidence)}
          onClick={() => onEvidence(control.id)}
        >
          {evidence > 0 ? evidence : ''}
        </Button>
      </td>
    </tr>
  );
}

/** One control with its status and notes in the week. */
export const ControlRow = memo(ControlRowView);

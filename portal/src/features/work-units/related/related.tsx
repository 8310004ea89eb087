/** The links of a unit: one small grid per kind, the raw entry of each, and linking other units. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { removeRow } from '../../../api/row-calls.ts';
import { command } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { ErrorState, Skeleton } from '../../../components/states.tsx';
import { LinkUnit } from './link-unit.tsx';
import { kindLabel, useRelatedGrids, type RelatedEntry } from './related-entries.ts';
import { RelatedGrid } from './related-grid.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.related;

function RawEntry({ raw, onClose }: { raw: unknown; onClose: () => void }) {
  return (
    <Dialog
      title={workUnitTexts.relationTitle}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      <pre className="raw" tabIndex={0}>
        {JSON.stringify(raw, null, 2)}
      </pre>
    </Dialog>
  );
}

const unlink = command(({ relationId }: RelatedEntry) => removeRow(workUnitRelations, relationId), {
  confirm: ({ name }) => ({ title: t.unlinkTitle, text: t.unlinkQuestion(name), yes: t.unlink, danger: true }),
  failed: t.unlinkFailed,
  refreshes: [workUnits.name],
});

export function Related({ unit }: { unit: PanelWorkUnit }) {
  const may = useMay();
  const [viewed, setViewed] = useState<RelatedEntry>();
  const { grids, isLoading, error, retry } = useRelatedGrids(unit);
  if (isLoading)
    return (
      <p>
        <Skeleton width="70%" />
      </p>
    );
  return (
    <>
      {error && <ErrorState small title={t.failed} text={failureText(error)} onRetry={retry} />}
      {grids.map(({ type, entries }) => (
        <section key={type} className="form-section" aria-label={kindLabel(type)}>
          <h3>{kindLabel(type)}</h3>
          <RelatedGrid
            label={kindLabel(type)}
            entries={entries}
            onView={setViewed}
            onUnlink={type === 'WorkUnit' && may('WorkUnits', 'delete') ? (entry) => void unlink(entry) : undefined}
          />
          {type === 'WorkUnit' && may('WorkUnits', 'create') && <LinkUnit unit={unit} />}
        </section>
      ))}
      {viewed && <RawEntry raw={viewed.raw} onClose={() => setViewed(undefined)} />}
    </>
  );
}

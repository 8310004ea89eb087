/** The links of a unit: one small grid per kind, the raw entry of each, and linking other units. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { ErrorState, Skeleton } from '../../../components/states.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { LinkUnit } from './link-unit.tsx';
import { kindLabel, useRelatedGrids, type RelatedEntry } from './related-entries.ts';
import { RelatedGrid } from './related-grid.tsx';
import { useLinks } from './use-links.ts';
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

export function Related({ unit }: { unit: PanelWorkUnit }) {
  const may = useMay();
  const [viewed, setViewed] = useState<RelatedEntry>();
  const { grids, isLoading, error, retry } = useRelatedGrids(unit);
  const { unlink } = useLinks(unit);
  const remove = async (entry: RelatedEntry) => {
    const answer = await confirm({
      title: t.unlinkTitle,
      text: t.unlinkQuestion(entry.name),
      yes: t.unlink,
      no: en.common.cancel,
      danger: true,
    });
    if (!answer.yes) return;
    await unlink.mutateAsync(entry.relationId).catch((error: unknown) => toastFailure(error, t.unlinkFailed));
  };
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
            onUnlink={type === 'WorkUnit' && may('WorkUnits', 'delete') ? (entry) => void remove(entry) : undefined}
          />
          {type === 'WorkUnit' && may('WorkUnits', 'create') && <LinkUnit unit={unit} />}
        </section>
      ))}
      {viewed && <RawEntry raw={viewed.raw} onClose={() => setViewed(undefined)} />}
    </>
  );
}

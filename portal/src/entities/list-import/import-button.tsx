/** The button of a list that takes the lines of a spreadsheet; the panel behind it loads on demand. */
import { useState } from 'react';
import type { ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { listTexts as t } from '@cloudfit/contract/messages/lists.en.ts';
import type { Area } from '@cloudfit/contract/permissions.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { useScope } from '../../rows/use-scope.ts';

const { Component: ImportPanel } = onDemand(() => import('./import-panel.tsx').then((module) => module.ImportPanel));

/** Shown to people who may create or change rows of the area. */
export function ImportButton({ list, area }: { list: ImportList; area: Area }) {
  const [isOpen, setOpen] = useState(false);
  const { tenantId } = useScope();
  const may = useMay();
  if (!tenantId || (!may(area, 'create') && !may(area, 'edit'))) return null;
  return (
    <>
      <span className="row only-wide">
        <Button small look="quiet" icon="plus" onClick={() => setOpen(true)}>
          {t.import}
        </Button>
      </span>
      {isOpen && <ImportPanel list={list} tenantId={tenantId} onClose={() => setOpen(false)} />}
    </>
  );
}

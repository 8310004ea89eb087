import { useMemo } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { actionCatalogView } from './action-catalog.view.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { ReadyActions } from './ready-actions.tsx';
import { TestPanel } from './test-panel.tsx';
import { useCatalogPanels } from './use-catalog-panels.ts';
import './action-catalog.css';

/** The page of action definitions. The list is rendered last, so that the panel of an opened action covers the test panel. */
export function ActionCatalogPage() {
  const { testOf, deleteOf, open, close } = useCatalogPanels();
  const view = useMemo(() => actionCatalogView(open), [open]);
  return (
    <>
      {testOf && <TestPanel key={testOf} id={testOf} onClose={close} />}
      {deleteOf && <DeletePanel key={deleteOf} id={deleteOf} onClose={close} />}
      <ListPage view={view} bar={<ReadyActions />} />
    </>
  );
}

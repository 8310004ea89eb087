import type { ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { listTexts as t } from '@cloudfit/contract/messages/lists.en.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { ImportTable } from './import-table.tsx';

/** The import of one list beside it. */
export function ImportPanel({ list, tenantId, onClose }: { list: ImportList; tenantId: string; onClose: () => void }) {
  return (
    <SidePanel title={t.title(t.names[list])} wide onClose={onClose}>
      <div className="body">
        <ImportTable list={list} tenantId={tenantId} />
      </div>
    </SidePanel>
  );
}

/** The panel of one pending device: what the machine reported about itself. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { pendingTexts as t } from '@cloudfit/contract/messages/pending-devices.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { valueText } from '../../rows/cells.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { labelOf, titleOf } from '../../rows/row.ts';
import { useRow } from '../../rows/use-rows.ts';
import type { PanelProps } from '../../resource/view.ts';
import { usePendingBatch } from './use-pending-batch.ts';

const resource = pendingDevices;
const facts = ['machineName', 'operatingSystem', 'architecture', 'ipAddress', 'created', 'lastPing'];

export function PendingDevicePanel({ id, row: listed, onClose }: PanelProps<Row<typeof pendingDevices>>) {
  const { data: row, error, refetch } = useRow(resource, id, { listed });
  const { mayPromote, mayDelete, isBusy, promote, remove } = usePendingBatch();
  const run = async (work: Promise<boolean>) => {
    if (await work) onClose();
  };
  if (!row) return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return (
    <SidePanel
      title={titleOf(resource, row)}
      meta={<CopyId id={id} label={labelOf(resource)} />}
      onClose={onClose}
      footer={
        <>
          {mayPromote && (
            <Button look="primary" disabled={isBusy} onClick={() => void run(promote([id]))}>
              {t.promote}
            </Button>
          )}
          {mayDelete && (
            <Button look="danger" disabled={isBusy} onClick={() => void run(remove([id]))}>
              {en.common.delete}
            </Button>
          )}
          <Button onClick={onClose}>{en.common.close}</Button>
        </>
      }
    >
      <div className="body">
        <section className="form-section" aria-label={t.facts}>
          <h3>{t.facts}</h3>
          <dl className="form-grid facts">
            {[...facts, ...(row.copiedFrom ? ['copiedFrom'] : [])].map((name) => (
              <ReadOnlyField key={name} kind="text" label={labelOf(resource, name)} value={valueText(resource, name, row)} />
            ))}
          </dl>
        </section>
      </div>
    </SidePanel>
  );
}

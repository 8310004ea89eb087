/** How customers have ended, with the proofs of their deletion. */
import { customerTexts as t } from '@cloudfit/contract/messages/customers.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { offboardings } from '@cloudfit/contract/resources/offboardings.ts';
import { Chip } from '../../components/chips.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import { OffboardingSteps } from './offboarding.tsx';
import './customers.css';

type OffboardingRow = Row<typeof offboardings>;

const tones = { Running: 'warn', Waiting: 'warn', Deleting: 'danger', Deleted: 'ok', Stopped: 'plain' } as const;

function Proof({ row }: { row: OffboardingRow }) {
  return (
    <>
      <OffboardingSteps row={row} />
      {row.proofDigest && (
        <section className="form-section" aria-label={t.proof}>
          <h3>{t.proof}</h3>
          <div className="customer-secrets">
            <p>
              {t.digest} <code>{row.proofDigest}</code> <CopyButton text={row.proofDigest} label={t.digest} done={t.copied} />
            </p>
          </div>
          <JsonBlock label={t.proof} value={row.proof} />
        </section>
      )}
    </>
  );
}

const offboardingsView = defineView({
  resource: offboardings,
  icon: 'tenants',
  texts: { title: t.ended, emptyText: t.endedEmpty },
  columns: [
    'customerName',
    {
      id: 'state',
      header: offboardings.fields.state.label,
      width: 170,
      cell: (row) => <Chip tone={tones[row.state]}>{t.states[row.state]}</Chip>,
      text: (row) => t.states[row.state],
    },
    'deleteOn',
    'reason',
    'requestedBy',
    'created',
  ],
  filters: ['state'],
  form: { sections: [{ fields: ['customerName', 'reason', 'deleteOn', 'requestedBy'] }] },
  panelTop: (row) => <Proof row={row} />,
});

export function OffboardingsPage() {
  return <ListPage view={offboardingsView} />;
}

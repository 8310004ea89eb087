import { useQuery } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { statusPageTexts as t } from '@cloudfit/contract/messages/status-pages.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { statusPages } from '@cloudfit/contract/resources/status-pages.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { copyText } from '../../components/copy.ts';
import { ErrorState } from '../../components/states.tsx';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { ComponentsInput } from './components-input.tsx';
import { previewQuery } from './preview-query.ts';
import { Subscribers } from './subscribers.tsx';
import './status-pages.css';

const resource = statusPages;
type StatusPage = Row<typeof resource>;

const publicAddress = ({ address }: StatusPage) => `${location.origin}/status/${address ?? ''}`;

function AddressInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <input
      className="input"
      {...aria}
      value={String(value ?? '')}
      placeholder={t.addressHint}
      maxLength={60}
      readOnly={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value || null)}
    />
  );
}

const publicText = ({ enabled }: StatusPage): string => (enabled ? t.isPublic : t.isNotPublic);

function PublicChip({ row }: { row: StatusPage }) {
  return (
    <Chip tone={row.enabled ? 'ok' : 'plain'} dot>
      {publicText(row)}
    </Chip>
  );
}

function Top({ row }: { row: StatusPage }) {
  const address = publicAddress(row);
  return (
    <div className="status-top">
      {row.enabled ? (
        <a href={address} target="_blank" rel="noreferrer">
          {t.isOn(address)}
        </a>
      ) : (
        <span className="muted">{t.isOff(address)}</span>
      )}
      <Button small onClick={() => void copyText(address, t.copied)}>
        {t.copy}
      </Button>
    </div>
  );
}

/** The page as it is saved, in a frame without scripts. */
function Preview({ row }: { row: StatusPage }) {
  const { data, error, refetch } = useQuery(previewQuery(row));
  if (error) return <ErrorState small title={t.previewFailed} text={failureText(error)} onRetry={() => void refetch()} />;
  return data ? (
    <iframe className="status-preview" title={t.previewOf(row.title)} sandbox="allow-same-origin" srcDoc={data.html} />
  ) : (
    <div className="status-preview" aria-busy />
  );
}

export const statusPagesView = defineView({
  resource,
  icon: 'info',
  texts: { title: en.shell.items.statusPages, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(resource, 'title'), width: 240 },
    { ...fieldColumn(resource, 'enabled'), width: 120, cell: (row) => <PublicChip row={row} />, text: publicText },
    { ...fieldColumn(resource, 'address'), width: 220, tone: 'soft' },
    { ...fieldColumn(resource, 'tenantId'), below: 'md', tone: 'soft', hidden: true },
    { ...fieldColumn(resource, 'modifiedBy'), width: 160, below: 'md' },
    { ...fieldColumn(resource, 'modified'), width: 120, below: 'md' },
  ],
  phoneLine: (row) => <PublicChip row={row} />,
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? eq(resource, 'tenantId', tenantId) : undefined],
  panelTop: (row) => <Top row={row} />,
  form: {
    sections: [
      { title: t.sections.page, fields: ['title', 'address', 'tenantId', 'enabled', 'description'] },
      { title: t.sections.shown, fields: ['components'] },
    ],
    wide: ['components', 'description'],
    inputs: { address: AddressInput, components: ComponentsInput },
  },
  tabs: {
    form: t.details,
    others: [
      { id: 'preview', label: t.preview, Body: Preview },
      { id: 'subscribers', label: t.subscribers, Body: Subscribers },
    ],
  },
});

/** Evidence of one control in the week: links, files and facts, and a form to add one. */
import { useEffect, useRef, useState, type ChangeEvent } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { evidenceLimits } from '@cloudfit/contract/compliance/evidence.ts';
import type { ComplianceFact } from '@cloudfit/contract/compliance/week-report.ts';
import { evidenceKinds } from '@cloudfit/contract/enums.ts';
import { evidenceTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { controlEvidence } from '@cloudfit/contract/resources/compliance.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { call, callJson, failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { exactTime } from '../../components/relative-time.tsx';
import { saveBlob } from '../../components/save-file.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { sizeText } from '../../components/size-text.ts';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useList, useRemove } from '../../rows/use-rows.ts';
import type { WeekControl } from './use-controls.ts';

type Evidence = Row<typeof controlEvidence>;
type EvidenceKind = (typeof evidenceKinds)[number];

const renew = () => queryClient.invalidateQueries({ queryKey: [controlEvidence.name] });

async function save({ evidenceId, fileName }: Evidence): Promise<void> {
  try {
    saveBlob(fileName ?? evidenceId, await (await call(`/v1/controlevidence(${evidenceId})/File`, { quiet: true })).blob());
  } catch (error) {
    toastFailure(error, t.saveFailed);
  }
}

/** A file in base64, without the prefix of its data URL. */
async function contentOf(file: File): Promise<string> {
  const reader = new FileReader();
  const read = Promise.withResolvers<string>();
  reader.onload = () => read.resolve(String(reader.result));
  reader.onerror = () => read.reject(reader.error ?? new Error(file.name));
  reader.readAsDataURL(file);
  return (await read.promise).replace(/^[^,]*,/, '');
}

function Item({ evidence, mayRemove }: { evidence: Evidence; mayRemove: boolean }) {
  const nameOf = usePersonName();
  const remove = useRemove(controlEvidence);
  const { kind, title, url, fact, size } = evidence;
  const ask = async () => {
    const { yes } = await confirm({
      title: t.removeTitle,
      text: t.removeQuestion(title),
      yes: t.remove,
      no: en.common.cancel,
      danger: true,
    });
    if (!yes) return;
    try {
      await remove(evidence.evidenceId);
      toast.success(t.removed);
    } catch (error) {
      toastFailure(error, t.removeFailed);
    }
  };
  return (
    <li className="evidence-item">
      <Chip>{t.kinds[kind]}</Chip>
      <div className="grow">
        {url ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
        ) : (
          <strong>{title}</strong>
        )}
        {fact && <p>{fact}</p>}
        <small className="muted">
          {t.by(nameOf(evidence.createdBy), exactTime(evidence.created))}
          {size !== null && ` · ${sizeText(size)}`}
        </small>
      </div>
      {kind === 'File' && <IconButton small icon="download" label={`${t.save}: ${title}`} onClick={() => void save(evidence)} />}
      {mayRemove && <IconButton small icon="trash" label={`${t.remove}: ${title}`} onClick={() => void ask()} />}
    </li>
  );
}

interface EvidenceFormProps {
  kind: EvidenceKind;
  tenantId: string;
  isBusy: boolean;
  onAdd: (body: object) => void;
}

function LinkForm({ isBusy, onAdd }: EvidenceFormProps) {
  const [title, setTitle] = useState('');
  const [url, setUrl] = useState('');
  return (
    <form
      className="evidence-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd({ kind: 'Link', url: url.trim(), title: title.trim() });
      }}
    >
      <Field label={t.address} required>
        {(aria) => (
          <input
            {...aria}
            className="input"
            type="url"
            value={url}
            placeholder="https://"
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.title} help={t.titleHelp}>
        {(aria) => <input {...aria} className="input" maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />}
      </Field>
      <Button look="primary" type="submit" disabled={isBusy || url.trim() === ''}>
        {t.add}
      </Button>
    </form>
  );
}

function FileForm({ isBusy, onAdd }: EvidenceFormProps) {
  const [error, setError] = useState<string>();
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (!file) return;
    const isLarge = file.size > evidenceLimits.fileBytes;
    setError(isLarge ? t.tooLarge(evidenceLimits.fileBytes / 1_048_576) : undefined);
    if (!isLarge) onAdd({ kind: 'File', fileName: file.name, content: await contentOf(file) });
  };
  return (
    <Field label={t.file} error={error}>
      {(aria) => <input {...aria} className="input" type="file" disabled={isBusy} onChange={(event) => void choose(event)} />}
    </Field>
  );
}

function FactForm({ tenantId, isBusy, onAdd }: EvidenceFormProps) {
  const { data, error } = useQuery({
    queryKey: ['complianceFacts', tenantId],
    queryFn: ({ signal }) => callJson<{ value: ComplianceFact[] }>(`/v1/compliancefacts?tenantId=${tenantId}`, { signal, quiet: true }),
  });
  if (error) return <p className="notice error">{failureText(error)}</p>;
  if (!data) return <Skeleton width="70%" />;
  return (
    <ul className="evidence-list" aria-label={t.facts}>
      {data.value.map(({ key, title, text }) => (
        <li key={key} className="evidence-item">
          <div className="grow">
            <strong>{title}</strong>
            <p>{text}</p>
          </div>
          <Button small disabled={isBusy} aria-label={`${t.record}: ${title}`} onClick={() => onAdd({ kind: 'Fact', fact: key })}>
            {t.record}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const forms = { Link: LinkForm, File: FileForm, Fact: FactForm } as const;

interface EvidencePanelProps {
  control: WeekControl;
  tenantId: string;
  /** Whether the week is signed off. */
  isFrozen: boolean;
  onClose: () => void;
}

export function EvidencePanel({ control, tenantId, isFrozen, onClose }: EvidencePanelProps) {
  const may = useMay();
  const [kind, setKind] = useState<EvidenceKind>('Link');
  const statusId = control.controlStatuses[0]?.id ?? '';
  const hasStatus = statusId !== '';
  const { data, error, refetch } = useList(
    controlEvidence,
    { filter: eq(controlEvidence, 'controlStatusId', statusId), orderBy: 'created asc', top: evidenceLimits.perStatus },
    { enabled: hasStatus },
  );
  const add = useMutation({
    mutationFn: (body: object) =>
      callJson(`/v1/controlstatuses(${statusId})/Evidence`, { method: 'POST', creates: true, body, quiet: true }),
    onSuccess: () => toast.success(t.recorded),
    onError: (failure) => toastFailure(failure, t.addFailed),
    onSettled: renew,
  });
  const Form = forms[kind];
  const rows = hasStatus ? data?.rows : [];
  const form = useRef<HTMLDivElement>(null);
  // Focuses the first field when the panel opens and when the list of evidence changes, unless another control has the focus.
  useEffect(() => {
    const active = document.activeElement;
    if (active === document.body || active === form.current?.closest('.side-panel'))
      form.current?.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true });
  }, [rows?.length]);
  return (
    <SidePanel title={t.panel(control.name)} onClose={onClose} footer={<Button onClick={onClose}>{en.common.close}</Button>}>
      <div className="body evidence-panel">
        <p className="muted">{control.title}</p>
        {error ? (
          <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
        ) : rows === undefined ? (
          <Skeleton width="60%" />
        ) : rows.length === 0 ? (
          <EmptyState small title={t.none} text={hasStatus ? t.noneText : t.statusFirst} />
        ) : (
          <ul className="evidence-list">
            {rows.map((one) => (
              <Item key={one.evidenceId} evidence={one} mayRemove={!isFrozen && may(controlEvidence.area, 'delete')} />
            ))}
          </ul>
        )}
        {hasStatus && !isFrozen && may(controlEvidence.area, 'edit') && (
          <section className="form-section" aria-label={t.add}>
            <h3>{t.add}</h3>
            <Tabs
              items={evidenceKinds.map((id) => ({ id, label: t.kinds[id] }))}
              value={kind}
              onChange={(id) => setKind(id as EvidenceKind)}
              label={t.add}
              idBase="evidence"
            />
            <div ref={form} id="evidence-panel" role="tabpanel" aria-labelledby={`evidence-${kind}`}>
              <Form
                key={`${kind} ${rows?.length ?? 0}`}
                kind={kind}
                tenantId={tenantId}
                isBusy={add.isPending}
                onAdd={(body) => add.mutate(body)}
              />
            </div>
          </section>
        )}
      </div>
    </SidePanel>
  );
}

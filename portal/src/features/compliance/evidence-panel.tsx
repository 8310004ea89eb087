/** Evidence of one control in the week: links, files and facts, and a form to add one. */
import { useEffect, useRef, useState, type ChangeEvent } from 'react';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { addControlEvidence, complianceFacts, evidenceFile } from '@cloudfit/contract/calls.ts';
import { evidenceLimits } from '@cloudfit/contract/compliance/evidence.ts';
import { evidenceKinds } from '@cloudfit/contract/enums.ts';
import { evidenceTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { controlEvidence } from '@cloudfit/contract/resources/compliance.ts';
import { f, optional, type Row } from '@cloudfit/contract/resource.ts';
import { call, callFile, useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { removeRow } from '../../api/row-calls.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useCommand } from '../../calls/command.ts';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { exactTime } from '../../theme/times.ts';
import { saveBlob } from '../../components/save-file.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { sizeText } from '../../components/size-text.ts';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { InputProps } from '../../forms/form-types.ts';
import { TextInput } from '../../forms/inputs.tsx';
import { useList } from '../../rows/use-rows.ts';
import type { WeekControl } from './use-controls.ts';

type Evidence = Row<typeof controlEvidence>;
type EvidenceKind = (typeof evidenceKinds)[number];

async function save({ evidenceId, fileName }: Evidence): Promise<void> {
  try {
    saveBlob(fileName ?? evidenceId, await (await callFile(evidenceFile, { id: evidenceId }, { quiet: true })).blob());
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
  const { kind, title, url, fact, size } = evidence;
  const remove = useCommand(() => removeRow(controlEvidence, evidence.evidenceId), {
    confirm: () => ({ title: t.removeTitle, text: t.removeQuestion(title), yes: t.remove, danger: true }),
    done: () => t.removed,
    failed: t.removeFailed,
    refreshes: [controlEvidence.name],
  });
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
      {mayRemove && <IconButton small icon="trash" label={`${t.remove}: ${title}`} onClick={() => void remove.run(undefined)} />}
    </li>
  );
}

type NewEvidence = Omit<CallInput<typeof addControlEvidence>, 'id'>;

interface EvidenceFormProps {
  statusId: string;
  tenantId: string;
  isBusy: boolean;
  onAdd: (evidence: NewEvidence) => void;
}

const linkFields = { url: f.text(t.address, { required: true, max: 2_000 }), title: optional(f.text(t.title, { max: 200 })) };

const linkLayout = {
  inputs: { url: (props: InputProps) => <TextInput {...props} type="url" placeholder="https://" /> },
  help: { title: t.titleHelp },
};

function LinkForm({ statusId }: EvidenceFormProps) {
  const { isBusy, ...form } = useActionForm(
    ({ url, title }, once) => call(addControlEvidence, { id: statusId, kind: 'Link', url: url.trim(), title: title?.trim() ?? '' }, once),
    {
      draft: `evidence.${statusId}`,
      fields: linkFields,
      layout: linkLayout,
      onDone: () => toast.success(t.recorded),
      refreshes: [controlEvidence.name],
    },
  );
  return (
    <>
      <ActionForm {...form} />
      <div className="row">
        <Button look="primary" type="submit" form={form.state.id} disabled={isBusy}>
          {isBusy ? en.common.saving : t.add}
        </Button>
      </div>
    </>
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
  const facts = useCall(complianceFacts, { tenantId });
  return (
    <Loaded query={facts}>
      {({ value }) => (
        <ul className="evidence-list" aria-label={t.facts}>
          {value.map(({ key, title, text }) => (
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
      )}
    </Loaded>
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
  const add = useCommand(
    (evidence: NewEvidence) => call(addControlEvidence, { id: statusId, ...evidence }, { creates: true, quiet: true }),
    { done: () => t.recorded, failed: t.addFailed, refreshes: [controlEvidence.name] },
  );
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
            {rows.map((row) => (
              <Item key={row.evidenceId} evidence={row} mayRemove={!isFrozen && may(controlEvidence.area, 'delete')} />
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
                key={`${statusId} ${kind} ${rows?.length ?? 0}`}
                statusId={statusId}
                tenantId={tenantId}
                isBusy={add.isBusy}
                onAdd={(evidence) => void add.run(evidence)}
              />
            </div>
          </section>
        )}
      </div>
    </SidePanel>
  );
}

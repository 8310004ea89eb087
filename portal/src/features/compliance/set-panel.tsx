/** Creates, edits or imports a control set. The server first reports what would change. */
import { useEffect, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { importControlSet } from '@cloudfit/contract/calls.ts';
import type { ControlSetDocument } from '@cloudfit/contract/compliance/control-set.ts';
import { controlSetTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { controlSets } from '@cloudfit/contract/resources/compliance.ts';
import { call } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { refresh } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';

type EditedControl = ControlSetDocument['controls'][number];

/** A control as it is edited. An existing control keeps its name, which identifies the control. */
interface ControlDraft extends EditedControl {
  at: number;
  isNew: boolean;
}

const send = (document: ControlSetDocument, dryRun: boolean) => call(importControlSet, { document, dryRun }, { quiet: true });

function Changes({ changes }: { changes: CallOutput<typeof importControlSet> }) {
  const { isNew, described, created, updated, removed, kept: remaining, unchanged } = changes;
  const lists = [
    [t.created, created],
    [t.updated, updated],
    [t.removed, removed],
    [t.remaining, remaining],
  ] as const;
  const isSame = !isNew && !described && created.length + updated.length + removed.length === 0;
  return (
    <div role="status" className="notice info set-changes">
      <h3>{t.would}</h3>
      {isSame && <p>{t.nothing}</p>}
      {isNew && <p>{t.isNew}</p>}
      {described && <p>{t.described}</p>}
      <dl>
        {lists.map(
          ([label, names]) =>
            names.length > 0 && (
              <div key={label}>
                <dt>
                  {label} ({names.length})
                </dt>
                <dd>{names.join(', ')}</dd>
              </div>
            ),
        )}
      </dl>
      {unchanged > 0 && <p className="muted">{t.unchanged(unchanged)}</p>}
    </div>
  );
}

function Refusal({ error }: { error: unknown }) {
  const details = error instanceof RequestFailed ? error.details.flatMap(({ message }) => message ?? []) : [];
  return (
    <div className="notice error" role="alert">
      {details.length > 0 ? details.map((message) => <p key={message}>{message}</p>) : failureText(error)}
    </div>
  );
}

interface ControlInputsProps {
  control: ControlDraft;
  at: number;
  onChange: (control: ControlDraft) => void;
  onUp: (() => void) | undefined;
  onRemove: () => void;
}

function ControlInputs({ control, at, onChange, onUp, onRemove }: ControlInputsProps) {
  const name = control.name || String(at);
  return (
    <li className="set-control">
      <input
        className="input mono"
        aria-label={t.controlName(at)}
        placeholder={t.namePlaceholder}
        maxLength={200}
        readOnly={!control.isNew}
        value={control.name}
        onChange={(event) => onChange({ ...control, name: event.target.value })}
      />
      <input
        className="input"
        aria-label={t.controlTitle(at)}
        placeholder={t.titlePlaceholder}
        maxLength={500}
        value={control.title}
        onChange={(event) => onChange({ ...control, title: event.target.value })}
      />
      <span className="row">
        <IconButton small icon="sortUp" label={t.up(name)} disabled={!onUp} onClick={() => onUp?.()} />
        <IconButton small icon="trash" label={t.remove(name)} onClick={onRemove} />
      </span>
      <textarea
        className="input area"
        rows={1}
        aria-label={t.controlText(at)}
        placeholder={t.textPlaceholder}
        maxLength={20_000}
        value={control.description ?? ''}
        onChange={(event) => onChange({ ...control, description: event.target.value })}
      />
    </li>
  );
}

export interface SetToEdit {
  kind: 'new' | 'edit' | 'import';
  document: ControlSetDocument;
}

interface SetPanelProps {
  start: SetToEdit;
  onClose: () => void;
  onSaved: (name: string) => void;
}

export function SetPanel({ start: { kind, document }, onClose, onSaved }: SetPanelProps) {
  const [name, setName] = useState(document.name);
  const [description, setDescription] = useState(document.description ?? '');
  const [controls, setControls] = useState<readonly ControlDraft[]>(() =>
    document.controls.map((control, at) => ({ ...control, at, isNew: kind === 'new' })),
  );
  const review = useMutation({ mutationFn: (content: ControlSetDocument) => send(content, true) });
  const apply = useMutation({
    mutationFn: (content: ControlSetDocument) => send(content, false),
    onSuccess: async (_changes, saved) => {
      toast.success(t.applied);
      onSaved(saved.name);
      await refresh([controlSets.name]);
    },
  });
  const edited: ControlSetDocument = {
    name: name.trim(),
    description: description === '' ? null : description,
    controls: controls.map(({ at: _at, isNew: _isNew, ...control }) => ({ ...control, description: control.description || null })),
  };
  const { mutate: compare } = review;
  // For an import, requests the changes at once, because the person needs to read them before anything else.
  useEffect(() => {
    if (kind === 'import') compare(document);
  }, [kind, document, compare]);
  /** Removes the shown changes or refusal after an edit, because they belong to the earlier content of the form. */
  const forget = () => {
    review.reset();
    apply.reset();
  };
  const edit = (next: readonly ControlDraft[]) => {
    setControls(next);
    forget();
  };
  const isDirty = JSON.stringify(edited) !== JSON.stringify({ ...edited, ...document });
  const close = async () => {
    if (kind !== 'import' && isDirty && !(await confirm({ title: en.guard.title, text: en.guard.question, danger: true })).yes) return;
    onClose();
  };
  const titles = { new: t.panelNew, edit: t.panelEdit(document.name), import: t.panelImport(document.name) };
  const nextAt = Math.max(-1, ...controls.map(({ at }) => at)) + 1;
  const error = apply.error ?? review.error;
  return (
    <SidePanel
      title={titles[kind]}
      wide
      onClose={() => void close()}
      footer={
        <>
          <Button onClick={() => void close()}>{en.common.cancel}</Button>
          {review.data ? (
            <Button look="primary" disabled={apply.isPending} onClick={() => apply.mutate(edited)}>
              {t.apply}
            </Button>
          ) : (
            <Button look="primary" disabled={review.isPending} onClick={() => review.mutate(edited)}>
              {t.review}
            </Button>
          )}
        </>
      }
    >
      <div className="body set-panel">
        <p className="muted">{t.allTenants}</p>
        {error && <Refusal error={error} />}
        {review.data && <Changes changes={review.data} />}
        <TextField
          label={t.name}
          required
          maxLength={500}
          readOnly={kind === 'edit'}
          value={name}
          onChange={(next) => {
            setName(next);
            forget();
          }}
        />
        <Field label={t.description}>
          {(aria) => (
            <textarea
              {...aria}
              className="input area"
              rows={2}
              maxLength={20_000}
              value={description}
              onChange={(event) => {
                setDescription(event.target.value);
                forget();
              }}
            />
          )}
        </Field>
        <h3>{t.controls}</h3>
        <ol className="set-controls">
          {controls.map((control, index) => (
            <ControlInputs
              key={control.at}
              control={control}
              at={index + 1}
              onChange={(next) => edit(controls.map((item) => (item.at === control.at ? next : item)))}
              onUp={
                index === 0
                  ? undefined
                  : () =>
                      edit([...controls.slice(0, index - 1), control, ...controls.slice(index - 1, index), ...controls.slice(index + 1)])
              }
              onRemove={() => edit(controls.filter((item) => item.at !== control.at))}
            />
          ))}
        </ol>
        <Button icon="plus" onClick={() => edit([...controls, { at: nextAt, isNew: true, name: '', title: '', description: '' }])}>
          {t.add}
        </Button>
      </div>
    </SidePanel>
  );
}

/** Takes a change back: shows what would change first, then restores it with an optional reason. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import { restoreConfiguration } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { restoreTexts as t } from '@cloudfit/contract/messages/restore.en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { FieldDifferences } from '../../entities/changes/field-differences.tsx';
import type { AuditRow } from './audit-query.ts';

/** Rows that are listed; the others are counted. */
const listed = 50;

/** What is restored: the row as it was after an entry, or everything that its request changed. */
type Aim = { auditId: number } | { changeSet: string };

function Outcome({ outcome: { changes, left, names } }: { outcome: RestoreOutcome }) {
  return (
    <>
      {changes.length === 0 && <p>{t.nothing}</p>}
      {changes.slice(0, listed).map(({ resource, key, verb, name, fields }) => (
        <section key={`${resource} ${key}`}>
          <h4>
            {t.verbs[verb]} {findResource(resource)?.label ?? resource}: {name}
          </h4>
          {fields.length > 0 && (
            <FieldDifferences
              resource={resource}
              fields={fields}
              names={names}
              isNew={verb === 'add'}
              texts={{ field: t.field, before: t.now, after: t.restored }}
            />
          )}
        </section>
      ))}
      {changes.length > listed && <p className="faint">{t.more(changes.length - listed)}</p>}
      {left.length > 0 && (
        <div className="notice">
          <div>
            <p>{t.left(left.length)}</p>
            <ul>
              {left.slice(0, listed).map(({ resource, name, reason }) => (
                <li key={`${resource} ${name}`}>
                  {findResource(resource)?.label ?? resource} <strong>{name}</strong>: {reason}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </>
  );
}

export function Restore({ entry }: { entry: AuditRow }) {
  const [note, setNote] = useState('');
  const [aim, setAim] = useState<Aim>();
  const preview = useMutation({ mutationFn: (next: Aim) => call(restoreConfiguration, { ...next, dryRun: true }, { quiet: true }) });
  const apply = useMutation({
    mutationFn: (next: Aim) =>
      call(restoreConfiguration, { ...next, dryRun: false, ...(note.trim() ? { note: note.trim() } : {}) }, { quiet: true }),
    onSuccess: async ({ changes }) => {
      toast.success(t.done(changes.length));
      close();
      await queryClient.invalidateQueries();
    },
  });
  function close() {
    setAim(undefined);
    setNote('');
    preview.reset();
  }
  const begin = (next: Aim) => {
    apply.reset();
    setAim(next);
    preview.mutate(next);
  };
  const portable = findResource(entry.entity)?.portable;
  const isRow = portable !== undefined && portable.imported !== 'only' && (entry.after ?? entry.before) !== null;
  const isSet = isRow || entry.entity === 'configuration';
  if (!isSet) return null;
  const error = apply.error ?? preview.error;
  return (
    <section className="audit-restore" aria-label={t.title}>
      <p className="row">
        {isRow && (
          <Button small onClick={() => begin({ auditId: entry.auditId })}>
            {entry.verb === 'delete' ? t.bringBack : t.restore}
          </Button>
        )}
        <Button small onClick={() => begin({ changeSet: entry.correlationId })}>
          {t.undo}
        </Button>
      </p>
      {preview.isPending && <p role="status">{t.comparing}</p>}
      {error && (
        <p className="notice error" role="alert">
          {failureText(error)}
        </p>
      )}
      {aim && preview.data && (
        <div className="audit-restore-preview">
          <h3>{t.would}</h3>
          <Outcome outcome={preview.data} />
          {preview.data.changes.length > 0 && (
            <Field label={t.why}>
              {(aria) => (
                <input {...aria} className="input" maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
              )}
            </Field>
          )}
          <p className="row">
            {preview.data.changes.length > 0 && (
              <Button look="primary" disabled={apply.isPending} onClick={() => apply.mutate(aim)}>
                {t.confirm}
              </Button>
            )}
            <Button onClick={close}>{en.common.cancel}</Button>
          </p>
        </div>
      )}
    </section>
  );
}

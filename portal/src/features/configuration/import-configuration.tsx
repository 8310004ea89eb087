/** Imports a configuration: the server says what would change, and a person applies it. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { importConfiguration } from '@cloudfit/contract/calls.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return en.common.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Changes({ changes }: { changes: ImportOutcome['changes'] }) {
  return (
    <ul className="import-changes">
      {changes.map(({ resource, key, verb, name, fields }) => (
        <li key={`${resource} ${key}`}>
          <details open={changes.length <= 10}>
            <summary>
              {t.verbs[verb]} {findResource(resource)?.label ?? resource}: <strong>{name}</strong>
            </summary>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.field}</th>
                  {verb === 'change' && <th scope="col">{t.before}</th>}
                  <th scope="col">{t.after}</th>
                </tr>
              </thead>
              <tbody>
                {fields.map(({ field, before, after }) => (
                  <tr key={field}>
                    <th scope="row">{findResource(resource)?.fields[field]?.label ?? field}</th>
                    {verb === 'change' && <td className="before">{valueText(before)}</td>}
                    <td className="after">{valueText(after)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Refusal({ error }: { error: unknown }) {
  const details = error instanceof RequestFailed ? error.details.flatMap(({ message }) => message ?? []) : [];
  return (
    <div className="notice error" role="alert">
      <p>
        {t.refused} {failureText(error)}
      </p>
      {details.length > 1 && (
        <ul>
          {details.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function ImportConfiguration({ tenantId }: { tenantId: string }) {
  const [document, setDocument] = useState<object>();
  const [isInto, setInto] = useState(true);
  const [fileKey, setFileKey] = useState(0);
  const send = (content: object, dryRun: boolean, into: boolean) =>
    // The server checks the content of the file.
    call(importConfiguration, { ...content, dryRun, ...(into ? { tenantId } : {}) } as CallInput<typeof importConfiguration>, {
      quiet: true,
    });
  const compare = useMutation({ mutationFn: ({ content, into }: { content: object; into: boolean }) => send(content, true, into) });
  const apply = useMutation({
    mutationFn: (content: object) => send(content, false, isInto),
    onSuccess: async ({ added, changed, unchanged }) => {
      toast.success(`${t.applied} ${t.outcome(added, changed, unchanged)}`);
      discard();
      await queryClient.invalidateQueries();
    },
  });
  function discard() {
    setDocument(undefined);
    setFileKey(fileKey + 1);
    compare.reset();
  }
  const choose = async (file: File | undefined) => {
    apply.reset();
    compare.reset();
    setDocument(undefined);
    if (!file) return;
    const content = await file
      .text()
      .then(
        (text) => JSON.parse(text) as unknown,
        () => undefined,
      )
      .catch(() => undefined);
    if (typeof content !== 'object' || content === null) {
      toast.error(t.notJson);
      return;
    }
    setDocument(content);
    compare.mutate({ content, into: isInto });
  };
  const { data: outcome } = compare;
  const error = apply.error ?? compare.error;
  return (
    <section className="form-section" aria-label={t.import}>
      <h2>{t.import}</h2>
      <p className="faint">{t.importText}</p>
      <Field label={t.file}>
        {(aria) => (
          <input
            key={fileKey}
            {...aria}
            className="input"
            type="file"
            accept="application/json,.json"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        )}
      </Field>
      <Checkbox
        label={t.intoTenant}
        checked={isInto}
        onChange={(checked) => {
          setInto(checked);
          if (document) compare.mutate({ content: document, into: checked });
        }}
      />
      {compare.isPending && <p role="status">{t.checking}</p>}
      {error && <Refusal error={error} />}
      {outcome && document && (
        <div role="status">
          <h3>{t.would}</h3>
          <p>{outcome.changes.length === 0 ? t.nothing : t.outcome(outcome.added, outcome.changed, outcome.unchanged)}</p>
          <Changes changes={outcome.changes} />
          <p className="row">
            {outcome.changes.length > 0 && (
              <Button look="primary" disabled={apply.isPending} onClick={() => apply.mutate(document)}>
                {apply.isPending ? t.applying : t.apply}
              </Button>
            )}
            <Button onClick={discard}>{t.discard}</Button>
          </p>
        </div>
      )}
    </section>
  );
}

/** Imports a configuration: the server says what would change, and a person chooses rows, maps what is missing, and applies it. */
import { useState } from 'react';
import { Link } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { convertConfiguration, importConfiguration } from '@cloudfit/contract/calls.ts';
import type { MovingOutcome } from '@cloudfit/contract/configuration/moving.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { movingTexts } from '@cloudfit/contract/messages/moving.en.ts';
import { onCallTexts } from '@cloudfit/contract/messages/on-call.en.ts';
import { nobody } from '@cloudfit/contract/on-call/shifts.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { ImportChanges } from './import-changes.tsx';
import { ImportMissing, mappingOf, type Chosen } from './import-missing.tsx';
import { MovingReport } from './moving-report.tsx';

/** Reasons that are listed one by one. */
const listedReasons = 100;

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

function LeftOut({ left }: { left: ImportOutcome['left'] }) {
  if (left.length === 0) return null;
  return (
    <section className="notice warning" aria-label={t.left(left.length)}>
      <p>{t.left(left.length)}</p>
      <ul>
        {left.slice(0, listedReasons).map(({ at, resource, name, reason }) => (
          <li key={at}>
            {findResource(resource)?.label ?? resource} <strong>{name}</strong>: {reason}
          </li>
        ))}
      </ul>
      {left.length > listedReasons && <p>{t.moreRows(left.length - listedReasons)}</p>}
    </section>
  );
}

/** The choices of a person about a document. */
interface ImportChoices {
  content: object;
  into: boolean;
  chosen: Chosen;
  without: ReadonlySet<string>;
  make: boolean;
}

/** The content of a configuration; undefined for files that are none, such as answers of another product. */
function configurationIn(text: string): object | undefined {
  try {
    const content = JSON.parse(text) as unknown;
    return typeof content === 'object' && content !== null && 'cloudfit' in content && content.cloudfit === 'configuration'
      ? content
      : undefined;
  } catch {
    return undefined;
  }
}

export function ImportConfiguration({ tenantId }: { tenantId: string }) {
  const [choices, setChoices] = useState<ImportChoices>();
  const [isInto, setInto] = useState(true);
  const [fileKey, setFileKey] = useState(0);
  /** What the document would change without a choice of rows, which are listed also when they are left out. */
  const [everything, setEverything] = useState<ImportOutcome>();
  /** What the files are when they are of another product. */
  const [moving, setMoving] = useState<MovingOutcome>();
  const send = ({ content, into, chosen, without, make }: ImportChoices, dryRun: boolean) =>
    // The server checks the content of the file.
    call(
      importConfiguration,
      {
        ...content,
        dryRun,
        partly: true,
        ...(make ? { make } : {}),
        ...(into ? { tenantId } : {}),
        ...(chosen.size > 0 ? { mapping: mappingOf(chosen) } : {}),
        ...(without.size > 0 ? { without: [...without] } : {}),
      } as CallInput<typeof importConfiguration>,
      { quiet: true },
    );
  const compare = useMutation({
    mutationFn: (next: ImportChoices) => send(next, true),
    onSuccess: (outcome, { without }) => {
      if (without.size === 0) setEverything(outcome);
    },
  });
  const apply = useMutation({
    mutationFn: (next: ImportChoices) => send(next, false),
    onSuccess: async ({ added, changed, unchanged }) => {
      toast.success(`${t.applied} ${t.outcome(added, changed, unchanged)}`);
      discard();
      await queryClient.invalidateQueries();
    },
  });
  const decide = (next: ImportChoices) => {
    apply.reset();
    setChoices(next);
    compare.mutate(next);
  };
  function discard() {
    setChoices(undefined);
    setEverything(undefined);
    setMoving(undefined);
    setFileKey(fileKey + 1);
    compare.reset();
  }
  const read = useMutation({
    mutationFn: async (files: readonly File[]): Promise<{ content: object; from?: MovingOutcome }> => {
      const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
      const content = texts.length === 1 ? configurationIn(texts[0]?.text ?? '') : undefined;
      if (content) return { content };
      const from = await call(convertConfiguration, { tenantId, files: texts }, { quiet: true });
      return { content: from.document, from };
    },
    onSuccess: ({ content, from }) => {
      setMoving(from);
      decide({ content, into: isInto, chosen: new Map(), without: new Set(), make: false });
    },
  });
  const choose = (files: readonly File[]) => {
    apply.reset();
    compare.reset();
    read.reset();
    setChoices(undefined);
    setEverything(undefined);
    setMoving(undefined);
    if (files.length > 0) read.mutate(files);
  };
  const { data: outcome } = compare;
  const error = apply.error ?? compare.error ?? read.error;
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
            multiple
            accept="application/json,.json,.yaml,.yml,.xml,.sql"
            onChange={(event) => choose([...(event.target.files ?? [])])}
          />
        )}
      </Field>
      <Checkbox
        label={t.intoTenant}
        checked={isInto}
        onChange={(into) => {
          setInto(into);
          if (choices) decide({ ...choices, into });
        }}
      />
      {(read.isPending || compare.isPending) && <p role="status">{read.isPending ? movingTexts.reading : t.checking}</p>}
      {error && <Refusal error={error} />}
      {moving && <MovingReport moving={moving} />}
      {apply.data && <LeftOut left={apply.data.left} />}
      {apply.data?.changeSet && (
        <p role="status">
          {t.applied} <Link to={`/${tenantId}/audit?request=${apply.data.changeSet}`}>{t.inAudit}</Link>
        </p>
      )}
      {choices && everything && (
        <div>
          {outcome && (
            <div role="status">
              <h3>{t.would}</h3>
              <p>{outcome.changes.length === 0 ? t.nothing : t.outcome(outcome.added, outcome.changed, outcome.unchanged)}</p>
            </div>
          )}
          <ImportMissing
            missing={outcome?.missing ?? []}
            chosen={choices.chosen}
            make={choices.make}
            onMake={(make) => decide({ ...choices, make, without: new Set() })}
            tenantId={isInto ? tenantId : undefined}
            // What becomes possible by the mapping is listed again.
            onChoose={(chosen) => decide({ ...choices, chosen, without: new Set() })}
          />
          {outcome && <LeftOut left={outcome.left} />}
          <ImportChanges
            changes={everything.changes}
            names={{ ...everything.names, [nobody]: onCallTexts.nobody }}
            without={choices.without}
            onChoose={(places, isChosen) => {
              const without = new Set(choices.without);
              for (const at of places)
                if (isChosen) without.delete(at);
                else without.add(at);
              decide({ ...choices, without });
            }}
          />
          <p className="row">
            {outcome && outcome.changes.length > 0 && (
              <Button look="primary" disabled={apply.isPending || compare.isPending} onClick={() => apply.mutate(choices)}>
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

/** Takes a CSV into a list: a person checks how the columns are read and what would change, and then imports it. */
import { useId, useState } from 'react';
import { Link } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { importList } from '@cloudfit/contract/calls.ts';
import { textOfFile } from '@cloudfit/contract/configuration/file-text.ts';
import type { ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { dateOrders, type ImportList } from '@cloudfit/contract/configuration/lists.ts';
import { configurationTexts } from '@cloudfit/contract/messages/configuration.en.ts';
import { shownError } from '@cloudfit/contract/messages/api-texts.en.ts';
import { listTexts as t } from '@cloudfit/contract/messages/lists.en.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { countText } from '../../components/count.ts';
import { Field } from '../../components/field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { ImportColumns } from './import-columns.tsx';
import { ListChanges, RefusedLines, Remarks } from './import-outcome.tsx';
import './list-import.css';

const maxBytes = 7 * 1_048_576;

type ListRequest = CallInput<typeof importList>;
/** What a person has decided about a text; the rest follows from the text. */
type Decisions = Pick<ListRequest, 'columns' | 'key' | 'dateOrder' | 'source'>;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const spokenText = async (message: string): Promise<string> => (await shownError({ message })).message ?? message;

/** The reasons and remarks of the server in the language of the page. */
async function spoken(outcome: ListOutcome): Promise<ListOutcome> {
  return {
    ...outcome,
    refused: await Promise.all(outcome.refused.map(async (fault) => ({ ...fault, message: await spokenText(fault.message) }))),
    remarks: await Promise.all(outcome.remarks.map(async (remark) => ({ ...remark, text: await spokenText(remark.text) }))),
  };
}

export function ImportTable({ list, tenantId }: { list: ImportList; tenantId: string }) {
  const [text, setText] = useState<string>();
  const [pasted, setPasted] = useState('');
  const [source, setSource] = useState('');
  const [decisions, setDecisions] = useState<Decisions>({});
  const [fileKey, setFileKey] = useState(0);
  const [isTooLarge, setTooLarge] = useState(false);
  const send = (content: string, decided: Decisions, dryRun: boolean) =>
    call(importList, { list, tenantId, text: content, timeZone: zone, ...decided, dryRun }, { quiet: true }).then(spoken);
  const compare = useMutation({
    mutationFn: ({ content, decided }: { content: string; decided: Decisions }) => send(content, decided, true),
  });
  const apply = useMutation({
    mutationFn: ({ content, decided }: { content: string; decided: Decisions }) => send(content, decided, false),
    onSuccess: async () => queryClient.invalidateQueries(),
  });
  const withSource = (decided: Decisions): Decisions =>
    list === 'tickets' && source.trim() !== '' ? { ...decided, source: source.trim() } : decided;
  const read = (content: string) => {
    apply.reset();
    setTooLarge(content.length > maxBytes);
    if (content.length > maxBytes) return;
    setText(content);
    setDecisions({});
    compare.mutate({ content, decided: withSource({}) });
  };
  const decide = (more: Decisions) => {
    if (text === undefined) return;
    const decided = { ...decisions, ...more };
    setDecisions(decided);
    apply.reset();
    compare.mutate({ content: text, decided: withSource(decided) });
  };
  const restart = () => {
    setText(undefined);
    setPasted('');
    setFileKey(fileKey + 1);
    compare.reset();
    apply.reset();
  };
  // While it is compared again, the outcome of before stays, so that the page does not jump.
  const [last, setLast] = useState<ListOutcome>();
  if (compare.data && compare.data !== last) setLast(compare.data);
  const outcome = text === undefined ? undefined : (compare.data ?? last);
  const error = apply.error ?? compare.error;
  return (
    <div className="list-import">
      <p className="faint">{t.about[list]}</p>
      {list === 'tickets' && (
        <TextField label={t.source} help={t.sourceHelp} value={source} maxLength={100} onChange={setSource} onBlur={() => decide({})} />
      )}
      <Field label={t.file} help={t.fileHelp}>
        {(aria) => (
          <input
            key={fileKey}
            {...aria}
            className="input"
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onChange={({ target: { files } }) => {
              const [file] = files ?? [];
              if (file) void file.arrayBuffer().then((bytes) => read(textOfFile(new Uint8Array(bytes))));
            }}
          />
        )}
      </Field>
      {text === undefined && (
        <>
          <Field label={t.paste}>
            {(aria) => (
              <textarea {...aria} className="input mono" rows={5} value={pasted} onChange={(event) => setPasted(event.target.value)} />
            )}
          </Field>
          <p>
            <Button disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
              {t.read}
            </Button>
          </p>
        </>
      )}
      {isTooLarge && (
        <p className="notice error" role="alert">
          {t.isTooLarge}
        </p>
      )}
      {compare.isPending && <p role="status">{t.reading}</p>}
      {error && (
        <p className="notice error" role="alert">
          {failureText(error)}
        </p>
      )}
      {apply.data ? (
        <Applied outcome={apply.data} list={list} tenantId={tenantId} onRestart={restart} />
      ) : (
        outcome && (
          <Tried
            {...{ list, outcome, decide }}
            isBusy={compare.isPending || apply.isPending}
            isApplying={apply.isPending}
            onApply={() => {
              if (text !== undefined) apply.mutate({ content: text, decided: withSource(decisions) });
            }}
            onRestart={restart}
          />
        )
      )}
    </div>
  );
}

interface TriedProps {
  list: ImportList;
  outcome: ListOutcome;
  decide: (more: Decisions) => void;
  isBusy: boolean;
  isApplying: boolean;
  onApply: () => void;
  onRestart: () => void;
}

/** How the file is read, and what it would change. */
function Tried({ list, outcome, decide, isBusy, isApplying, onApply, onRestart }: TriedProps) {
  const { added, changed, unchanged, lacks, ambiguousDates, rows } = outcome;
  const orderId = useId();
  const isRead = lacks.length === 0 && ambiguousDates === null;
  return (
    <>
      <ImportColumns {...{ list, outcome, isBusy }} onColumns={(columns) => decide({ columns })} onKey={(key) => decide({ key })} />
      {list === 'tickets' && <p className="faint">{t.zone(zone)}</p>}
      {ambiguousDates !== null && (
        <p className="notice warning">
          <label htmlFor={orderId}>{t.ambiguous(ambiguousDates)}</label>{' '}
          <Select
            id={orderId}
            choices={choicesOf(dateOrders, t.orders)}
            value=""
            none={t.choose}
            onChange={(dateOrder) => {
              if (dateOrder !== '') decide({ dateOrder });
            }}
          />
        </p>
      )}
      {isRead && (
        <>
          <div role="status">
            <h3>{t.would}</h3>
            <p>
              {t.lines(countText(rows))} {added + changed + unchanged === 0 ? t.nothing : t.outcome(added, changed, unchanged)}
            </p>
          </div>
          <RefusedLines {...{ list, outcome }} />
          <Remarks outcome={outcome} />
          <ListChanges outcome={outcome} />
        </>
      )}
      <p className="row">
        {isRead && added + changed > 0 && (
          <Button look="primary" disabled={isBusy} onClick={onApply}>
            {isApplying ? t.applying : t.apply(added + changed)}
          </Button>
        )}
        <Button onClick={onRestart}>{t.again}</Button>
      </p>
    </>
  );
}

function Applied({
  outcome,
  list,
  tenantId,
  onRestart,
}: {
  outcome: ListOutcome;
  list: ImportList;
  tenantId: string;
  onRestart: () => void;
}) {
  const { added, changed, unchanged, changeSet } = outcome;
  return (
    <>
      <p role="status" className="notice ok">
        {t.applied} {t.outcome(added, changed, unchanged)}{' '}
        {changeSet !== undefined && <Link to={`/${tenantId}/audit?request=${changeSet}`}>{configurationTexts.inAudit}</Link>}
      </p>
      <RefusedLines {...{ list, outcome }} />
      <Remarks outcome={outcome} />
      <p>
        <Button onClick={onRestart}>{t.again}</Button>
      </p>
    </>
  );
}

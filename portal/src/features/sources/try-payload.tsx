import { useId, useState, type FormEvent } from 'react';
import { trySource } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { samplePayload } from '@cloudfit/contract/sources/samples.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Field } from '../../components/field.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { decimalText, exactTime } from '../../theme/times.ts';
import type { SourceEntity } from './source-row.ts';

type TriedPayload = CallOutput<typeof trySource>;
type TriedItem = TriedPayload['value'][number];

const tones = { known: 'ok', pending: 'warn', new: 'info', unknown: 'danger' } as const;

function Item({ entity, refusal, timestamp, message }: TriedItem) {
  return (
    <article className="source-refusal">
      {entity && (
        <p>
          {t.kinds[entity.kind]} <strong>{entity.name}</strong> <Chip tone={tones[entity.is]}>{t.is[entity.is]}</Chip>
        </p>
      )}
      <ErrorNotice text={refusal} />
      {timestamp && <p className="faint">{exactTime(timestamp)}</p>}
      {message && <JsonBlock label={t.packetOf} value={message} />}
    </article>
  );
}

/** Says what a payload would become by the saved settings of the source. */
export function TryPayload({ row }: { row: SourceEntity }) {
  const form = useId();
  const [body, setBody] = useState('');
  const [tried, setTried] = useState<TriedPayload>();
  const [failure, setFailure] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTrying(true);
    setFailure(undefined);
    setTried(undefined);
    try {
      setTried(await call(trySource, { id: row.sourceId, body }, { quiet: true }));
    } catch (error) {
      setFailure(error);
    }
    setTrying(false);
  };
  return (
    <>
      <form id={form} className="form-section" onSubmit={(event) => void submit(event)}>
        <Field label={t.payload} help={t.payloadHelp} wide>
          {(aria) => <textarea {...aria} className="input mono" rows={8} value={body} onChange={(event) => setBody(event.target.value)} />}
        </Field>
        <p>
          <Button type="submit" look="primary" disabled={isTrying || body.trim() === ''}>
            {t.try}
          </Button>{' '}
          <Button onClick={() => setBody(samplePayload(row.kind, Date.now()))}>{t.useSample}</Button>
        </p>
        <ErrorNotice text={failure !== undefined && failureText(failure)} />
      </form>
      {tried && (
        <section className="form-section" aria-label={t.becomes}>
          <h3>{t.becomes}</h3>
          {tried.value.length === 0 && <p className="faint">{t.nothing}</p>}
          {/* The items have no key of their own, and a new trial replaces all of them. */}
          {tried.value.map((item, index) => (
            <Item key={`${index} ${item.entity?.name ?? ''}`} {...item} />
          ))}
          {tried.more > 0 && <p className="faint">{t.more(decimalText(tried.more, 0))}</p>}
        </section>
      )}
    </>
  );
}

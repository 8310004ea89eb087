import { sourceRefusals } from '@cloudfit/contract/calls.ts';
import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states.tsx';
import { decimalText } from '../../theme/times.ts';
import type { SourceEntity } from './source-row.ts';

const pollMs = 10_000;

/** Why items of the source were refused, the last reasons first. */
export function SourceRefusals({ row }: { row: SourceEntity }) {
  const refusals = useCall(sourceRefusals, { id: row.sourceId }, { refreshedBy: sources.name, refetchInterval: pollMs });
  const list = { ...refusals, data: refusals.data?.value };
  return (
    <Loaded query={list} failed={t.refusalsFailed} empty={<EmptyState small icon="check" title={t.noRefusals} text={t.noRefusalsText} />}>
      {(reasons) => (
        <section className="form-section" aria-label={t.refusals}>
          {reasons.map(({ code, message, sample, count, last }) => (
            <article key={code} className="source-refusal">
              <strong>{message}</strong>
              <p className="faint">
                {t.times(decimalText(count, 0))}, <RelativeTime value={last} />
              </p>
              {sample !== '' && <JsonBlock label={t.sample} value={sample} />}
            </article>
          ))}
        </section>
      )}
    </Loaded>
  );
}

/** What files of another product contain, and what of it has no counterpart here. */
import type { MovingOutcome } from '@cloudfit/contract/configuration/moving.ts';
import { movingProductNames } from '@cloudfit/contract/configuration/moving-products.ts';
import { configurationTexts } from '@cloudfit/contract/messages/configuration.en.ts';
import { movingTexts as t } from '@cloudfit/contract/messages/moving.en.ts';
import { withTimes } from '../../theme/times.ts';

/** Reasons that are listed one by one. */
const listed = 200;

export function MovingReport({ moving: { product, counts, without } }: { moving: MovingOutcome }) {
  const contents = counts.map(({ kind, count }) => t.counts[kind](count)).join(', ');
  return (
    <>
      <p role="status">
        <strong>{t.found(movingProductNames[product], contents)}</strong>
      </p>
      {without.length > 0 && (
        <section className="notice warning" aria-label={t.without(without.length)}>
          <p>
            <strong>{t.without(without.length)}</strong> {t.withoutText}
          </p>
          <ul>
            {without.slice(0, listed).map(({ name, reason, detail }, at) => (
              <li key={at}>
                <strong>{name}</strong>: {withTimes(t.reasons[reason](detail))}
              </li>
            ))}
          </ul>
          {without.length > listed && <p>{configurationTexts.moreRows(without.length - listed)}</p>}
        </section>
      )}
    </>
  );
}

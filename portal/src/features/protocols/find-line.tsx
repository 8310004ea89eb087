import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { matchOperators, type Find, type MatchOperator } from './use-actions-of.ts';

const t = protocolTexts.actions;

/** Narrows the actions of a protocol: an operator, and the text that it holds against their names and summaries. */
export function FindLine({ find, onChange }: { find: Find; onChange: (find: Find) => void }) {
  return (
    <div className="find-line" role="search" aria-label={t.find}>
      <select
        className="input"
        aria-label={t.match}
        value={find.operator}
        onChange={(event) => onChange({ ...find, operator: event.target.value as MatchOperator })}
      >
        {matchOperators.map((operator) => (
          <option key={operator} value={operator}>
            {t.operators[operator]}
          </option>
        ))}
      </select>
      <input
        className="input"
        type="search"
        aria-label={t.find}
        placeholder={t.find}
        autoComplete="off"
        value={find.text}
        onChange={(event) => onChange({ ...find, text: event.target.value })}
      />
    </div>
  );
}

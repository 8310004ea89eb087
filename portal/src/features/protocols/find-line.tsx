import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { matchOperators, type ActionSearch, type MatchOperator } from './use-actions-of.ts';

const t = protocolTexts.actions;

/** Searches the actions of a protocol: an operator and a text, compared with names and summaries. */
export function FindLine({ find, onChange }: { find: ActionSearch; onChange: (find: ActionSearch) => void }) {
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

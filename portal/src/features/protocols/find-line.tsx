import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { matchOperators, type ActionSearch } from './use-actions-of.ts';
import { choicesOf, Select } from '../../components/fields/select.tsx';

const t = protocolTexts.actions;

/** Searches the actions of a protocol: an operator and a text, compared with names and summaries. */
export function FindLine({ find, onChange }: { find: ActionSearch; onChange: (find: ActionSearch) => void }) {
  return (
    <div className="find-line" role="search" aria-label={t.find}>
      <Select
        aria-label={t.match}
        value={find.operator}
        choices={choicesOf(matchOperators, t.operators)}
        onChange={(operator) => onChange({ ...find, operator })}
      />
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

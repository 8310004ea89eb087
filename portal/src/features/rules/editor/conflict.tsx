import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Button } from '../../../components/button.tsx';
import type { RuleValues } from './rule-draft.ts';

const t = ruleEditorTexts.conflict;
const labelOf = (name: keyof RuleValues) => rules.fields[name].label;

interface ConflictProps {
  names: readonly (keyof RuleValues)[];
  /** Whether a save waits for the person's choice. */
  urgent: boolean;
  onSettle: (name: keyof RuleValues, whose: 'mine' | 'theirs') => void;
}

/** Lists the fields that both the person and somebody else have changed, each with the choice of which value to keep. */
export function Conflict({ names, urgent, onSettle }: ConflictProps) {
  if (names.length === 0) return null;
  return (
    <section className={urgent ? 'notice rule-conflict error' : 'notice rule-conflict'} aria-label={t.label}>
      <p role={urgent ? 'alert' : 'status'}>
        {t.text(names.map(labelOf).join(', '))} {urgent && t.first}
      </p>
      {names.map((name) => (
        <div key={name} className="row">
          <b>{labelOf(name)}</b>
          <Button small aria-label={t.mineOf(labelOf(name))} onClick={() => onSettle(name, 'mine')}>
            {t.mine}
          </Button>
          <Button small aria-label={t.theirsOf(labelOf(name))} onClick={() => onSettle(name, 'theirs')}>
            {t.theirs}
          </Button>
        </div>
      ))}
    </section>
  );
}

/** What runs when the rule matches, and when the match ends. */
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Button } from '../../../components/button.tsx';
import { ActionLine } from './action-line.tsx';
import { blankAction, type ActionDraft } from './rule-draft.ts';
import type { RuleActions } from './use-action-choices.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const t = ruleEditorTexts.actions;
const maxActions = 20;

interface ActionsTabProps {
  ruleId: string | undefined;
  editing: RuleEditing;
  actions: RuleActions;
}

function moved(calls: readonly ActionDraft[], at: number, by: -1 | 1): readonly ActionDraft[] {
  const [one, other] = [calls[at], calls[at + by]];
  return one && other ? calls.with(at, other).with(at + by, one) : calls;
}

interface ActionListProps extends ActionsTabProps {
  name: 'matchActions' | 'expirationActions';
  title: string;
  text: string;
}

function ActionList({ editing, actions, ruleId, name, title, text }: ActionListProps) {
  const { values, change, readOnly } = editing;
  const calls = values[name];
  const set = (next: readonly ActionDraft[]) => change({ [name]: next });
  const lines = useRef<HTMLOListElement>(null);
  const add = () => {
    flushSync(() => set([...calls, blankAction()]));
    lines.current?.lastElementChild?.querySelector<HTMLElement>('[role="combobox"]')?.focus();
  };
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <p className="muted">{text}</p>
      {calls.length === 0 && <p className="faint">{actions.choices.length === 0 && !actions.isLoading ? t.noActions : t.none}</p>}
      <ol className="rule-actions" ref={lines}>
        {calls.map((call, at) => (
          <ActionLine
            key={call.key}
            editing={editing}
            actions={actions}
            ruleId={ruleId}
            call={call}
            title={title}
            place={`${name}[${at}]`}
            at={at}
            of={calls.length}
            onChange={(next) => set(calls.with(at, next))}
            onMove={(by) => set(moved(calls, at, by))}
            onRemove={() => set(calls.toSpliced(at, 1))}
          />
        ))}
      </ol>
      {!readOnly && (
        <Button small icon="plus" data-add-action aria-label={t.addTo(title)} disabled={calls.length >= maxActions} onClick={add}>
          {t.add}
        </Button>
      )}
    </section>
  );
}

export function ActionsTab({ editing, actions, ruleId }: ActionsTabProps) {
  return (
    <>
      <ActionList editing={editing} actions={actions} ruleId={ruleId} name="matchActions" title={t.match} text={t.matchText} />
      <ActionList
        editing={editing}
        actions={actions}
        ruleId={ruleId}
        name="expirationActions"
        title={t.expiration}
        text={t.expirationText}
      />
    </>
  );
}

/** Which matches of the rule become one work unit, and how people are notified of further matches. */
import { groupings } from '@cloudfit/contract/enums.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { rules, tenantStormLimit } from '@cloudfit/contract/resources/rules.ts';
import { RuleField } from './rule-field.tsx';
import type { RuleEditing } from './use-rule-editing.ts';

const t = ruleEditorTexts.groups;
const groupBy = { ...rules.fields.groupBy, choices: groupings.map((value) => ({ value, label: t.by[value] })) };

export function GroupFields({ editing }: { editing: RuleEditing }) {
  const { values } = editing;
  return (
    <>
      <RuleField editing={editing} name="groupBy" field={groupBy} help={t.byHelp[values.groupBy]} />
      {values.groupBy === 'Tag' && <RuleField editing={editing} name="groupTag" help={t.tagHelp} />}
      {values.groupBy === 'Subject' ? (
        <RuleField editing={editing} name="stormLimit" help={t.stormHelp(tenantStormLimit)} />
      ) : (
        <>
          <RuleField editing={editing} name="groupWindow" help={t.windowHelp} />
          <RuleField editing={editing} name="groupSummary" help={t.summaryHelp} />
        </>
      )}
    </>
  );
}

import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Matches } from '../../entities/matches/matches.tsx';
import { useRow } from '../../rows/use-rows.ts';

/** Number of matches on a page (MATCH-006). */
const rows = 100;

/** Every match of one rule, beside the list of rules. */
export function RuleMatchesPanel({ ruleId, onClose }: { ruleId: string; onClose: () => void }) {
  const { data: rule } = useRow(rules, ruleId);
  return (
    <SidePanel
      wide
      title={rule ? t.of(rule.name) : t.title}
      onClose={onClose}
      footer={<Button onClick={onClose}>{en.common.close}</Button>}
    >
      <div className="body">
        <Matches of={{ ruleId }} rows={rows} />
      </div>
    </SidePanel>
  );
}

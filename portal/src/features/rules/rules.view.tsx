import { eq, or } from '@cloudfit/contract/query/build.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { idleProtocol } from '@cloudfit/contract/protocols/idle-protocol.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Link } from 'react-router';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { Chip } from '../../components/chips.tsx';
import { ColorDot } from '../../components/color-dot.tsx';
import { useMay, useMayEverywhere } from '../../api/lookups.ts';
import { useScope } from '../../rows/use-scope.ts';
import { hasOpenMatch } from '../../entities/attention.ts';
import { ImpactPanel } from '../../entities/impact/impact-panel-lazy.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';
import { describeConditions } from '../../entities/rule-words/describe-rule.ts';
import { ruleEditor } from './editor/rule-editor-lazy.tsx';
import { nameRead, readConditionNames, useConditionNames } from '../../entities/rule-words/use-condition-names.ts';
import { readRuleActivity, useRuleActivity } from './use-rule-activity.ts';
import { useToggleRule, type Rule } from './use-rules.ts';

const t = en.rules;
const resource = rules;

function WhenCell({ rule }: { rule: Rule }) {
  const words = describeConditions(rule.conditions, useConditionNames(rule.conditions));
  return <span title={words}>{words}</span>;
}

/** Where the rule applies. The name of a group is known to those who see all of its tenants. */
function scopeText({ tenantId, tenantGroupId, tenantGroup, subscription }: Rule): string {
  if (tenantId === null) return tenantGroup?.name ?? (tenantGroupId === null ? t.allTenants : t.severalTenants);
  return subscription?.name ?? t.wholeTenant;
}

/** The number of matches per day in the last week, as a link to the matches of the rule. */
function MatchesCell({ rule }: { rule: Rule }) {
  const activity = useRuleActivity(rule.ruleId);
  const scope = useScope();
  if (!activity) return null;
  if (activity.n === 0) return <span className="faint">{t.noMatches}</span>;
  return (
    <Link to={`/${rule.tenantId ?? scope.tenantId}/matches?f.ruleId=${rule.ruleId}`} title={t.matchesOfWeek(activity.n)}>
      {t.perDay(activity.perDay)}
    </Link>
  );
}

function LastMatchCell({ rule }: { rule: Rule }) {
  const last = useRuleActivity(rule.ruleId)?.last;
  return last ? <RelativeTime value={last} /> : null;
}

const weeksOf = (rows: readonly Rule[]) => readRuleActivity(rows.map((row) => row.ruleId));

async function lastMatchTexts(rows: readonly Rule[]): Promise<(row: Rule) => string> {
  const weekOf = await weeksOf(rows);
  return ({ ruleId }) => {
    const { last } = weekOf(ruleId);
    return last ? exactTime(last) : '';
  };
}

async function perDayTexts(rows: readonly Rule[]): Promise<(row: Rule) => string> {
  const weekOf = await weeksOf(rows);
  return ({ ruleId }) => {
    const { n, perDay } = weekOf(ruleId);
    return n === 0 ? t.noMatches : t.perDay(perDay);
  };
}

/** The colour of the rule's matches, and marks when the server could not evaluate it or its protocol never runs. */
function NameMarks({ rule }: { rule: Rule }) {
  const idle = idleProtocol(rule);
  return (
    <>
      <ColorDot color={rule.color} />
      {rule.evaluationFailure && (
        <Chip tone="danger" title={rule.evaluationFailure}>
          {t.failing}
        </Chip>
      )}
      {idle && (
        <Chip tone="warn" title={idle}>
          {t.idleProtocol}
        </Chip>
      )}
    </>
  );
}

function EnabledCell({ rule }: { rule: Rule }) {
  const toggle = useToggleRule();
  const may = useMay();
  const mayForAll = useMayEverywhere('Rules', 'edit');
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      aria-label={t.toggleLabel(rule.name)}
      checked={rule.enabled}
      aria-busy={toggle.isPending}
      disabled={toggle.isPending || !(rule.tenantId === null ? mayForAll : may('Rules', 'edit'))}
      onChange={() => toggle.mutate(rule)}
    />
  );
}

export const rulesView = defineView({
  resource,
  icon: 'rules',
  texts: {
    title: t.title,
    saveFailed: t.saveFailed,
    deleteFailed: () => t.deleteFailed,
    deleted: () => t.deleted,
    deleteQuestion: (row) => t.deleteQuestion(row.name),
    emptyText: t.emptyText,
  },
  columns: [
    {
      id: 'enabled',
      header: rules.fields.enabled.label,
      width: 78,
      sortable: true,
      cell: (row) => <EnabledCell rule={row} />,
      text: (row) => (row.enabled ? en.common.yesValue : en.common.noValue),
    },
    { ...fieldColumn(resource, 'name'), grow: false, width: 238, after: (row) => <NameMarks rule={row} /> },
    {
      id: 'when',
      header: t.when,
      width: 176,
      grow: true,
      below: 'sm',
      tone: 'soft',
      cell: (row) => <WhenCell rule={row} />,
      texts: async (rows) => {
        await readConditionNames(rows.flatMap((row) => row.conditions));
        return (row) => describeConditions(row.conditions, nameRead);
      },
    },
    {
      id: 'lastMatch',
      header: t.lastMatch,
      width: 88,
      below: 'sm',
      tone: 'soft',
      cell: (row) => <LastMatchCell rule={row} />,
      texts: lastMatchTexts,
    },
    {
      id: 'matches',
      header: t.matchesPerDay,
      width: 100,
      below: 'md',
      tone: 'soft',
      cell: (row) => <MatchesCell rule={row} />,
      texts: perDayTexts,
    },
    { ...fieldColumn(resource, 'ruleTypeId'), width: 92, tone: 'soft' },
    {
      id: 'subscriptionId',
      header: t.scope,
      width: 112,
      below: 'sm',
      tone: 'soft',
      cell: scopeText,
      text: scopeText,
    },
    {
      id: 'matchActions',
      header: t.runs,
      width: 80,
      below: 'sm',
      tone: 'soft',
      cell: (row) => t.actions(row.matchActions.length),
      text: (row) => t.actions(row.matchActions.length),
    },
    { ...fieldColumn(resource, 'matchLifetime'), width: 84, tone: 'soft' },
  ],
  expand: ['subscription', 'tenantGroup($select=name)'],
  base: ({ tenantId, subscriptionId }, flags) => [
    tenantId ? or(eq(rules, 'tenantId', tenantId), eq(rules, 'tenantId', null)) : undefined,
    subscriptionId ? or(eq(rules, 'subscriptionId', subscriptionId), eq(rules, 'subscriptionId', null)) : undefined,
    flags.includes('disabled') ? undefined : eq(rules, 'enabled', true),
  ],
  bySubscription: true,
  flags: ['disabled'],
  filters: ['ruleTypeId', 'ruleId'],
  quick: [{ id: 'matching', label: t.matching, clause: () => hasOpenMatch }],
  searchDebounceMs: 250,
  impact: (row, change) => <ImpactPanel entity="rules" id={row.ruleId} change={change} />,
  panel: ruleEditor,
});

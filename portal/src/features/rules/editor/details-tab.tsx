/** The tab with what the rule is, whose it is, and how its matches open, end and form groups; below, the latest matches. */
import type { ReactNode } from 'react';
import { blockColors, countGroups, recurrences, whileMatching } from '@cloudfit/contract/enums.ts';
import { f, optional } from '@cloudfit/contract/resource.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { RowFacts } from '../../../forms/row-facts.tsx';
import type { Rule } from '../use-rules.ts';
import { aggregationType, historyType, ingestionType } from './rule-draft.ts';
import { RecentMatches } from './recent-matches.tsx';
import { GroupFields } from './group-fields.tsx';
import { RuleField } from './rule-field.tsx';
import { TenantField } from './tenant-field.tsx';
import { maintenanceType } from './rule-draft.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const t = ruleEditorTexts.details;
const recurrence = {
  ...rules.fields.recurrence,
  choices: recurrences.map((value) => ({ value, label: t.recurrences[value] })),
};
const ended = {
  ...rules.fields.whileMatching,
  choices: whileMatching.map((value) => ({ value, label: t.whileMatching[value] })),
};
const countBy = { ...rules.fields.countBy, choices: countGroups.map((value) => ({ value, label: t.countNames[value] })) };
const color = optional(f.choice(rules.fields.color.label, blockColors));

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <div className="form-grid">{children}</div>
    </section>
  );
}

export function DetailsTab({ editing, row }: { editing: RuleEditing; row: Rule | undefined }) {
  const { values } = editing;
  return (
    <>
      <Section title={t.what}>
        <RuleField editing={editing} name="name" wide />
        <RuleField editing={editing} name="ruleTypeId" help={t.typeHelp[values.ruleTypeId ?? 0]} />
        {values.ruleTypeId === aggregationType && (
          <RuleField editing={editing} name="countBy" field={countBy} help={t.countByHelp[values.countBy]} />
        )}
        {values.ruleTypeId === aggregationType && values.countBy === 'Tag' && (
          <RuleField editing={editing} name="countTag" help={t.countTagHelp} />
        )}
        <RuleField editing={editing} name="enabled" />
        <RuleField editing={editing} name="description" />
      </Section>
      <Section title={t.whose}>
        <TenantField editing={editing} />
        <RuleField
          editing={editing}
          name="subscriptionId"
          help={t.subscriptionHelp}
          knownName={values.subscriptionId === row?.subscriptionId ? row?.subscription?.name : undefined}
        />
      </Section>
      <Section title={t.match}>
        <RuleField editing={editing} name="matchLifetime" help={t.lifetimeHelp} />
        <RuleField editing={editing} name="useSlidingExpiration" help={t.slidingHelp} />
        {values.ruleTypeId !== maintenanceType && <RuleField editing={editing} name="clearFor" help={t.clearForHelp} />}
        {(values.ruleTypeId === ingestionType || values.ruleTypeId === historyType) && (
          <>
            <RuleField editing={editing} name="lateGrace" help={t.lateGraceHelp} />
            <RuleField editing={editing} name="tellLate" help={t.tellLateHelp} />
          </>
        )}
        {values.ruleTypeId === historyType && <RuleField editing={editing} name="neverReported" help={t.neverReportedHelp} />}
        <RuleField editing={editing} name="color" field={color} />
        <RuleField editing={editing} name="protocolId" help={t.protocolHelp} />
        {values.ruleTypeId !== maintenanceType && <RuleField editing={editing} name="runbookId" help={t.runbookHelp} />}
        {values.ruleTypeId !== maintenanceType && (
          <RuleField editing={editing} name="recurrence" field={recurrence} help={t.recurrenceHelp[values.recurrence]} />
        )}
        {values.recurrence === 'Reopen' && <RuleField editing={editing} name="reopenHours" help={t.reopenHelp} />}
        {values.ruleTypeId !== maintenanceType && (
          <RuleField editing={editing} name="whileMatching" field={ended} help={t.whileMatchingHelp[values.whileMatching]} />
        )}
        {values.ruleTypeId !== maintenanceType && values.whileMatching !== 'Silent' && (
          <RuleField editing={editing} name="reopenAfter" help={t.reopenAfterHelp} />
        )}
        {values.ruleTypeId !== maintenanceType && (
          <>
            <RuleField editing={editing} name="repeatEvery" help={t.repeatEveryHelp} />
            <RuleField editing={editing} name="acknowledgedFor" help={t.acknowledgedForHelp} />
          </>
        )}
      </Section>
      {values.ruleTypeId !== maintenanceType && (
        <Section title={t.groups}>
          <GroupFields editing={editing} />
        </Section>
      )}
      {row && <RecentMatches ruleId={row.ruleId} />}
      {row && <RowFacts resource={rules} row={row} />}
    </>
  );
}

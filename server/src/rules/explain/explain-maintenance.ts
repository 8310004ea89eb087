/** Finds what held an entity in maintenance at a time (rules in their current version, and windows), and when that ends. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { compiledOrNone, ruleTypeId, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Entity } from '../run/entity.ts';
import { iso } from '../past/past-packets.ts';
import { exceptionsByTenant, exceptionsOfRule, type StoredException } from '../run/exceptions.ts';
import { holdsAtAnyTime } from '../run/maintenance/maintenance.ts';
import { expects, indexWindows, windowsAt, type ExpectedRule, type MaintenanceWindow } from '../run/maintenance/maintenance-windows.ts';

const furthestMinutes = 31 * 24 * 60;

/**
 * Returns the first whole minute after `at` at which none of the windows holds; undefined if a window is undefined (always
 * holds), or if there is no such minute within 31 days.
 */
export function endOf(windows: readonly (((at: number) => boolean) | undefined)[], at: number): number | undefined {
  if (windows.some((holds) => holds === undefined)) return undefined;
  const first = Math.floor(at / minuteMs) * minuteMs;
  for (let i = 1; i <= furthestMinutes; i += 1) {
    const moment = first + i * minuteMs;
    if (!windows.some((holds) => holds?.(moment))) return moment;
  }
  return undefined;
}

function explainedWindow({ maintenanceWindowId, reason, until, isChange, workUnitId, publicWorkUnitId, selection }: MaintenanceWindow) {
  return { maintenanceWindowId, reason, until: iso(until), isChange, workUnitId, publicWorkUnitId, selection: selection?.name || null };
}

/** Says in words what holds the entity, as in: held by change #12 (Swap the disk). */
export function heldBy({ rules, windows }: Pick<Explanation['maintenance'], 'rules' | 'windows'>, { why }: ExplanationWords): string {
  const names = [
    ...windows.map(({ isChange, publicWorkUnitId, reason, selection }) =>
      isChange ? why.change(publicWorkUnitId, reason) : selection ? why.windowOfSelection(reason, selection) : why.window(reason),
    ),
    ...rules.map(({ name }) => why.rule(name)),
  ];
  return names.length > 0 ? why.holders(names) : why.heldByAny;
}

interface MaintenanceRuleRow extends Omit<RuleDefinition, 'since' | 'watchedSince' | 'recovers' | 'countBy' | 'countTag'> {
  exceptions: StoredException[] | null;
}

/**
 * Returns what holds the entity in maintenance. `judged`: the rule whose matches are explained; without it, every
 * window counts.
 */
export async function explainMaintenance(ctx: Ctx, entity: Entity, at: number, judged?: ExpectedRule): Promise<Explanation['maintenance']> {
  const rows = await ctx.db.query<MaintenanceRuleRow>({
    name: 'explain-maintenance',
    text: `select rule_id as "ruleId", name, rule_type_id as "ruleTypeId", $1::uuid as "tenantId", subscription_id as "subscriptionId", conditions, time_conditions as "timeConditions",
  ${exceptionsOfRule} as exceptions
from rule r where rule_is_for(tenant_id, tenant_group_id, $1) and enabled and rule_type_id = ${ruleTypeId.maintenance} order by name, rule_id`,
    values: [entity.tenantId],
  });
  const rules = rows.filter(({ exceptions }) => !exceptionChooser(exceptionsByTenant(exceptions ?? [])(entity.tenantId))(entity)?.isOff);
  const windows = indexWindows(await windowsAt(ctx.db, entity.tenantId, at))
    .concerning(entity, at)
    .filter((window) => !judged || expects(window, judged.ruleId, judged));
  const selecting = rules.flatMap((rule) => compiledOrNone(rule) ?? []).filter((rule) => holdsAtAnyTime(rule, entity, at));
  const holding = selecting.filter((rule) => rule.inTimeWindow?.(at) ?? true);
  const lastOfWindows = windows.length > 0 ? Math.max(...windows.map(({ until }) => until)) : undefined;
  const end =
    holding.length > 0
      ? endOf(
          [
            ...selecting.map((rule) => rule.inTimeWindow),
            ...windows.map(
              ({ until }) =>
                (moment: number) =>
                  moment < until,
            ),
          ],
          at,
        )
      : lastOfWindows;
  return {
    inMaintenance: holding.length > 0 || windows.length > 0,
    rules: holding.map(({ ruleId, rule }) => ({ ruleId, name: rule.name })),
    windows: windows.map(explainedWindow),
    until: end === undefined ? null : iso(end),
  };
}

/** Every enabled rule of the evaluated types, compiled in memory and kept up with changes by notify. */
import { evaluatedRuleTypes } from '@cloudfit/contract/enums.ts';
import type { Logger } from 'pino';
import { compileRule, type CompiledRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import type { Database, Db } from '../db/connection.ts';
import type { Channel } from '../db/notify.ts';

/** What a match needs of its rule. */
export interface IngestRule extends RuleDefinition {
  lifetimeMs: number;
  sliding: boolean;
  matchActions: readonly ActionCall[];
  expirationActions: readonly ActionCall[];
}

export interface CompiledRules {
  ingestion(): RuleIndex<IngestRule>;
  maintenance(): RuleIndex<IngestRule>;
  stop(): Promise<void>;
}

interface RuleRow {
  rule_id: string;
  tenant_id: string;
  subscription_id: string | null;
  name: string;
  rule_type_id: number;
  match_lifetime: number;
  use_sliding_expiration: boolean;
  time_conditions: TimeConditions | null;
  conditions: Condition[];
  match_actions: ActionCall[];
  expiration_actions: ActionCall[];
}

function read(db: Db, ids: readonly string[] | null): Promise<RuleRow[]> {
  return db.query<RuleRow>({
    text: `select rule_id, tenant_id, subscription_id, name, rule_type_id, match_lifetime, use_sliding_expiration, time_conditions, conditions, match_actions, expiration_actions
from rule where enabled and rule_type_id = any($1) and ($2::uuid[] is null or rule_id = any($2))`,
    values: [Object.values(evaluatedRuleTypes), ids],
  });
}

function definitionOf(row: RuleRow): IngestRule {
  return {
    ruleId: row.rule_id,
    name: row.name,
    ruleTypeId: row.rule_type_id,
    tenantId: row.tenant_id,
    subscriptionId: row.subscription_id,
    conditions: row.conditions,
    timeConditions: row.time_conditions,
    lifetimeMs: row.match_lifetime * 1_000,
    sliding: row.use_sliding_expiration,
    matchActions: row.match_actions,
    expirationActions: row.expiration_actions,
  };
}

/** Loads the rules and listens. Until it answers, no packet may be evaluated. */
export async function openCompiledRules(options: { database: Database; log: Logger }): Promise<CompiledRules> {
  const { database, log } = options;
  const db = database.scoped('all');
  let ingestion: RuleIndex<IngestRule> = buildRuleIndex<IngestRule>([]);
  let maintenance: RuleIndex<IngestRule> = buildRuleIndex<IngestRule>([]);
  let pending: Set<string> | 'all' = 'all';
  let refreshing: Promise<void> | undefined;
  let stopped = false;

  function compile(row: RuleRow): CompiledRule<IngestRule> | undefined {
    try {
      return compileRule(definitionOf(row));
    } catch (error) {
      log.error({ err: error, ruleId: row.rule_id }, 'A stored rule cannot be compiled and is not evaluated.');
      return undefined;
    }
  }

  async function loadAll(): Promise<void> {
    const compiled = (await read(db, null)).map(compile).filter((rule) => rule !== undefined);
    ingestion = buildRuleIndex(compiled.filter((rule) => rule.rule.ruleTypeId === evaluatedRuleTypes.ingestion));
    maintenance = buildRuleIndex(compiled.filter((rule) => rule.rule.ruleTypeId === evaluatedRuleTypes.maintenance));
  }

  async function loadSome(ids: ReadonlySet<string>): Promise<void> {
    const rows = new Map((await read(db, [...ids])).map((row) => [row.rule_id, row]));
    for (const id of ids) {
      const row = rows.get(id);
      const rule = row && compile(row);
      ingestion = rule?.rule.ruleTypeId === evaluatedRuleTypes.ingestion ? ingestion.withRule(rule) : ingestion.withoutRule(id);
      maintenance = rule?.rule.ruleTypeId === evaluatedRuleTypes.maintenance ? maintenance.withRule(rule) : maintenance.withoutRule(id);
    }
  }

  /** More changes than this are cheaper to read as a whole. */
  const many = 20;

  async function refresh(): Promise<void> {
    while (!stopped && (pending === 'all' || pending.size > 0)) {
      const wanted = pending;
      pending = new Set();
      try {
        if (wanted === 'all' || wanted.size > many) await loadAll();
        else await loadSome(wanted);
      } catch (error) {
        log.error({ err: error }, 'Rules could not be read.');
        pending = 'all';
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  function startRefresh(): Promise<void> {
    refreshing ??= refresh().finally(() => (refreshing = undefined));
    return refreshing;
  }

  const unlisten = await database.listen('rules' satisfies Channel, (payload) => {
    if (payload === '') pending = 'all';
    else if (pending !== 'all') for (const id of payload.split(',')) pending.add(id);
    void startRefresh();
  });
  await startRefresh();

  return {
    ingestion: () => ingestion,
    maintenance: () => maintenance,
    async stop() {
      stopped = true;
      await unlisten();
      await refreshing;
    },
  };
}

/** All rules in force, compiled in memory. Notifications of the database keep them up to date. */
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { compileRule, ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap, RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import { newReadings } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { readsStates } from '@cloudfit/contract/rules/references.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { UsualValues } from './baselines/usual-values.ts';
import { followGaps } from './pulse.ts';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import type { Channel } from '../../db/notify.ts';
import { currentTime } from '../../platform/clock.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { openMaintenanceWindows, type WindowIndex } from './maintenance/maintenance-windows.ts';
import { recordBroken, type BrokenRule } from './broken-rules.ts';
import { compiledWithExceptions, exceptionsByTenant, exceptionsOfRule, withException, type StoredException } from './exceptions.ts';
import { changedRule, inRings, type NewVersion } from './rollout.ts';
import { StormBrake } from '../../automation/groups/storm-brake.ts';
import type { IngestRule } from './ingest-rule.ts';

/** The rule that stands for the recovery conditions of a rule, with separate memory; undefined without such conditions. */
export function recoveryOf(rule: IngestRule): IngestRule | undefined {
  if (!rule.recoveryConditions?.length) return undefined;
  const { exceptionFor: _exceptions, versionFor: _versions, ...plain } = rule;
  return {
    ...plain,
    ruleId: uuidV5(rule.ruleId, 'recovery'),
    recovers: rule.ruleId,
    conditions: rule.recoveryConditions,
    recoveryConditions: null,
    timeConditions: null,
    matchActions: [],
    expirationActions: [],
  };
}

export interface CompiledRules {
  /** Rules of types Ingestion and History, which packets concern, except those that depend on other rules. */
  ingestion(): RuleIndex<IngestRule>;
  /**
   * Rules of types Ingestion and History that depend on other rules. They evaluate packets after the other rules have done so.
   */
  dependent(): RuleIndex<IngestRule>;
  /** The rules that silence can match. */
  silence(): RuleIndex<IngestRule>;
  maintenance(): RuleIndex<IngestRule>;
  /** The maintenance windows, which are in force in addition to Maintenance rules. */
  windows(): WindowIndex;
  correlation(): RuleIndex<IngestRule>;
  workUnit(): RuleIndex<IngestRule>;
  aggregation(): RuleIndex<IngestRule>;
  /** Counts the new matches of this process, to find storms. */
  brake: StormBrake;
  /** The usual values of metrics. */
  usual: UsualValues;
  /** The recent outages of this installation. */
  gaps: () => readonly Gap[];
  stop(): Promise<void>;
}

/** The entry of a compiled rule for another tenant: what is compiled is shared. */
export function ofTenant(compiled: CompiledRule<IngestRule>, tenantId: string): CompiledRule<IngestRule> {
  const { exceptionFor, versionFor } = compiled.rule;
  const versions = new Map<CompiledRule<IngestRule>, CompiledRule<IngestRule>>();
  const here = (choose: IngestRule['versionFor']) =>
    choose && {
      of: (entity: RuleEntity) => {
        const version = choose(entity);
        if (!version) return undefined;
        const before = versions.get(version);
        if (before) return before;
        const next = ofTenant(version, tenantId);
        versions.set(version, next);
        return next;
      },
    };
  const [exceptions, rings] = [here(exceptionFor), here(versionFor)];
  return {
    ...compiled,
    tenantId,
    rule: {
      ...compiled.rule,
      tenantId,
      ...(exceptions ? { exceptionFor: exceptions.of } : {}),
      ...(rings ? { versionFor: rings.of } : {}),
    },
  };
}

/** How often each process looks whether an exception has ended: by itself, because nothing is written then, and no worker may run. */
const lookMs = 1_000;

interface RuleRow extends Omit<IngestRule, 'tenantId'> {
  /** The tenants for which the rule is: its own, those of its group, or all. */
  tenants: string[];
  /** What some of its entities have otherwise. */
  exceptions: StoredException[] | null;
  enabled: boolean;
  /** For a new version that is not yet in force for all devices: its changes, and the devices for which it is in force. */
  changed: NewVersion | null;
  devices: string[] | null;
}

function read(db: Db, ids: readonly string[] | null): Promise<RuleRow[]> {
  return db.query<Omit<RuleRow, 'recovers' | 'isDependent' | 'versionFor' | 'exceptionFor' | 'severityId'>>({
    text: `select r.rule_id as "ruleId", array(select tenants_of_rule(r.tenant_id, r.tenant_group_id)) as tenants, ${exceptionsOfRule} as exceptions, subscription_id as "subscriptionId", name, rule_type_id as "ruleTypeId",
  conditions, count_by as "countBy", count_tag as "countTag", time_conditions as "timeConditions",
  (extract(epoch from modified) * 1000)::float8 as since, watched_since as "watchedSince", match_lifetime * 1000::float8 as "lifetimeMs",
  use_sliding_expiration as sliding, clear_for * 1000::float8 as "clearForMs", late_grace * 1000::float8 as "graceMs", tell_late as "tellLate",
  never_reported as "neverReported", recovery_conditions as "recoveryConditions", match_actions as "matchActions",
  expiration_actions as "expirationActions", group_by <> 'Subject' as groups, storm_limit as "stormLimit", enabled, o.definition as changed,
  case when o.campaign_id is not null then array(select d.device_id from campaign_device d where d.campaign_id = o.campaign_id and d.is_own
    and d.outcome in ('Running', 'Done', 'Failed')) end as devices
from rule r left join rule_rollout o on o.rule_id = r.rule_id and o.ended is null
where (enabled or o.campaign_id is not null) and ($1::uuid[] is null or r.rule_id = any($1))`,
    values: [ids],
  });
}

type IndexName = Exclude<keyof CompiledRules, 'stop' | 'windows' | 'brake' | 'usual' | 'gaps'>;

const ofPackets = ({ rule }: CompiledRule<IngestRule>) =>
  rule.ruleTypeId === ruleTypeId.ingestion || rule.ruleTypeId === ruleTypeId.history;
const ofType = (id: number) => (rule: CompiledRule) => rule.rule.ruleTypeId === id;

/** Whether a rule belongs to an index. */
const holds: Readonly<Record<IndexName, (rule: CompiledRule<IngestRule>) => boolean>> = {
  ingestion: (rule) => ofPackets(rule) && !rule.rule.isDependent,
  dependent: (rule) => ofPackets(rule) && rule.rule.isDependent === true,
  silence: (rule) => rule.silenceMs !== undefined && rule.rule.recovers === undefined,
  maintenance: ofType(ruleTypeId.maintenance),
  correlation: ofType(ruleTypeId.correlation),
  workUnit: ofType(ruleTypeId.workUnit),
  aggregation: ofType(ruleTypeId.aggregation),
};
const indexNames = Object.keys(holds) as IndexName[];

function buildIndexes(rules: readonly CompiledRule<IngestRule>[]): Record<IndexName, RuleIndex<IngestRule>> {
  const built = indexNames.map((name) => [name, buildRuleIndex(rules.filter(holds[name]))] as const);
  return Object.fromEntries(built) as Record<IndexName, RuleIndex<IngestRule>>;
}

/** Loads the rules and listens for changes. When the promise resolves, packets can be evaluated. */
export async function openCompiledRules(options: { database: Database; log: Logger }): Promise<CompiledRules> {
  const { database, log } = options;
  const db = database.scoped('all');
  const usual = new UsualValues(db);
  const gaps = await followGaps(db, log);
  let indexes = buildIndexes([]);
  let readings = newReadings();
  let pending: Set<string> | 'all' = 'all';
  let refreshing: Promise<void> | undefined;
  let stopped = false;

  const broken: BrokenRule[] = [];
  /** When the first exception of a rule ends. */
  const exceptionEnds = new Map<string, number>();

  /** Compiles the rule, and the rule that stands for its recovery conditions. */
  function compileBoth(rule: IngestRule): CompiledRule<IngestRule>[] {
    try {
      const recovery = recoveryOf(rule);
      return [rule, ...(recovery ? [recovery] : [])].map((item) => compileRule(item, readings));
    } catch (error) {
      log.error({ err: error, ruleId: rule.ruleId }, 'A stored rule cannot be compiled and is not evaluated.');
      broken.push({ ruleId: rule.ruleId, cause: messageOf(error) });
      return [];
    }
  }

  function compileFor(
    tenantId: string,
    { enabled, changed, devices, tenants: _tenants, exceptions: _exceptions, ...row }: RuleRow,
  ): CompiledRule<IngestRule>[] {
    const rule: IngestRule = { ...row, tenantId, isDependent: readsStates(row) };
    const now = enabled ? compileBoth(rule) : [];
    if (!changed) return now;
    const next = compileBoth(changedRule(rule, changed));
    const inRing = new Set(devices);
    return [0, 1].map((at) => inRings(now[at], next[at], inRing)).filter((item) => item !== undefined);
  }

  /**
   * Compiles a rule once for all tenants with the same exceptions, most of which have none, and makes an entry for each of its tenants,
   * so that all that follows knows rules of one tenant only.
   */
  function compile(row: RuleRow): CompiledRule<IngestRule>[] {
    const ends = (row.exceptions ?? []).flatMap(({ until }) => until ?? []);
    if (ends.length > 0) exceptionEnds.set(row.ruleId, Math.min(...ends));
    const exceptionsOf = exceptionsByTenant(row.exceptions ?? []);
    const compiled = new Map<string, CompiledRule<IngestRule>[]>();
    return row.tenants.flatMap((tenantId) => {
      const exceptions = exceptionsOf(tenantId);
      const key = exceptions.map(({ ruleExceptionId }) => ruleExceptionId).join(' ');
      const shared = compiled.get(key);
      if (shared) return shared.map((rule) => ofTenant(rule, tenantId));
      const rules = compiledWithExceptions(exceptions, (exception) =>
        compileFor(tenantId, exception ? withException(row, exception) : row),
      );
      compiled.set(key, rules);
      return rules;
    });
  }

  async function loadAll(): Promise<void> {
    const rows = await read(db, null);
    readings = newReadings();
    exceptionEnds.clear();
    indexes = buildIndexes(rows.flatMap(compile));
  }

  async function loadSome(ids: ReadonlySet<string>): Promise<void> {
    const rows = new Map((await read(db, [...ids])).map((row) => [row.ruleId, row]));
    // Replaces all indexes at once, so that no packet sees a part of the change.
    const next = { ...indexes };
    for (const id of ids) {
      const row = rows.get(id);
      exceptionEnds.delete(id);
      const compiled = row ? compile(row) : [];
      for (const ruleId of [id, uuidV5(id, 'recovery')]) {
        const entries = compiled.filter((rule) => rule.ruleId === ruleId);
        for (const name of indexNames) {
          const indexed = entries.filter(holds[name]);
          if (indexed.length > 0 || next[name].get(ruleId)) next[name] = next[name].withEntries(ruleId, indexed);
        }
      }
    }
    indexes = next;
  }

  /** The number of changed rules above which loading all rules is cheaper. */
  const many = 20;

  async function refresh(): Promise<void> {
    while (!stopped && (pending === 'all' || pending.size > 0)) {
      const requested = pending;
      pending = new Set();
      try {
        if (requested === 'all' || requested.size > many) await loadAll();
        else await loadSome(requested);
        await recordBroken(db, broken.splice(0));
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
  const look = setInterval(() => {
    const ended = [...exceptionEnds].filter(([, at]) => at <= currentTime());
    if (ended.length === 0) return;
    if (pending !== 'all') for (const [id] of ended) pending.add(id);
    void startRefresh();
  }, lookMs);
  look.unref();
  const [windows] = await Promise.all([openMaintenanceWindows(options), startRefresh()]);

  return {
    ingestion: () => indexes.ingestion,
    dependent: () => indexes.dependent,
    silence: () => indexes.silence,
    maintenance: () => indexes.maintenance,
    windows: windows.current,
    correlation: () => indexes.correlation,
    workUnit: () => indexes.workUnit,
    aggregation: () => indexes.aggregation,
    brake: new StormBrake(),
    usual,
    gaps: gaps.current,
    async stop() {
      stopped = true;
      clearInterval(look);
      gaps.stop();
      await Promise.all([unlisten(), windows.stop(), usual.stop()]);
      await refreshing;
    },
  };
}

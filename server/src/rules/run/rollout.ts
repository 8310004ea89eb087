/** A rule whose new version comes into force ring by ring: one entry of the index for both versions. */
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from './ingest-rule.ts';

/**
 * The fields in which the new version differs, in the form of the API. Fields that matches read from the row of the rule, such
 * as expiration actions, change at the end of the roll-out.
 */
export interface NewVersion {
  name?: string;
  enabled?: boolean;
  matchLifetime?: string;
  useSlidingExpiration?: boolean;
  clearFor?: string;
  neverReported?: boolean;
  timeConditions?: TimeConditions | null;
  conditions?: Condition[];
  recoveryConditions?: Condition[] | null;
  matchActions?: ActionCall[];
}

/** Returns the new version of a rule, in the form for evaluation and matches. */
export function changedRule(now: IngestRule, changed: NewVersion): IngestRule {
  const {
    name,
    matchLifetime,
    useSlidingExpiration,
    clearFor,
    neverReported,
    timeConditions,
    conditions,
    recoveryConditions,
    matchActions,
  } = changed;
  return {
    ...now,
    name: name ?? now.name,
    conditions: conditions ?? now.conditions,
    timeConditions: timeConditions === undefined ? now.timeConditions : timeConditions,
    recoveryConditions: recoveryConditions === undefined ? (now.recoveryConditions ?? null) : recoveryConditions,
    lifetimeMs: matchLifetime === undefined ? now.lifetimeMs : secondsOf(matchLifetime) * 1_000,
    sliding: useSlidingExpiration ?? now.sliding,
    ...(clearFor === undefined ? {} : { clearForMs: secondsOf(clearFor) * 1_000 }),
    neverReported: neverReported ?? now.neverReported ?? false,
    matchActions: matchActions ?? now.matchActions,
  };
}

type CompiledVersion = CompiledRule<IngestRule> | undefined;

/**
 * Combines two versions of a rule into one entry of the index, which finds the entry by either version; `inForce` says which
 * version applies. An undefined version matches nothing.
 */
export function inRings(now: CompiledVersion, next: CompiledVersion, devices: ReadonlySet<string>): CompiledVersion {
  const base = now ?? next;
  const versions = [now, next].filter((version) => version !== undefined);
  if (!base) return undefined;
  const silences = versions.map((version) => version.silenceMs).filter((silence) => silence !== undefined);
  return {
    ...base,
    rule: {
      ...base.rule,
      neverReported: versions.some(({ rule }) => rule.neverReported),
      versionFor: (entity) => (entity.device && devices.has(entity.device.id) ? next : now),
    },
    groups: versions.flatMap(({ groups }) => groups),
    conditions: versions.flatMap(({ conditions }) => conditions),
    silenceMs: silences.length > 0 ? Math.min(...silences) : undefined,
    hasVersions: true,
  };
}

/** Returns the version of an indexed rule that applies to the entity: first by the exceptions of the rule, then by its roll-out. */
export function inForce(rule: CompiledRule<IngestRule>, entity: RuleEntity): CompiledVersion {
  // Each packet asks this for each rule that it concerns.
  if (!rule.hasVersions) return rule;
  const { exceptionFor } = rule.rule;
  const version = exceptionFor === undefined ? rule : exceptionFor(entity);
  return version?.rule.versionFor === undefined ? version : version.rule.versionFor(entity);
}

/** The version for an entity for which no new version is in force. */
export function beforeRollout(rule: CompiledRule<IngestRule>, entity: RuleEntity): CompiledVersion {
  const version = rule.rule.exceptionFor ? rule.rule.exceptionFor(entity) : rule;
  return version && inForce(version, { ...entity, device: null });
}

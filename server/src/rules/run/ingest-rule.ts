/** The form of a rule for its evaluation and for its matches. */
import type { CompiledRule, RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';

/** A rule with the properties that its matches need. */
export interface IngestRule extends RuleDefinition {
  lifetimeMs: number;
  sliding: boolean;
  /** How long there must be no hit before a match ends. */
  clearForMs?: number;
  /** By how many milliseconds a packet may be older than the latest one and still be evaluated; by default ten seconds. */
  graceMs?: number;
  /** Whether the actions of a match run although it had ended before it was written. */
  tellLate?: boolean;
  /** Whether an entity that never reported counts as silent since its creation. */
  neverReported?: boolean;
  matchActions: readonly ActionCall[];
  expirationActions: readonly ActionCall[];
  /** Whether matches that share a key become one unit. */
  groups?: boolean;
  /** The number of new matches in a minute above which further matches become one unit. */
  stormLimit?: number;
  /** Whether a condition or recovery condition of the rule depends on the state of another rule. */
  isDependent?: boolean;
  /** Conditions that end a match when they hold. */
  recoveryConditions?: readonly Condition[] | null;
  /** The severity that an exception gives the work units of its matches. */
  severityId?: string | null;
  /** With exceptions: what of them applies to an entity, if the rule holds for it; this may have a `versionFor`. */
  exceptionFor?: (entity: RuleEntity) => CompiledRule<IngestRule> | undefined;
  /** While a new version comes into force ring by ring: the version that applies to an entity, if any. */
  versionFor?: (entity: RuleEntity) => CompiledRule<IngestRule> | undefined;
}

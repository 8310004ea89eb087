import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';

/** An entity as rules see it, with the name that people use. */
export interface Entity extends RuleEntity {
  name: string;
  /** Whether the entity and everything that it belongs to are enabled. */
  enabled: boolean;
  /** Whether the entity is disabled because its tenant is disabled. */
  tenantDisabled?: boolean;
}

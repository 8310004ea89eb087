import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { Ctx } from '../../context/ctx.ts';

/** What is exported and imported as documents of its own form under its name in `rows`. */
export interface ConfigurationPart {
  name: string;
  /** Undefined where the caller may not view it. */
  export(ctx: Ctx): Promise<readonly object[] | undefined>;
  /** Runs inside of the import's transaction; undefined when it was as it should be. */
  import(ctx: Ctx, document: Record<string, unknown>): Promise<ImportOutcome['changes'][number] | undefined>;
}

import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { Ctx } from '../../context/ctx.ts';

/** A part of the configuration with its own document form, exported and imported under its name in `rows`. */
export interface ConfigurationPart {
  name: string;
  /** Undefined when the caller may not view this part. */
  export(ctx: Ctx): Promise<readonly object[] | undefined>;
  /** Runs inside the import's transaction. Undefined when nothing differed. */
  import(ctx: Ctx, document: Record<string, unknown>): Promise<ImportOutcome['changes'][number] | undefined>;
}

import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { Ctx } from '../../context/ctx.ts';

/** A part of the configuration that is no resource: it is exported and imported in its own form under its name in `rows`. */
export interface ConfigurationPart {
  name: string;
  /** Undefined when the caller may not view this part. */
  export(ctx: Ctx): Promise<readonly object[] | undefined>;
  /** Imports one document in the import's transaction. Returns undefined if nothing differed. */
  import(ctx: Ctx, document: Record<string, unknown>): Promise<ImportOutcome['changes'][number] | undefined>;
}

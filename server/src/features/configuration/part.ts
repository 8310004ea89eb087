import type { ImportOutcome, RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Keys } from './keys.ts';
import type { PortableRow } from './rows-in.ts';

/** A part of the configuration that is no resource: it is exported and imported in its own form under its name in `rows`. */
export interface ConfigurationPart {
  name: string;
  /** Undefined when the caller may not view this part. */
  export(ctx: Ctx): Promise<readonly object[] | undefined>;
  /** Imports one document in the import's transaction. Returns undefined if nothing differed. */
  import(ctx: Ctx, document: Record<string, unknown>): Promise<ImportOutcome['changes'][number] | undefined>;
  /** How what an import added is taken back; absent for a part whose rows stay. */
  added?: AddedByImport;
}

export interface AddedByImport {
  /** The rows that an import adds, by the name that the audit has for them. */
  entity: string;
  /** Rows that an import adds to them, which stay with them. */
  below: readonly string[];
  /** Takes the row back, which the import left as `left`; undefined if it is so already. Throws if it was changed since. */
  takeBack(ctx: Ctx, key: string, left: Record<string, unknown>): Promise<RestoreOutcome['changes'][number] | undefined>;
}

/** The row with the tenant into which it is imported. */
export const inTenant = (row: PortableRow, keys: Keys): PortableRow =>
  'tenantId' in row ? { ...row, tenantId: keys.translate(row['tenantId']) } : row;

/** Why a row of a document is refused. `target` is its field, with `at`, its place in the document, before it. */
export interface ImportFault {
  /** Whether the row is left out even where otherwise all or nothing is imported: its customer is being offboarded. */
  isAside?: boolean;
  at: string;
  resource: string;
  name: string;
  target: string;
  message: string;
}

/** One reason for each row, as a sentence. */
export function reasonsByRow(faults: readonly ImportFault[]): ImportOutcome['left'] {
  return [...Map.groupBy(faults, ({ at }) => at).values()].flatMap((some) => {
    const [first] = some;
    return first
      ? [{ at: first.at, resource: first.resource, name: first.name, reason: some.map(({ message }) => message).join(' ') }]
      : [];
  });
}

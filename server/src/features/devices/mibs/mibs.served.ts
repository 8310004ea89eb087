import { mibs } from '@cloudfit/contract/resources/mibs.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { notify } from '../../../db/notify.ts';
import { serve, type FieldError, type RowChange } from '../../../resources/served.ts';
import { danglingIn } from './object-names.ts';
import { readMib, type Mib, type MibFault } from './read-mib.ts';
import { mibsOf } from './tenant-mibs.ts';

const faultsShown = 20;

function messagesOf(faults: readonly MibFault[]): FieldError[] {
  const lines = faults.slice(0, faultsShown).map(({ line, message }) => `Line ${line}: ${message}`);
  const more = faults.length - lines.length;
  return [{ target: 'text', message: [...lines, ...(more > 0 ? [`and ${more} more.`] : [])].join('\n') }];
}

const read = (text: string): Mib | undefined => {
  const mib = readMib(text);
  return 'faults' in mib ? undefined : mib;
};

/** Refuses a text that is no MIB, with the lines that are wrong, and a second MIB of one name. */
async function faultsOf(ctx: Ctx, { after }: RowChange<Row<typeof mibs>>): Promise<readonly FieldError[]> {
  const mib = readMib(after.text);
  if ('faults' in mib) return messagesOf(mib.faults);
  const others = (await mibsOf(ctx.db, after.tenantId)).filter(({ mibId }) => mibId !== after.mibId);
  if (others.some(({ name }) => name === mib.name))
    return [{ target: 'text', message: `The tenant has ${mib.name} already: please replace the text there.` }];
  const dangling = danglingIn(mib, others);
  return dangling.length > 0 ? messagesOf(dangling) : [];
}

export const servedMibs = serve(mibs, 'mib', {
  fill: (_ctx, { after }) => {
    const mib = read(after.text);
    return mib ? { module: mib.name, objectCount: mib.objects.length } : { module: '', objectCount: 0 };
  },
  check: faultsOf,
  // Wakes the agents of the tenant, whose operations may name objects of the MIB.
  after: (ctx, { after: { tenantId } }) => notify(ctx.db, 'publishers', [tenantId]),
});

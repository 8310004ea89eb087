/** `config export`, `config plan` and `config apply`: the configuration as a folder of files, as for Git. */
import { basename, resolve } from 'node:path';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { normalText } from '@cloudfit/contract/one-line.ts';
import { configurationParts } from '../../app/configuration-parts.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import {
  codeOf,
  documentOf,
  filesByPlace,
  idsByPlace,
  namesOthers,
  thingsIn,
  withoutFaults,
  type CodeFile,
} from '../../features/configuration/code/code.ts';
import { exportDocument } from '../../features/configuration/export.ts';
import { importDocument } from '../../features/configuration/import.ts';
import { noteManaged, type RowOfFile } from '../../features/configuration/managed.ts';
import { UsageError, type AdminCommand, type CommandContext, type CommandResult } from '../command.ts';
import { readFolder, writeFolder } from './folder.ts';
import { missingSecrets } from './missing-secrets.ts';
import { addPackages, writePackages } from './packages.ts';
import { difference, makeOption, mappingIn } from './file.ts';
import { findTenant } from '../find.ts';
import { recordChange } from '../record.ts';

const code = async (ctx: Ctx): Promise<CodeFile[]> => codeOf(await exportDocument(ctx, configurationParts), configurationParts);

export const configExport: AdminCommand = {
  name: 'config export',
  about: 'Writes the configuration as YAML files, one for each thing, with names in place of ids. Secrets are only named.',
  operand: { name: 'DIR', about: 'The folder to write; YAML files in it that are not written again are removed.' },
  options: { tenant: { type: 'string', value: 'NAME|ID', about: "Only this tenant's rows and the global ones." } },
  run: async ({ db, ctx: open, config, operand, text, isSet }) => {
    const tenant = isSet('tenant') ? await findTenant(db, text('tenant')) : undefined;
    const ctx = await open();
    const document = await exportDocument(ctx, configurationParts, tenant?.tenantId);
    const files = codeOf(document, configurationParts);
    const lost = await writeFolder(
      operand,
      files,
      configurationParts.map(({ name }) => name),
    );
    const packages = await writePackages(ctx, config, operand, document);
    await recordChange(db, {
      verb: 'export',
      entity: 'configuration',
      entityId: tenant?.tenantId ?? 'all',
      tenantId: tenant?.tenantId ?? null,
    });
    const zips = packages > 0 ? `, and ${packages} ${packages === 1 ? 'package' : 'packages'}` : '';
    return {
      lines: [
        ...lost.map((path) => `! ${path} has changed here; the comments that it had are lost.`),
        `${files.length} files written to ${operand}${zips}.`,
      ],
      json: { folder: operand, files: files.length, packages, lostComments: lost },
    };
  },
};

const map = {
  type: 'string',
  value: 'people:OLD=NEW,...',
  about: 'What stands here for people, devices and others; without NEW it is left out.',
} as const;

const partly = { type: 'boolean', about: 'Leave out what cannot be applied, and say why.' } as const;

const tenant = {
  type: 'string',
  value: 'NAME|ID',
  about: 'Only the files of this tenant. What is for all tenants, or of others, stays as it is.',
} as const;

/** Does the work; a refusal names files in place of rows of the document. */
async function namingFiles<T>(files: readonly CodeFile[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const places = filesByPlace(files);
    const inFiles = (text: string): string => text.replaceAll(/\w+\[\d+\]/g, (place) => places.get(place) ?? place);
    throw new ApiError(error.code, inFiles(error.message), {
      details: error.details.map((detail) => ({ ...detail, message: inFiles(detail.message) })),
    });
  }
}

/** From this number of files on, applying all of them or none takes many seconds. */
const manyFiles = 5_000;

const largeFolder = (count: number): string =>
  `Applying ${count} things as one change, at most ${limits.importTurnsSeconds / 60} minutes: pages that are open show changes of others when it has ended, and it is refused when somebody waits for its rows for longer than ${limits.importSeconds} seconds. With --partly it is applied 50 things at a time.`;

/** The files of one tenant, by its name in the folder or its id here, and its id when it is here. */
async function filesOfTenant(
  { db }: CommandContext,
  folder: readonly CodeFile[],
  nameOrId: string,
): Promise<{ files: CodeFile[]; tenantId?: string }> {
  const [here] = await db.query<{ tenantId: string; name: string }>({
    text: 'select tenant_id as "tenantId", name from tenant where tenant_id::text = lower($1) or lower(name) = lower($1)',
    values: [nameOrId],
  });
  const name = (here?.name ?? nameOrId).toLowerCase();
  const tenants = thingsIn(folder).map(({ tenant }) => tenant);
  const files = folder.filter((_, at) => tenants[at]?.toLowerCase() === name);
  if (files.length === 0) throw new UsageError(`No file of the folder is of the tenant ${here?.name ?? nameOrId}.`);
  return { files, ...(here ? { tenantId: here.tenantId } : {}) };
}

async function compare(context: CommandContext, dryRun: boolean): Promise<CommandResult> {
  const { operand, text, isSet } = context;
  const folder = await readFolder(operand);
  const { files: all, tenantId: within } = isSet('tenant')
    ? await filesOfTenant(context, folder, normalText(text('tenant')))
    : { files: folder, tenantId: undefined };
  const ctx = await context.ctx();
  const here = namesOthers(all, configurationParts) ? idsByPlace(await exportDocument(ctx, configurationParts)) : undefined;
  const { files, left } = isSet('partly') ? withoutFaults(all, configurationParts, here) : { files: all, left: [] };
  const document = documentOf(files, configurationParts, here);
  const packages = await addPackages(ctx, context.config, operand, dryRun);
  const isPartly = dryRun || isSet('partly');
  if (!isPartly && files.length > manyFiles) context.say(largeFolder(files.length));
  const places = filesByPlace(files);
  const applied: RowOfFile[] = [];
  const importTo = (ctx: Ctx): Promise<ImportOutcome> =>
    importDocument(ctx, document, {
      dryRun,
      partly: isPartly,
      isPatient: true,
      ...(within === undefined ? {} : { within }),
      mapping: mappingIn(text('map')),
      make: isSet('make'),
      note: text('note') || undefined,
      onRow: (row, at) => applied.push({ ...row, file: places.get(at) ?? null }),
      parts: configurationParts,
    });
  const source = basename(resolve(operand));
  const apply = async (ctx: Ctx): Promise<ImportOutcome> => {
    const outcome = await importTo({ ...ctx, applies: source });
    await noteManaged(ctx, { source, note: text('note') || null, isProtected: isSet('protect') }, applied, {
      files: folder.map(({ path }) => path),
      chosen: all.map(({ path }) => path),
    });
    return outcome;
  };
  const outcome = await namingFiles(files, () =>
    dryRun ? importTo({ ...ctx, applies: source }) : isPartly ? apply(ctx) : inTransaction(ctx, apply),
  );
  for (const row of outcome.left) row.at = places.get(row.at) ?? row.at;
  outcome.left.unshift(...left.map(({ file, kind, reason }) => ({ at: file, resource: kind, name: file, reason })));
  const secrets = await missingSecrets(ctx, files);
  const only = dryRun ? onlyHere(files, await code(ctx)) : [];
  const lines = [...packages, ...only.map((thing) => `= ${thing}: only here, not in the folder`), ...difference(outcome), ...secrets];
  return { lines, json: { ...outcome, onlyHere: only, missingSecrets: secrets } };
}

/** What is here and not in the folder, of the tenants that the folder has. */
function onlyHere(folder: readonly CodeFile[], here: readonly CodeFile[]): string[] {
  const things = thingsIn(folder);
  const inFolder = new Set(things.map(({ kind, path }) => `${kind} ${path}`));
  const tenants = new Set(things.map(({ tenant }) => tenant));
  return thingsIn(here)
    .filter(({ tenant }) => tenants.has(tenant))
    .map(({ kind, path }) => `${kind} ${path}`)
    .filter((thing) => !inFolder.has(thing));
}

export const configPlan: AdminCommand = {
  name: 'config plan',
  about: 'Says what config apply would change here, and what is here and not in the folder. Changes nothing.',
  operand: { name: 'DIR', about: 'The folder with the YAML files.' },
  options: { tenant, partly, map, make: makeOption },
  run: (context) => compare(context, true),
};

export const configApply: AdminCommand = {
  name: 'config apply',
  about: 'Makes the installation what the folder says; a second time it changes nothing. What is not in the folder stays.',
  operand: { name: 'DIR', about: 'The folder with the YAML files.' },
  options: {
    tenant,
    partly,
    map,
    make: makeOption,
    protect: {
      type: 'boolean',
      about: 'Let nobody change or delete what the folder has in another way, until it is applied without this.',
    },
    note: { type: 'string', value: 'TEXT', about: 'Why, such as the commit; the audit has it.' },
  },
  run: (context) => compare(context, false),
};

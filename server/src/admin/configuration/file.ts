/** `export` and `import`: the configuration of an installation as a file. */
import { readFile, writeFile } from 'node:fs/promises';
import { differenceLines, withNames } from '@cloudfit/contract/configuration/differences.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import {
  configurationDocument,
  type ConfigurationDocument,
  type ImportMapping,
  type ImportOutcome,
} from '@cloudfit/contract/configuration.ts';
import { configurationParts } from '../../app/configuration-parts.ts';
import { exportDocument } from '../../features/configuration/export.ts';
import { importDocument } from '../../features/configuration/import.ts';
import { UsageError, type AdminCommand } from '../command.ts';
import { findTenant } from '../find.ts';
import { recordChange } from '../record.ts';

const countOf = (rows: ConfigurationDocument['rows']) =>
  Object.fromEntries(Object.entries(rows).flatMap(([name, list]) => (list.length > 0 ? [[name, list.length]] : [])));

export const exportFile: AdminCommand = {
  name: 'export',
  about:
    'Writes the configuration to a file: tenants, subscriptions, locations, permission sets, actions, protocols, rules, categories, on-call schedules, dashboards, status pages, checks of devices, control sets and the like. Secrets and tokens are not in it.',
  operand: { name: 'FILE', about: 'The file to write; one that exists is replaced.' },
  options: { tenant: { type: 'string', value: 'NAME|ID', about: "Only this tenant's rows and the global ones." } },
  run: async ({ db, ctx, operand, text, isSet }) => {
    const tenant = isSet('tenant') ? await findTenant(db, text('tenant')) : undefined;
    const document = await exportDocument(await ctx(), configurationParts, tenant?.tenantId);
    await writeFile(operand, `${JSON.stringify(document, null, 2)}\n`).catch((error: Error) => {
      throw new UsageError(`The file ${operand} cannot be written: ${error.message}.`);
    });
    await recordChange(db, {
      verb: 'export',
      entity: 'configuration',
      entityId: tenant?.tenantId ?? 'all',
      tenantId: tenant?.tenantId ?? null,
    });
    const counts = countOf(document.rows);
    return {
      lines: [
        `Written to ${operand}: ${
          Object.entries(counts)
            .map(([name, n]) => `${n} ${name}`)
            .join(', ') || 'nothing'
        }.`,
      ],
      json: { file: operand, rows: counts },
    };
  },
};

async function readDocument(file: string): Promise<ConfigurationDocument> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`The file ${file} cannot be read: ${error.message}.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The file ${file} is not JSON: ${messageOf(error)}.`);
  }
  // The file of a control set, in the project's own format or as a NIST OSCAL catalog.
  const isControlSet = typeof value === 'object' && value !== null && ('catalog' in value || 'controls' in value);
  const parsed = configurationDocument.safeParse(
    isControlSet ? { cloudfit: 'configuration', version: 1, rows: { controlSets: [value] } } : value,
  );
  if (parsed.success) return parsed.data;
  throw new UsageError(
    parsed.error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join(' '),
  );
}

const shown = (text: string | undefined): string =>
  text === undefined || text === '' ? 'nothing' : text.length > 100 ? `${text.slice(0, 100)}...` : text;

export function difference({ changes, added, changed, unchanged, dryRun, names, left, missing }: ImportOutcome): string[] {
  const lines = changes.flatMap(({ verb, resource, name, fields }) => [
    `${verb === 'add' ? '+' : '~'} ${resource} ${name}`,
    ...fields.flatMap(({ field, before, after }) =>
      differenceLines(before, after).map(({ path, ...line }) => {
        const [old, next] = [line.before, line.after].map((text) => shown(text === undefined ? undefined : withNames(text, names)));
        return `    ${path === '' ? field : `${field} ${path}`}: ${verb === 'add' ? next : `${old} -> ${next}`}`;
      }),
    ),
  ]);
  const lacking = missing.map(({ resource, name, rows }) => `? ${resource} ${name}: named by ${rows} of the rows that were left out`);
  const leftOut = left.map(({ at, resource, name, reason }) => `! ${resource} ${name === at ? name : `${name} (${at})`}: ${reason}`);
  const sum = `${added} added, ${changed} changed, ${unchanged} unchanged${left.length > 0 ? `, ${left.length} left out` : ''}`;
  return [...lines, ...leftOut, ...lacking, dryRun ? `Nothing was changed. It would be: ${sum}.` : `${sum}.`];
}

/** `people:mara@example.com=jon@example.com,devices:Mill=`: what stands for a name here; nothing leaves it out. */
export function mappingIn(text: string): ImportMapping {
  const mapping: ImportMapping = {};
  for (const part of text.split(',').filter((item) => item !== '')) {
    const [, resource, from, to] = /^(\w+):([^=]+)=(.*)$/.exec(part.trim()) ?? [];
    if (resource === undefined || from === undefined)
      throw new UsageError(`${part} is no mapping; write people:OLD=NEW, or people:OLD= to leave it out.`);
    (mapping[resource] ??= {})[from] = to === '' || to === undefined ? null : to;
  }
  return mapping;
}

export const makeOption = {
  type: 'boolean',
  about: 'Make the people and devices that are named and missing here; people may read the tenants that name them.',
} as const;

export const importFile: AdminCommand = {
  name: 'import',
  about:
    'Reads what export wrote, or a control set (also a NIST OSCAL catalog). All of it or nothing, unless --partly; rows that are not in the file stay. A second time it changes nothing.',
  operand: { name: 'FILE', about: 'The file to read.' },
  options: {
    'dry-run': { type: 'boolean', about: 'Change nothing; print the difference.' },
    partly: { type: 'boolean', about: 'Leave out the rows that cannot be imported, and say why.' },
    map: {
      type: 'string',
      value: 'people:OLD=NEW,...',
      about: 'What stands here for people, devices and others of the file; without NEW it is left out.',
    },
    make: makeOption,
    tenant: { type: 'string', value: 'NAME|ID', about: "Into this tenant, whichever tenant the file's rows belong to." },
  },
  run: async ({ db, ctx, operand, text, isSet }) => {
    const document = await readDocument(operand);
    const tenantId = isSet('tenant') ? (await findTenant(db, text('tenant'))).tenantId : undefined;
    const outcome = await importDocument(await ctx(), document, {
      dryRun: isSet('dry-run'),
      partly: isSet('partly'),
      mapping: mappingIn(text('map')),
      make: isSet('make'),
      tenantId,
      isPatient: true,
      parts: configurationParts,
    });
    return { lines: difference(outcome), json: { ...outcome } };
  },
};

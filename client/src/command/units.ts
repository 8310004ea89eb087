/** `cloudfit units ...`: work units by their number. */
import { currentUser, resolveWorkUnits } from '@cloudfit/contract/calls.ts';
import { openStates, workUnitStates } from '@cloudfit/contract/enums.ts';
import { and, literal, or } from '@cloudfit/contract/query/build.ts';
import type { CloudFitClient, ReadQuery } from '../client.ts';
import { CallFailed } from '../send.ts';
import { countOption, MissingError, textOption, UsageError, type PartContext, type CommandPart } from './command.ts';

const text = (value: string) => literal('text', value) ?? 'null';
const isState = (state: string): string => `stateId eq ${text(state)}`;

/** The numbers in front of the words, and the words after them. */
function numbersOf(words: readonly string[]): { numbers: number[]; rest: string } {
  const end = words.findIndex((word) => !/^#?\d{1,15}$/.test(word));
  const [numbers, rest] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end)];
  if (numbers.length === 0) throw new UsageError('Name the number of a work unit, such as 1042.');
  return { numbers: [...new Set(numbers.map((word) => Number(word.replace('#', ''))))], rest: rest.join(' ').trim() };
}

type UnitQuery = Pick<ReadQuery<'workUnits'>, 'filter' | 'top' | 'count'>;

/** Work units with the names of their tenants, where the caller may see tenants. */
async function unitsOf(api: CloudFitClient, query: UnitQuery) {
  try {
    return await api.list('workUnits', { ...query, expand: ['tenant($select=name)'] });
  } catch (error) {
    if (!(error instanceof CallFailed && error.status === 403)) throw error;
  }
  const page = await api.list('workUnits', query);
  return { ...page, value: page.value.map((unit) => ({ ...unit, tenant: null })) };
}

/** The unit of a number that people see. */
export async function unitOf(api: CloudFitClient, number: number) {
  const { value } = await unitsOf(api, { filter: `publicWorkUnitId eq ${number}`, top: 1 });
  const [unit] = value;
  if (!unit) throw new MissingError(`There is no work unit ${number} that you may see.`);
  return unit;
}

function stateFilter(name: string): string | undefined {
  if (name === 'all') return undefined;
  if (name === 'open') return or(...openStates.map(isState));
  const state = workUnitStates.find((item) => item.toLowerCase() === name.toLowerCase());
  if (state === undefined) throw new UsageError(`--state is open, all or one of ${workUnitStates.join(', ')}, not ${name}.`);
  return isState(state);
}

const list: CommandPart = {
  name: 'units list',
  about: 'The work units that are open, or that the options choose.',
  options: {
    state: { type: 'string', about: 'open (the default), all, or one state', choices: ['open', 'all', ...workUnitStates] },
    severity: { type: 'string', about: 'one severity, such as Sev1' },
    mine: { type: 'boolean', about: 'only those that are assigned to you' },
    tenant: { type: 'string', about: 'only those of the tenant of this name' },
    search: { type: 'string', about: 'only those that have this text' },
    top: { type: 'string', about: 'how many at most, 50 by default' },
  },
  run: async (context) => {
    const { client, print, options } = context;
    const top = countOption(context, 'top', 50, 1_000);
    const [severity, tenant, search] = ['severity', 'tenant', 'search'].map((name) => textOption(context, name));
    const state = stateFilter(textOption(context, 'state') ?? 'open');
    const api = await client();
    const me = options['mine'] === true ? (await api.call(currentUser, {})).userName : undefined;
    const filter = and(
      state === undefined ? undefined : `(${state})`,
      severity === undefined ? undefined : `severityId eq ${text(severity)}`,
      tenant === undefined ? undefined : `tenant/name eq ${text(tenant)}`,
      search === undefined ? undefined : `found(${text(search)})`,
      me === undefined ? undefined : `assignedTo eq ${text(me)}`,
    );
    const { value, '@odata.count': count } = await unitsOf(api, { filter, top, count: true });
    print.rows(
      value,
      {
        number: (unit) => unit.publicWorkUnitId,
        severity: (unit) => unit.severityId,
        state: (unit) => unit.stateId,
        tenant: (unit) => unit.tenant?.name,
        'assigned to': (unit) => unit.assignedTo,
        title: (unit) => unit.title,
      },
      'There are no such work units.',
    );
    if (count !== undefined && count > value.length) print.note(`${value.length} of ${count}; --top shows more.`);
  },
};

const show: CommandPart = {
  name: 'units show',
  usage: 'NUMBER',
  about: 'A work unit with its latest notes.',
  run: async ({ client, words, print }) => {
    const { numbers } = numbersOf(words);
    const api = await client();
    const unit = await unitOf(api, numbers[0] ?? 0);
    const { value: notes } = await api.list('workUnitNotes', {
      filter: `workUnitId eq ${unit.workUnitId} and historyType eq null`,
      orderBy: 'created desc',
      top: 10,
    });
    print.value({ ...unit, notes }, [
      `${unit.publicWorkUnitId} ${unit.title}`,
      `${unit.severityId}, ${unit.stateId}, ${unit.tenant?.name ?? ''}, assigned to ${unit.assignedTo ?? 'nobody'}`,
      `Created ${unit.created} by ${unit.createdBy}, last updated ${unit.modified}`,
      ...(unit.description ? ['', ...unit.description.split('\n')] : []),
      ...(unit.resolution ? ['', `Resolution: ${unit.resolution}`] : []),
      ...notes.flatMap(({ created, createdBy, detail }) => ['', `${created} ${createdBy}:`, ...detail.split('\n')]),
    ]);
  },
};

/** Does something with each named unit, and goes on after a failure; the last error tells how many failed. */
async function each(
  context: PartContext,
  numbers: readonly number[],
  work: (api: CloudFitClient, unit: Awaited<ReturnType<typeof unitOf>>) => Promise<string>,
) {
  const api = await context.client();
  for (const number of numbers) {
    const unit = await unitOf(api, number);
    const outcome = await work(api, unit);
    context.print.line({ number, outcome }, `${number}: ${outcome}`);
  }
}

const ack: CommandPart = {
  name: 'units ack',
  usage: 'NUMBER...',
  about: 'Acknowledge work units; those of nobody become yours.',
  run: async (context) => {
    const { numbers, rest } = numbersOf(context.words);
    if (rest !== '') throw new UsageError(`${rest} is no number of a work unit.`);
    const me = await (await context.client()).call(currentUser, {});
    await each(context, numbers, async (api, unit) => {
      if (unit.stateId !== 'New') return `is ${unit.stateId} already`;
      const assignee = unit.assignedTo === null && me.personId !== null ? { assignedTo: me.userName } : {};
      await api.change('workUnits', unit.workUnitId, { stateId: 'Acknowledged', ...assignee });
      return 'acknowledged';
    });
  },
};

const note: CommandPart = {
  name: 'units note',
  usage: 'NUMBER TEXT',
  about: 'Add a note, which the customer does not see.',
  options: { external: { type: 'boolean', about: 'the customer sees the note' } },
  run: async (context) => {
    const { numbers, rest } = numbersOf(context.words);
    if (rest === '') throw new UsageError('Write the note after the number: cloudfit units note 1042 "The disk was full."');
    await each(context, numbers, async (api, unit) => {
      await api.create('workUnitNotes', {
        workUnitId: unit.workUnitId,
        detail: rest,
        isExternalNote: context.options['external'] === true,
      });
      return 'noted';
    });
  },
};

const resolve: CommandPart = {
  name: 'units resolve',
  usage: 'NUMBER... TEXT',
  about: 'Resolve work units, all or none; TEXT says how.',
  run: async (context) => {
    const { numbers, rest } = numbersOf(context.words);
    if (rest === '') throw new UsageError('Say how it was resolved: cloudfit units resolve 1042 "Space was made."');
    const api = await context.client();
    const ids: number[] = [];
    for (const number of numbers) ids.push((await unitOf(api, number)).workUnitId);
    const { value } = await api.call(resolveWorkUnits, { ids, resolution: rest });
    context.print.rows(value, { number: (unit) => unit.publicWorkUnitId, state: (unit) => unit.stateId, title: (unit) => unit.title }, '');
  },
};

export const unitParts: readonly CommandPart[] = [list, show, ack, note, resolve];

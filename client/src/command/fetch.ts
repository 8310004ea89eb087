/** `cloudfit fetch`: what the API of another product answers about its schedules, as one file to import. */
import { readFile, writeFile } from 'node:fs/promises';
import { wait } from '../send.ts';
import { OutcomeError, textOption, UsageError, type CommandPart, type PartContext } from './command.ts';

type ForeignAnswer = Record<string, unknown>;
type ReadAnswer = (address: string) => Promise<ForeignAnswer>;

/** How the answers of a product are asked for. */
interface Product {
  server?: string;
  headers: (key: string) => Record<string, string>;
  read: (read: ReadAnswer, collect: Collect, today: Date) => Promise<void>;
}

type Collect = (address: string, value: unknown) => void;

const itemsOf = (answer: ForeignAnswer, name: string): ForeignAnswer[] =>
  Array.isArray(answer[name]) ? (answer[name] as ForeignAnswer[]) : [];
const idOf = (item: ForeignAnswer): string => encodeURIComponent(String(item['id'] ?? ''));
const dayMs = 86_400_000;
const maxPages = 500;

/** All items of pages, whose addresses `next` gives until there is no further one. */
async function pages(
  read: ReadAnswer,
  first: string,
  name: string,
  next: (answer: ForeignAnswer, page: number) => string | undefined,
): Promise<ForeignAnswer[]> {
  const all: ForeignAnswer[] = [];
  let address: string | undefined = first;
  for (let page = 1; address !== undefined && page <= maxPages; page += 1) {
    const answer: ForeignAnswer = await read(address);
    all.push(...itemsOf(answer, name));
    address = next(answer, page);
  }
  return all;
}

/** What a key may be without: its absence is told, and the rest goes on. */
async function optional(work: () => Promise<void>, leaveOut: (why: string) => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    leaveOut(error.message);
  }
}

const opsgenie = (leaveOut: (why: string) => void): Product => ({
  server: 'https://api.opsgenie.com',
  headers: (key) => ({ authorization: `GenieKey ${key}` }),
  read: async (read, collect) => {
    const list = (path: string) =>
      pages(read, path, 'data', (answer) => {
        const next = (answer['paging'] as ForeignAnswer | undefined)?.['next'];
        if (typeof next !== 'string' || !URL.canParse(next)) return undefined;
        const { pathname, search } = new URL(next);
        return `${pathname}${search}`;
      });
    collect('/v2/users', await list('/v2/users?limit=100'));
    const schedules = await list('/v2/schedules?expand=rotation');
    collect('/v2/schedules', schedules);
    for (const schedule of schedules) {
      const path = `/v2/schedules/${idOf(schedule)}`;
      collect(`${path}/overrides`, itemsOf(await read(`${path}/overrides`), 'data'));
      await optional(async () => collect(`${path}/timeline`, await read(`${path}/timeline?interval=2&intervalUnit=weeks`)), leaveOut);
    }
    collect('/v2/escalations', await list('/v2/escalations'));
    await optional(async () => collect('/v2/integrations', await list('/v2/integrations')), leaveOut);
  },
});

const pagerDuty: Product = {
  server: 'https://api.pagerduty.com',
  headers: (key) => ({ authorization: `Token token=${key}`, accept: 'application/vnd.pagerduty+json;version=2' }),
  read: async (read, collect, today) => {
    const list = (name: string, more = '') =>
      pages(read, `/${name}?limit=100&offset=0${more}`, name, (answer, page) =>
        answer['more'] === true ? `/${name}?limit=100&offset=${page * 100}${more}` : undefined,
      );
    const in14Days = new Date(today.getTime() + 14 * dayMs).toISOString();
    const inOneYear = new Date(today.getTime() + 365 * dayMs).toISOString();
    const since = today.toISOString();
    collect('/users', { users: await list('users') });
    for (const schedule of await list('schedules')) {
      const path = `/schedules/${idOf(schedule)}`;
      collect(path, await read(`${path}?since=${since}&until=${in14Days}`));
      collect(`${path}/overrides`, await read(`${path}/overrides?since=${since}&until=${inOneYear}`));
    }
    collect('/escalation_policies', { escalation_policies: await list('escalation_policies') });
    collect('/services', { services: await list('services', '&include[]=integrations') });
  },
};

const onCall = (leaveOut: (why: string) => void): Product => ({
  headers: (key) => ({ authorization: key }),
  read: async (read, collect, today) => {
    const list = (path: string, more = '') =>
      pages(read, `/api/v1/${path}/?page=1${more}`, 'results', (answer, page) =>
        answer['next'] ? `/api/v1/${path}/?page=${page + 1}${more}` : undefined,
      );
    const day = (days: number) => new Date(today.getTime() + days * dayMs).toISOString().slice(0, 10);
    for (const path of ['users', 'on_call_shifts', 'escalation_chains', 'escalation_policies', 'integrations', 'routes'])
      collect(`/api/v1/${path}/`, { results: await list(path) });
    const schedules = await list('schedules');
    collect('/api/v1/schedules/', { results: schedules });
    for (const schedule of schedules) {
      const path = `schedules/${idOf(schedule)}/final_shifts`;
      await optional(
        async () => collect(`/api/v1/${path}`, { results: await list(path, `&start_date=${day(0)}&end_date=${day(14)}`) }),
        leaveOut,
      );
    }
  },
});

const zammad = (leaveOut: (why: string) => void): Product => ({
  headers: (key) => ({ authorization: `Token token=${key}` }),
  read: async (read, collect) => {
    /** Pages of a list, until one is empty. */
    const list = async (path: string, more = ''): Promise<ForeignAnswer[]> => {
      const all: ForeignAnswer[] = [];
      for (let page = 1; page <= maxPages; page += 1) {
        const items = (await read(`/api/v1/${path}?page=${page}&per_page=100${more}`)) as unknown;
        if (!Array.isArray(items) || items.length === 0) break;
        all.push(...(items as ForeignAnswer[]));
      }
      return all;
    };
    await optional(async () => collect('/api/v1/users', await list('users')), leaveOut);
    const tickets = await list('tickets', '&expand=true');
    collect('/api/v1/tickets', tickets);
    for (const ticket of tickets) {
      const path = `/api/v1/ticket_articles/by_ticket/${idOf(ticket)}`;
      await optional(async () => collect(path, await read(`${path}?expand=true`)), leaveOut);
    }
  },
});

const names = ['opsgenie', 'pagerduty', 'oncall', 'zammad'] as const;
const maxTries = 6;
const longestWaitMs = 120_000;

/** Reads one answer; waits when the product asks for it. The key is in no message. */
function reader({ surroundings, print }: PartContext, server: string, headers: Record<string, string>): ReadAnswer {
  return async (address) => {
    for (let tries = 1; ; tries += 1) {
      let answer: Response;
      try {
        answer = await surroundings.fetch(`${server}${address}`, { headers, redirect: 'error', signal: surroundings.signal });
      } catch (error) {
        if (surroundings.signal.aborted) throw error;
        throw new OutcomeError(`${server} does not answer. Check --server.`);
      }
      if (answer.status === 429 && tries < maxTries) {
        const seconds = Number(answer.headers.get('retry-after') ?? answer.headers.get('ratelimit-reset') ?? 2 ** tries);
        print.note(`${server} asks to wait.`);
        await wait(Math.min(longestWaitMs, Math.max(0, Number.isFinite(seconds) ? seconds : 2) * 1_000), surroundings.signal);
        continue;
      }
      if (answer.status === 401 || answer.status === 403)
        throw new OutcomeError(`${server}${address.split('?')[0]} refuses the key (${answer.status}). It needs the right to read.`);
      if (!answer.ok) throw new OutcomeError(`${server}${address.split('?')[0]} answers ${answer.status}.`);
      try {
        return (await answer.json()) as ForeignAnswer;
      } catch {
        throw new OutcomeError(`${server}${address.split('?')[0]} does not answer JSON. Check --server.`);
      }
    }
  };
}

async function keyIn({ surroundings }: PartContext, file: string): Promise<string> {
  let text: string;
  try {
    text = file === '-' ? new TextDecoder().decode(await surroundings.readIn()) : await readFile(file, 'utf8');
  } catch {
    throw new UsageError(`The file ${file} cannot be read.`);
  }
  const key = text.trim();
  if (key === '' || /[^\x21-\x7e]/.test(key))
    throw new UsageError(`${file === '-' ? 'The input' : `The file ${file}`} has to contain the key alone.`);
  return key;
}

function serverOf(named: string | undefined, product: Product): string {
  const text = named ?? product.server;
  if (text === undefined) throw new UsageError('Name the address of its API: --server https://oncall.example.com');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal))
    throw new UsageError(`--server is an address such as https://oncall.example.com, not ${text}.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const fetchAnswers: CommandPart = {
  name: 'fetch',
  usage: names.join(' | '),
  about:
    'What Opsgenie, PagerDuty or Grafana OnCall has of schedules, escalations and users, or Zammad of tickets, as one file for Configuration, Import.',
  options: {
    'key-file': { type: 'string', about: 'the file that has the key of its API, which needs to read only; - is the input' },
    server: { type: 'string', about: 'the address of its API, such as https://api.eu.opsgenie.com; needed for oncall and zammad' },
    out: { type: 'string', about: 'the file to write, instead of the output' },
  },
  run: async (context) => {
    const { words, print, surroundings } = context;
    const [name] = words;
    const leaveOut = (why: string) => print.note(`Left out: ${why}`);
    const products = { opsgenie: opsgenie(leaveOut), pagerduty: pagerDuty, oncall: onCall(leaveOut), zammad: zammad(leaveOut) };
    const product = names.find((candidate) => candidate === name);
    if (product === undefined || words.length > 1) throw new UsageError(`Name one product: ${names.join(', ')}.`);
    const file = textOption(context, 'key-file');
    if (file === undefined) throw new UsageError('Name the file with the key of its API: --key-file FILE');
    const server = serverOf(textOption(context, 'server'), products[product]);
    const read = reader(context, server, products[product].headers(await keyIn(context, file)));
    const answers: ForeignAnswer = { cloudfit: 'moving' };
    await products[product].read(read, (address, value) => void (answers[address] = value), new Date());
    const text = `${JSON.stringify(answers)}\n`;
    const out = textOption(context, 'out');
    if (out === undefined) {
      surroundings.out(text);
      return;
    }
    // Only its owner reads the file: it has the addresses of people.
    await writeFile(out, text, { mode: 0o600 });
    print.note(`${out} can be imported now: Configuration, Import.`);
  },
};

export const fetchParts: readonly CommandPart[] = [fetchAnswers];

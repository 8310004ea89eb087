/** The figures that the product promises, and the check whether measured figures reach them. */
import type { BenchRow } from './load.ts';

export interface Bound {
  kind: 'at least' | 'at most';
  value: number;
}

/** The target of one row of a bench. */
export interface FigureTarget {
  what: string;
  /** The name of the figure in the row. */
  figure: string;
  bound?: Bound;
  /** The name of the figure that is the ceiling, from the same run. */
  ceiling?: string;
  /** The bound of the row's ratio to the ceiling. */
  ratio?: Bound;
}

const atLeast = (value: number): Bound => ({ kind: 'at least', value });
const atMost = (value: number): Bound => ({ kind: 'at most', value });

/** The targets by bench, in the order of the bench's rows. */
export const targets = {
  rules: [
    {
      what: 'rules evaluated, 20 candidates',
      figure: 'packets/s',
      ceiling: 'by hand packets/s',
      ratio: atLeast(0.23),
    },
    { what: 'same, one of five remembers', figure: 'packets/s', ceiling: 'by hand packets/s', ratio: atLeast(0.07) },
    { what: 'same, with trace', figure: 'packets/s', bound: atLeast(180_000), ceiling: 'by hand packets/s' },
    { what: 'same, found among 20 rules', figure: 'packets/s', ceiling: 'by hand packets/s', ratio: atLeast(0.11) },
    { what: 'same, found among 10,000 rules', figure: 'packets/s', ceiling: 'by hand packets/s', ratio: atLeast(0.11) },
    { what: 'one of five compares with a baseline', figure: 'packets/s', ceiling: 'without packets/s', ratio: atLeast(0.22) },
    // Of evaluation alone, which is a thirtieth of what a packet costs ingest: at most half a percent of ingest.
    { what: 'one rule of all has 5,000 own values', figure: 'packets/s', ceiling: 'without packets/s', ratio: atLeast(0.88) },
  ],
  ingest: [
    {
      what: 'packets stored and evaluated',
      figure: 'packets/s',
      bound: atLeast(26_500),
      ceiling: 'bare insert packets/s',
      ratio: atLeast(0.45),
    },
    {
      what: 'same, 10,000 rules',
      figure: 'packets/s',
      bound: atLeast(26_500),
      ceiling: '20 rules packets/s',
      ratio: atLeast(0.93),
    },
  ],
  sources: [
    {
      what: 'OTLP metrics, 100 series a request',
      figure: 'packets/s',
      ceiling: 'native packets/s',
      ratio: atLeast(0.6),
    },
    {
      what: 'Prometheus remote write, the same',
      figure: 'packets/s',
      ceiling: 'native packets/s',
      ratio: atLeast(0.65),
    },
  ],
  queue: [
    { what: 'small jobs through the queue', figure: 'jobs/s', bound: atLeast(9_000) },
    { what: 'start of a job, idle worker', figure: 'p99 ms', bound: atMost(22) },
    { what: 'lease while 5,000 tenants have jobs due', figure: 'p95 ms', bound: atMost(10) },
    { what: 'same past 50,000 jobs of one', figure: 'jobs p95 ms', bound: atMost(100) },
  ],
  expiry: [{ what: 'matches of one minute expired', figure: 's of a minute', bound: atMost(70) }],
  action: [
    { what: 'packet to action on the wire, idle', figure: 'p99 ms', bound: atMost(72) },
    { what: 'packet to action, half of full load', figure: 'p99 ms', bound: atMost(80) },
  ],
  storm: [
    { what: 'ingest in a storm of 10,000 matches', figure: 'storm packets/s', ceiling: 'full packets/s', ratio: atLeast(0.5) },
    { what: 'work units of that storm', figure: 'work units', bound: atMost(21) },
    { what: 'a page of work units meanwhile', figure: 'page p95 ms', bound: atMost(1_000) },
  ],
  backlog: [
    { what: 'call beside 20,000 that wait for a hung receiver', figure: 'p99 ms', bound: atMost(1_000), ceiling: 'alone p99 ms' },
    { what: 'work unit by a rule beside them', figure: 'p99 ms', bound: atMost(1_000), ceiling: 'alone p99 ms' },
    { what: 'calls that waited, delivered', figure: 's until the last', bound: atMost(120), ceiling: 'bare calls s' },
    { what: 'same, out of order, repeated or missing', figure: 'calls', bound: atMost(0) },
  ],
  fleet: [
    {
      what: 'packets to three processes in turn',
      figure: 'packets/s',
      ceiling: 'one process packets/s',
      ratio: atLeast(0.8),
    },
    { what: 'packets to three processes, by token', figure: 'packets/s', ceiling: 'one process packets/s', ratio: atLeast(0.95) },
    { what: 'work units created by three processes', figure: 'creates/s', ceiling: 'one process creates/s', ratio: atLeast(1.4) },
    { what: '20,000 changes at each of three processes', figure: 'slowest ms', bound: atMost(1_000) },
  ],
  stream: [
    { what: 'packets by a stream, one process writes', figure: 'packets/s', ceiling: 'direct packets/s', ratio: atLeast(0.7) },
    { what: 'packets by a stream, two processes write', figure: 'packets/s', ceiling: 'one writer packets/s', ratio: atLeast(1) },
    { what: 'accepted by a stream while the database stalls', figure: 'packets/s', ceiling: 'direct packets/s', ratio: atLeast(2) },
  ],
  servers: [
    { what: 'device cut off at another server', figure: 'slowest ms', bound: atMost(2_000) },
    { what: 'tenant disabled at another server', figure: 'slowest ms', bound: atMost(2_000) },
    { what: 'rule changed at another server', figure: 'slowest ms', bound: atMost(300) },
    { what: 'answer while the database hangs', figure: 'slowest ms', bound: atMost(15_000) },
    { what: '/readyz while the database hangs', figure: 'ms', bound: atMost(2_000) },
  ],
  agents: [{ what: 'agents that report every 30 s', figure: 'p99 ms', bound: atMost(500) }],
  connections: [
    { what: 'agents sign in by their keys', figure: 'sign-ins/s' },
    { what: 'a change to 3,000 agents: the last one', figure: 'last agent ms', bound: atMost(3_000) },
    { what: 'portal list beside that change', figure: 'list beside it p95 ms', bound: atMost(60) },
    { what: '10,000 agents at once after a restart', figure: 'p99 ms', bound: atMost(5_000) },
    { what: 'memory of the server meanwhile', figure: 'resident MB at most', bound: atMost(900) },
  ],
  campaigns: [
    { what: 'campaign over 20,000 devices started', figure: 'start p95 ms', bound: atMost(2_000) },
    { what: 'a check of it while all of them wait', figure: 'p95 ms', bound: atMost(500) },
  ],
  policies: [
    { what: 'what a device has by 50 policies', figure: 'p95 ms', bound: atMost(10) },
    { what: 'a change of 20,000 devices planned', figure: 'plan p95 ms', bound: atMost(5_000) },
  ],
  operations: [
    { what: 'request to result, real agent', figure: 'p95 ms', bound: atMost(1_500) },
    { what: 'agent with 200 operations each minute', figure: '% of a core', bound: atMost(2) },
  ],
  growth: [
    { what: 'blocks of a periodic work at 10 x, to 1 x', figure: 'worst ratio', bound: atMost(1.5) },
    { what: 'a sweep of 200,000 silent entities', figure: 'cpu ms', bound: atMost(200) },
  ],
  series: [
    { what: 'a metric of 30 days, 500 points', figure: 'p95 ms', bound: atMost(20) },
    { what: '50 metrics of 24 h, 200 points each', figure: 'p95 ms', bound: atMost(80) },
    { what: 'ingest while metrics are computed', figure: 'packets/s', ceiling: 'without packets/s', ratio: atLeast(0.9) },
  ],
  backtest: [{ what: 'a rule tried on recorded packets of 1,000 devices', figure: 'x real time', bound: atLeast(500) }],
  explain: [
    { what: 'what a change of a rule touches, of 20,000 devices', figure: 'p95 ms', bound: atMost(100) },
    { what: 'a packet explained over 10,000 rules', figure: 'p95 ms', bound: atMost(100) },
    {
      what: 'what a rule matches now, 5,000 packets',
      figure: 'p95 ms',
      bound: atMost(60),
      ceiling: 'bare SQL ms',
      ratio: atMost(6),
    },
    { what: 'ingest while two people write rules', figure: 'packets/s', ceiling: 'without packets/s', ratio: atLeast(0.85) },
  ],
  latency: [{ what: 'packet to visible work unit', figure: 'p95 ms', bound: atMost(54) }],
  'work-units': [
    { what: 'list of 1 M work units', figure: 'p95 ms', bound: atMost(50), ceiling: 'bare SQL p95 ms', ratio: atMost(2) },
    {
      what: 'list over HTTP, 8 clients',
      figure: 'requests/s',
      bound: atLeast(1_500),
      ceiling: 'bare handler requests/s',
      ratio: atLeast(0.5),
    },
    {
      what: 'create over HTTP, 8 clients',
      figure: 'creates/s',
      bound: atLeast(1_500),
      ceiling: 'bare handler creates/s',
      ratio: atLeast(0.5),
    },
    { what: 'query text to statement', figure: 'slowest ms', bound: atMost(0.5) },
    { what: 'two levels of expansion, 1,000 rows', figure: 'p95 ms', bound: atMost(80) },
    { what: 'choices of a filter over 1 M rows', figure: 'slowest p95 ms', bound: atMost(150) },
    { what: 'search of 1 M work units', figure: 'slowest p95 ms', bound: atMost(60) },
    { what: 'panel of a unit, at 1 M', figure: 'p95 ms', bound: atMost(60) },
    { what: 'open units of 14 days, 100,000 units', figure: 'p95 ms', bound: atMost(500), ceiling: 'bare SQL p95 ms', ratio: atMost(8) },
    { what: 'reports of 1 M work units', figure: 'slowest p95 ms', bound: atMost(300), ceiling: 'bare SQL p95 ms', ratio: atMost(4) },
    { what: 'a million units by next links', figure: 'twice or missed', bound: atMost(0) },
  ],
  screens: [
    { what: 'lists of screens at 1 M work units', figure: 'slowest p95 ms', bound: atMost(60), ratio: atMost(2) },
    { what: 'lists by every column, near and far pages', figure: 'slowest p95 ms', bound: atMost(60) },
    { what: 'all units with their count, 8 clients', figure: 'requests/s', bound: atLeast(2_000) },
  ],
  upload: [{ what: '50 MB package uploaded', figure: 'extra MB', bound: atMost(60), ceiling: 'copy and sync ms' }],
  poll: [
    { what: 'poll of a list answered by 304', figure: 'p95 ms', bound: atMost(3) },
    { what: 'export of 1,000 rows as CSV', figure: 'p95 ms', bound: atMost(300) },
  ],
  batch: [{ what: 'a list in a $batch', figure: 'ms a list', ceiling: 'alone ms a list', ratio: atMost(1.3) }],
  start: [
    { what: 'second npm start to an answer', figure: 'median ms', bound: atMost(1_540) },
    { what: 'idle server with 1,000 rules', figure: 'resident MB', bound: atMost(190) },
  ],
  portal: [
    { what: 'JavaScript of the first list', figure: 'gzip kB', bound: atMost(227) },
    { what: 'click to open, filled panel', figure: 'p95 ms', bound: atMost(150) },
    { what: 'navigation to rows, empty cache', figure: 'median ms', bound: atMost(500) },
    { what: 'navigation to rows, warm', figure: 'median ms', bound: atMost(250) },
    { what: 'search result after the debounce', figure: 'p95 ms', bound: atMost(250) },
    { what: '500 rows scrolled', figure: 'longest frame ms', bound: atMost(50) },
    { what: 'JavaScript of a further screen', figure: 'most gzip kB', bound: atMost(40) },
    { what: 'waterfall of home, list and panel', figure: 'calls deep', bound: atMost(2) },
    { what: 'performance as Lighthouse weighs it', figure: 'least performance', bound: atLeast(95) },
    { what: 'accessibility and practices', figure: 'faults', bound: atMost(0) },
    {
      what: 'dashboard of 30 tiles, empty cache',
      figure: 'median ms',
      bound: atMost(800),
      ceiling: 'empty dashboard ms',
      ratio: atMost(1.8),
    },
    { what: 'a minute of it, live', figure: 'blocked ms', bound: atMost(100), ceiling: 'empty dashboard blocked ms' },
  ],
} satisfies Record<string, readonly FigureTarget[]>;

export type BenchName = keyof typeof targets;

/** Empty for figures without a target. */
export type Verdict = 'ok' | 'SHORT' | '';

export interface JudgedFigure {
  what: string;
  row: BenchRow;
  figure: number;
  unit: string;
  bound: Bound | undefined;
  ceiling: number | undefined;
  ratio: number | undefined;
  ratioBound: Bound | undefined;
  verdict: Verdict;
}

function isWithin(value: number | undefined, bound: Bound | undefined): boolean {
  if (!bound) return true;
  return value !== undefined && (bound.kind === 'at least' ? value >= bound.value : value <= bound.value);
}

function figureOf(row: BenchRow, name: string): number {
  const value = row.figures[name];
  if (typeof value !== 'number') throw new Error(`The row "${row.name}" has no figure "${name}".`);
  return value;
}

/** Compares the rows of a bench with its targets. Throws when the number of rows differs. */
export function judge(name: BenchName, rows: readonly BenchRow[]): JudgedFigure[] {
  const expectedRows: readonly FigureTarget[] = targets[name];
  if (rows.length !== expectedRows.length) throw new Error(`${name} answered ${rows.length} rows, not ${expectedRows.length}.`);
  return expectedRows.flatMap((target, i) => {
    const row = rows[i];
    if (!row) return [];
    const figure = figureOf(row, target.figure);
    const ratio = row.ratio?.value;
    const isReached = isWithin(figure, target.bound) && isWithin(ratio, target.ratio);
    return {
      what: target.what,
      row,
      figure,
      unit: target.figure,
      bound: target.bound,
      ratio,
      ratioBound: target.ratio,
      ceiling: target.ceiling === undefined ? undefined : figureOf(row, target.ceiling),
      verdict: target.bound || target.ratio ? (isReached ? 'ok' : 'SHORT') : '',
    };
  });
}

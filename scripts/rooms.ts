/** Checks imports: which top folder ("room") of a workspace may import which (docs/ARCHITECTURE.md), and which packages. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { drawRooms, withDiagram } from './rooms/diagram.ts';

const root = join(import.meta.dirname, '..');

/** For each room of a workspace, the rooms that it may import. The entry point beside the rooms belongs to no room. */
const rooms: Record<string, Record<string, readonly string[]>> = {
  server: {
    app: [
      'http',
      'intake',
      'ingest',
      'rules',
      'automation',
      'features',
      'executions',
      'outbound',
      'jobs',
      'resources',
      'query',
      'auth',
      'db',
      'context',
      'platform',
    ],
    admin: ['app', 'demo', 'features', 'resources', 'auth', 'db', 'context', 'platform'],
    demo: ['db', 'context', 'platform'],
    http: ['features', 'intake', 'ingest', 'resources', 'query', 'auth', 'db', 'context', 'platform'],
    // Reads what other products send, and gives it to ingest; what trackers and chats say of units, it does, in the forms of automation.
    intake: ['ingest', 'automation', 'features', 'resources', 'auth', 'db', 'context', 'platform'],
    ingest: ['rules', 'auth', 'db', 'context', 'platform'],
    rules: ['automation', 'features', 'executions', 'resources', 'auth', 'jobs', 'db', 'context', 'platform'],
    automation: ['features', 'executions', 'outbound', 'resources', 'query', 'auth', 'jobs', 'db', 'context', 'platform'],
    // A feature starts asynchronous work by writing an execution or a job in the feature's transaction.
    features: ['executions', 'resources', 'query', 'auth', 'jobs', 'db', 'context', 'platform'],
    executions: ['jobs', 'db', 'context', 'platform'],
    jobs: ['db', 'context', 'platform'],
    auth: ['outbound', 'db', 'context', 'platform'],
    resources: ['query', 'db', 'context', 'platform'],
    // Translates the query language to SQL.
    query: ['db'],
    outbound: ['platform'],
    db: ['platform'],
    context: ['db', 'platform'],
    platform: [],
  },
  portal: {
    app: [
      'features',
      'entities',
      'resource',
      'views',
      'operators',
      'calls',
      'export',
      'filters',
      'forms',
      'drafts',
      'rows',
      'hooks',
      'components',
      'api',
      'theme',
    ],
    features: [
      'entities',
      'resource',
      'views',
      'operators',
      'calls',
      'export',
      'filters',
      'forms',
      'drafts',
      'rows',
      'hooks',
      'components',
      'api',
      'theme',
    ],
    // Widgets that know an entity and serve several features.
    entities: ['calls', 'filters', 'forms', 'rows', 'hooks', 'components', 'api', 'theme'],
    // The list page and the panel, which combine exports, filters, forms and rows.
    resource: ['views', 'operators', 'export', 'filters', 'forms', 'rows', 'hooks', 'components', 'api', 'theme'],
    // Filters that are typed as text in a search.
    operators: ['filters', 'rows', 'hooks', 'components', 'api', 'theme'],
    // The views of lists that people save.
    views: ['calls', 'filters', 'rows', 'hooks', 'components', 'api', 'theme'],
    // The portal's part of actions: commands, what a query shows, and forms made from the fields of a call.
    calls: ['forms', 'drafts', 'rows', 'hooks', 'components', 'api', 'theme'],
    export: ['rows', 'hooks', 'components', 'api', 'theme'],
    filters: ['rows', 'hooks', 'components', 'api', 'theme'],
    forms: ['drafts', 'rows', 'hooks', 'components', 'api', 'theme'],
    // Stores unsaved input.
    drafts: ['rows', 'components', 'api'],
    rows: ['hooks', 'components', 'api', 'theme'],
    hooks: ['components', 'api', 'theme'],
    components: ['theme'],
    api: ['theme'],
    theme: [],
  },
  agent: {},
  client: {},
  contract: {},
};

/** Rooms within a room, each with those of its neighbours that it may import. */
const innerRooms: Record<string, Record<string, readonly string[]>> = {
  'server/rules': {
    run: [],
    past: ['run'],
    explain: ['past', 'run'],
    backtest: ['past', 'run'],
    impact: ['past', 'run'],
    changes: ['past', 'run'],
  },
};

/** Folders of which files outside `within` import only the entries. */
const entries: readonly { folder: string; within: string; files: readonly string[] }[] = [
  { folder: 'contract/src/rules/evaluate', within: 'contract/src/rules', files: ['evaluate.ts'] },
  { folder: 'server/src/rules/explain', within: 'server/src/rules/explain', files: ['explain.action.ts'] },
  {
    folder: 'server/src/rules/backtest',
    within: 'server/src/rules/backtest',
    files: ['backtest.action.ts', 'backtest-of-tenants.action.ts', 'backtest.job.ts'],
  },
];

/** The only packages that a workspace may import; the contract does no input or output. */
const packages: Record<string, readonly string[]> = { contract: ['zod', 're2js'] };

/** What tests of every workspace may import: it names the file that runs a program. */
const programFinder = 'scripts/server/program.mjs';

/** Rooms whose sub-folders may not import each other. */
const apart = ['server/features', 'portal/features'];

/** Returns an error when a file imports another one than the entry of a folder. */
function judgeEntry(path: string, target: string): string | undefined {
  const one = entries.find(({ folder, within }) => target.startsWith(`${folder}/`) && !path.startsWith(`${within}/`));
  return one && !one.files.includes(posix.relative(one.folder, target))
    ? `${one.folder} is entered by ${one.files.join(' and ')}`
    : undefined;
}

/** Returns the error of one import, or undefined. `path` is relative to the root. */
export function judgeImport(path: string, specifier: string): string | undefined {
  const [workspace = '', , room = '', area = ''] = path.split('/');
  const isTest = /\.test\.tsx?$|\/testing\//.test(path);
  const contract = '@cloudfit/contract/';
  if (specifier.startsWith(contract) && !isTest) {
    const wrong = judgeEntry(path, `contract/src/${specifier.slice(contract.length)}`);
    if (wrong) return wrong;
  }
  if (!specifier.startsWith('.')) {
    const named = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    if (isTest && workspace === 'server' && named === '@cloudfit/client') return undefined;
    if (named.startsWith('@cloudfit/') && named !== '@cloudfit/contract') return 'only the contract is shared between workspaces';
    const allowed = packages[workspace];
    return allowed && !isTest && !allowed.includes(named) ? `${workspace} imports only ${allowed.join(' and ')}` : undefined;
  }
  const target = posix.join(posix.dirname(path), specifier);
  const [targetWorkspace = '', , targetRoom = '', targetArea = ''] = target.split('/');
  if (isTest && target === programFinder) return undefined;
  if (targetWorkspace !== workspace) return 'only the contract is shared between workspaces, as @cloudfit/contract/...';
  const allowed = rooms[workspace]?.[room];
  const wrong = isTest ? undefined : judgeEntry(path, target);
  if (wrong || isTest || !allowed) return wrong;
  const inner = innerRooms[`${workspace}/${room}`]?.[area];
  if (targetRoom === room && inner && targetArea !== area && !inner.includes(targetArea)) return `${area} may not import ${targetArea}`;
  if (targetRoom === room) {
    return apart.includes(`${workspace}/${room}`) && targetArea !== area
      ? 'features meet through a resource, an action or a change'
      : undefined;
  }
  const isRoom = rooms[workspace]?.[targetRoom] !== undefined;
  return isRoom && !allowed.includes(targetRoom) ? `${room} may not import ${targetRoom}` : undefined;
}

/** Returns every import specifier in a source text; the project's sources use single quotes. */
export function findImports(source: string): string[] {
  const matches = source.matchAll(/^(?:import|export)\b[^'"`;=]*?\bfrom '([^'\n]+)'|^import '([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm);
  return [...matches].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

interface RoomImport {
  readonly path: string;
  readonly specifier: string;
}

/** Returns which rooms of a workspace import which, without tests. */
function importsOf(workspace: string, all: readonly RoomImport[]): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const { path, specifier } of all) {
    if (!path.startsWith(`${workspace}/`) || !specifier.startsWith('.') || /\.test\.tsx?$|\/testing\//.test(path)) continue;
    const [room = '', target = ''] = [path, posix.join(posix.dirname(path), specifier)].map((file) => file.split('/')[2]);
    if (room === target || !rooms[workspace]?.[room] || !rooms[workspace]?.[target]) continue;
    imports.set(room, (imports.get(room) ?? new Set()).add(target));
  }
  return imports;
}

const callsByAddress = /^import \{[^}]*\b(?:callJson|request)\b[^}]*\} from '[^']*\/api\/client\.ts'|(?<![.\w])fetch\(/m;

/** Returns the error of a file of the portal that calls by an address instead of a declared call (`portal/src/api/call.ts`). */
export function judgeCalls(path: string, source: string): string | undefined {
  const isJudged = path.startsWith('portal/src/') && !path.startsWith('portal/src/api/') && !/\.test\.tsx?$|\/testing\//.test(path);
  return isJudged && callsByAddress.test(source)
    ? `${path} calls an address. Call a declared call by \`call\` or \`useCall\` of portal/src/api/call.ts.`
    : undefined;
}

if (process.argv[1] === import.meta.filename) {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '--', ...Object.keys(rooms).map((name) => `${name}/src/**`)],
    { cwd: root, encoding: 'utf8' },
  );
  const files = listed
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }));
  const all = files.flatMap(({ path, source }) => findImports(source).map((specifier) => ({ path, specifier })));
  const wrong = [
    ...all.flatMap(({ path, specifier }) => {
      const problem = judgeImport(path, specifier);
      return problem ? [`${path} imports ${specifier}: ${problem}.`] : [];
    }),
    ...files.flatMap(({ path, source }) => judgeCalls(path, source) ?? []),
  ];
  const pagePath = join(root, 'docs/ARCHITECTURE.md');
  const page = readFileSync(pagePath, 'utf8');
  const expected = ['server', 'portal'].reduce((text, name) => withDiagram(text, name, drawRooms(importsOf(name, all))), page);
  if (process.argv[2] === 'write') writeFileSync(pagePath, expected);
  else if (expected !== page) wrong.push('The diagrams of docs/ARCHITECTURE.md are out of date: run "npm run rooms".');
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

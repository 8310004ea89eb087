/** Limits that server and portal share (data-api decisions and spec §9 of both documents). */
export const limits = {
  /** The default of `$top`, and the maximum number of rows of one answer. */
  pageDefault: 100,
  pageMax: 1_000,
  skipMax: 100_000,
  /** Maximum characters of the address (path and query), and of one option in the query. */
  urlLength: 8_192,
  filterLength: 8_192,
  bracketDepth: 30,
  treeDepth: 40,
  treeNodes: 500,
  /** Maximum words and phrases of a `$search`. */
  searchTexts: 10,
  inValues: 500,
  orderByKeys: 5,
  joins: 8,
  lambdaDepth: 2,
  groupKeys: 5,
  aggregates: 10,
  applySteps: 20,
  expandDepth: 3,
  expandItems: 10,
  expandRows: 1_000,
  /** The maximum number of calls in one `$batch`. */
  batchParts: 100,
  /** No further call of a `$batch` begins after its answers have this many bytes together, or after it has run this long. */
  batchAnswerBytes: 16_777_216,
  batchSeconds: 60,
  patchOperations: 100,
  /** The maximum number of work units that one call resolves. */
  resolvedUnits: 100,
  patchBytes: 262_144,
  bodyBytes: 1_048_576,
  /** How many times larger than what was sent a compressed body may be that has more than `bodyBytes` when it is unpacked. */
  inflatedRatio: 200,
  jsonDepth: 64,
  /** The maximum number of values in a body, and of properties of one object in it. Packets have limits of their own. */
  bodyValues: 200_000,
  objectProperties: 10_000,
  /** The maximum number of rows of one import of a configuration, and the seconds of its longest transaction and of the whole. */
  importRows: 20_000,
  importSeconds: 60,
  importTurnsSeconds: 600,
  /** The maximum number of problems that one answer lists. */
  reasons: 100,
  packetsPerBatch: 1_000,
  /** Number of metrics, properties and states in one packet, together with the names inside its diagnostics. */
  packetKeys: 500,
  /** Maximum number of values in one packet, including the items of lists. */
  packetValues: 10_000,
  packetBytes: 1_048_576,
  /** The maximum characters of a text whose placeholders are filled in. */
  filledLength: 1_048_576,
  /** Ingest refuses packets with a timestamp further in the past or in the future. */
  packetMaxAgeDays: 7,
  packetMaxAheadMinutes: 5,
  noteLength: 4_000,
  regexLength: 1_024,
  secretLength: 10_000,
  /** Pending devices are promoted or deleted in batches of fewer than this (PEND-018, PEND-019). */
  pendingBatchBelow: 25,
  /** The maximum number of pending devices of one tenant. */
  pendingDevices: 5_000,
  /** The maximum number of files (zips of packages) in one upload. */
  uploadFiles: 20,
} as const;

/** Limits of one backtest. */
export const backtestLimits = {
  /** The longest period, in days. */
  days: 31,
  entities: 10_000,
  /** The maximum number of matches that an answer lists per rule; the totals count all matches. */
  listed: 500,
  /** The maximum number of entities, those with most matches, that an answer lists with their counts. */
  ranked: 50,
  /** With more matches than this, a backtest does not simulate work units and calls. */
  addedUp: 200_000,
  buckets: 120,
  /** The maximum number of unfinished backtests of one tenant, and of backtests over tenants of one person. */
  unfinished: 2,
  /** A backtest over tenants begins with no further one after it has read this many packets. */
  packetsOfTenants: 20_000_000,
} as const;

/** The maximum number of entities whose latest packets are read to count what a rule would match now. */
export const latestPacketsRead = 5_000;

/** How many latest packets a count over several tenants reads in all, before it begins with no further tenant. */
export const packetsOfTenants = 50_000;

/** Writes server/src/db/tables.ts from a migrated database: `npm run tables -- postgres://...`. */
import { writeFile } from 'node:fs/promises';
import { tableTypes } from '../server/src/db/table-types.ts';

const url = process.argv[2];
if (!url) throw new Error('Give the address of a migrated database.');
await writeFile(new URL('../server/src/db/tables.ts', import.meta.url), await tableTypes(url));

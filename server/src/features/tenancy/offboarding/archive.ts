/**
 * The archive of a customer, a ZIP file: `tables/NAME.ndjson` with a row in each line for each table that the catalogue names, the
 * uploaded files under `files/`, the people with rights there, and a manifest with what is in it.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { grantsOfPerson } from '../../../auth/grants.ts';
import type { Db } from '../../../db/db.ts';
import { tenantFiles, tenantLines, tenantTables } from '../../../db/tenant-rows.ts';
import type { FileStore } from '../../../platform/file-store.ts';

export interface ArchiveContents {
  rows: number;
  files: number;
  bytes: number;
  sha256: string;
  tables: Record<string, number>;
}

/** Statements of the snapshot read whole tables, so they may last longer than those of requests. */
const patience = `set transaction isolation level repeatable read, read only`;
const longStatements = `set local statement_timeout = '1h'`;
const longPauses = 'set local idle_in_transaction_session_timeout = 0';

const peopleText = `select p.person_id as "personId", p.user_name as "userName", p.name, p.email
from person p where exists (select from access_grant g where g.tenant_id = $1 and ${grantsOfPerson}) order by p.user_name`;

/** Writes the archive to `path`, from one snapshot. `db` must see all tenants, and wait for long statements. */
export function writeArchive(db: Db, store: FileStore, customer: { id: string; name: string }, path: string): Promise<ArchiveContents> {
  return db.transaction(async (tx) => {
    await tx.query({ text: patience });
    await tx.query({ text: longStatements });
    await tx.query({ text: longPauses });
    const { ZipFile } = await import('yazl');
    const zip = new ZipFile();
    const hash = createHash('sha256');
    let bytes = 0;
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    const output = zip.outputStream as unknown as Readable;
    // An error of a part that is being read ends the whole.
    const written = pipeline(output, measured, createWriteStream(path, { mode: 0o600 }));
    written.catch(() => undefined);
    /** Adds a part and waits until it is read, so that one cursor is open at a time. */
    const add = async (name: string, content: Readable): Promise<void> => {
      const ended = new Promise<void>((resolve, reject) => {
        content.once('end', resolve).once('error', reject);
        written.catch(reject);
      });
      content.once('error', (error) => output.destroy(error));
      zip.addReadStream(content, name, { forceZip64Format: false });
      await ended;
    };
    const tables: Record<string, number> = {};
    const all = await tenantTables(tx);
    for (const table of all) {
      let rows = 0;
      const lines = async function* (): AsyncGenerator<string> {
        for await (const line of tenantLines(tx, table, customer.id)) {
          rows++;
          yield `${line}\n`;
        }
      };
      await add(`tables/${table.name}.ndjson`, Readable.from(lines(), { objectMode: false, highWaterMark: 1_048_576 }));
      tables[table.name] = rows;
    }
    const files = await tenantFiles(tx, all, customer.id);
    const missing: string[] = [];
    let stored = 0;
    for (const name of files) {
      const content = await store.open(name).catch(() => undefined);
      if (!content) missing.push(name);
      else {
        await add(`files/${name}`, content);
        stored++;
      }
    }
    const people = await tx.query({ text: peopleText, values: [customer.id] });
    const [{ at } = { at: '' }] = await tx.query<{ at: string }>({ text: 'select now() as at' });
    const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, null, 2));
    zip.addBuffer(json(people), 'people.json');
    const manifest = { cloudfit: 'customer', version: 1, customer, at, tables, files: stored, missingFiles: missing };
    zip.addBuffer(json(manifest), 'manifest.json');
    zip.end();
    await written;
    const rows = Object.values(tables).reduce((sum, n) => sum + n, 0);
    const some = Object.fromEntries(Object.entries(tables).filter(([, n]) => n > 0));
    return { rows, files: stored, bytes, sha256: hash.digest('hex'), tables: some };
  });
}

/** Removes what is left of an archive that was not finished. */
export const discardArchive = (path: string): Promise<void> => rm(path, { force: true });

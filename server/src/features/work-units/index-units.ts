/** Gives the work units of before the search their searched texts, and lets the search forget words that no text has any more. */
import type { Periodic } from '../../jobs/schedule.ts';

/** Units of one statement, so that nobody waits long for their locks. */
const batch = 1_000;
/** Few, because finding a word that most texts have reads long lists of the index. */
const wordsOfRun = 20;
/** After an upgrade a million units have their texts within some minutes, the newest first. */
const batchesOfRun = 20;

export const indexUnitsWork: Periodic = {
  name: 'index-units',
  everyMs: 5_000,
  run: async (db) => {
    for (let n = 0; n < batchesOfRun; n++) {
      const [row] = await db.query<{ indexed: number }>({ text: 'select index_old_work_units($1) as indexed', values: [batch] });
      if ((row?.indexed ?? 0) < batch) break;
    }
    await db.query({ text: 'select forget_search_words($1)', values: [wordsOfRun] });
  },
};

/** Takes the rows of a spreadsheet into a list. */
import { defineAction } from '../action.ts';
import { listInput, listOutcome } from './lists.ts';

export const importList = defineAction({
  name: 'importList',
  method: 'POST',
  path: '/v1/lists/import',
  access: 'signed-in',
  about:
    'Takes a CSV into a list of a tenant: devices, locations, people with their permission sets, categories, contacts, holidays of calendars, or tickets of another program. `dryRun` (the default) changes nothing, and answers how the columns are read, what would change, and which lines are refused and why. Otherwise the lines that can be imported are written, in several transactions, as one change set. A second import of the same file changes nothing.',
  input: listInput,
  output: listOutcome,
});

/**
 * Tools that change something. Each first tells what it would do, and does it only when it is called again with the confirmation that
 * it asked for, which names what is changed as it is now.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { severities } from '@cloudfit/contract/enums.ts';
import type { InnerCalls } from './inner-calls.ts';
import { defineTool, quoted, unitByNumber, type McpTool } from './tool.ts';

const number = z.int().positive().describe('The number of the work unit, as people see it.');
const confirm = z
  .string()
  .max(600)
  .optional()
  .describe('Leave it out first: the answer says what would be done and what to put here. Ask the person before you call again.');

/** Does the work when the confirmation is right; otherwise tells what it would be. */
async function confirmed(confirmation: string | undefined, expected: string, would: string, work: () => Promise<object>): Promise<object> {
  if (confirmation === undefined)
    return { done: false, would, confirmWith: expected, next: 'Ask the person. If they agree, call again with confirm as in confirmWith.' };
  if (confirmation !== expected)
    return { done: false, would, confirmWith: expected, problem: 'The confirmation is not that of what is there now.' };
  return { done: true, ...(await work()) };
}

const acknowledge = defineTool({
  name: 'acknowledge_work_unit',
  title: 'Acknowledge a work unit',
  about: 'Acknowledges a work unit that is New, which ends the reminders of its protocol. Needs a confirmation.',
  input: z.object({ number, confirm }),
  writes: true,
  run: async (calls, input) => {
    const unit = await unitByNumber(calls, input.number);
    if (unit.stateId !== 'New') return { done: false, problem: `It is ${unit.stateId} already.` };
    return confirmed(input.confirm, unit.title, `Acknowledge work unit ${input.number}.`, async () => {
      const { stateId } = await calls.change('workUnits', unit.workUnitId, { stateId: 'Acknowledged' });
      return { number: input.number, stateId };
    });
  },
});

const note = defineTool({
  name: 'add_note',
  title: 'Add a note',
  about: 'Adds an internal note to a work unit; customers do not see it. Needs a confirmation.',
  input: z.object({ number, text: z.string().min(1).max(4_000), confirm }),
  writes: true,
  run: async (calls, input) => {
    const unit = await unitByNumber(calls, input.number);
    return confirmed(input.confirm, unit.title, `Add an internal note to work unit ${input.number}.`, async () => {
      const values = { workUnitId: unit.workUnitId, detail: input.text, isExternalNote: false };
      const { workUnitNoteId } = await calls.create('workUnitNotes', values, keyOf('add_note', values));
      return { number: input.number, workUnitNoteId };
    });
  },
});

async function tenantNamed(calls: InnerCalls, name: string) {
  const { value } = await calls.list('tenants', { filter: `name eq ${quoted(name)}`, top: 1 });
  return value[0];
}

const create = defineTool({
  name: 'create_work_unit',
  title: 'Open a work unit',
  about: 'Opens a work unit in a tenant. Its protocol may notify people. The same unit is opened once within a day. Needs a confirmation.',
  input: z.object({
    tenant: z.string().min(1).max(200).describe('The name of the tenant.'),
    title: z.string().min(3).max(500),
    description: z.string().max(4_000).optional(),
    severity: z.enum(severities),
    confirm,
  }),
  writes: true,
  run: async (calls, { tenant: name, title, description, severity, confirm: confirmation }) => {
    const tenant = await tenantNamed(calls, name);
    if (!tenant) return { done: false, problem: `There is no tenant ${name} that you may see.` };
    return confirmed(confirmation, `${severity} in ${tenant.name}`, `Open "${title}" as ${severity} in ${tenant.name}.`, async () => {
      const values = {
        title,
        severityId: severity,
        workUnitTypeId: 1,
        tenantId: tenant.tenantId,
        ...(description === undefined ? {} : { description }),
      };
      const { publicWorkUnitId } = await calls.create('workUnits', values, keyOf('create_work_unit', values));
      return { number: publicWorkUnitId };
    });
  },
});

/** A key by which a repeat of the same input, such as after a lost answer, makes nothing twice. */
const keyOf = (tool: string, values: object): string =>
  `mcp-${createHash('sha256')
    .update(`${tool} ${JSON.stringify(values)}`)
    .digest('hex')
    .slice(0, 40)}`;

export const writeTools: readonly McpTool[] = [acknowledge, note, create];

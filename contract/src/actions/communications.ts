/** Calls on a communication beside the plain ones (COMM). */
import { z } from 'zod';
import { defineAction, type Access } from '../action.ts';

const wucommId = z.coerce.number().int().positive();
const edit: Access = { area: 'WorkUnitCommunications', verb: 'edit' };

/** Links work units of the same tenant; one that is linked already stays so. Answers all of them. */
export const linkWorkUnits = defineAction({
  name: 'linkWorkUnits',
  method: 'POST',
  path: '/v1/workunitcommunications/{wucommId}/workUnits',
  access: edit,
  input: z.object({ wucommId, workunitIds: z.array(z.int().positive()).min(1, 'Name at least one work unit.').max(100) }),
  output: z.object({ value: z.array(z.record(z.string(), z.unknown())) }),
});

export const unlinkWorkUnit = defineAction({
  name: 'unlinkWorkUnit',
  method: 'DELETE',
  path: '/v1/workunitcommunications/{wucommId}/workUnits/{workunitId}',
  access: edit,
  input: z.object({ wucommId, workunitId: z.coerce.number().int().positive() }),
});

const notification = {
  path: '/v1/workunitcommunications/{wucommId}/sendInternalNotification',
  access: edit,
  input: z.object({ wucommId }),
  /** `repeated`: this very report went to this address before, and is not mailed again. */
  output: z.object({ message: z.string(), to: z.string(), repeated: z.boolean() }),
} as const;

/**
 * Mails the internal report to the tenant's address for internal notifications. A GET by contract; the POST is its
 * twin. Asked again while the report says the same, both answer the same and mail nothing.
 */
export const sendInternalNotification = defineAction({ name: 'sendInternalNotification', method: 'GET', ...notification });
export const postInternalNotification = defineAction({ name: 'postInternalNotification', method: 'POST', ...notification });

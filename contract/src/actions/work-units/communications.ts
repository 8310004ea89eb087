/** Calls on a communication beyond list, get, create, update and delete (COMM). */
import { z } from 'zod';
import { defineAction, type Access } from '../../action.ts';

const wucommId = z.coerce.number().int().positive('No WUCOMM Id was provided.');
const edit: Access = { area: 'WorkUnitCommunications', verb: 'edit' };

export const linkWorkUnits = defineAction({
  name: 'linkWorkUnits',
  method: 'POST',
  path: '/v1/workunitcommunications/{wucommId}/workUnits',
  access: edit,
  about: 'Links work units of the same tenant; an existing link stays. Answers all linked work units.',
  input: z.object({ wucommId, workunitIds: z.array(z.int().positive()).min(1, 'Name at least one work unit.').max(100) }),
  output: z.object({ value: z.array(z.record(z.string(), z.unknown())) }),
});

export const unlinkWorkUnit = defineAction({
  name: 'unlinkWorkUnit',
  method: 'DELETE',
  path: '/v1/workunitcommunications/{wucommId}/workUnits/{workunitId}',
  access: edit,
  about: 'Removes a work unit from a communication; the unit itself does not change.',
  input: z.object({ wucommId, workunitId: z.coerce.number().int().positive() }),
});

const notification = {
  path: '/v1/workunitcommunications/{wucommId}/sendInternalNotification',
  access: edit,
  about:
    "Mails the internal report to the tenant's address for internal notifications. While the report does not change, a repeated call gives the same answer and mails nothing.",
  input: z.object({ wucommId }),
  /**
   * `repeated`: an earlier call mailed the same report to this address, so this call sends nothing. `isKept`: the mail waits
   * because no mail server is set.
   */
  output: z.object({ message: z.string(), to: z.string(), repeated: z.boolean(), isKept: z.boolean() }),
} as const;

/** The specification uses GET for this call; POST has the same effect. */
export const sendInternalNotification = defineAction({ name: 'sendInternalNotification', method: 'GET', ...notification });
export const postInternalNotification = defineAction({ name: 'postInternalNotification', method: 'POST', ...notification });

import { builtInActionTypes } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { actionUses } from './uses.ts';

export const servedActionDefinitions = serve(actionDefinitions, 'action_definition', {
  check: async (ctx, { verb, before, after }): Promise<FieldError[]> => {
    const target = 'actionDefinitionTypeId';
    if (before && builtInActionTypes.includes(before.actionDefinitionTypeId)) {
      return [{ target, message: `A built-in action cannot be ${verb === 'delete' ? 'deleted' : 'edited'}.` }];
    }
    if (verb === 'delete') {
      const uses = await actionUses(ctx, after.actionDefinitionId);
      if (uses) throw new ApiError('Conflict', `The action ${after.name} is used by ${uses}. Remove it there first.`);
      return [];
    }
    const wrong: FieldError[] = [];
    if (before && before.tenantId !== after.tenantId && after.tenantId !== null && (await actionUses(ctx, after.actionDefinitionId)))
      wrong.push({ target: 'tenantId', message: 'The tenant of an action cannot be changed while rules or protocols use it.' });
    if (builtInActionTypes.includes(after.actionDefinitionTypeId))
      wrong.push({ target, message: 'Built-in actions come with the product; choose another type.' });
    // Placeholders may fill any part but the scheme: the rest of the address is checked when it is called.
    if (after.endpointUrl && !/^https?:\/\/\S+$/i.test(after.endpointUrl))
      wrong.push({ target: 'endpointUrl', message: 'Endpoint URL must start with http:// or https://.' });
    return wrong;
  },
});

export const servedActionHistories = serve(actionHistories, 'action_history');

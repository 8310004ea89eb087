import { builtInActionTypes } from '@cloudfit/contract/enums.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { serve, type Wrong } from '../../resources/served.ts';

export const servedActionDefinitions = serve(actionDefinitions, 'action_definition', {
  check: (_ctx, { verb, before, after }): Wrong[] => {
    const target = 'actionDefinitionTypeId';
    if (before && builtInActionTypes.includes(before.actionDefinitionTypeId)) {
      return [{ target, message: `A built-in action cannot be ${verb === 'delete' ? 'deleted' : 'edited'}.` }];
    }
    if (verb === 'delete') return [];
    const wrong: Wrong[] = [];
    if (builtInActionTypes.includes(after.actionDefinitionTypeId))
      wrong.push({ target, message: 'Built-in actions come with the product; choose another type.' });
    // Placeholders may fill any part but the scheme: the rest of the address is checked when it is called.
    if (after.endpointUrl && !/^https?:\/\/\S+$/i.test(after.endpointUrl))
      wrong.push({ target: 'endpointUrl', message: 'Endpoint URL must start with http:// or https://.' });
    return wrong;
  },
});

export const servedActionHistories = serve(actionHistories, 'action_history');

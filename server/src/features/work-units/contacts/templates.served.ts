import { unknownPlaceholders, updatePlaceholders } from '@cloudfit/contract/communications/template.ts';
import { communicationTemplates } from '@cloudfit/contract/resources/communication-templates.ts';
import { actorName } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';

export const servedCommunicationTemplates = serve(communicationTemplates, 'communication_template', {
  fill: (ctx, { verb }) => (verb === 'create' ? { createdBy: actorName(ctx) } : {}),
  check: (_ctx, { verb, after }) => {
    const [unknown] = verb === 'delete' ? [] : unknownPlaceholders(after.detail);
    if (unknown === undefined) return [];
    const names = updatePlaceholders.map((name) => `{${name}}`).join(', ');
    return [{ target: 'detail', message: `{${unknown}} is no placeholder. Use ${names}.` }];
  },
});

/** Operations below a row in the API description: its related rows, and new ones in its lists. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { takesNewRows } from '../below-row/related-writes.ts';
import { operationNames, pascal, typeName } from './names.ts';
import { answerHeaders, createdAnswers } from './openapi-answers.ts';
import { exampled, pageOptions, parameterRefs, right, type ApiOperation } from './openapi-parts.ts';
import type { Schemas } from './openapi-schemas.ts';

/**
 * Returns the operations of one relation of a row. Longer paths below a row, and paths to properties, are not listed, because there
 * are too many.
 */
export function relatedOperations(resource: Resource, relation: string, schemas: Schemas): Record<string, ApiOperation> {
  const declared = resource.relations[relation];
  if (!declared) return {};
  const target = requireResource(declared.to);
  return {
    get: readOperation(resource, relation, target, declared.many, schemas),
    ...(takesNewRows(declared, target) ? { post: createOperation(resource, relation, target, declared.on, schemas) } : {}),
  };
}

function createOperation(resource: Resource, relation: string, target: Resource, link: string, schemas: Schemas): ApiOperation {
  const [row, owner] = [target.label.toLowerCase(), resource.label.toLowerCase()];
  const { description = '', security } = right(target, 'create');
  return {
    operationId: `addTo${operationNames(resource).row}${pascal(relation)}`,
    summary: `Create a ${row} of a ${owner}`,
    tags: [resource.plural],
    description: `${description} And that to view the ${owner}. Its \`${link}\` follows from the address.`,
    ...(security ? { security } : {}),
    parameters: parameterRefs('idempotencyKey', 'preferReturn'),
    requestBody: { required: true, ...exampled(schemas.ref(withoutLink(target, link, schemas))) },
    responses: createdAnswers(row, schemas.ref(typeName(target))),
  };
}

/** Returns the name of the schema of a body that creates a row of which the address gives one field. */
function withoutLink(target: Resource, link: string, schemas: Schemas): string {
  const whole = `${typeName(target)}Create`;
  const { properties = {}, required = [], ...rest } = schemas.named[whole] ?? {};
  if (!required.includes(link)) return whole;
  const name = `${whole}Without${pascal(link)}`;
  const others = required.filter((item) => item !== link);
  schemas.named[name] = {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([one]) => one !== link)),
    ...(others.length > 0 ? { required: others } : {}),
  };
  return name;
}

function readOperation(resource: Resource, relation: string, target: Resource, many: boolean, schemas: Schemas): ApiOperation {
  const type = typeName(target);
  const [rows, row] = [target.plural.toLowerCase(), target.label.toLowerCase()];
  const { description = '', security } = right(target, 'view');
  return {
    operationId: `get${operationNames(resource).row}${pascal(relation)}`,
    summary: many
      ? `The ${rows} of a ${resource.label.toLowerCase()}: ${relation}`
      : `The ${row} of a ${resource.label.toLowerCase()}: ${relation}`,
    tags: [resource.plural],
    description: `${description} And that of the ${resource.label.toLowerCase()} itself.`,
    ...(security ? { security } : {}),
    parameters: many
      ? parameterRefs(...pageOptions, 'preferPage', 'ifNoneMatch')
      : parameterRefs('select', 'expand', 'compute', 'format', 'ifNoneMatch'),
    responses: many
      ? {
          '200': {
            description: `A page of ${rows}.`,
            ...answerHeaders('etag', 'preferenceApplied'),
            ...exampled(schemas.ref(`${type}Page`)),
          },
        }
      : {
          '200': { description: `The ${row}.`, ...answerHeaders('etag'), ...exampled(schemas.ref(type)) },
          '204': { description: 'There is none.' },
        },
  };
}

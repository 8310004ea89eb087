/** Operations of actions in the API description. */
import { isList, type Access, type Action } from '@cloudfit/contract/action.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { typeName } from './names.ts';
import { answerHeaders } from './openapi-answers.ts';
import { contentSchema, formOfCall } from './openapi-forms.ts';
import { access, exampled, json, pageOptions, parameterRefs, type ApiOperation } from './openapi-parts.ts';
import type { Schema, Schemas } from './openapi-schemas.ts';

/** Converts a name such as `GetWorkUnitHistoryRecords` or `toggleRule` to words: `Toggle rule`. */
function words(name: string): string {
  const text = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tagOf(action: Action): string {
  if (isList(action)) return requireResource(action.of).plural;
  const of: Access = action.access;
  if (of === 'anonymous' || of === 'signed-in') return 'General';
  if ('scope' in of) return 'Agents and integrations';
  const area = 'anyOf' in of ? (of.anyOf[0] ?? '').replace(/^CloudFit\.CFS\.(.*?):.*$/, '$1') : of.area;
  return words(area.replaceAll('.', ' '));
}

function answerOf(action: Action, schemas: Schemas): Record<string, object> {
  if (isList(action)) {
    const page = exampled(schemas.ref(`${typeName(requireResource(action.of))}Page`));
    return { '200': { description: 'A page of rows.', ...answerHeaders('etag', 'preferenceApplied'), ...page } };
  }
  const { output, content } = action;
  if (!output && content === undefined) return { '204': { description: 'Done.' } };
  const written = content === undefined ? {} : { [content]: { schema: contentSchema(content) } };
  const headers = content === 'text/csv' ? answerHeaders('disposition') : {};
  const success = {
    description: 'Done.',
    ...headers,
    content: { ...(output ? json(schemas.of(output, 'output')).content : {}), ...written },
  };
  return formOfCall(action.name).answers?.(success, schemas) ?? { '200': success };
}

/** Returns the description of an action: who may call it, then what it does. */
function whoAndWhat({ access: of, about }: Action): ReturnType<typeof access> {
  const { description, security } = access(of);
  return { description: about ? `${description} ${about}` : description, security };
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/**
 * Returns the operation of an action. `path` is the action's path, but its parameters may have other names: calls at the same
 * address share the names of one of them.
 */
export function actionOperation(action: Action, path: string, schemas: Schemas): ApiOperation {
  const input = schemas.of(action.input, 'input');
  const form = formOfCall(action.name);
  const inPath = parametersOf(action.path);
  const spelled = parametersOf(path);
  const properties = Object.entries((input.properties ?? {}) as Record<string, Schema>);
  const required = new Set(input.required ?? []);
  const inBody = action.method === 'POST' || action.method === 'PUT';
  const outsidePath = properties.filter(([name]) => !inPath.includes(name));
  const inQuery = inBody ? outsidePath.filter(([name]) => name.startsWith('$')) : outsidePath;
  const rest = inBody ? outsidePath.filter(([name]) => !name.startsWith('$')) : [];
  const parameters = [
    ...inPath.map((name, n) => ({
      name: spelled[n] ?? name,
      in: 'path',
      required: true,
      schema: input.properties?.[name] ?? { type: 'string' },
    })),
    ...inQuery.map(([name, schema]) => ({ name, in: 'query', required: required.has(name), schema })),
    ...(isList(action) ? parameterRefs(...pageOptions, 'preferPage', 'ifNoneMatch') : []),
    ...(action.repeatable ? parameterRefs('idempotencyKey') : []),
    ...parameterRefs(...(form.parameters ?? [])),
  ];
  const requiredNames = rest.map(([name]) => name).filter((name) => required.has(name));
  const bodySchema: Schema =
    input.type === 'object'
      ? { type: 'object', properties: Object.fromEntries(rest), ...(requiredNames.length > 0 ? { required: requiredNames } : {}) }
      : input;
  const hasBody = inBody && (input.type !== 'object' || rest.length > 0);
  return {
    operationId: action.name,
    summary: words(action.name),
    tags: [tagOf(action)],
    ...whoAndWhat(action),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody
      ? {
          requestBody: {
            required: requiredNames.length > 0 || input.type !== 'object',
            content: form.content?.(bodySchema) ?? json(bodySchema).content,
          },
        }
      : {}),
    responses: answerOf(action, schemas),
  };
}

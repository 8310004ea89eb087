/** JSON Patch and merge patch on a row: validate, test, apply. */
import { applyPatch, createPatch, Pointer, type Operation } from 'rfc6902';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { cannotBeSet, fieldName, isObject, same } from './input.ts';
import type { AnyRow } from './served.ts';
import type { AnyEdit } from './update.ts';

interface PatchStep {
  op: 'test' | 'replace' | 'add' | 'remove';
  path: string;
  name: string;
  rest: string;
  value: unknown;
}

const poison = new Set(['__proto__', 'constructor', 'prototype']);
const allowed = new Set(['test', 'replace', 'add', 'remove']);

function invalid(message: string, target?: string): ApiError {
  return new ApiError('InvalidBody', message, { target });
}

/** Checks the whole path of an operation, because the library ignores `__proto__` and similar parts of paths. */
function parseStep(resource: Resource, raw: unknown): PatchStep {
  if (!isObject(raw) || typeof raw['op'] !== 'string' || typeof raw['path'] !== 'string')
    throw invalid('Each patch operation needs op and path.');
  const { op, path, value } = raw;
  if (!allowed.has(op)) throw invalid(`The patch operation ${op} is not allowed; use test, replace, add or remove.`, path);
  if (!path.startsWith('/')) throw invalid(`The path '${path}' must start with a slash, as '/${path}'.`, path);
  const [, spelling = '', rest = ''] = /^\/([^/]+)((?:\/[^/]*)?)$/.exec(path) ?? [];
  const name = fieldName(resource, spelling);
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (!field) throw new ApiError('UnknownProperty', `${resource.label} has no field at path '${path}'.`, { target: path });
  if (rest && (field.kind !== 'json' || poison.has(rest.slice(1)))) throw invalid(`'${path}' names nothing inside ${field.label}.`, path);
  if (op !== 'remove' && !('value' in raw)) throw invalid(`The patch operation ${op} at '${path}' needs a value.`, path);
  return { op: op as PatchStep['op'], path: `/${name}${rest}`, name, rest, value };
}

function spoken(value: unknown): string {
  return value === null || value === undefined ? 'empty' : typeof value === 'string' ? value : JSON.stringify(value);
}

function sameInstant(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b);
}

function testFailed(current: unknown, name: string, value: unknown): ApiError {
  // The portal recognises a conflict by 'is not equal to the test value' (ERR-050).
  return new ApiError(
    'TestFailed',
    `The current value '${spoken(current)}' at path '${name}' is not equal to the test value '${spoken(value)}'.`,
    { target: name },
  );
}

/** An edit that applies JSON Patch operations to the row; a failing `test` causes 409 and changes nothing. */
export function jsonPatch(resource: Resource, body: unknown): AnyEdit {
  if (!Array.isArray(body)) throw invalid('A JSON Patch is an array of operations.');
  if (body.length > limits.patchOperations) throw invalid(`A patch has at most ${limits.patchOperations} operations.`);
  if (JSON.stringify(body).length > limits.patchBytes) throw new ApiError('PayloadTooLarge', 'A patch has at most 256 kB.');
  const steps = body.map((raw) => parseStep(resource, raw));
  return (before) => {
    const document: AnyRow = structuredClone(before);
    for (const step of steps) {
      if (!step.rest) {
        const current = document[step.name] ?? null;
        if (step.op !== 'test') document[step.name] = step.op === 'remove' ? null : step.value;
        else if (!same(current, step.value ?? null) && !sameInstant(current, step.value)) throw testFailed(current, step.name, step.value);
        continue;
      }
      const [error] = applyPatch(document, [step as Operation]);
      if (error?.name === 'TestError') throw testFailed(Pointer.fromJSON(step.path).get(document), step.path.slice(1), step.value);
      if (error) throw invalid(`The patch operation ${step.op} at '${step.path}' does not fit the row.`, step.path);
    }
    const changed = onlyChanged(before, document);
    const refused = Object.keys(changed).flatMap((name) => {
      const field = resource.fields[name];
      return field?.write === 'never' ? [{ target: name, message: cannotBeSet(field) }] : [];
    });
    // Refused, not ignored: a patch names fields to change them, whereas a plain body may be a whole row that is sent back.
    if (refused.length > 0) throw validationFailed(refused);
    return changed;
  };
}

/** An edit from a plain object: sets the named fields. */
export function mergePatch(body: unknown): AnyEdit {
  if (!isObject(body)) throw invalid('The body must be a JSON object or a JSON Patch array.');
  return () => body;
}

/** An edit from the specification's pair of states: tests the fields that differ against `previous`, then sets them. */
export function statePatch(resource: Resource, previous: AnyRow, next: AnyRow): AnyEdit {
  const steps = createPatch(previous, next).map((o) => `/${o.path.split('/')[1] ?? ''}`);
  const names = [...new Set(steps)]
    .map((path) => path.slice(1))
    .filter((name) => !name.startsWith('@odata.') && !Object.hasOwn(resource.relations, name));
  return jsonPatch(
    resource,
    names.flatMap((name) => [
      { op: 'test', path: `/${name}`, value: previous[name] ?? null },
      { op: 'replace', path: `/${name}`, value: next[name] ?? null },
    ]),
  );
}

function onlyChanged(before: AnyRow, after: AnyRow): AnyRow {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !same(before[name], value)));
}

/** Returns the edit of a body: a JSON Patch for an array, a pair of states, or otherwise a merge patch. */
export function editOf(resource: Resource, body: unknown): AnyEdit {
  if (Array.isArray(body)) return jsonPatch(resource, body);
  if (isObject(body) && isObject(body['newState']) && isObject(body['previousState']))
    return statePatch(resource, body['previousState'], body['newState']);
  return mergePatch(body);
}

/** PATCH (RFC 7644, 3.5.2) as Entra ID, Okta and others send it: any case, booleans as texts, paths as keys of the value. */
import { scimPatch, ScimError as PatchError, type ScimResource } from 'scim-patch';
import { changedValues, withPartNames, type ValuesChange } from './patch-values.ts';
import { invalidValue, ScimRefusal } from './scim-error.ts';

/** The attributes of a resource with their parts; others are ignored. */
export type PatchedAttributes = Readonly<Record<string, readonly string[]>>;

const maxOperations = 1_000;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function property(object: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}

interface PatchTarget {
  attribute: string;
  /** The filter in brackets, and the part after the dot. */
  filter: string;
  part: string | undefined;
}

const pathForm = /^(?:urn:[^\s[\]]*:)?([A-Za-z$][\w$-]*)(?:\[(.+)\])?(?:\.([A-Za-z$][\w$-]*))?$/s;

/** The attribute and part of a path by their right case; undefined for attributes that are not supported. */
function targetOf(path: string, attributes: PatchedAttributes): PatchTarget | undefined {
  const [, name = '', filter, part] = pathForm.exec(path.trim()) ?? [];
  if (name === '') throw new ScimRefusal(400, `The path ${path} cannot be read.`, 'invalidPath');
  const attribute = Object.keys(attributes).find((each) => each.toLowerCase() === name.toLowerCase());
  // Extensions have the same form, such as urn:...:enterprise:2.0:User:department.
  if (attribute === undefined || /^urn:(?!.*:core:2\.0:)/i.test(path.trim())) return undefined;
  const matched = part === undefined ? undefined : attributes[attribute]?.find((each) => each.toLowerCase() === part.toLowerCase());
  if (part !== undefined && matched === undefined) return undefined;
  return { attribute, filter: filter ?? '', part: matched };
}

interface TargetedOperation extends Pick<ValuesChange, 'op' | 'path' | 'value'> {
  target: PatchTarget;
}

/** Returns the operations of a body, each with a path to a supported attribute. */
function operationsOf(body: unknown, attributes: PatchedAttributes): TargetedOperation[] {
  const list = isObject(body) ? property(body, 'operations') : undefined;
  if (!Array.isArray(list) || list.length === 0)
    throw new ScimRefusal(400, 'Send Operations: a list of objects with op, path and value.', 'invalidSyntax');
  if (list.length > maxOperations) throw new ScimRefusal(400, `A patch has at most ${maxOperations} operations.`, 'tooMany');
  return list.flatMap((item: unknown): TargetedOperation[] => {
    if (!isObject(item)) throw new ScimRefusal(400, 'Each operation is an object with op, path and value.', 'invalidSyntax');
    const op = String(property(item, 'op')).toLowerCase();
    const path = property(item, 'path');
    const value = property(item, 'value');
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw new ScimRefusal(400, `${op} is no operation: use add, replace or remove.`, 'invalidSyntax');
    if (path !== undefined && path !== null && typeof path !== 'string') throw new ScimRefusal(400, 'A path is a text.', 'invalidPath');
    if (typeof path === 'string' && path.trim() !== '') {
      if (op !== 'remove' && value === undefined) throw invalidValue(`The operation ${op} ${path} has no value.`);
      const target = targetOf(path, attributes);
      return target ? [{ op, path, target, value }] : [];
    }
    if (op === 'remove') throw new ScimRefusal(400, 'A removal needs a path.', 'noTarget');
    if (!isObject(value)) throw invalidValue('Without a path, the value is an object of attributes.');
    return Object.entries(value).flatMap(([key, part]) => {
      if (key.toLowerCase() === 'schemas' || !pathForm.test(key.trim())) return [];
      const target = targetOf(key, attributes);
      return target ? [{ op, path: key, target, value: part }] : [];
    });
  });
}

/** An attribute with one value. */
function patchedSingle<T extends object>(document: T, { op, target: { attribute, filter, part }, value }: TargetedOperation): T {
  const path = `${attribute}${filter === '' ? '' : `[${filter}]`}${part === undefined ? '' : `.${part}`}`;
  try {
    // The library declares more than it reads of a resource.
    return scimPatch(document as T & ScimResource, [op === 'remove' ? { op, path } : { op, path, value }], { mutateDocument: false });
  } catch (error) {
    if (error instanceof PatchError) {
      const { scimCode, message } = error as PatchError & { scimCode?: string };
      throw new ScimRefusal(
        400,
        message,
        scimCode === 'noTarget' ? 'noTarget' : scimCode === 'invalidPath' ? 'invalidPath' : 'invalidValue',
      );
    }
    if (error instanceof TypeError) throw invalidValue('The patch does not fit the attribute that it changes.');
    throw error;
  }
}

/** Returns the document after the patch. */
export function patched<T extends object>(document: T, body: unknown, attributes: PatchedAttributes): T {
  return operationsOf(body, attributes).reduce((current, operation) => {
    const { attribute } = operation.target;
    const parts = attributes[attribute] ?? [];
    const value = withPartNames(operation.value, parts);
    if (!parts.includes('value')) return patchedSingle(current, { ...operation, value });
    const values: unknown = (current as Record<string, unknown>)[attribute];
    return { ...current, [attribute]: changedValues(Array.isArray(values) ? values : [], { ...operation, ...operation.target, value }) };
  }, document);
}

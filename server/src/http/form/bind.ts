/** `tenant@odata.bind` in a body refers to a related row by its address, instead of the field with its key. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { isObject } from '../../resources/input.ts';

/** Matches `set(key)`, `set(name=key)` and `set/key`, after any address of the service. */
const address = /(?:^|\/)(\w+)(?:\((?:\w+=)?'?([^()']+)'?\)|\/([^/()]+))$/;

function keyOf(relation: string, to: string, value: unknown): string | number | null {
  if (value === null) return null;
  const target = requireResource(to);
  const [, set = '', inBrackets, afterSlash] = (typeof value === 'string' && address.exec(value)) || [];
  const key = inBrackets ?? afterSlash;
  if (key === undefined || set.toLowerCase() !== to.toLowerCase())
    throw new ApiError('InvalidBody', `${relation}@odata.bind is the address of one row, as ${to}(...).`, { target: relation });
  return target.fields[target.key]?.kind === 'guid' || target.fields[target.key]?.kind === 'text' ? key : Number(key);
}

/**
 * Returns the body with keys instead of addresses. Relations that a resource does not have stay, and are refused as
 * unknown fields.
 */
export function withBoundKeys({ relations }: Resource, body: unknown): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const [, relation = ''] = /^(\w+)@(?:odata\.)?bind$/.exec(name) ?? [];
      const bound = Object.hasOwn(relations, relation) ? relations[relation] : undefined;
      return bound && !bound.many && bound.on === requireResource(bound.to).key
        ? [bound.from, keyOf(relation, bound.to, value)]
        : [name, value];
    }),
  );
}
